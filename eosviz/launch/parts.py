"""`make test`: runs the tests in parts, each in a process of its own, and prints one line with the sums at
the end.

Playwright's synchronous API and pytest-asyncio cannot share a process. Each part has its own data and
servers, so PARTS_AT_A_TIME of them run at the same time.
"""

import os
import shutil
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from eosviz.launch.browser import DEBIAN_PACKAGE, find_browser
from eosviz.launch.commands import install_debian_package, is_debian_root, say
from eosviz.launch.frontend import find_node
from eosviz.launch.places import ROOT, TEST_RESULTS, environment_python
from eosviz.launch.processes import signal_group

ELSEWHERE = ("--ignore=tests/engine", "--ignore=tests/e2e")
POSTGRESQL_TESTS = (
    "tests/accounts",
    "tests/audience",
    "tests/classroom",
    "tests/operating",
    "tests/walkthroughs/test_commands.py",
    "tests/walkthroughs/test_one_statement.py",
)
"""Tests that `make test` runs on both databases. Slow tests and those of NOT_TWICE run on one only."""
NOT_TWICE = (
    "tests/accounts/test_asking_to_teach.py",
    "tests/accounts/test_guessing.py",
    "tests/accounts/test_hashing.py",
    "tests/accounts/test_signing_in.py",
    "tests/accounts/test_used.py",
    "tests/audience/test_hands.py",
    "tests/classroom/test_assignments.py",
    "tests/classroom/test_grading.py",
    "tests/classroom/test_kinds.py",
    "tests/classroom/test_markup.py",
    "tests/classroom/test_nothing_there.py",
    "tests/classroom/test_permissions.py",
    "tests/classroom/test_times.py",
    "tests/operating/test_administration.py",
    "tests/operating/test_mail_files.py",
    "tests/operating/test_metrics.py",
    "tests/operating/test_no_room.py",
)
"""Tests among POSTGRESQL_TESTS that make almost no database query which other tests do not make. `make test`
runs them on one database, `make test-all` on both."""
PARTS_AT_A_TIME = 3
LAST_WORDS_SECONDS = 10
"""Processes of pytest that are being ended have this many seconds to print where each of their threads is."""
FAILURES_MAX = 20
"""At most this many failures are repeated at the end."""
REASON_MAX = 200
"""The reason of a failure is cut to this many characters."""
PYTEST_ENVIRONMENT = {
    # If this variable is set, pytest prints every difference in full, which buries the names of the failures.
    "CI": "",
    # If this variable is set, Python stores no compiled modules, so every process of every test compiles some
    # thousand of them, which takes most of its start.
    "PYTHONDONTWRITEBYTECODE": "",
}


@dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass(frozen=True)
class Outcome:
    """The results of a part."""

    counts: Counts
    failures: Sequence[str] = ()
    """One line for each failure: the test, and the first line of the reason."""


@dataclass(frozen=True)
class Bounds:
    """Limits on the time that tests may take, in seconds."""

    test: float
    """The limit for one test. After it, pytest prints where each thread of the test's process is, and ends
    the process: the test has failed, and the other tests continue in a new process. A part without
    pytest-xdist has only one process; there the test fails shortly before the limit (tests/conftest.py)."""
    part: float
    """The limit for a part. After it, the part is ended and counts as failed."""


QUICK, WITH_SLOW = Bounds(test=400, part=2400), Bounds(test=3600, part=14_400)


@dataclass(frozen=True)
class Part:
    name: str
    command: Sequence[str | Path]
    """The command that runs the tests and writes `results`."""
    results: Path
    """The file into which the command writes the results, as JUnit XML."""
    environment: Mapping[str, str] = field(default_factory=dict)
    bounds: Bounds = QUICK


def run_parts(with_slow: bool) -> int:
    """Run every part, even if one has failed. Returns the exit code: 0 if all passed, else 1."""
    install_browser()
    shutil.rmtree(TEST_RESULTS, ignore_errors=True)
    TEST_RESULTS.mkdir()
    parts = all_parts(with_slow)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pool = ThreadPoolExecutor(PARTS_AT_A_TIME)
    try:
        outcomes = list(pool.map(run_part, parts))
    except BaseException:
        # Ctrl-C and SIGTERM reach only this process, since each part has a process group of its own.
        end_running()
        raise
    finally:
        # The parts that have not begun are cancelled.
        pool.shutdown(cancel_futures=True)
    say("")
    print_failures(
        [
            f"{part.name}: {what}"
            for part, outcome in zip(parts, outcomes, strict=True)
            for what in outcome.failures
        ]
    )
    for part, outcome in zip(parts, outcomes, strict=True):
        say(f"{part.name}: {outcome.counts}")
    total = sum((outcome.counts for outcome in outcomes), Counts())
    say(str(total))
    return 0 if total.failed == 0 else 1


