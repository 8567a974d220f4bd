"""Benchmark `click`: the time from a click to the painted frame in a real browser, for the product and for the floor
of its stack.

The floor is a bare consumer, a Celery task that commits one row, and a group send of the message that the product
sent for the same click; both measurements end at a painted frame of the same browser. They are made alone and while
49 further sessions step once a second each. Both sites run all the time and are measured in turns.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from playwright.sync_api import Page, WebSocket

from benchmarks.browser import browser_context, click_milliseconds
from benchmarks.click_stored import answer_milliseconds
from benchmarks.floor.processes import running_floor
from benchmarks.report import percentile, print_figure, remark
from benchmarks.turns import in_turns, ratios, report_rounds
from eosviz.launch.places import ROOT
from tests.running_site import site_of_its_own

CLICKS = 120
CLICKS_UNCOUNTED = 10
OTHERS = 49
CASES = {"alone": 0, "with_49": OTHERS}
SCENARIO = "SC-02"
GOALS = {0.50: 1.5, 0.99: 3.0}
# If the scenario asks for a prediction, a click makes no step, so no frame would ever be painted.
ASK_NOTHING = "() => { document.querySelector('eos-predict').on = false; }"
Click = tuple[float, float]
"""One click: the milliseconds until its message arrived, and the milliseconds until the frame was painted."""
Clicks = list[Click]
MOMENTS: dict[str, Callable[[Click], float]] = {
    "arrival_": lambda click: click[0],
    "": lambda click: click[1],
    "both_": max,
}
"""Part of a figure's name → the milliseconds of a click that the figure counts: until the message arrived, until the
frame was painted, and until both had happened. A page notices the message only between drawings.
"""


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        site_of_its_own(Path(name) / "product") as site,
    ):
        payloads = messages_of_clicks(site.address)
        print_figure("click_message", sum(map(len, payloads)) / len(payloads), "bytes")
        with running_floor(floor_folder(Path(name), payloads)) as floor:
            for case, others in CASES.items():
                report_clicks(
                    f"click_{case}", "click_floor_" + case, measured([site.address], [floor], others)
                )
            report_stored(site.address, floor)


def messages_of_clicks(address: str) -> list[str]:
    """Make as many clicks as are measured later, and return the product's `steps` messages of these clicks. The times
    of these clicks do not count.
    """
    payloads: list[str] = []
    with browser_context() as context:
        page = context.new_page()
        page.on("websocket", lambda socket: collected(socket, payloads))
        open_product(page, address)
        clicks(page)
    return payloads


def floor_folder(place: Path, payloads: list[str]) -> Path:
    """Make a data folder for the floor inside ``place``, write the messages into it that the floor will send, and
    return it.
    """
    folder = place / "floor"
    folder.mkdir()
    (folder / "payloads.json").write_text(json.dumps(payloads))
    return folder


def measured(product: Sequence[str], floor: Sequence[str], others: int) -> dict[str, list[Clicks]]:
    """Return the clicks of both sides, one list for each round. ``product`` and ``floor`` are the addresses of all
    web processes of each side; the measured page uses the first one.
    """
    return in_turns(
        {
            "product": lambda: turn("product", open_product, product, others),
            "floor": lambda: turn("floor", open_floor, floor, others),
        }
    )


def turn(kind: str, opened: Callable[[Page, str], None], addresses: Sequence[str], others: int) -> Clicks:
    """Measure the clicks of one side in a new browser, while ``others`` further sessions, distributed over the
    addresses, step.
    """
    with browser_context() as context, ExitStack() as stack:
        page = context.new_page()
        opened(page, addresses[0])
        for number, address in enumerate(addresses):
            stack.enter_context(
                steppers(kind, address, others // len(addresses) + (number < others % len(addresses)))
            )
        times = clicks(page)
    remark(f"{kind} beside {others}: p50 {percentile([painted for _, painted in times], 0.5):.1f} ms")
    return times


def report_clicks(name: str, floor_name: str, found: Mapping[str, list[Clicks]]) -> None:
    """Print, for product and floor, the milliseconds until the message, until the painted frame, and until both, and
    the ratio of the product to the floor.
    """
    for share, goal in GOALS.items():
        percent = f"p{round(share * 100)}"
        for infix, milliseconds in MOMENTS.items():
            product, floor = (
                [percentile([milliseconds(click) for click in one], share) for one in found[side]]
                for side in ("product", "floor")
            )
            report_rounds(f"{name}_{infix}{percent}", product, "ms")
            report_rounds(f"{floor_name}_{infix}{percent}", floor, "ms")
            by_floor = f"{name}_{infix}{percent}_by_floor"
            report_rounds(by_floor, ratios(product, floor), "times", None if infix == "arrival_" else goal)


def open_product(page: Page, address: str) -> None:
    """Open a new session of the product at its beginning."""
    page.goto(f"{address}library/")
    page.click(f"#{SCENARIO} button.primary")
    page.wait_for_selector("button.go")
    page.wait_for_function("document.querySelector('.where b').textContent.trim().endsWith('0')")
    page.evaluate(ASK_NOTHING)


def open_floor(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-ready]")


def clicks(page: Page) -> Clicks:
    """Click and return the times of the counted clicks.

    The pauses vary a little; otherwise every click would meet the same phase of the screen's refresh.
    """
    generator = Random(0)
    times = []
    for _ in range(CLICKS_UNCOUNTED + CLICKS):
        times.append(click_milliseconds(page))
        page.wait_for_timeout(100 + 100 * generator.random())
    return times[CLICKS_UNCOUNTED:]


def report_stored(product_address: str, floor_address: str) -> None:
    """Print the times of the server's part of a click, measured without a page that draws at the same time, for
    product and floor.
    """
    found = in_turns(
        {
            "product": lambda: answer_milliseconds("product", product_address),
            "floor": lambda: answer_milliseconds("floor", floor_address),
        }
    )
    for share, goal in GOALS.items():
        name = f"click_stored_p{round(share * 100)}"
        product, floor = ([percentile(one, share) for one in found[side]] for side in ("product", "floor"))
        report_rounds(name, product, "ms")
        report_rounds(f"{name}_floor", floor, "ms")
        report_rounds(f"{name}_by_floor", ratios(product, floor), "times", goal)


@contextmanager
def steppers(kind: str, address: str, count: int) -> Iterator[None]:
    """Run ``count`` other sessions in one process of their own. The body of the `with` starts once all of them have
    stepped once.
    """
    if not count:
        yield
        return
    command = [sys.executable, "-m", "benchmarks.steppers", kind, address, str(count)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        if process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{count} further sessions could not be started")
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
