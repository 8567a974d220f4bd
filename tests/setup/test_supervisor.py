"""The supervisor with small real processes: a process that dies is restarted, and what was started is ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eosviz.launch import supervisor as supervisor_module
from eosviz.launch.occupancy import Occupancy, read_state
from eosviz.launch.places import ROOT
from eosviz.launch.problem import Problem
from eosviz.launch.processes import start_mark
from eosviz.launch.storage import FREE_BYTES_MIN, room_in
from eosviz.launch.supervisor import Service, Supervisor
from tests.small_disk import fill, small_disk

SECONDS_MAX = 20.0
SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


def wait_for(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    return start_mark(pid) is not None


@pytest.fixture
def occupancy(tmp_path: Path) -> Iterator[Occupancy]:
    occupancy = Occupancy(tmp_path)
    yield occupancy
    occupancy.release()


@pytest.fixture
def printed() -> list[str]:
    return []


@pytest.fixture
def supervisor(occupancy: Occupancy, printed: list[str]) -> Iterator[Supervisor]:
    supervisor = Supervisor(occupancy, printed.append)
    yield supervisor
    supervisor.stop()


def service(tmp_path: Path, command: list[str] = SLEEPER, name: str = "sleeper") -> Service:
    return Service(name, command, tmp_path / "log" / f"{name}.log", dict(os.environ))


def pid_of(tmp_path: Path, name: str = "sleeper") -> int | None:
    state = read_state(tmp_path)
    return state.children[name].pid if state is not None and name in state.children else None


def test_a_killed_child_is_started_again_and_it_is_said(
    tmp_path: Path, supervisor: Supervisor, printed: list[str]
) -> None:
    supervisor.start(service(tmp_path))
    killed = pid_of(tmp_path)
    assert killed is not None
    os.kill(killed, signal.SIGKILL)

    def came_back() -> bool:
        supervisor.look_after()
        return pid_of(tmp_path) not in (None, killed)

    wait_for(came_back, "another process in the place of the killed one")
    assert printed == ["sleeper was killed by SIGKILL; starting it again (restart 1 of at most 10 in 60 s)"]


def test_a_child_that_cannot_live_ends_all_with_its_last_words(
    tmp_path: Path, supervisor: Supervisor, printed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_module, "BACK_OFF_SECONDS", (0.0,))
    supervisor.start(service(tmp_path, [sys.executable, "-c", "raise SystemExit('no such codec')"]))
    with pytest.raises(Problem) as problem:
        supervisor.watch()
    assert str(problem.value) == (
        "sleeper ended by itself with exit code 1 after 10 restarts in 60 s, so eosviz ends:"
        f" no such codec (more in {tmp_path / 'log' / 'sleeper.log'})"
    )
    assert len(printed) == supervisor_module.RESTARTS_MAX


def test_pauses_grow_with_the_number_of_restarts(
    tmp_path: Path, supervisor: Supervisor, printed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_module, "BACK_OFF_SECONDS", (0.0, 300.0))
    supervisor.start(service(tmp_path, [sys.executable, "-c", ""]))

    def rests() -> bool:
        supervisor.look_after()
        return len(printed) == 2

    wait_for(rests, "the second death")
    supervisor.look_after()
    assert pid_of(tmp_path) is None
    assert printed[1].startswith("sleeper ended by itself with exit code 0; starting it again in 300 s")


def test_stop_ends_what_the_children_started(tmp_path: Path, supervisor: Supervisor) -> None:
    """No grandchild process may outlive a stop, not even one whose parent ignores SIGTERM."""
    grandchild_file = tmp_path / "grandchild"
    program = (
        "import pathlib, signal, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(grandchild_file)!r}).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    supervisor.start(service(tmp_path, [sys.executable, "-c", program]))
    wait_for(lambda: grandchild_file.exists() and grandchild_file.read_text(), "the grandchild")
    child, grandchild = pid_of(tmp_path), int(grandchild_file.read_text())
    assert child is not None
    assert is_alive(grandchild)
    supervisor.stop()
    assert not is_alive(child)
    wait_for(lambda: not is_alive(grandchild), "the end of the grandchild")


PROGRAM_THAT_SUPERVISES = """
import os, sys
from pathlib import Path
from eosviz.launch.occupancy import Occupancy
from eosviz.launch.supervisor import Service, Supervisor
data = Path(sys.argv[1])
supervisor = Supervisor(Occupancy(data), print)
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
supervisor.start(Service("sleeper", sleep, data / "sleeper.log", dict(os.environ)))
supervisor.watch()
"""


def start_supervising(data: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM_THAT_SUPERVISES, str(data)], cwd=ROOT)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux's kernel tells a child of its parent's death")
def test_children_die_with_a_killed_supervisor(tmp_path: Path) -> None:
    process = start_supervising(tmp_path)
    wait_for(lambda: pid_of(tmp_path), "the child")
    child = pid_of(tmp_path)
    assert child is not None
    process.kill()
    process.wait()
    wait_for(lambda: not is_alive(child), "the end of the child")


def test_the_next_start_ends_what_a_killed_one_left(tmp_path: Path) -> None:
    """On some systems, children do not die with their parent: there, the supervisor's note alone must be enough."""
    stray = subprocess.Popen(SLEEPER, process_group=0)
    occupancy = Occupancy(tmp_path)
    occupancy.note_child("sleeper", stray.pid)
    occupancy._lock.close()  # the kernel does this for a killed holder; the note stays

    following = Occupancy(tmp_path)
    assert following.strays == ["sleeper"]
    assert stray.wait(SECONDS_MAX) == -signal.SIGTERM
    following.release()