def print_failures(failures: Sequence[str]) -> None:
    """Print the first FAILURES_MAX failures again, before the sums: often only the end of a log is kept."""
    for what in failures[:FAILURES_MAX]:
        say(f"FAILED {what}")
    if len(failures) > FAILURES_MAX:
        say(f"FAILED and {len(failures) - FAILURES_MAX} more, named in the lines above")


def all_parts(with_slow: bool) -> Sequence[Part]:
    node = find_node()
    chosen = [] if with_slow else ["-m", "not slow"]
    bounds = WITH_SLOW if with_slow else QUICK
    front_end_results = TEST_RESULTS / "front-end.xml"
    front_end_environment = {**node.environment(), "EOSVIZ_TEST_RESULTS": str(front_end_results)}
    # The longest part comes first, so that the others run at the same time.
    return (
        # The tests run in groups (tests/conftest.py), in the order of the files. If they were sorted by their
        # number of tests, the longest group would come last.
        pytest_part(
            "browser",
            ["tests/e2e", "-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder", *chosen],
            bounds,
        ),
        # There are several workers, because one is busy with Spark and another one begins with tests that
        # wait for processes. Each worker needs 15 s of processor time to collect all tests and make a
        # database.
        pytest_part(
            "site",
            ["tests", *ELSEWHERE, "-n", "4" if with_slow else "2", "--dist", "loadgroup", *chosen],
            bounds,
        ),
        # Without the slow tests there is one process. A second one would have to collect all tests again, and
        # a worker needs 2 ms more for each of thousands of tests to report it.
        pytest_part(
            "engine",
            ["tests/engine", *(["-n", "2", "--dist", "worksteal"] if with_slow else []), *chosen],
            bounds,
        ),
        *postgresql_parts(with_slow),
        Part("front end", node.npm("test", "--silent"), front_end_results, front_end_environment),
    )


def postgresql_parts(with_slow: bool) -> Sequence[Part]:
    """The parts that run tests again on PostgreSQL: the tests that depend on the database; `with_slow`: all
    tests of the site and of the browser."""
    chosen = {"EOSVIZ_TEST_DATABASE": "postgresql"}
    if not with_slow:
        words = [
            *POSTGRESQL_TESTS,
            *(f"--ignore={name}" for name in NOT_TWICE),
            "-m",
            "not slow",
        ]
        return (pytest_part("postgresql", words, QUICK, chosen),)
    site = ["tests", *ELSEWHERE, "-n", "2", "--dist", "loadgroup"]
    browser = ["tests/e2e", "-n", "2", "--dist", "loadscope"]
    return (
        pytest_part("site on postgresql", site, WITH_SLOW, chosen),
        pytest_part("browser on postgresql", browser, WITH_SLOW, chosen),
    )


def pytest_part(
    name: str, words: Sequence[str], bounds: Bounds = QUICK, environment: Mapping[str, str] | None = None
) -> Part:
    results = TEST_RESULTS / f"{name.replace(' ', '-')}.xml"
    command: list[str | Path] = [
        environment_python(),
        "-m",
        "pytest",
        "-q",
        "-rs",
        "--durations=5",
        f"--junit-xml={results}",
        # The older of JUnit's two formats has the file of each test.
        "--override-ini=junit_family=xunit1",
        f"--override-ini=faulthandler_timeout={bounds.test}",
        "--override-ini=faulthandler_exit_on_timeout=true",
        # Playwright's pytest plugin empties its output folder when it starts. By default that is the folder
        # of the results.
        f"--output={results.with_suffix('.output')}",
    ]
    return Part(name, [*command, *words], results, {**PYTEST_ENVIRONMENT, **(environment or {})}, bounds)


