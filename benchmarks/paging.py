"""A simulated page that steps through a run: a socket client that behaves like `static/player/socket.ts`, with the
same pauses.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
import urllib.request
import uuid
from dataclasses import dataclass
from itertools import count
from typing import Any

import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from benchmarks.steppers import new_session
from eosviz.launch.places import ROOT

SCENARIOS = ("SC-02", "SC-08", "SC-62")
"""Scenarios of the library with more than a hundred steps: a restarted worker has to make each run again up to the step
where it was.
"""
THINK_SECONDS = (0.5, 1.5)
ASK_SECONDS_MAX = 30.0
LISTED_MAX = 500
"""How many steps the API returns at a time, at most."""

Json = dict[str, Any]


def pauses_of_page() -> dict[str, float]:
    """Return the numbers in `defaults` of `static/player/socket.ts` by their names, in seconds."""
    text = (ROOT / "static" / "player" / "socket.ts").read_text()
    block = text.partition("export const defaults = {")[2].partition("};")[0]
    found = {name: int(number) / 1000 for name, number in re.findall(r"(\w+): ([\d_]+),", block)}
    assert {"resendFirst", "tryAgainFirst", "backOffFirst", "lookEvery"} <= found.keys(), found
    return found


@dataclass(frozen=True)
class Answered:
    sent: float
    """When the command was sent for the first time, in seconds of the monotonic clock."""
    done: float


class Paging:
    """One session of one browser: it makes a step, waits as a reader would, and makes the next step; at the end of
    the run it starts a new branch.
    """

    def __init__(self, address: str, chance: random.Random) -> None:
        self.address = address
        self.answered: list[Answered] = []
        self.steps_seen = 0
        self.faults: list[str] = []
        self._chance = chance
        self._scenario = chance.choice(SCENARIOS)
        self._pauses = pauses_of_page()
        self._stopped = False
        self._steps: dict[str, dict[int, Json]] = {}
        """Branch → step number → the step as it first arrived."""
        self._branch = ""
        self._newest = 0
        self._command: Json | None = None
        self._first_sent = 0.0
        self._attempts = 0

    def stop(self) -> None:
        """Stop after the command that is under way."""
        self._stopped = True

    async def run(self) -> None:
        await asyncio.sleep(self._chance.random())
        self._session, self._cookies = await asyncio.to_thread(new_session, self.address, self._scenario)
        while not (self._stopped and self._command is None):
            try:
                async with self._connect() as socket:
                    await self._step(socket)
            except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError):
                wait = self._growing("backOff", self._attempts)
                self._attempts += 1
                await asyncio.sleep(wait * self._chance.uniform(0.5, 1.0))

    def _growing(self, pause: str, tries: int) -> float:
        return min(self._pauses[f"{pause}Longest"], self._pauses[f"{pause}First"] * 2.0**tries)

    def _connect(self) -> websockets.connect:
        address = f"{self.address.replace('http', 'ws', 1)}ws/sessions/{self._session}/"
        headers = {"Cookie": self._cookies, "Origin": self.address.rstrip("/")}
        # A browser waits long for a server that has the connection in its queue, so the timeout is long.
        return websockets.connect(
            address, additional_headers=headers, max_size=None, open_timeout=60, ping_interval=None
        )

    async def _step(self, socket: websockets.ClientConnection) -> None:
        """Step on one socket until the socket is lost or the page is stopped."""
        await self._send(socket, {"type": "hello", "have": self._have()})
        while (message := await self._next(socket))["type"] != "welcome":
            pass
        self._attempts = 0
        if not self._branch:
            self._branch = message["branches"][0]["id"]
        while not (self._stopped and self._command is None):
            if self._command is None:
                await asyncio.sleep(self._chance.uniform(*THINK_SECONDS))
                self._command = {"id": str(uuid.uuid4()), **self._advance()}
                self._first_sent = time.monotonic()
            await self._ask(socket, self._command)

    def _advance(self) -> Json:
        return {"type": "advance", "branch": self._branch, "after": self._newest, "count": 1, "ahead": True}

    def _have(self) -> Json:
        return {branch: max(steps) for branch, steps in self._steps.items() if steps}

    async def _ask(self, socket: websockets.ClientConnection, command: Json) -> None:
        """Send the command, again and again with growing pauses, until it is answered."""
        put_off = 0
        for sent in count():
            await self._send(socket, command)
            again = time.monotonic() + self._growing("resend", sent)
            while (left := again - time.monotonic()) > 0:
                try:
                    async with asyncio.timeout(left):
                        message = await self._next(socket)
                except TimeoutError:
                    break
                if message.get("re") != command["id"]:
                    continue
                if self._settles(message):
                    return
                again = time.monotonic() + self._growing("tryAgain", put_off)
                put_off += 1
            # The page checks only from time to time whether it has to send again.
            await asyncio.sleep(self._chance.uniform(0.0, self._pauses["lookEvery"]))

    def _settles(self, message: Json) -> bool:
        if message["type"] == "error" and message["code"] in ("unavailable", "too_frequent"):
            return False
        self.answered.append(Answered(self._first_sent, time.monotonic()))
        self._command = None
        if message["type"] == "error":
            self.faults.append(f"{self._session}: {message}")
        elif message.get("created") is not None:
            self._branch, self._newest = message["created"], 0
        else:
            self._newest = message["newest"]
            if message["stopped"] == "end":
                self._command = {"id": str(uuid.uuid4()), "type": "branch", "branch": self._branch, "at": 0}
                self._first_sent = time.monotonic()
        return True

    async def _send(self, socket: websockets.ClientConnection, message: Json) -> None:
        await socket.send(json.dumps({"v": 1, "id": str(uuid.uuid4()), **message}))

    async def _next(self, socket: websockets.ClientConnection) -> Json:
        message: Json = json.loads(await socket.recv())
        if message["type"] == "steps":
            known = self._steps.setdefault(message["branch"], {})
            for step in message["steps"]:
                if known.setdefault(step["number"], step) != step:
                    self.faults.append(f"{self._session}: step {step['number']} came twice, and differs")
        return message

    def check(self) -> list[str]:
        """Compare the steps that arrived with those that are stored. Returns a description of each fault; an empty
        list if there is none.
        """
        faults = list(self.faults)
        for branch, steps in self._steps.items():
            self.steps_seen += len(steps)
            where = f"{self._session}, branch {branch}"
            if sorted(steps) != list(range(1, len(steps) + 1)):
                faults.append(f"{where}: the steps that came have gaps")
            stored = self._stored(branch, len(steps))
            if [step["number"] for step in stored] != sorted(steps):
                faults.append(f"{where}: {len(steps)} steps came and {len(stored)} are stored")
            faults += [
                f"{where}: step {step['number']} is stored otherwise than it came"
                for step in stored
                if steps.get(step["number"]) != step
            ]
        return faults

    def _stored(self, branch: str, count: int) -> list[Json]:
        stored: list[Json] = []
        for first in range(1, count + 2, LISTED_MAX):
            path = f"api/sessions/{self._session}/branches/{branch}/steps?from={first}&to={first + LISTED_MAX - 1}"
            request = urllib.request.Request(self.address + path, headers={"Cookie": self._cookies})
            with urllib.request.urlopen(request, timeout=ASK_SECONDS_MAX) as answer:
                stored += json.load(answer)["steps"]
        return stored