def test_a_process_id_used_again_is_left_alone(tmp_path: Path) -> None:
    other = subprocess.Popen(SLEEPER, process_group=0)
    occupancy = Occupancy(tmp_path)
    occupancy.note_child("sleeper", other.pid)
    occupancy.state.children["sleeper"].mark = "started at another time"
    occupancy.write()
    occupancy._lock.close()

    following = Occupancy(tmp_path)
    assert following.strays == []
    assert other.poll() is None
    other.kill()
    other.wait()
    following.release()


def test_a_second_start_says_where_the_first_one_is(tmp_path: Path, occupancy: Occupancy) -> None:
    occupancy.note_address("http://127.0.0.1:8000/")
    with pytest.raises(Problem) as problem:
        Occupancy(tmp_path)
    assert str(problem.value) == (
        f"eosviz already runs from {tmp_path} at http://127.0.0.1:8000/ (process {os.getpid()}):"
        " use that one, end it with Ctrl-C where it runs,"
        " or start another with EOSVIZ_DATA=<another folder> EOSVIZ_PORT=<another port>"
    )


PROGRAM_THAT_WRITES = "import sys, time; open(sys.argv[1], 'wb', 0).write(bytes(4096)); time.sleep(600)"
SMALL_DISK_BYTES = 2 * FREE_BYTES_MIN


def test_a_full_disk_ends_nothing_and_freed_space_brings_all_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although processes die more often than the budget allows, and no note of it can be written, they run again once
    there is room.
    """
    monkeypatch.setattr(supervisor_module, "BACK_OFF_SECONDS", (0.0,))
    lines: list[str] = []
    with small_disk(tmp_path / "disk", SMALL_DISK_BYTES) as disk:
        occupancy = Occupancy(disk)
        supervisor = Supervisor(occupancy, lines.append, lambda: room_in(disk))
        supervisor.start(service(disk, [sys.executable, "-c", PROGRAM_THAT_WRITES, str(disk / "written")]))
        note = (disk / "run" / "state.json").read_text()
        first = pid_of(disk)
        assert first is not None
        wait_for((disk / "written").exists, "the first write")
        (disk / "written").unlink()
        filler = fill(disk)
        os.kill(first, signal.SIGKILL)
        started: set[int] = set()

        def died_often() -> bool:
            supervisor.look_after()
            started.update(child.pid for child in occupancy.state.children.values())
            return len(started) > supervisor_module.RESTARTS_MAX + 1

        wait_for(died_often, "more deaths than the budget allows")
        assert (disk / "run" / "state.json").read_text() == note
        assert list((disk / "run").glob("*.draft")) == []
        filler.unlink()

        def lives() -> bool:
            supervisor.look_after()
            pid = pid_of(disk)
            return pid not in (None, first) and is_alive(pid) and bool((disk / "written").stat().st_size)

        wait_for(lives, "a process that stays, and its note")
        supervisor.stop()
        occupancy.release()
    assert lines[0] == (
        "sleeper was killed by SIGKILL, and nothing can be stored (the disk is full: 0 MB free, 50 MB needed);"
        " it is started again every 0 s until it stays"
    )
    assert len(lines) <= 2  # the second line is of a process that died when there was room again


def test_a_log_that_cannot_be_made_costs_the_lines_and_not_the_process(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    (tmp_path / "log").write_text("no folder")
    supervisor.start(service(tmp_path))
    pid = pid_of(tmp_path)
    assert pid is not None
    assert is_alive(pid)
