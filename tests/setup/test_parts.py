"""The last lines of `make test`: every failure of a part is in their sum, and every failed test is named."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from eosviz.launch import parts
from eosviz.launch.parts import Bounds, Counts, Outcome, Part, count, describe, judge, read_cases, run_part
from eosviz.launch.places import ROOT

RESULTS = """<?xml version="1.0"?>
<testsuites><testsuite>
<testcase name="holds"/>
<testcase name="holds too"/>
<testcase name="does not hold"><failure message="1 == 2"/></testcase>
<testcase name="cannot start"><error message="no fixture"/></testcase>
<testcase name="fails and cannot tidy up"><failure/><error/></testcase>
<testcase name="has no browser"><skipped message="none"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "results.xml"
    path.write_text(RESULTS)
    return path


def test_a_case_counts_once_whatever_befell_it(results: Path) -> None:
    assert count(read_cases(results) or []) == Counts(passed=2, failed=3, skipped=1)


def test_results_nested_in_suites_are_counted(tmp_path: Path) -> None:
    """Node writes suites inside suites."""
    path = tmp_path / "results.xml"
    path.write_text(
        "<testsuites><testsuite><testsuite><testcase/></testsuite><testcase/></testsuite></testsuites>"
    )
    assert count(read_cases(path) or []) == Counts(passed=2)


def test_missing_or_broken_results_are_not_zero(tmp_path: Path, results: Path) -> None:
    assert read_cases(tmp_path / "nothing.xml") is None
    results.write_text(RESULTS[:200])
    assert read_cases(results) is None


def cases(passed: int = 0, failed: int = 0, skipped: int = 0) -> list[Element]:
    failure, skip = ("<failure message='it is not so'/>", "<skipped/>")
    elements = ["<testcase name='it'/>"] * passed + [f"<testcase name='it'>{failure}</testcase>"] * failed
    elements += [f"<testcase>{skip}</testcase>"] * skipped
    return [ElementTree.fromstring(case) for case in elements]


@pytest.mark.parametrize(
    ("found", "exit_code", "counts", "failures"),
    [
        (cases(5, 0, 1), 0, Counts(5, 0, 1), []),
        (cases(5, 2, 1), 1, Counts(5, 2, 1), ["it: it is not so"] * 2),
        (cases(5, 0, 1), 3, Counts(5, 1, 1), ["exit code 3 though no test failed"]),
        ([], 0, Counts(failed=1), ["no test was found"]),
        ([], 5, Counts(failed=1), ["no test was found"]),
        (None, -9, Counts(failed=1), ["it wrote no results (exit code -9)"]),
        (cases(skipped=4), 0, Counts(skipped=4), []),
    ],
)
def test_results_and_exit_code_are_held_against_each_other(
    found: list[Element] | None, exit_code: int, counts: Counts, failures: list[str]
) -> None:
    assert judge(found, exit_code) == Outcome(counts, failures)


def test_a_part_that_dies_before_it_writes_is_a_failure(tmp_path: Path) -> None:
    part = Part("dead", ["sh", "-c", "kill -9 $$"], tmp_path / "results.xml")
    assert run_part(part).counts == Counts(failed=1)


def test_a_part_that_does_not_end_is_ended_with_all_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "LAST_WORDS_SECONDS", 0.1)
    # The second process keeps the output open, as a worker does.
    stuck = ["sh", "-c", "trap '' ABRT; sleep 600 & wait"]
    part = Part("stuck", stuck, tmp_path / "results.xml", bounds=Bounds(test=1, part=0.2))
    assert run_part(part) == Outcome(Counts(failed=1), ["it was not over after 0.2 s"])


HANGING = """
import threading

def test_waits():
    threading.Event().wait()

def test_goes_on():
    pass
"""


@pytest.mark.parametrize("workers", [["-n", "1"], []], ids=["worker", "no worker"])
def test_a_test_that_does_not_end_fails_alone(tmp_path: Path, workers: list[str]) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_runtest_protocol")
    (tmp_path / "test_hanging.py").write_text(HANGING)
    part = parts.pytest_part("hanging", [str(tmp_path), *workers, "-p", "no:django"], Bounds(test=2, part=60))
    words = [str(word) for word in part.command if not str(word).startswith(("--junit-xml", "--output"))]
    run = subprocess.run(
        [*words, "--junit-xml=results.xml", f"--rootdir={tmp_path}"],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "PYTEST_XDIST_WORKER"}
        | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert judge(read_cases(tmp_path / "results.xml"), run.returncode).counts == Counts(passed=1, failed=1)
    if workers:
        assert "in test_waits" in run.stderr
    else:
        assert "threading.Event().wait()" in run.stdout and "it was not over after 1 s" in run.stdout


GROUPED = """
from tests.conftest import InGroups

def pytest_xdist_make_scheduler(config, log):
    return InGroups(config, log)
"""
IN_ORDER = """
def test_1():
    pass

def test_2():
    pass
"""
ENDS_ITS_PROCESS = """
import os, pathlib, time

def test_ends_its_process_once():
    if not pathlib.Path("ended").exists():
        pathlib.Path("ended").touch()
        time.sleep(1)  # the other process is at its end by then
        os._exit(1)
"""


