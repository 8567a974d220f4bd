"""`make test`: the tests in parts, each its own process, and one line at the end that sums them.

The parts are apart because they must be: Playwright's synchronous door and pytest-asyncio do not share a
process. Each test process has data and servers of its own, so two or three run at a time; and as tests also wait,
for processes that start, for answers that must not come, for the last test of a part, three parts run at a time.
"""

import os
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from eosviz.launch.browser import find_browser
from eosviz.launch.commands import install_debian_package, is_debian_root, say
from eosviz.launch.frontend import find_node
from eosviz.launch.places import ROOT, TEST_RESULTS, environment_python

ELSEWHERE = ("--ignore=tests/engine", "--ignore=tests/e2e")
POSTGRESQL_TESTS = (
    "tests/accounts",
    "tests/audience",
    "tests/classroom",
    "tests/operating",
    "tests/walkthroughs/test_commands.py",
)
"""Who may do what, and what happens once: run on both databases by `make test`."""
NOT_TWICE = ("tests/classroom/test_permissions.py", "tests/classroom/test_nothing_there.py")
"""Every address × every person: asked of one database by `make test`, of both by `make test-all`."""
PARTS_AT_A_TIME = 3
FAILURES_MAX = 20
"""Named at the end. More than these have few causes, and their part has told all of them."""
REASON_MAX = 200
"""Characters."""
PYTEST_ENVIRONMENT = {
    # Where it is set pytest prints every difference in full, which buries the names of what failed.
    "CI": "",
    # Where it is set every process of every test compiles some thousand modules, most of the time of its start.
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
    """What came of a part."""

    counts: Counts
    failures: Sequence[str] = ()
    """A line each: which test, and the beginning of why."""


@dataclass(frozen=True)
class Part:
    name: str
    command: Sequence[str | Path]
    """Runs the tests and writes `results`."""
    results: Path
    """JUnit XML."""
    environment: Mapping[str, str] = field(default_factory=dict)


def run_parts(with_slow: bool) -> int:
    """Run every part, whatever happens in one. The exit code: 0 when all was well, 1 otherwise."""
    bring_browser()
    shutil.rmtree(TEST_RESULTS, ignore_errors=True)
    TEST_RESULTS.mkdir()
    parts = all_parts(with_slow)
    pool = ThreadPoolExecutor(PARTS_AT_A_TIME)
    try:
        outcomes = list(pool.map(run_part, parts))
    finally:
        # After Ctrl-C those that run have had it too; none may begin.
        pool.shutdown(cancel_futures=True)
    say("")
    tell_failures(
        [f"{part.name}: {what}" for part, told in zip(parts, outcomes, strict=True) for what in told.failures]
    )
    for part, told in zip(parts, outcomes, strict=True):
        say(f"{part.name}: {told.counts}")
    total = sum((told.counts for told in outcomes), Counts())
    say(str(total))
    return 0 if total.failed == 0 else 1


def tell_failures(failures: Sequence[str]) -> None:
    """Once more before the sums: often the end of a log is all that is kept of it."""
    for what in failures[:FAILURES_MAX]:
        say(f"FAILED {what}")
    if len(failures) > FAILURES_MAX:
        say(f"FAILED and {len(failures) - FAILURES_MAX} more, named in the lines above")


def all_parts(with_slow: bool) -> Sequence[Part]:
    node = find_node()
    chosen = [] if with_slow else ["-m", "not slow"]
    front_end_results = TEST_RESULTS / "front-end.xml"
    front_end_environment = {**node.environment(), "EOSVIZ_TEST_RESULTS": str(front_end_results)}
    # The longest first: beside it all others find their time.
    return (
        # In groups (tests/conftest.py), and in their order: by their number of tests the longest would come last.
        pytest_part(
            "browser", ["tests/e2e", "-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder", *chosen]
        ),
        # One of the three spends its time with Spark.
        pytest_part("site", ["tests", *ELSEWHERE, "-n", "3", "--dist", "loadgroup", *chosen]),
        pytest_part("engine", ["tests/engine", "-n", "2", "--dist", "worksteal", *chosen]),
        *postgresql_parts(with_slow),
        Part("front end", node.npm("test", "--silent"), front_end_results, front_end_environment),
    )


def postgresql_parts(with_slow: bool) -> Sequence[Part]:
    """The same tests on a PostgreSQL of their own: what the database decides, or in the long run all."""
    chosen = {"EOSVIZ_TEST_DATABASE": "postgresql"}
    if not with_slow:
        words = [
            *POSTGRESQL_TESTS,
            *(f"--ignore={name}" for name in NOT_TWICE),
            "-n",
            "2",
            "--dist",
            "loadgroup",
            "-m",
            "not slow",
        ]
        return (pytest_part("postgresql", words, chosen),)
    site = ["tests", *ELSEWHERE, "-n", "2", "--dist", "loadgroup"]
    browser = ["tests/e2e", "-n", "2", "--dist", "loadscope"]
    return (
        pytest_part("site on postgresql", site, chosen),
        pytest_part("browser on postgresql", browser, chosen),
    )


def pytest_part(name: str, words: Sequence[str], environment: Mapping[str, str] | None = None) -> Part:
    results = TEST_RESULTS / f"{name.replace(' ', '-')}.xml"
    command: list[str | Path] = [
        environment_python(),
        "-m",
        "pytest",
        "-q",
        "-rs",
        "--durations=5",
        f"--junit-xml={results}",
        # The older of its two forms names each test's file.
        "--override-ini=junit_family=xunit1",
        # Playwright's pytest plugin empties this folder when it starts, by default the one with the results.
        f"--output={results.with_suffix('.output')}",
    ]
    return Part(name, [*command, *words], results, {**PYTEST_ENVIRONMENT, **(environment or {})})


def bring_browser() -> None:
    """Where none is installed and this may be changed here; elsewhere the tests are skipped and say so."""
    if find_browser() is None and is_debian_root():
        say("Installing chromium for the browser tests …")
        if not install_debian_package("chromium"):
            say("apt-get could not install chromium.")


def run_part(part: Part) -> Outcome:
    """To its end, each line that it writes shown behind its name."""
    tell(part, "begins")
    process = subprocess.Popen(
        [str(word) for word in part.command],
        cwd=ROOT,
        env={**os.environ, **part.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None  # noqa: S101 - it was asked for
    for line in process.stdout:
        tell(part, line.rstrip())
    process.wait()
    cases = read_cases(part.results)
    told = judge(cases, process.returncode)
    if cases is None or told.counts != count(cases):
        tell(part, f"{told.failures[-1]}, which counts as one failure")
    return told


_telling = threading.Lock()


def tell(part: Part, line: str) -> None:
    with _telling:
        say(f"{part.name}: {line}")


def judge(cases: Sequence[Element] | None, exit_code: int) -> Outcome:
    """What a part counts for when its results and its exit code are held against each other."""
    if cases is None:
        return Outcome(Counts(failed=1), [f"it wrote no results (exit code {exit_code})"])
    if not cases:
        return Outcome(Counts(failed=1), ["no test was found"])
    counts, failures = count(cases), [describe(case) for case in cases if is_failed(case)]
    if exit_code != 0 and not failures:
        return Outcome(counts + Counts(failed=1), [f"exit code {exit_code} though no test failed"])
    return Outcome(counts, failures)


def read_cases(results: Path) -> Sequence[Element] | None:
    """The test cases of a JUnit file. None when it is missing or broken off."""
    try:
        return list(ElementTree.parse(results).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return None


def count(cases: Sequence[Element]) -> Counts:
    # A case may have failed and then failed again in its tear-down; it is one failed case.
    failed = sum(map(is_failed, cases))
    skipped = sum(case.find("skipped") is not None and not is_failed(case) for case in cases)
    return Counts(len(cases) - failed - skipped, failed, skipped)


def is_failed(case: Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


def describe(case: Element) -> str:
    """As `tests/setup/test_parts.py::test_it: AssertionError: assert 1 == 2`: what pytest takes, and the first line
    of why."""
    file, names = case.get("file", ""), [case.get("name", "")]
    module = file.removesuffix(".py").replace("/", ".")
    if file.endswith(".py"):
        # A test's class stands behind its module's name.
        inside = case.get("classname", "").removeprefix(module).strip(".")
        names = [file, *inside.split("."), *names] if inside else [file, *names]
    why = next((found for tag in ("failure", "error") if (found := case.find(tag)) is not None), None)
    told = "" if why is None else (why.get("message") or why.text or "").strip()
    reason = told.splitlines()[0][:REASON_MAX] if told else "it does not say why"
    return f"{'::'.join(names)}: {reason}"
