"""Processes that the supervisor makes from a template, with a small template that loads nothing."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eosviz.launch import run
from eosviz.launch import template as template_module
from eosviz.launch.occupancy import Occupancy, read_state
from eosviz.launch.places import ROOT
from eosviz.launch.processes import start_mark
from eosviz.launch.supervisor import Service, Supervisor
from eosviz.launch.template import PR_SET_CHILD_SUBREAPER, take_up_orphans

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a process another parent")

SECONDS_MAX = 60.0
TEMPLATE = """
import os, socket, sys, time
from eosviz.template import make_processes
*inherited, requests = map(int, sys.argv[1:])
words = make_processes(socket.socket(fileno=requests), inherited)
if words:
    print("made as", *words, flush=True)
    time.sleep(600)
"""
PLAIN = "import sys, time; print('started plainly', flush=True); time.sleep(600)"


def wait_for(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.02)


@pytest.fixture
def printed() -> list[str]:
    return []


@pytest.fixture
def orphans() -> Iterator[None]:
    """The test's process adopts orphaned processes until the test is over."""
    assert take_up_orphans()
    yield
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture
def supervisor(tmp_path: Path, printed: list[str], orphans: None) -> Iterator[Supervisor]:
    occupancy = Occupancy(tmp_path)
    supervisor = Supervisor(occupancy, printed.append)
    yield supervisor
    supervisor.stop()
    occupancy.release()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def template(tmp_path: Path, *descriptors: int) -> Service:
    command = [sys.executable, "-c", TEMPLATE, *map(str, descriptors)]
    log = tmp_path / "log" / "template.log"
    return Service("template", command, log, environment(), descriptors, is_template=True)


def sleeper(tmp_path: Path, *descriptors: int) -> Service:
    """A service whose arguments after the second are what a template runs."""
    command = [sys.executable, "-c", PLAIN, "sleeper"]
    log = tmp_path / "log" / "sleeper.log"
    return Service("sleeper", command, log, environment(), descriptors, from_template=True)


def pid_of(tmp_path: Path, name: str) -> int | None:
    state = read_state(tmp_path)
    return state.children[name].pid if state is not None and name in state.children else None


def another(supervisor: Supervisor, tmp_path: Path, name: str, than: int | None = None) -> int:
    def is_there() -> bool:
        supervisor.look_after()
        return pid_of(tmp_path, name) not in (None, than)

    wait_for(is_there, f"another {name}")
    found = pid_of(tmp_path, name)
    assert found is not None
    return found


def words_of(tmp_path: Path, lines: int) -> list[str]:
    """Wait until the sleepers have written so many lines, and return their lines."""
    log = tmp_path / "log" / "sleeper.log"
    wait_for(lambda: log.read_text().count("\n") >= lines, "the sleeper's words")
    return log.read_text().splitlines()


