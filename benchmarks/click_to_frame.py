"""(1) From a click to the painted frame, in a real browser: the product against the floor of its own stack.

The floor is a bare consumer, a Celery task that commits one row, and a group send of the message that the
product sent for the same click; both end at a painted frame of the same browser. Measured alone and while 49
further sessions step once a second each.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from playwright.sync_api import Page, WebSocket

from benchmarks.browser import browser_context, click_milliseconds
from benchmarks.floor.processes import running_floor
from benchmarks.report import percentile, remark, tell
from eosviz.launch.places import ROOT
from tests.running_site import RunningSite

CLICKS = 120
CLICKS_UNCOUNTED = 10
OTHERS = 49
SCENARIO = "SC-02"
GOALS = {0.50: 1.5, 0.99: 3.0}
# A click before which the scenario asks for a prediction makes no step, and none would ever be painted.
ASK_NOTHING = "() => { document.querySelector('eos-predict').on = false; }"
Clicks = list[tuple[float, float]]
"""Milliseconds of each click until its message arrived, and until it was painted."""
Times = dict[str, Clicks]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        product, payloads = measure_product(folder / "product")
        (folder / "floor").mkdir()
        (folder / "floor" / "payloads.json").write_text(json.dumps(payloads))
        floor = measure_floor(folder / "floor")
    size = sum(len(payload) for payload in payloads) / len(payloads)
    tell("click_message", size, "bytes")
    for case in ("alone", "with_49"):
        tell_clicks("click", f"{case}_", product[case], floor[case])


def tell_clicks(name: str, case: str, product: Clicks, floor: Clicks) -> None:
    """How long messages and painted frames took, beside the floor."""
    for share, goal in GOALS.items():
        percent = f"p{round(share * 100)}"
        for moment, told in enumerate(("arrival_", "")):
            found, least = (percentile([click[moment] for click in one], share) for one in (product, floor))
            tell(f"{name}_{case}{told}{percent}", found, "ms")
            tell(f"{name}_floor_{case}{told}{percent}", least, "ms")
        tell(f"{name}_{case}{percent}_by_floor", found / least, "times", goal)


def measure_product(folder: Path) -> tuple[Times, list[str]]:
    """Milliseconds per case, and the `steps` messages of the clicks alone."""
    payloads: list[str] = []
    site = RunningSite(folder)
    try:
        address = site.wait_until_ready().address
        with browser_context() as context:
            times = {}
            for case, others in (("alone", 0), ("with_49", OTHERS)):
                page = context.new_page()
                if not others:
                    page.on("websocket", lambda socket: collected(socket, payloads))
                open_product(page, address)
                with steppers("product", address, others):
                    times[case] = clicks(page, case)
                page.close()
    finally:
        site.stop()
    return times, payloads


def measure_floor(folder: Path) -> Times:
    with running_floor(folder) as address, browser_context() as context:
        times = {}
        for case, others in (("alone", 0), ("with_49", OTHERS)):
            page = context.new_page()
            open_floor(page, address)
            with steppers("floor", address, others):
                times[case] = clicks(page, f"floor {case}")
            page.close()
    return times


def open_product(page: Page, address: str) -> None:
    """A session of its own, at its beginning."""
    page.goto(f"{address}library/")
    page.click(f"#{SCENARIO} button.primary")
    page.wait_for_selector("button.go")
    page.wait_for_function("document.querySelector('.where b').textContent.trim().endsWith('0')")
    page.evaluate(ASK_NOTHING)


def open_floor(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-ready]")


def clicks(page: Page, case: str) -> Clicks:
    """The times of the counted clicks.

    Pauses differ a little, or every click would meet the same phase of the screen's clock.
    """
    generator = Random(0)
    times = []
    for _ in range(CLICKS_UNCOUNTED + CLICKS):
        times.append(click_milliseconds(page))
        page.wait_for_timeout(100 + 100 * generator.random())
    remark(f"{case}: {len(times)} clicks")
    return times[CLICKS_UNCOUNTED:]


@contextmanager
def steppers(kind: str, address: str, count: int) -> Iterator[None]:
    """Other sessions at work, in a process of their own, from when all of them have stepped once."""
    if not count:
        yield
        return
    command = [sys.executable, "-m", "benchmarks.steppers", kind, address, str(count)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        if process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{OTHERS} further sessions could not be started")
        yield
        if process.poll() is not None:
            raise SystemExit("the further sessions ended while they should have stepped")
    finally:
        process.kill()
        process.wait()


def collected(socket: WebSocket, payloads: list[str]) -> None:
    def keep(frame: str | bytes) -> None:
        if isinstance(frame, str) and '"type":"steps"' in frame[:100] and '"steps":[{' in frame:
            payloads.append(frame)

    socket.on("framereceived", keep)


if __name__ == "__main__":
    main()
