"""A page that steps, without a browser: it does what static/player/socket.ts does, in a thread of the test.

It sends a command again with the same id until it is answered, connects again when the socket is lost, and requests
the steps after the last one that it has.
"""

from __future__ import annotations

import http.cookiejar
import json
import threading
import time
import urllib.request
import uuid
from contextlib import AbstractContextManager
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.following import following
from tests.running_site import RunningSite

RESEND_SECONDS = 1.0
BACK_OFF_SECONDS = 0.1
STEP_SECONDS_MAX = 60.0
AHEAD_SECONDS_MAX = 0.05
"""How many seconds the page waits for the message with the next step, which may be lost."""

SCENARIO = "SC-08"
"""A scenario with a long run."""

Json = dict[str, Any]


def page_of(site: RunningSite, steps: int) -> SteppingPage:
    """Return a page that will make so many steps in a session of its own."""
    caller = Caller(site.address)
    welcome = caller.post("api/sessions", {"scenario": SCENARIO})
    return SteppingPage(caller, welcome["session"]["id"], welcome["branches"][0]["id"], steps)


def steps_of_engine(count: int) -> list[Json]:
    """Return the first steps that the engine itself makes, with the derived facts."""
    simulation = Simulation(entry(SCENARIO).scenario())
    derived = following(simulation)
    made = (simulation.step() for _ in range(count))
    steps = [step.to_json() for step in made if step is not None]
    return [json.loads(json.dumps({**step, "derived": derived.take(step)})) for step in steps]


class Caller:
    """The HTTP client of the page: it keeps cookies and the token."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self._token = self.get("api/token")["token"]

    def get(self, path: str) -> Json:
        with self._opener.open(self.address + path, timeout=30) as answer:
            found: Json = json.load(answer)
            return found

    def post(self, path: str, content: Json) -> Json:
        headers = {"Content-Type": "application/json", "X-CSRFToken": self._token}
        request = urllib.request.Request(self.address + path, json.dumps(content).encode(), headers)
        with self._opener.open(request, timeout=30) as answer:
            found: Json = json.load(answer)
            return found

    @property
    def cookies(self) -> str:
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)


class SteppingPage(threading.Thread):
    """Makes one step after the other from 0 to `target`, and then ends. `steps` contains every step as it first
    came.
    """

    def __init__(self, caller: Caller, session: str, branch: str, target: int) -> None:
        super().__init__(daemon=True)
        self.caller = caller
        self.socket_address = caller.address.replace("http", "ws", 1) + f"ws/sessions/{session}/"
        self.branch = branch
        self.target = target
        self.steps: dict[int, Json] = {}
        self.changed = threading.Condition()
        self.problems: list[Json] = []
        self.waits: list[str] = []
        """Keys of the texts that the server sent while it could not yet carry out a command."""
        self.connections = 0
        self.resent = 0
        self.done = 0
        self._done_at = 0.0
        self._ahead_of = 0
        """The step whose next step this page has received in advance."""
        self._next_command()

    def _next_command(self) -> None:
        self._command = str(uuid.uuid4())
        self._sends = 0

    def run(self) -> None:
        while self.done < self.target:
            try:
                with self._connect() as socket:
                    self.connections += 1
                    self._step(socket)
            except (ConnectionClosed, InvalidHandshake, OSError):
                time.sleep(BACK_OFF_SECONDS)

    def _connect(self) -> AbstractContextManager[ClientConnection]:
        return connect(
            self.socket_address,
            origin=Origin(self.caller.address.rstrip("/")),
            additional_headers={"Cookie": self.caller.cookies},
            open_timeout=5,
            max_size=None,
        )

    def wait_for(self, number: int) -> None:
        """Wait until this step has come."""
        with self.changed:
            assert self.changed.wait_for(lambda: number in self.steps, STEP_SECONDS_MAX), (
                f"step {number} did not come; {len(self.steps)} did; {self.problems}"
            )

    def wait_to_read(self, key: str) -> None:
        """Wait until the server has sent this text while a command waits."""
        with self.changed:
            assert self.changed.wait_for(lambda: key in self.waits, STEP_SECONDS_MAX), (key, self.waits)

    def ask_once(self, asked: Json, steps: int) -> None:
        """Send a command and close the connection as soon as the first steps have come, without waiting for the
        command's answer.
        """
        with self._connect() as socket:
            socket.send(json.dumps({"v": 1, "id": str(uuid.uuid4()), **asked}))
            while len(self.steps) < steps:
                self._take(json.loads(socket.recv(timeout=STEP_SECONDS_MAX)))

    def _step(self, socket: ClientConnection) -> None:
        """Step on one socket: send each command until its own answer has come, then the next one."""
        have = {self.branch: max(self.steps, default=0)}
        socket.send(json.dumps({"v": 1, "id": str(uuid.uuid4()), "type": "hello", "have": have}))
        sent_at = 0.0
        while self.done < self.target:
            if time.monotonic() - sent_at > RESEND_SECONDS and self._may_go_on():
                asked = {
                    "type": "advance",
                    "branch": self.branch,
                    "after": self.done,
                    "count": 1,
                    "ahead": True,
                }
                socket.send(json.dumps({"v": 1, "id": self._command, **asked}))
                sent_at = time.monotonic()
                self._sends += 1
                self.resent += self._sends > 1
            try:
                message = json.loads(socket.recv(timeout=AHEAD_SECONDS_MAX))
            except TimeoutError:
                continue
            self._take(message)
            if message.get("re") == self._command and message["type"] == "done":
                self.done += 1
                self._done_at = time.monotonic()
                self._next_command()
                sent_at = 0.0

    def _may_go_on(self) -> bool:
        """Whether the page may request the next step. Like a reader, it first waits for what follows. The socket then
        stores the step that was sent in advance; a worker stores the others.
        """
        return self._ahead_of == self.done or time.monotonic() - self._done_at > AHEAD_SECONDS_MAX

    def _take(self, message: Json) -> None:
        if message["type"] == "error":
            if message["code"] in ("unavailable", "too_frequent"):
                with self.changed:
                    self.waits.append(message["key"])
                    self.changed.notify_all()
            else:
                self.problems.append(message)
        if message["type"] == "ahead":
            self._ahead_of = message["after"]
        if message["type"] != "steps":
            return
        with self.changed:
            for step in message["steps"]:
                known = self.steps.setdefault(step["number"], step)
                if known != step:
                    self.problems.append({"twice": [known, step]})
            self.changed.notify_all()