def test_a_process_from_the_template_is_a_child_like_all_others(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    with socket.socket() as kept, socket.socket() as other:
        supervisor.start(template(tmp_path, kept.fileno(), other.fileno()))
        supervisor.start(sleeper(tmp_path, kept.fileno()))
        made = another(supervisor, tmp_path, "sleeper")
        assert words_of(tmp_path, 1) == [f"made as {PLAIN} sleeper"]
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{made}/status").read_text().splitlines())
        assert (int(status["PPid"]), status["Name"]) == (os.getpid(), "eosviz sleeper")
        assert os.getpgid(made) == made
        held = {int(name) for name in os.listdir(f"/proc/{made}/fd")}
        assert held == {0, 1, 2, kept.fileno()}


def test_the_site_is_asked_for_its_health_when_all_processes_run(
    tmp_path: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that waits for its answer would block the process that has to answer it."""
    asked: list[int | None] = []

    def ask(address: str) -> tuple[bool, dict[str, str]]:
        asked.append(pid_of(tmp_path, "sleeper"))
        return True, {}

    monkeypatch.setattr(run, "ask_health", ask)
    supervisor.start(template(tmp_path))
    supervisor.start(sleeper(tmp_path))
    assert not supervisor.all_run
    run.wait_until_healthy(supervisor, "http://127.0.0.1/")
    assert asked == [pid_of(tmp_path, "sleeper")]
    assert asked != [None]


def test_what_is_killed_is_made_again_from_the_template(
    tmp_path: Path, supervisor: Supervisor, printed: list[str]
) -> None:
    supervisor.start(template(tmp_path))
    supervisor.start(sleeper(tmp_path))
    first = another(supervisor, tmp_path, "sleeper")
    words_of(tmp_path, 1)
    os.kill(first, signal.SIGKILL)
    another(supervisor, tmp_path, "sleeper", than=first)
    assert words_of(tmp_path, 2) == [f"made as {PLAIN} sleeper"] * 2
    assert printed == ["sleeper was killed by SIGKILL; starting it again (restart 1 of at most 10 in 60 s)"]


def test_a_killed_template_takes_nothing_with_it_and_comes_back(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    supervisor.start(template(tmp_path))
    supervisor.start(sleeper(tmp_path))
    made = another(supervisor, tmp_path, "sleeper")
    words_of(tmp_path, 1)
    killed = another(supervisor, tmp_path, "template")
    os.kill(killed, signal.SIGKILL)
    another(supervisor, tmp_path, "template", than=killed)

    def has_loaded() -> bool:
        supervisor.look_after()
        return not supervisor._template.awaited

    wait_for(has_loaded, "its word that it is loaded")
    assert pid_of(tmp_path, "sleeper") == made
    assert start_mark(made) is not None
    os.kill(made, signal.SIGKILL)
    another(supervisor, tmp_path, "sleeper", than=made)
    assert words_of(tmp_path, 2) == [f"made as {PLAIN} sleeper"] * 2


def test_where_the_template_does_not_answer_one_process_is_started_plainly(
    tmp_path: Path, supervisor: Supervisor, printed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request must give one process, although the template would have made another one if it had continued."""
    supervisor.start(template(tmp_path))
    supervisor.start(sleeper(tmp_path))
    first = another(supervisor, tmp_path, "sleeper")
    words_of(tmp_path, 1)
    monkeypatch.setattr(template_module, "ANSWER_SECONDS_MAX", 0.1)
    hanging = another(supervisor, tmp_path, "template")
    os.kill(hanging, signal.SIGSTOP)
    os.kill(first, signal.SIGKILL)
    another(supervisor, tmp_path, "sleeper", than=first)
    assert words_of(tmp_path, 2) == [f"made as {PLAIN} sleeper", "started plainly"]
    assert "template: no answer within 0.1 s; sleeper is started without it" in printed
    another(supervisor, tmp_path, "template", than=hanging)
    assert len(words_of(tmp_path, 2)) == 2


def test_a_request_that_was_withdrawn_leaves_no_process(tmp_path: Path, orphans: None) -> None:
    asking = template_module.Template()
    with asking.open() as theirs:
        program = [sys.executable, "-c", TEMPLATE, str(theirs.fileno())]
        process = subprocess.Popen(program, cwd=ROOT, pass_fds=[theirs.fileno()])
    try:

        def has_loaded() -> bool:
            asking.hear()
            return not asking.is_loading

        wait_for(has_loaded, "the template")
        log = tmp_path / "words"
        with log.open("wb") as words:
            asking.request("early", ["early"], [], words.fileno()).withdraw()
            # The second request is answered after the first one.
            following = asking.request("late", ["late"], [], words.fileno())
        made: list[int | None] = [None]

        def is_made() -> bool:
            made.append(following.pid())
            return bool(made[-1])

        wait_for(is_made, "an answer")
        late = made[-1]
        assert late is not None
        wait_for(log.read_text, "its words")
        assert log.read_text() == "made as late\n"
        ended, _ = os.waitpid(-1, os.WNOHANG)
        assert ended not in (0, late)  # the first process
        os.kill(late, signal.SIGKILL)
        os.waitpid(late, 0)
    finally:
        asking.close()
        assert process.wait(SECONDS_MAX) == 0  # it ends when the supervisor closes its end of the pair


def test_without_a_template_a_process_is_started_plainly(tmp_path: Path, supervisor: Supervisor) -> None:
    supervisor.start(sleeper(tmp_path))
    assert words_of(tmp_path, 1) == ["started plainly"]


LOADED = """
import json, os, sys
from eosviz.template import load
load()
files = [os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if int(name) > 2]
print(json.dumps({
    "modules": sorted(sys.modules),
    "threads": len(os.listdir("/proc/self/task")),
    "sockets": [file for file in files if "socket:" in file],
}))
"""
HEAVY = {"PIL", "markdown_it", "numpy", "pandas", "prompt_toolkit", "pyarrow", "pyspark"}
"""Modules that few pages or tasks need and that would slow every start down. Some of them start threads, which do not
survive a fork.
"""


def test_the_site_is_loaded_without_what_no_step_needs(tmp_path: Path) -> None:
    output = subprocess.run(
        [sys.executable, "-c", LOADED],
        cwd=ROOT,
        env={
            **environment(),
            "EOSVIZ_DATA": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "eosviz.settings.development",
        },
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    loaded = json.loads(output)
    assert {"eosviz.asgi", "eosviz.walkthroughs.tasks", "eosviz.urls"} <= {*loaded["modules"]}
    assert HEAVY & {name.partition(".")[0] for name in loaded["modules"]} == set()
    assert (loaded["threads"], loaded["sockets"]) == (1, [])


PROGRAM_THAT_SUPERVISES = """
import sys
from pathlib import Path
from tests.setup.test_template import Occupancy, Supervisor, sleeper, template
data = Path(sys.argv[1])
supervisor = Supervisor(Occupancy(data), print)
supervisor.start(template(data))
supervisor.start(sleeper(data))
supervisor.watch()
"""


def test_what_was_made_from_the_template_dies_with_a_killed_supervisor(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM_THAT_SUPERVISES, str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment())
    wait_for(lambda: pid_of(tmp_path, "sleeper"), "the sleeper")
    made = pid_of(tmp_path, "sleeper")
    assert made is not None
    assert words_of(tmp_path, 1) == [f"made as {PLAIN} sleeper"]
    process.kill()
    process.wait()
    wait_for(lambda: start_mark(made) is None, "the end of the sleeper")
