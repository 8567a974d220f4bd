"""The runner of bounded processes: their answers, how they end, the order of the queue, and what they leave behind."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings

from engine.scenario.shelf import entry
from eosviz.bounded import register as registers
from eosviz.bounded import runner, template
from eosviz.bounded import starting as starting_processes
from eosviz.bounded.refusing import BeyondBounds, Busy, Cancelled, NotThisTime, Refused, Stopped
from eosviz.bounded.register import COMMAND_LINE, Caller, Place, Register, Standing, Ticket, in_turn, starting
from eosviz.bounded.tasks import INTERACTIVE_BYTES_MAX, MEMORY_BYTES_MAX, TASKS, Task
from eosviz.catalogue import say
from eosviz.launch.places import ROOT
from eosviz.no_room import means_no_room
from tests.small_disk import small_disk

MEBIBYTE = 2**20
ROW = Task(
    name="test", work="", processor_seconds=20, memory_bytes=300 * MEBIBYTE, clock_seconds=60,
    beyond="workshop.refused.too_much",
)  # fmt: skip


def task(function: str, **changes: Any) -> Task:
    return replace(ROW, work=f"tests.bounded.work:{function}", **changes)


@pytest.fixture(autouse=True)
def own_register(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def requests() -> list[str]:
    folder = Path(django_settings.DATA_DIR) / "bounded" / "requests"
    return sorted(os.listdir(folder)) if folder.exists() else []


def wait_until(condition: Any) -> Any:
    until = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


def test_a_process_answers_and_its_folder_goes() -> None:
    with runner.run(task("answer"), {"a": 1}) as done:
        assert json.loads(done.answer) == {"a": 1}
        assert (done.folder / "left").read_bytes() == b"beside it"
    assert requests() == []


def test_a_refusal_comes_back_with_its_sentence() -> None:
    with pytest.raises(Refused) as refused:
        runner.answer(task("refuse"), None)
    assert (refused.value.key, refused.value.params) == ("replays.refused.no_file", {"name": "x"})
    assert requests() == []


def test_a_process_that_finds_no_room_is_not_called_too_large(settings: Any, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", MEBIBYTE) as disk:
        settings.DATA_DIR = disk
        with pytest.raises(OSError) as refused:
            runner.answer(task("fill"), 2 * MEBIBYTE)
        assert means_no_room(refused.value)
        assert requests() == []


@pytest.mark.parametrize(
    "row", [task("turn", processor_seconds=1), task("sleep", clock_seconds=0), task("grow")]
)
def test_beyond_its_bounds_a_process_is_ended_and_nothing_is_a_fault(
    row: Task, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(BeyondBounds) as beyond:
        runner.answer(row, 30)
    assert beyond.value.key == row.beyond
    assert not caplog.records
    assert requests() == []


def test_a_fault_of_ours_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(BeyondBounds):
        runner.answer(task("break_down"), None)
    assert "a fault of ours" in caplog.text


def test_a_process_gets_no_key_and_no_address_of_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setenv("DATABASE_URL", "x")
    names = set(json.loads(runner.answer(task("environment"), None)))
    assert "PATH" in names
    assert not {"SECRET_KEY", "DATABASE_URL", "EOSVIZ_DATA"} & names


def peak_bytes(pid: str) -> int:
    """Return the most memory that the process has had so far, in bytes; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def children(parent: str | int) -> list[str]:
    found = []
    for listed in Path(f"/proc/{parent}/task").glob("*/children"):
        with suppress(OSError):
            found += listed.read_text().split()
    return found


def bounded_processes(parent: int) -> list[str]:
    """Return the ids of the bounded processes: the children that the template process of a site's process has
    forked.
    """
    found = []
    for pid in children(parent):
        with suppress(OSError):
            if b"eosviz.bounded.template" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found += children(pid)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_more_than_fit_run_in_turns_below_their_own_bound_and_the_bound_for_all(settings: Any) -> None:
    settings.BOUNDED_MEMORY_BYTES = 2 * ROW.memory_bytes
    peaks: dict[str, int] = {}
    most_at_once = most_together = 0
    with ThreadPoolExecutor(5) as pool:
        asked = [pool.submit(runner.answer, task("grow"), None) for _ in range(5)]
        while not all(one.done() for one in asked):
            running = {pid: peak_bytes(pid) for pid in bounded_processes(os.getpid())}
            peaks |= {pid: max(size, peaks.get(pid, 0)) for pid, size in running.items()}
            most_at_once = max(most_at_once, len(running))
            most_together = max(most_together, sum(running.values()))
            time.sleep(0.005)
    assert all(isinstance(one.exception(), BeyondBounds) for one in asked)
    assert len(peaks) == 5
    assert most_at_once == 2
    assert 100 * MEBIBYTE < max(peaks.values()) < ROW.memory_bytes
    assert most_together < settings.BOUNDED_MEMORY_BYTES