def install_browser() -> None:
    """Install a browser if there is none and this process may install packages. Without a browser, the tests
    that need one are skipped and say so."""
    if find_browser() is None and is_debian_root():
        say(f"Installing {DEBIAN_PACKAGE} for the browser tests …")
        if not install_debian_package(DEBIAN_PACKAGE):
            say(f"apt-get could not install {DEBIAN_PACKAGE}.")


def run_part(part: Part) -> Outcome:
    """Run a part to its end, and print each line of its output with the part's name."""
    print_line(part, "begins")
    process = subprocess.Popen(
        [str(word) for word in part.command],
        cwd=ROOT,
        env={**os.environ, **part.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # The part gets a process group of its own, so that all its processes can be ended.
        process_group=0,
    )
    _running.add(process.pid)
    late = threading.Event()
    overdue = threading.Timer(part.bounds.part, end_part, [part, process.pid, late])
    overdue.start()
    try:
        assert process.stdout is not None  # noqa: S101 - it was requested above
        for line in process.stdout:
            print_line(part, line.rstrip())
        _, status, used = os.wait4(process.pid, 0)
    finally:
        overdue.cancel()
        _running.discard(process.pid)
    process.returncode = os.waitstatus_to_exitcode(status)
    print_line(part, f"took {used.ru_utime + used.ru_stime:.0f} s of processor time")
    cases = read_cases(part.results)
    outcome = judge(cases, process.returncode)
    if late.is_set():
        outcome = Outcome(Counts(failed=1), [f"it was not over after {part.bounds.part:g} s"])
    if cases is None or outcome.counts != count(cases):
        print_line(part, f"{outcome.failures[-1]}, which counts as one failure")
    return outcome


_running: set[int] = set()
"""The process groups of the parts that are running."""


def end_part(part: Part, group: int, late: threading.Event) -> None:
    """End a part that exceeds its time limit. Its pytest processes first print where each of their threads
    is."""
    late.set()
    print_line(part, f"is ended: it was not over after {part.bounds.part:g} s")
    signal_group(group, signal.SIGABRT)
    time.sleep(LAST_WORDS_SECONDS)
    signal_group(group, signal.SIGKILL)


def end_running() -> None:
    """End the parts that are running, with the signal that Ctrl-C sends."""
    for group in tuple(_running):
        signal_group(group, signal.SIGINT)


_printing = threading.Lock()


def print_line(part: Part, line: str) -> None:
    with _printing:
        say(f"{part.name}: {line}")


def judge(cases: Sequence[Element] | None, exit_code: int) -> Outcome:
    """The results of a part. `cases`: the test cases of its results file; None: it wrote none."""
    if cases is None:
        return Outcome(Counts(failed=1), [f"it wrote no results (exit code {exit_code})"])
    if not cases:
        return Outcome(Counts(failed=1), ["no test was found"])
    counts, failures = count(cases), [describe(case) for case in cases if is_failed(case)]
    if exit_code != 0 and not failures:
        return Outcome(counts + Counts(failed=1), [f"exit code {exit_code} though no test failed"])
    return Outcome(counts, failures)


def read_cases(results: Path) -> Sequence[Element] | None:
    """The test cases of a JUnit file. None if the file is missing or incomplete."""
    try:
        return list(ElementTree.parse(results).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return None


def count(cases: Sequence[Element]) -> Counts:
    # A case may fail and then fail again in its tear-down; it counts once.
    failed = sum(map(is_failed, cases))
    skipped = sum(case.find("skipped") is not None and not is_failed(case) for case in cases)
    return Counts(len(cases) - failed - skipped, failed, skipped)


def is_failed(case: Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


def describe(case: Element) -> str:
    """A failed test in one line, `tests/setup/test_parts.py::test_it: AssertionError: assert 1 == 2`: the
    test as an argument for pytest, and the first line of the reason."""
    file, names = case.get("file", ""), [case.get("name", "")]
    module = file.removesuffix(".py").replace("/", ".")
    if file.endswith(".py"):
        # `classname` is the module's name, followed by the test's class if there is one.
        inside = case.get("classname", "").removeprefix(module).strip(".")
        names = [file, *inside.split("."), *names] if inside else [file, *names]
    why = next((found for tag in ("failure", "error") if (found := case.find(tag)) is not None), None)
    text = "" if why is None else (why.get("message") or why.text or "").strip()
    reason = text.splitlines()[0][:REASON_MAX] if text else "it does not say why"
    return f"{'::'.join(names)}: {reason}"
