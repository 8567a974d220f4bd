"""Followers of one presenter, as socket clients in one process, until the process is stopped.

`python -m benchmarks.audience product|floor ADDRESS COUNT` starts COUNT followers; ADDRESS is the page that a
follower opens. The program prints `ready` once all followers are connected. For each step it prints `NUMBER SECONDS`:
the time at which the last follower learned of the step, by the machine's clock.
"""

import asyncio
import json
import sys
import time
import uuid
from collections import Counter
from urllib.parse import urlsplit

import websockets

CONNECTING_AT_ONCE = 20


class Arrivals:
    """Counts the followers that have learned of each step, and prints a step with the time when the count reaches
    `count`.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.heard: Counter[int] = Counter()

    def note(self, number: int) -> None:
        self.heard[number] += 1
        if self.heard[number] == self.count:
            print(number, time.time(), flush=True)


async def follow_product(address: str, arrivals: Arrivals, ready: asyncio.Semaphore) -> None:
    token = urlsplit(address).path.split("/")[-2]
    origin = address.split("/follow/", maxsplit=1)[0]
    headers = {"Origin": origin}
    socket_address = f"{origin.replace('http', 'ws', 1)}/ws/follow/{token}/"
    async with websockets.connect(socket_address, additional_headers=headers, max_size=None) as socket:
        hello = {"v": 1, "id": str(uuid.uuid4()), "type": "hello", "have": {}, "follower": str(uuid.uuid4())}
        await socket.send(json.dumps(hello))
        is_there, made, shown = False, 0, 0
        async for frame in socket:
            message = json.loads(frame)
            if message["type"] == "presented":
                shown = message["step"]
                if not is_there:
                    is_there, made = True, shown
                    ready.release()
                    continue
            elif message["type"] == "steps" and message["steps"]:
                made = max(made, message["steps"][-1]["number"])
                if message["presented"] is not None:
                    shown = message["presented"]["step"]
            else:
                continue
            # A page shows a step once it has the step and the presenter has reached it.
            if is_there and made == shown:
                arrivals.note(shown)


async def follow_floor(address: str, arrivals: Arrivals, ready: asyncio.Semaphore) -> None:
    async with websockets.connect(f"{address.replace('http', 'ws', 1)}ws/all/", max_size=None) as socket:
        ready.release()
        async for frame in socket:
            arrivals.note(json.loads(frame)["number"])


async def main(kind: str, address: str, count: int) -> None:
    follow = {"product": follow_product, "floor": follow_floor}[kind]
    ready, arrivals = asyncio.Semaphore(0), Arrivals(count)
    async with asyncio.TaskGroup() as group:
        for begun in range(count):
            group.create_task(follow(address, arrivals, ready))
            if begun % CONNECTING_AT_ONCE == CONNECTING_AT_ONCE - 1:
                for _ in range(CONNECTING_AT_ONCE):
                    await ready.acquire()
        for _ in range(count % CONNECTING_AT_ONCE):
            await ready.acquire()
        print("ready", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
