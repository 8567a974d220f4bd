"""Benchmark `followers`: how long a presenter's step takes to the last of two hundred followers, for the product and
for the floor of its stack.

198 followers are socket clients in another process; two are real browsers, for which the time ends with the painted
frame. The presenter is a socket client in this process: like a page, it reports its position when it requests a step,
and again when the step has arrived. The floor is one task, one row and one message to a group with the same number of
sockets (`floor/`), and also has two painted pages. Both sites run all the time and are measured in turns; the
followers connect anew for each turn.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page
from websockets.sync.client import ClientConnection, connect

from benchmarks.browser import VIEWPORT, browser_context
from benchmarks.click_to_frame import floor_folder
from benchmarks.floor.processes import running_floor
from benchmarks.report import percentile, remark
from benchmarks.steppers import new_session
from benchmarks.turns import in_turns, ratios, report_rounds
from eosviz.launch.places import ROOT
from tests.running_site import site_of_its_own

FOLLOWERS = 200
PAINTED = 2
STEPS_UNCOUNTED = 5
STEPS = 60
PAUSE_MILLISECONDS = 250
ANSWER_SECONDS_MAX = 60.0
GOALS = {0.50: 2.0, 0.99: 3.0}
# The label changes inside the animation frame that paints it. A message that the page posts to itself in that frame
# arrives after the frame was painted.
NOTE_PAINTED = """() => {
  window.painted = {};
  const label = () => Number(/[0-9]+/.exec(document.querySelector(".where b").textContent)[0]);
  new MutationObserver(() => requestAnimationFrame(() => {
    const number = label();
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { window.painted[number] ??= (performance.timeOrigin + performance.now()) / 1000; };
    channel.port2.postMessage(0);
  })).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name, site_of_its_own(Path(name) / "product") as site:
        payloads = messages_of_steps(site.address)
        with running_floor(floor_folder(Path(name), payloads)) as floor:
            found = in_turns(
                {"product": lambda: product_turn(site.address), "floor": lambda: floor_turn(floor)}
            )
    for share, goal in GOALS.items():
        percent = f"p{round(share * 100)}"
        product, least = ([percentile(one, share) for one in found[side]] for side in ("product", "floor"))
        report_rounds(f"followers_{FOLLOWERS}_last_{percent}", product, "ms")
        report_rounds(f"followers_floor_{FOLLOWERS}_last_{percent}", least, "ms")
        by_floor = ratios(product, least)
        report_rounds(f"followers_{FOLLOWERS}_last_{percent}_by_floor", by_floor, "times", goal)


class Presenter:
    """A socket client with a session of its own. It steps through the session and presents each step."""

    def __init__(self, home: str) -> None:
        session, cookies = new_session(home)
        self.follow = start_presenting(home, session, cookies)
        """The address at which followers join."""
        self._address = f"{home.replace('http', 'ws', 1)}ws/sessions/{session}/"
        self._headers = {"Cookie": cookies, "Origin": home.rstrip("/")}

    @contextmanager
    def connected(self) -> Iterator[Callable[[int], str]]:
        """Connect, and yield a function that makes and presents one step. The function returns the message that
        contained the step.
        """
        with connect(self._address, additional_headers=self._headers, max_size=None) as socket:
            socket.send(_message("hello", have={}))
            branch = _heard(socket, "welcome")["branches"][0]["id"]

            def step(number: int) -> str:
                advance = {"branch": branch, "after": number - 1, "count": 1, "ahead": True, "present": {}}
                socket.send(_message("advance", **advance))
                while True:
                    frame = str(socket.recv(ANSWER_SECONDS_MAX))
                    message = json.loads(frame)
                    if message["type"] == "steps" and message["steps"]:
                        break
                socket.send(_message("present", branch=branch, step=number))
                return frame

            yield step


def messages_of_steps(home: str) -> list[str]:
    """Return the product's messages of as many steps as are measured, made without followers."""
    with Presenter(home).connected() as step:
        return [step(number) for number in range(1, STEPS_UNCOUNTED + STEPS + 1)]


def product_turn(home: str) -> list[float]:
    """Present the steps of a new session of the product. Returns the milliseconds from each step to the last of its
    followers.
    """
    presenter = Presenter(home)
    with browser_context() as context, audience("product", presenter.follow) as arrivals:
        # The pages must have joined before the first step.
        pages = watching(context, presenter.follow, "eos-player .where b")
        with presenter.connected() as step:
            return times(step, arrivals, pages)


def floor_turn(home: str) -> list[float]:
    with browser_context() as context, audience("floor", home) as arrivals:
        pages = watching(context, f"{home}all/", "[data-ready]")
        with connect(f"{home.replace('http', 'ws', 1)}ws/all/", max_size=None) as socket:

            def step(number: int) -> None:
                socket.send(json.dumps(number))
                # The client that asks belongs to the group, so it also gets the message. It must read it: a socket
                # that is not read stops answering pings.
                while json.loads(socket.recv(ANSWER_SECONDS_MAX))["number"] != number:
                    pass

            return times(step, arrivals, pages)


def times(step: Callable[[int], object], arrivals: dict[int, float], pages: list[Page]) -> list[float]:
    """Make all steps. Returns, for each counted step, the milliseconds until the last socket client had it and the
    last page had painted it.
    """
    found = []
    for number in range(1, STEPS_UNCOUNTED + STEPS + 1):
        begin = time.time()
        step(number)
        deadline = begin + ANSWER_SECONDS_MAX
        while number not in arrivals:
            if time.time() > deadline:
                raise SystemExit(f"step {number} did not reach all followers: {len(arrivals)} steps did")
            time.sleep(0.001)
        painted = []
        for page in pages:
            page.wait_for_function("number => number in window.painted", arg=number, timeout=60_000)
            painted.append(page.evaluate("number => window.painted[number]", number))
        if number > STEPS_UNCOUNTED:
            found.append(1000 * (max(arrivals[number], *painted) - begin))
        pages[0].wait_for_timeout(PAUSE_MILLISECONDS)
    remark(f"{len(found)} steps to {FOLLOWERS} followers")
    return found


def watching(context: BrowserContext, address: str, ready: str) -> list[Page]:
    """Open the address in `PAINTED` pages, each in a window of its own, because a browser paints a page behind
    another one only once a second.
    """
    browser = context.browser
    assert browser is not None
    pages = []
    for _ in range(PAINTED):
        page = browser.new_context(viewport=VIEWPORT).new_page()
        page.goto(address)
        page.wait_for_selector(ready, state="attached", timeout=60_000)
        page.evaluate(NOTE_PAINTED)
        pages.append(page)
    return pages


@contextmanager
def audience(kind: str, address: str) -> Iterator[dict[int, float]]:
    """Run the followers that are socket clients. The body of the `with` starts once all of them are connected. Yields
    a dict, which grows while steps arrive: the number of a step → the time at which the last of these followers had
    it, in seconds of the machine's clock.
    """
    command = [sys.executable, "-m", "benchmarks.audience", kind, address, str(FOLLOWERS - PAINTED)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = process.stdout
    arrivals: dict[int, float] = {}

    def read() -> None:
        for line in lines:
            number, seconds = line.split()
            arrivals[int(number)] = float(seconds)

    try:
        if lines.readline().strip() != "ready":
            raise SystemExit(f"{FOLLOWERS - PAINTED} followers could not be started")
        threading.Thread(target=read, daemon=True).start()
        yield arrivals
    finally:
        process.kill()
        process.wait()


def start_presenting(home: str, session: str, cookies: str) -> str:
    """Start a presentation of the session. Returns the address at which followers join."""
    token = dict(one.split("=", 1) for one in cookies.split("; "))["csrftoken"]
    headers = {"Cookie": cookies, "X-CSRFToken": token, "Origin": home.rstrip("/"), "Referer": home}
    request = urllib.request.Request(f"{home}sessions/{session}/present", b"", headers)
    return str(json.load(urllib.request.urlopen(request))["address"])


def _message(type: str, **fields: object) -> str:
    return json.dumps({"v": 1, "id": str(uuid.uuid4()), "type": type, **fields})


def _heard(socket: ClientConnection, type: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(socket.recv(ANSWER_SECONDS_MAX))
        if message["type"] == type:
            return message


if __name__ == "__main__":
    main()
