"""`make run` from outside: the lines that it prints, its refusals, and its end."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eosviz.launch import environment
from eosviz.launch.commands import attempt
from eosviz.launch.places import ROOT
from eosviz.launch.problem import Problem
from eosviz.launch.processes import start_mark
from eosviz.launch.redis_check import require_redis
from eosviz.launch.run import DATA_BYTES, url_of
from eosviz.launch.services import answers_ping
from eosviz.launch.storage import ASK_SECONDS, StorageWatch, require_room
from tests.running_site import RunningSite, site_of_its_own
from tests.setup.test_private import open_to_others
from tests.small_disk import read_only, small_disk


def refused(*, data: Path, **variables: str) -> str:
    """Start a site that must not start, and return its output, which must be one line."""
    environment = {**os.environ, "EOSVIZ_DATA": str(data), "EOSVIZ_PORT": "0", **variables}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    done = subprocess.run(
        [sys.executable, "-m", "eosviz.launch", "serve"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("\n") == 1, done.stdout
    return done.stdout.strip()


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_a_taken_port_is_one_line_with_a_way_out(tmp_path: Path, taken_port: int) -> None:
    assert refused(data=tmp_path, EOSVIZ_PORT=str(taken_port)) == (
        f"eosviz: port {taken_port} on 127.0.0.1 cannot be used (Address already in use):"
        f" choose another with  EOSVIZ_PORT={taken_port + 1 if taken_port < 65535 else 8000} make run"
    )
    assert not (tmp_path / "eosviz.sqlite3").exists()


@pytest.mark.parametrize("port", ["http", "65536", "-1", "8000 "])
def test_a_port_that_is_none_is_named(tmp_path: Path, port: str) -> None:
    assert refused(data=tmp_path, EOSVIZ_PORT=port) == (
        f"eosviz: EOSVIZ_PORT is {port!r}: set it to a number from 0 (any free port) to 65535"
    )


@pytest.mark.parametrize("workers", ["0", "61", "two"])
def test_a_number_of_workers_that_is_none_is_named(tmp_path: Path, workers: str) -> None:
    assert refused(data=tmp_path, EOSVIZ_WORKERS=workers) == (
        f"eosviz: EOSVIZ_WORKERS is {workers!r}: set it to a number from 1 to 60"
    )


def test_an_address_of_another_machine_is_named(tmp_path: Path) -> None:
    # 192.0.2.0/24 is reserved for documentation: no machine has such an address.
    assert "port 8000 on 192.0.2.1 cannot be used" in refused(
        data=tmp_path, EOSVIZ_HOST="192.0.2.1", EOSVIZ_PORT="8000"
    )


def test_a_data_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    data = tmp_path / "file" / "data"
    assert refused(data=data) == (
        f"eosviz: cannot make the data folder {data} (Not a directory):"
        " set EOSVIZ_DATA to a folder that you may write"
    )


def test_a_full_disk_is_named_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(Problem) as problem:
        require_room(tmp_path, 10**18, "the data of eosviz")
    assert "MB free and the data of eosviz needs 1000000000000 MB: free some space" in str(problem.value)


def test_a_start_on_a_full_disk_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", DATA_BYTES // 2) as disk:
        assert refused(data=disk / "data") == (
            f"eosviz: the disk that holds {disk / 'data'} has 100 MB free and the data of eosviz needs 200 MB:"
            " free some space and try again"
        )


def test_a_start_on_a_read_only_disk_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", DATA_BYTES + 10**6) as disk:
        disk.chmod(0o700)
        read_only(disk)
        assert refused(data=disk) == (
            f"eosviz: nothing can be written in the data folder {disk} (the disk is mounted read-only):"
            " put that right, or set EOSVIZ_DATA to another folder"
        )


def test_each_change_of_a_disk_that_runs_full_is_said_once(tmp_path: Path) -> None:
    lines: list[str] = []
    free = iter([500, 80, 70, 40, 700])  # MB
    seconds = iter(float(round * ASK_SECONDS / 2) for round in range(100))
    clock = [0.0]
    watch = StorageWatch(tmp_path, lines.append, lambda folder: next(free) * 10**6, lambda: clock[0])
    for _ in range(10):
        clock[0] = next(seconds)
        watch.look()
    assert lines == [
        f"The disk that holds {tmp_path} is nearly full (80 MB free; below 50 MB nothing is stored):"
        " free some space.",
        f"Nothing can be stored in {tmp_path} (the disk is full: 40 MB free, 50 MB needed)."
        " eosviz goes on by itself once there is room.",
        f"The disk that holds {tmp_path} has room again.",
    ]


@pytest.mark.parametrize(
    ("url", "shown", "reason"),
    [
        ("redis://:secret@127.0.0.1:1/0", "redis://:…@127.0.0.1:1/0", "Connection refused"),
        ("unix:///nowhere/redis.sock", "unix:///nowhere/redis.sock", "No such file or directory"),
        ("nonsense", "nonsense", "an address begins with redis://"),
    ],
)
def test_a_redis_that_does_not_answer_is_named_first(
    tmp_path: Path, url: str, shown: str, reason: str
) -> None:
    complaint = refused(data=tmp_path, REDIS_URL=url)
    assert complaint.startswith(f"eosviz: the Redis at {shown} cannot be used (")
    assert reason in complaint
    assert complaint.endswith("start it, correct REDIS_URL, or unset REDIS_URL to use the embedded server")
    assert not (tmp_path / "eosviz.sqlite3").exists()


def test_a_redis_that_accepts_and_says_nothing_is_given_up(tmp_path: Path, taken_port: int) -> None:
    assert "cannot be used (no answer within 2 s)" in refused(
        data=tmp_path, REDIS_URL=f"redis://127.0.0.1:{taken_port}/0"
    )


def test_a_redis_that_answers_may_be_used(redis_server: str) -> None:
    require_redis({"REDIS_URL": redis_server})
    with pytest.raises(Problem, match="AUTH"):
        require_redis({"REDIS_URL": redis_server.replace("unix://", "unix://:secret@")})


def test_a_command_that_does_not_end_is_ended_with_all_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    succeeded, output = attempt(["sh", "-c", f"echo begun; (sleep 60; touch {mark}) & wait"], seconds_max=0.5)
    assert (succeeded, output.split("\n")[0]) == (False, "begun")
    assert "it was not over after 0.5 s" in output
    assert not mark.exists()


def test_an_old_python_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "PYTHON_VERSION_MIN", (99, 0))
    with pytest.raises(Problem, match=r"is too old: install Python 3\.11 or newer"):
        environment.prepare_environment()


def test_the_address_shown_is_one_that_a_browser_can_open() -> None:
    with socket.socket() as everywhere:
        everywhere.bind(("0.0.0.0", 0))
        assert url_of(everywhere) == f"http://127.0.0.1:{everywhere.getsockname()[1]}/"


def test_a_whole_site_starts_answers_and_ends(start_site: Callable[..., RunningSite]) -> None:
    """Ctrl-C must end everything that was started, free the web address, and exit with 0."""
    site = start_site()
    address = site.address
    assert site.output().splitlines()[-1] == f"eosviz is ready: {address}  (Ctrl-C ends it)"
    with urllib.request.urlopen(f"{address}healthz") as response:
        assert response.status == 200
    second = refused(data=site.data_folder)
    assert second.startswith(f"eosviz: eosviz already runs from {site.data_folder} at {address} (process ")

    assert open_to_others(site.data_folder) == []
    children = {name: site.pid(name) for name in ("template", "redis", "worker", "web")}
    site.signal_supervisor(signal.SIGINT)
    assert site.wait_for_end() == 0
    assert {name for name, pid in children.items() if start_mark(pid) is not None} == set()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{address}healthz")


def test_another_host_port_and_redis_are_used_and_the_redis_left_alone(
    tmp_path: Path, site_database: Callable[[], dict[str, str]], redis_server: str
) -> None:
    """With REDIS_URL, no other Redis is started, and the given one keeps running when eosviz ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.2", 0))
        port = probe.getsockname()[1]
    where = {"EOSVIZ_HOST": "127.0.0.2", "EOSVIZ_PORT": str(port), "REDIS_URL": redis_server}
    with site_of_its_own(tmp_path, **site_database(), **where) as site:
        assert site.address == f"http://127.0.0.2:{port}/"
        with urllib.request.urlopen(site.address) as response:
            assert response.status == 200
        assert set(site.state.children) == {"template", "worker", "web"}
        site.wait_until_healthy()
        site.signal_supervisor(signal.SIGTERM)
        assert site.wait_for_end() == 0
    assert answers_ping(Path(redis_server.removeprefix("unix://")))