def test_a_request_has_a_place_and_is_cancelled_while_it_waits_and_while_it_runs(settings: Any) -> None:
    settings.BOUNDED_MEMORY_BYTES = ROW.memory_bytes
    register = runner.register()

    def sleep(name: str) -> None:
        with runner.run(task("sleep"), 60, name=name):
            pass

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(sleep, "first")
        wait_until(lambda: register.place("first") == Place(0, 0))
        second = pool.submit(sleep, "second")
        wait_until(lambda: register.place("second"))
        pool.submit(sleep, "third")
        wait_until(lambda: register.place("third"))
        assert (register.place("second"), register.place("third")) == (Place(1, 2), Place(2, 2))
        assert register.cancel("second")
        assert isinstance(second.exception(60), Cancelled)
        assert register.cancel("first")
        assert isinstance(first.exception(60), Cancelled)
        wait_until(lambda: register.place("third") == Place(0, 0))
        register.cancel("third")
    assert requests() == []
    assert register.place("first") is None
    assert not register.cancel("first")


def test_a_killed_site_leaves_no_process_and_no_place_that_is_taken() -> None:
    """The parent process is killed with SIGKILL, as the kernel would when memory is short. Its bounded process ends
    with it, and the next look at the queue deletes its folder.
    """
    script = (
        "import os, django; from django.conf import settings; "
        f"settings.configure(DATA_DIR={str(django_settings.DATA_DIR)!r}, BOUNDED_MEMORY_BYTES=10**10); "
        "from eosviz.bounded import runner; from tests.bounded.test_runner import task; "
        "runner.answer(task('sleep'), 600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    register = runner.register()
    (name,) = wait_until(lambda: [one.name for one in register.standings() if one.runs])
    its_own = wait_until(lambda: bounded_processes(parent.pid)) if sys.platform == "linux" else []
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in its_own))
    assert wait_until(lambda: register.standings() == [])
    assert requests() == []
    assert register.place(name) is None


def test_what_is_ended_from_outside_may_be_run_again() -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(runner.answer, task("sleep"), 60)
        (pid,) = wait_until(lambda: bounded_processes(os.getpid()))
        # Right after its fork, the process still ignores SIGTERM, as its template does.
        wait_until(lambda: not ignores(pid, signal.SIGTERM))
        os.kill(int(pid), signal.SIGTERM)
        assert isinstance(asked.exception(60), Stopped)


