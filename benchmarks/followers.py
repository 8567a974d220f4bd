"""How long a presenter's step takes to the last of two hundred followers: the product beside the floor of its stack.

198 followers are socket clients of another process, two are real browsers, whose time ends with the painted frame.
The presenter is a socket client here: it asks for a step and, when the step has come, tells that it is there. The
floor is one task, one row and one message to a group of as many sockets (`floor/`), with two painted pages as well.
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

from playwright.sync_api import BrowserContext, Page
from websockets.sync.client import connect

from benchmarks.browser import VIEWPORT, browser_context
from benchmarks.floor.processes import running_floor
from benchmarks.report import percentile, remark, tell
from benchmarks.steppers import new_session
from eosviz.launch.places import ROOT
from tests.running_site import RunningSite

FOLLOWERS = 200
PAINTED = 2
STEPS_UNCOUNTED = 5
STEPS = 60
PAUSE_MILLISECONDS = 250
ANSWER_SECONDS_MAX = 60.0
GOALS = {0.50: 2.0, 0.99: 3.0}
# The label changes inside the animation frame that paints it; a message to oneself arrives after that frame.
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        product, payloads = measure_product(folder / "product")
        (folder / "floor").mkdir()
        (folder / "floor" / "payloads.json").write_text(json.dumps(payloads))
        floor = measure_floor(folder / "floor")
    for share, goal in GOALS.items():
        percent = f"p{round(share * 100)}"
        found, least = percentile(product, share), percentile(floor, share)
        tell(f"followers_{FOLLOWERS}_last_{percent}", found, "ms")
        tell(f"followers_floor_{FOLLOWERS}_last_{percent}", least, "ms")
        tell(f"followers_{FOLLOWERS}_last_{percent}_by_floor", found / least, "times", goal)


def measure_product(folder: Path) -> tuple[list[float], list[str]]:
    """Milliseconds of each step to the last follower, and the messages that brought the steps."""
    site = RunningSite(folder)
    payloads: list[str] = []
    try:
        home = site.wait_until_ready().address
        session, cookies = new_session(home)
        follow = start_presenting(home, session, cookies)
        socket_address = f"{home.replace('http', 'ws', 1)}ws/sessions/{session}/"
        headers = {"Cookie": cookies, "Origin": home.rstrip("/")}
        with (
            browser_context() as context,
            audience("product", follow) as arrivals,
            connect(socket_address, additional_headers=headers, max_size=None) as socket,
        ):
            pages = watching(context, follow, "eos-player .where b")
            socket.send(_message("hello", have={}))
            branch = _heard(socket, "welcome")["branches"][0]["id"]

            def step(number: int) -> None:
                socket.send(_message("advance", branch=branch, after=number - 1, count=1, ahead=True))
                while True:
                    frame = socket.recv(ANSWER_SECONDS_MAX)
                    message = json.loads(frame)
                    if message["type"] == "steps" and message["steps"]:
                        break
                socket.send(_message("present", branch=branch, step=number))
                payloads.append(str(frame))

            return times(step, arrivals, pages), payloads
    finally:
        site.stop()


def measure_floor(folder: Path) -> list[float]:
    with running_floor(folder) as home, browser_context() as context, audience("floor", home) as arrivals:
        pages = watching(context, f"{home}all/", "[data-ready]")
        with connect(f"{home.replace('http', 'ws', 1)}ws/all/", max_size=None) as socket:

            def step(number: int) -> None:
                socket.send(json.dumps(number))
                # Whoever asks is told as well; a socket that nobody reads stops answering pings.
                while json.loads(socket.recv(ANSWER_SECONDS_MAX))["number"] != number:
                    pass

            return times(step, arrivals, pages)


def times(step: Callable[[int], None], arrivals: dict[int, float], pages: list[Page]) -> list[float]:
    """Milliseconds from each counted step to the last of all."""
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
    """Each in a window of its own: a page behind another is painted once a second."""
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
    """The other followers, once all of them are there; step to when the last of them heard of it."""
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
    """Gives the address of those who follow."""
    token = dict(one.split("=", 1) for one in cookies.split("; "))["csrftoken"]
    headers = {"Cookie": cookies, "X-CSRFToken": token, "Origin": home.rstrip("/"), "Referer": home}
    request = urllib.request.Request(f"{home}sessions/{session}/present", b"", headers)
    return str(json.load(urllib.request.urlopen(request))["address"])


def _message(type: str, **fields: object) -> str:
    return json.dumps({"v": 1, "id": str(uuid.uuid4()), "type": type, **fields})


def _heard(socket: object, type: str) -> dict:
    while True:
        message = json.loads(socket.recv(ANSWER_SECONDS_MAX))  # type: ignore[attr-defined]
        if message["type"] == type:
            return message


if __name__ == "__main__":
    main()
