"""The minimum that the kill of a server or worker costs on this stack: a uvicorn and a Celery without an application.
A new process is started at the moment of the kill; the measured time ends with the first response of the new process.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from celery import Celery

from benchmarks.floor.processes import start
from eosviz.launch.embedded import embedded_redis_socket, kombu_url
from eosviz.launch.places import environment_python
from eosviz.launch.services import answers_ping, redis_command

ANSWER_SECONDS_MAX = 30.0
POLL_SECONDS = 0.005


async def web(
    scope: Mapping[str, object],
    receive: Callable[[], Awaitable[dict[str, object]]],
    send: Callable[[dict[str, object]], Awaitable[None]],
) -> None:
    """An ASGI application that responds to every request with an empty body."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


app = Celery("bare", broker=kombu_url(os.environ.get("BARE_REDIS", "")) or None, fixups=[])
app.conf.task_ignore_result = True


@app.task(name="bare.touch")
def touch(path: str) -> None:
    Path(path).touch()


def bare_uvicorn_seconds(folder: Path, rounds: int) -> list[float]:
    """Return the seconds from the kill of uvicorn to the first response of its successor, one value for each round."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        words = "-m uvicorn benchmarks.floor.bare:web --log-level error --no-access-log --lifespan off"
        command = [str(environment_python()), *words.split(), "--fd", str(listener.fileno())]

        def answer() -> None:
            urllib.request.urlopen(address, timeout=ANSWER_SECONDS_MAX).read()

        os.set_inheritable(listener.fileno(), True)
        return killed_and_started(command, rounds, answer, (listener.fileno(),))


def bare_celery_seconds(folder: Path, rounds: int) -> list[float]:
    """Return the seconds from the kill of the Celery worker to the end of a task that was sent after the kill, one
    value for each round.
    """
    place = embedded_redis_socket(folder)
    place.parent.mkdir(parents=True, exist_ok=True)
    redis = start([str(word) for word in redis_command(place, folder)], os.environ)
    os.environ["BARE_REDIS"] = f"unix://{place}"
    app.conf.broker_url = kombu_url(os.environ["BARE_REDIS"])
    words = "-m celery -A benchmarks.floor.bare worker --pool threads --concurrency 4 --loglevel ERROR"
    words += " --without-gossip --without-mingle --without-heartbeat"
    mark = folder / "mark"

    def answer() -> None:
        mark.unlink(missing_ok=True)
        touch.delay(str(mark))
        wait_for(mark.exists)

    try:
        wait_for(lambda: answers_ping(place))
        return killed_and_started([str(environment_python()), *words.split()], rounds, answer)
    finally:
        redis.terminate()
        redis.wait(20)


def killed_and_started(
    command: Sequence[str], rounds: int, answer: Callable[[], None], descriptors: Sequence[int] = ()
) -> list[float]:
    process = begin(command, descriptors)
    seconds = []
    try:
        answer()
        for _ in range(rounds):
            killed = time.monotonic()
            process.kill()
            process.wait()
            process = begin(command, descriptors)
            answer()
            seconds.append(time.monotonic() - killed)
    finally:
        process.kill()
        process.wait()
    return seconds


def begin(command: Sequence[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=tuple(descriptors),
    )


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + ANSWER_SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "no answer"
        time.sleep(POLL_SECONDS)
