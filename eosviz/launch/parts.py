"""`make test`: the tests in parts, each its own process, and one line at the end that sums them.

The parts are apart because they must be: Playwright's synchronous door and pytest-asyncio do not share a
process. Each test process has data and servers of its own, so two run at a time; and as tests also wait, for
processes that start, for answers that must not come, for the last test of a part, two parts run at a time.
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
PARTS_AT_A_TIME = 2
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
    for part, counts in zip(parts, outcomes, strict=True):
        say(f"{part.name}: {counts}")
    total = sum(outcomes, Counts())
    say(str(total))
    return 0 if total.failed == 0 else 1


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
        pytest_part("site", ["tests", *ELSEWHERE, "-n", "2", "--dist", "loadgroup", *chosen]),
        pytest_part("engine", ["tests/engine", "-n", "2", "--dist", "worksteal", *chosen]),
        *postgresql_parts(with_slow),
        Part("front end", node.npm("test", "--silent"), front_end_results, front_end_environment),
    )


def postgresql_parts(with_slow: bool) -> Sequence[Part]:
    """The same tests on a PostgreSQL of their own: what the database decides, or in the long run all."""
    chosen = {"EOSVIZ_TEST_DATABASE": "postgresql"}
    if not with_slow:
        words = [*POSTGRESQL_TESTS, "-n", "2", "--dist", "loadgroup", "-m", "not slow"]
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


def run_part(part: Part) -> Counts:
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
    counts = count(part.results)
    if counts is None:
        tell(part, f"it wrote no results (exit code {process.returncode}), which counts as one failure")
        return Counts(failed=1)
    return judge(part.name, counts, process.returncode)


_telling = threading.Lock()


def tell(part: Part, line: str) -> None:
    with _telling:
        say(f"{part.name}: {line}")


def judge(name: str, counts: Counts, exit_code: int) -> Counts:
    """What a part counts for when its numbers and its exit code are held against each other."""
    if counts == Counts():
        say(f"{name}: no test was found, which counts as one failure")
        return Counts(failed=1)
    if exit_code != 0 and counts.failed == 0:
        say(f"{name}: exit code {exit_code} though no test failed, which counts as one failure")
        return counts + Counts(failed=1)
    return counts


def count(results: Path) -> Counts | None:
    """The test cases of a JUnit file. None when it is missing or broken off."""
    try:
        cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return None
    # A case may have failed and then failed again in its tear-down; it is one failed case.
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(
        case.find("skipped") is not None and case.find("failure") is None and case.find("error") is None
        for case in cases
    )
    return Counts(len(cases) - failed - skipped, failed, skipped)
