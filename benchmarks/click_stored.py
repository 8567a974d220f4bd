"""The time from a request to the stored step, for a socket client that draws nothing: product and floor.

A page notices only between two drawings that its step is stored (`click_to_frame.py`). This benchmark measures the
server's part alone.
"""

import asyncio
import json
import time
import uuid
from random import Random
from typing import Any

import websockets

from benchmarks.steppers import new_session

REQUESTS = 120
REQUESTS_UNCOUNTED = 10
AHEAD_SECONDS_MAX = 0.5


def answer_milliseconds(kind: str, address: str) -> list[float]:
    """Return, for each counted request, the milliseconds until its step arrived. ``kind``: `product` or `floor`. The
    pauses between requests vary, as in `click_to_frame.clicks`.
    """
    ask = {"product": _of_product, "floor": _of_floor}[kind]
    return asyncio.run(ask(address))[REQUESTS_UNCOUNTED:]


async def _of_product(address: str) -> list[float]:
    session, cookies = await asyncio.to_thread(new_session, address)
    socket_address = f"{address.replace('http', 'ws', 1)}ws/sessions/{session}/"
    headers = {"Cookie": cookies, "Origin": address.rstrip("/")}
    times, generator = [], Random(0)
    async with websockets.connect(socket_address, additional_headers=headers, max_size=None) as socket:
        await socket.send(_message(type="hello", have={}))
        welcome = await _next(socket, "welcome")
        branch = welcome["branches"][0]["id"]
        for after in range(REQUESTS_UNCOUNTED + REQUESTS):
            begin = time.perf_counter()
            await socket.send(_message(type="advance", branch=branch, after=after, count=1, ahead=True))
            await _next(socket, "steps")
            times.append((time.perf_counter() - begin) * 1000)
            await _next(socket, "done")
            await _ahead(socket)
            await _pause(generator)
    return times


async def _of_floor(address: str) -> list[float]:
    times, generator = [], Random(0)
    async with websockets.connect(f"{address.replace('http', 'ws', 1)}ws/", max_size=None) as socket:
        for number in range(REQUESTS_UNCOUNTED + REQUESTS):
            begin = time.perf_counter()
            await socket.send(json.dumps(number + 1))
            await socket.recv()
            times.append((time.perf_counter() - begin) * 1000)
            await _pause(generator)
    return times


def _message(**fields: object) -> str:
    return json.dumps({"v": 1, "id": str(uuid.uuid4()), **fields})


async def _next(socket: websockets.ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(await socket.recv())
        if message["type"] == kind:
            return message


async def _ahead(socket: websockets.ClientConnection) -> None:
    """Wait until the next step, which is made ahead, has arrived, as a person does who looks at the newest step.
    Return after `AHEAD_SECONDS_MAX` if none arrives, as at the end of the run.
    """
    try:
        async with asyncio.timeout(AHEAD_SECONDS_MAX):
            await _next(socket, "ahead")
    except TimeoutError:
        return


async def _pause(generator: Random) -> None:
    await asyncio.sleep(0.1 + 0.1 * generator.random())
