"""Starts the floor like the product: the same server programs with the same options."""

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path

from eosviz.launch.embedded import embedded_redis_socket
from eosviz.launch.places import ROOT, environment_python
from eosviz.launch.processes import die_with_parent
from eosviz.launch.services import WORKER_THREADS, answers_ping, redis_command

READY_SECONDS_MAX = 120.0


@contextmanager
def running_floor(
    folder: Path, database: str | None = None, more_web: Sequence[int] = (), workers: int = 1
) -> Iterator[str]:
    """Run the floor and yield its address. ``folder`` must contain `payloads.json`; the floor keeps all its data in
    this folder.

    ``database``: a `DATABASE_URL` to use instead of an SQLite file; ``more_web``: ports on which further web
    processes listen.
    """
    port = free_port()
    environment = {
        **os.environ,
        "EOSVIZ_DATA": str(folder),
        "DJANGO_SETTINGS_MODULE": "benchmarks.floor.settings",
    }
    environment.pop("REDIS_URL", None)
    environment.pop("DATABASE_URL", None)
    if database is not None:
        environment["DATABASE_URL"] = database
    python = str(environment_python())
    socket_path = embedded_redis_socket(folder)
    socket_path.parent.mkdir(parents=True, exist_ok=True)
    worker = "-m celery -A benchmarks.floor.celery worker --pool threads --loglevel ERROR"
    worker += " --without-gossip --without-mingle --without-heartbeat"
    web = "-m uvicorn benchmarks.floor.asgi:application --log-level warning --no-access-log --lifespan off"
    commands = [
        [str(word) for word in redis_command(socket_path, folder)],
        *(
            [python, *worker.split(), "--concurrency", str(WORKER_THREADS), "-n", f"worker-{number}@%h"]
            for number in range(workers)
        ),
        *([python, *web.split(), "--port", str(one)] for one in (port, *more_web)),
    ]
    subprocess.run(
        [python, "manage.py", "migrate", "--run-syncdb", "--verbosity", "0"],
        cwd=ROOT,
        env=environment,
        check=True,
    )
    children = []
    try:
        for command in commands:
            children.append(start(command, environment))  # noqa: PERF401  ended below, however far it got
        _wait(lambda: answers_ping(socket_path))
        address = f"http://127.0.0.1:{port}/"
        for one in (port, *more_web):
            _wait(partial(_serves, one))
        yield address
    finally:
        for child in reversed(children):
            child.terminate()
        for child in children:
            child.wait(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        preexec_fn=die_with_parent(os.getpid()),
    )


def _serves(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
        return bool(answer.status == HTTPStatus.OK)


def _wait(is_ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + READY_SECONDS_MAX
    while True:
        try:
            if is_ready():
                return
        except OSError:
            pass
        if time.monotonic() > deadline:
            raise SystemExit(f"the floor did not start within {READY_SECONDS_MAX:g} s")
        time.sleep(0.05)