def test_the_last_test_of_an_ended_process_is_run_by_another(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(GROUPED)
    (tmp_path / "test_in_order.py").write_text(IN_ORDER)
    (tmp_path / "test_ending.py").write_text(ENDS_ITS_PROCESS)
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            "2",
            "--dist",
            "loadgroup",
            "-p",
            "no:django",
            f"--rootdir={tmp_path}",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "crashed while running 'test_ending.py::test_ends_its_process_once'" in run.stdout
    assert "1 failed, 3 passed" in run.stdout


FAILING = """
import pytest

@pytest.fixture
def broken():
    raise OSError("no door\\nsecond line")

class TestDoor:
    @pytest.mark.parametrize("side", ["left"])
    def test_opens(self, side):
        assert side == "right", "it stays\\nshut"

def test_has_a_key(broken):
    pass
"""


def test_what_failed_is_named_as_pytest_takes_it(tmp_path: Path) -> None:
    """A real pytest is run with the arguments of a part, because the form of its results is pytest's own."""
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "test_door.py").write_text(FAILING)
    part = parts.pytest_part("door", ["rooms", "-p", "no:django", "-p", "no:playwright"])
    words = [str(word) for word in part.command if not str(word).startswith(("--junit-xml", "--output"))]
    run = subprocess.run(
        [*words, "--junit-xml=results.xml", f"--rootdir={tmp_path}"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        timeout=120,
    )
    outcome = judge(read_cases(tmp_path / "results.xml"), run.returncode)
    assert outcome == Outcome(
        Counts(failed=2),
        [
            "rooms/test_door.py::TestDoor::test_opens[left]: AssertionError: it stays",
            'rooms/test_door.py::test_has_a_key: failed on setup with "OSError: no door',
        ],
    )


def test_a_long_reason_is_printed_in_part() -> None:
    case = ElementTree.fromstring(f"<testcase name='it'><failure message='{'long ' * 100}'/></testcase>")
    assert len(describe(case)) < 250


@pytest.mark.parametrize(("failed", "last"), [(20, "FAILED told: it: it is not so"), (23, "and 3 more")])
def test_no_more_are_named_than_a_reader_can_take(
    failed: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parts.print_failures([f"told: {describe(case)}" for case in cases(failed=failed)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == min(failed, 21)
    assert last in lines[-1]


def test_the_last_line_sums_all_parts(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = ["cp", str(results)]
    good, dead = tmp_path / "good.xml", tmp_path / "dead.xml"
    monkeypatch.setattr(parts, "TEST_RESULTS", tmp_path / "test-results")
    monkeypatch.setattr(parts, "install_browser", lambda: None)
    monkeypatch.setattr(
        parts,
        "all_parts",
        lambda with_slow: (Part("good", [*copies, good], good), Part("dead", ["false"], dead)),
    )
    assert parts.run_parts(with_slow=False) == 1
    assert capsys.readouterr().out.splitlines()[-7:] == [
        "FAILED good: does not hold: 1 == 2",
        "FAILED good: cannot start: no fixture",
        "FAILED good: fails and cannot tidy up: it does not say why",
        "FAILED dead: it wrote no results (exit code 1)",
        "good: 2 passed, 3 failed, 1 skipped",
        "dead: 0 passed, 1 failed, 0 skipped",
        "2 passed, 4 failed, 1 skipped",
    ]


MEETS = "touch $0; for _ in $(seq 600); do [ -e $1 ] && cp $2 $3 && exit; sleep 0.05; done; exit 1"
"""A command that writes its results only once the other one has begun."""


def test_two_parts_run_at_a_time_and_each_line_says_whose_it_is(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def meeting(name: str, other: str) -> Part:
        written = tmp_path / f"{name}.xml"
        words = [*map(str, (tmp_path / name, tmp_path / other, results, written))]
        return Part(name, ["sh", "-c", MEETS, *words], written)

    monkeypatch.setattr(parts, "TEST_RESULTS", tmp_path / "test-results")
    monkeypatch.setattr(parts, "install_browser", lambda: None)
    part = Part(
        "told",
        ["sh", "-c", f"echo one; echo two >&2; cp {results} {tmp_path}/told.xml"],
        tmp_path / "told.xml",
    )
    monkeypatch.setattr(parts, "all_parts", lambda with_slow: (meeting("a", "b"), meeting("b", "a"), part))
    assert parts.run_parts(with_slow=False) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "6 passed, 9 failed, 3 skipped"
    assert lines.index("told: begins") < lines.index("told: one") < lines.index("told: two")


def test_every_part_but_the_front_end_writes_where_it_is_read() -> None:
    for part in parts.all_parts(with_slow=False):
        words = [str(word) for word in part.command]
        named = f"--junit-xml={part.results}" in words
        assert named or part.environment["EOSVIZ_TEST_RESULTS"] == str(part.results)


def test_only_the_long_run_includes_slow_tests() -> None:
    def leaves_slow_out(part: Part) -> bool:
        return "not slow" in part.command

    short, long = parts.all_parts(with_slow=False), parts.all_parts(with_slow=True)
    assert [part.name for part in short if leaves_slow_out(part)] == [
        "browser",
        "site",
        "engine",
        "postgresql",
    ]
    assert [part.name for part in long if leaves_slow_out(part)] == []


def test_both_runs_use_postgresql_too() -> None:
    def on_postgresql(with_slow: bool) -> list[str]:
        asked = (part for part in parts.all_parts(with_slow) if "EOSVIZ_TEST_DATABASE" in part.environment)
        return [part.name for part in asked]

    assert on_postgresql(with_slow=False) == ["postgresql"]
    assert on_postgresql(with_slow=True) == ["site on postgresql", "browser on postgresql"]
