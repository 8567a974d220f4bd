"""Other people at work: sessions that step once a second each, as socket clients, until the process is stopped.

`python -m benchmarks.steppers product|floor ADDRESS COUNT` prints `ready` once all of them have stepped.
"""

import asyncio
import http.cookiejar
import json
import re
import sys
import urllib.parse
import urllib.request
import uuid
from collections.abc import Coroutine
from typing import Any

import websockets

SCENARIO = "SC-02"
SECONDS_BETWEEN_STEPS = 1.0
ANSWER_SECONDS_MAX = 5.0


def new_session(address: str, scenario: str = SCENARIO) -> tuple[str, str]:
    """Make a session as a new browser would. Returns the session's id and the cookies of the browser that owns it."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = opener.open(address).read().decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found is not None, "the library page has no form"
    form = {"csrfmiddlewaretoken": found.group(1), "scenario": scenario}
    answer = opener.open(f"{address}sessions/new", urllib.parse.urlencode(form).encode())
    session = re.search(r"/sessions/([0-9a-f-]{36})/", answer.url)
    assert session is not None, answer.url
    return session.group(1), "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)


async def step_product(address: str, ready: asyncio.Semaphore) -> None:
    """Step once a second, like a page: send `advance`, again with the same id until it is answered."""
    session, cookies = await asyncio.to_thread(new_session, address)
    socket_address = f"{address.replace('http', 'ws', 1)}ws/sessions/{session}/"
    headers = {"Cookie": cookies, "Origin": address.rstrip("/")}
    async with websockets.connect(socket_address, additional_headers=headers, max_size=None) as socket:
        welcome = await _ask(socket, {"type": "hello", "have": {}}, ("welcome",))
        branch, newest = welcome["branches"][0]["id"], 0
        while True:
            done = await _ask(
                socket,
                {"type": "advance", "branch": branch, "after": newest, "count": 1, "ahead": True},
                ("done", "error"),
            )
            if done["type"] == "error":
                raise RuntimeError(f"{session}: {done}")
            if done["stopped"] == "end":
                done = await _ask(socket, {"type": "branch", "branch": branch, "at": 0}, ("done",))
                branch, newest = done["created"], 0
            else:
                newest = done["newest"]
            ready.release()
            await asyncio.sleep(SECONDS_BETWEEN_STEPS)


async def _ask(
    socket: websockets.ClientConnection, message: dict[str, Any], answers: tuple[str, ...]
) -> dict[str, Any]:
    identity = str(uuid.uuid4())
    text = json.dumps({"v": 1, "id": identity, **message})
    while True:
        await socket.send(text)
        try:
            async with asyncio.timeout(ANSWER_SECONDS_MAX):
                while True:
                    answer: dict[str, Any] = json.loads(await socket.recv())
                    if answer["type"] in answers and answer.get("re") == identity:
                        return answer
        except TimeoutError:
            continue


async def step_floor(address: str, ready: asyncio.Semaphore) -> None:
    async with websockets.connect(f"{address.replace('http', 'ws', 1)}ws/", max_size=None) as socket:
        number = 0
        while True:
            number += 1
            await socket.send(json.dumps(number))
            await socket.recv()
            ready.release()
            await asyncio.sleep(SECONDS_BETWEEN_STEPS)


async def main(kind: str, address: str, count: int) -> None:
    step = {"product": step_product, "floor": step_floor}[kind]
    ready = asyncio.Semaphore(0)
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(_later(number / count, step(address, ready)))
        for _ in range(count):
            await ready.acquire()
        print("ready", flush=True)


async def _later(seconds: float, work: Coroutine[None, None, None]) -> None:
    """Start the work after ``seconds``, so that the sessions do not all step at the same moment."""
    await asyncio.sleep(seconds)
    await work


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