# -- the template --------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="processes are started plainly")
class TestTemplate:
    def test_processes_share_one_template_and_no_state(self) -> None:
        assert runner.answer(task("count"), None) == b"1"
        first = starting_processes.template.pid
        assert runner.answer(task("count"), None) == b"1"
        assert starting_processes.template.pid == first is not None

    def test_it_has_imported_what_the_tasks_import(self) -> None:
        text = entry("SC-03").text
        before, after = json.loads(runner.answer(task("imports"), {"text": text}))
        assert {name for name in after if name.startswith(("engine.", "eosviz."))} <= set(before)

    def test_a_killed_template_ends_its_processes_and_the_next_request_gets_another(self) -> None:
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(runner.answer, task("sleep"), 60)
            wait_until(lambda: bounded_processes(os.getpid()))
            killed = starting_processes.template.pid
            assert killed is not None
            os.kill(killed, signal.SIGKILL)
            assert isinstance(asked.exception(60), NotThisTime)
        assert requests() == []
        assert runner.answer(task("answer"), 1) == b"1"
        assert starting_processes.template.pid not in (killed, None)

    def test_it_reads_the_library_and_the_catalogues_when_its_first_process_has_ended(self) -> None:
        runner.answer(task("answer"), 1)

        def read_after_a_rest() -> bool:
            time.sleep(5 * template.REST_SECONDS)
            return bool(json.loads(runner.answer(task("prepared"), None)) == [1, 1])

        wait_until(read_after_a_rest)

    def test_an_idle_template_ends(self) -> None:
        prepared: list[str] = []
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            prepare = [lambda: prepared.append("before its first process")]
            template.Template(theirs, idle_seconds=0.01, prepare=prepare).serve()
        assert prepared == []

    def test_a_site_without_a_template_starts_the_process_plainly(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(starting_processes.Template, "fork", lambda *_: None)
        assert runner.answer(task("answer"), 1) == b"1"
        with pytest.raises(NotThisTime):
            runner.answer(task("sleep", clock_seconds=0), 60)
        assert requests() == []


def ignores(pid: str, number: signal.Signals) -> bool:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return any(int(line.split()[1], 16) >> (number - 1) & 1 for line in lines if line.startswith("SigIgn"))


# -- whose turn it is ----------------------------------------------------------------------------------------


def standing(
    name: str, kind: str = "log", who: Caller = COMMAND_LINE, runs: bool = False, at: int = 0
) -> Standing:
    row = TASKS[kind]
    return Standing(name, Ticket(kind, row.memory_bytes, row.interactive, who, at), runs)


def names(standings: list[Standing]) -> list[str]:
    return [one.name for one in standings]


def test_interactive_ones_go_first_and_many_of_one_person_push_no_other_out() -> None:
    ada, ben = Caller("ada", "school"), Caller("ben", "home")
    waiting = [
        *(standing(f"ada {number}", who=ada, at=number) for number in range(3)),
        standing("ben", who=ben, at=7),
        standing("trial", "trial", Caller("cleo"), at=9),
    ]
    assert names(in_turn(waiting)) == ["trial", "ada 0", "ben", "ada 1", "ada 2"]
    running = standing("ada runs", who=ada, runs=True)
    assert names(in_turn([running, *waiting])) == ["trial", "ben", "ada 0", "ada 1", "ada 2"]


def test_a_program_that_is_a_new_person_each_time_is_one_address() -> None:
    bots = [standing(f"bot {at}", who=Caller(f"p{at}", "one"), at=at) for at in range(3)]
    assert names(in_turn([*bots, standing("ben", who=Caller("ben", "two"), at=9)]))[:2] == ["bot 0", "ben"]


def test_what_does_not_fit_yet_is_not_overtaken_and_a_trial_finds_room() -> None:
    both = MEMORY_BYTES_MAX + INTERACTIVE_BYTES_MAX
    running = standing("log", runs=True)
    small = standing("small", "outcomes", at=2)
    assert starting([running, standing("next", at=1), small], both) == []
    assert starting([running, standing("trial", "trial", at=3), small], both) == ["trial"]
    assert starting([standing("log"), standing("other", at=1)], MEMORY_BYTES_MAX) == ["log"]


@pytest.mark.parametrize("whose", ["person", "address", "all"])
def test_a_full_queue_is_refused_with_a_sentence_and_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    bound = "WAITING_MAX" if whose == "all" else f"WAITING_OF_{whose.upper()}_MAX"
    monkeypatch.setattr(registers, bound, 1)
    register, who = Register(tmp_path / "r"), Caller("ada", "school")
    with register.enter(ROW, who), pytest.raises(Busy) as busy, register.enter(ROW, who):
        pass
    assert (busy.value.key, busy.value.seconds) == (f"bounded.full.{whose}", registers.FULL_SECONDS)
    for language in ("en", "zh-Hans"):
        assert "30" in say(busy.value.key, language, busy.value.params)
    with register.enter(ROW, who):
        pass


def test_a_job_whose_turn_does_not_come_in_time_is_refused(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BOUNDED_MEMORY_BYTES = 0
    monkeypatch.setattr(runner, "WAIT_SECONDS_MAX", 0)
    with pytest.raises(Busy) as busy:
        runner.answer(task("answer"), None)
    assert busy.value.key == "bounded.busy"
    assert requests() == []


def test_threads_that_look_at_the_same_time_agree(settings: Any) -> None:
    settings.BOUNDED_MEMORY_BYTES = ROW.memory_bytes
    running, most = 0, 0
    guard = threading.Lock()

    def hold(number: int) -> None:
        nonlocal running, most
        with runner.register().enter(ROW, Caller()) as request:
            wait_until(lambda: request.start(ROW.memory_bytes))
            with guard:
                running += 1
                most = max(most, running)
            time.sleep(0.01)
            with guard:
                running -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hold, range(8)))
    assert (running, most) == (0, 1)
