"""`make run`: prepares and starts everything, and prints one line with the address."""

import json
import os
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from eosviz.launch.commands import require, say
from eosviz.launch.log_bound import LogBound
from eosviz.launch.occupancy import Occupancy
from eosviz.launch.places import ROOT, data_folder, environment_python
from eosviz.launch.private import build_umask, close_folder, make_private_folder, umask_asked
from eosviz.launch.problem import Problem
from eosviz.launch.redis_check import require_redis
from eosviz.launch.services import child_environment, embedded_redis, template, web, worker_count, workers
from eosviz.launch.setup import set_up
from eosviz.launch.storage import StorageWatch, require_room, room_in, write_complaint
from eosviz.launch.supervisor import Supervisor

HOST = "127.0.0.1"
PORT = 8000
DATA_BYTES = 200_000_000
BACKLOG = 2048
HEALTHY_SECONDS_MAX = 180.0
"""The longest time, in seconds, from the start of the processes until `/healthz` answers 200. A slow machine
may need a minute."""


def run(prepare: bool = True) -> None:
    """Run the site until Ctrl-C, SIGTERM or SIGHUP, then end the processes that it started. Raises Problem if the
    site cannot run."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # until the supervisor runs, these signals act like Ctrl-C
        signal.signal(number, signal.default_int_handler)
    umask = umask_asked(os.environ)
    os.umask(umask)  # the processes below inherit it
    data = make_data_folder(umask)
    host, port = address_asked()
    worker_count(os.environ)  # an invalid number ends the start before anything is prepared
    occupancy = Occupancy(data)
    try:
        close_folder(data, umask, say)
        for name in occupancy.strays:
            say(f"Ended {name}, which an earlier start had left behind.")
        # only after leftover processes have ended, because one of them may have used the port
        listener = listen(host, port)
        occupancy.note_address(url_of(listener))
        if prepare:
            with build_umask():
                set_up()
        environment = child_environment()
        require_redis(environment)
        prepare_database(environment)
        supervise(Supervisor(occupancy, say, lambda: room_in(data)), data, environment, listener)
    finally:
        occupancy.release()


def make_data_folder(umask: int) -> Path:
    data = data_folder()
    try:
        make_private_folder(data, umask)
    except OSError as error:
        raise Problem(
            f"cannot make the data folder {data} ({error.strerror}):"
            " set EOSVIZ_DATA to a folder that you may write"
        ) from error
    require_room(data, DATA_BYTES, "the data of eosviz")
    if complaint := write_complaint(data):
        raise Problem(
            f"nothing can be written in the data folder {data} ({complaint}):"
            " put that right, or set EOSVIZ_DATA to another folder"
        )
    return data


def address_asked() -> tuple[str, int]:
    host = os.environ.get("EOSVIZ_HOST") or HOST
    port = os.environ.get("EOSVIZ_PORT") or str(PORT)
    if not port.isdecimal() or int(port) > 65535:
        raise Problem(f"EOSVIZ_PORT is {port!r}: set it to a number from 0 (any free port) to 65535")
    return host, int(port)


def listen(host: str, port: int) -> socket.socket:
    """Opens the socket that every web process inherits. Raises Problem if the address or the port cannot be
    used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise Problem(
            f"EOSVIZ_HOST is {host!r}, which is no address of this machine: try 127.0.0.1"
        ) from error
    listener = socket.socket(family, socket.SOCK_STREAM)
    # The system reserves the port of a closed connection for a minute. With this option a new start may use
    # the port at once.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise Problem(
            f"port {port} on {host} cannot be used ({error.strerror}):"
            f" choose another with  EOSVIZ_PORT={port + 1 if port < 65535 else PORT} make run"
        ) from error
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def prepare_database(environment: Mapping[str, str]) -> None:
    say("Preparing the database and the library …")  # migrating also loads the library
    manage = [environment_python(), ROOT / "manage.py"]
    remedy = "the lines above say why; DATABASE_URL names another database"
    require([*manage, "migrate", "--noinput", "-v", "0"], remedy, environment)


def supervise(
    supervisor: Supervisor, data: Path, environment: Mapping[str, str], listener: socket.socket
) -> None:
    def request_stop(number: int, frame: FrameType | None) -> None:
        if supervisor.stop_requested and number == signal.SIGINT:
            raise KeyboardInterrupt  # a second Ctrl-C: do not wait
        supervisor.stop_requested = True

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, request_stop)
    try:
        supervisor.start(template(data, environment, listener))
        if not environment.get("REDIS_URL"):
            supervisor.start(embedded_redis(data, environment))
        for worker in workers(data, environment):
            supervisor.start(worker)
        supervisor.start(web(data, environment, listener))
        address = url_of(listener)
        wait_until_healthy(supervisor, address)
        if not supervisor.stop_requested:
            say(f"eosviz is ready: {address}  (Ctrl-C ends it)")
            supervisor.note_ready()
        supervisor.watch(StorageWatch(data, say).look, LogBound(data / "log").look)
        say("Ending …")
    finally:
        supervisor.stop()


def wait_until_healthy(supervisor: Supervisor, address: str) -> None:
    deadline = time.monotonic() + HEALTHY_SECONDS_MAX
    answers: dict[str, str] = {"web": "it does not answer"}
    while not supervisor.stop_requested:
        supervisor.look_after()
        # Nothing answers before the web process runs. If this process waited for an answer until then, it
        # could not start the web process.
        if supervisor.all_run:
            healthy, answers = ask_health(address) or (False, answers)
            if healthy:
                return
        if time.monotonic() > deadline:
            ailing = "; ".join(f"{name}: {answer}" for name, answer in answers.items() if answer != "ok")
            raise Problem(f"not healthy after {HEALTHY_SECONDS_MAX:g} s: {ailing}")
        supervisor.rest()


def ask_health(address: str) -> tuple[bool, dict[str, str]] | None:
    """Asks `/healthz`. Returns whether all parts work, and the answer of each part; None if there is no
    answer."""
    # A proxy that the environment names must not be used, since the address is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}healthz", timeout=5) as response:
            return True, json.load(response)
    except urllib.error.HTTPError as error:
        try:
            return False, json.load(error)
        except ValueError:
            return False, {"web": f"answered {error.code}"}
    except (OSError, ValueError):
        return None
