"""Benchmark `long`: sessions of 1,000, 20,000 and 100,000 steps in a real browser. It measures the time to open each,
and the main thread's time for each frame while a reader drags the scrubber and while the session plays.

*Open* is the time from the navigation to the painted frame that shows the newest step. While the scrubber is dragged,
the browser records a trace, which says how long the main thread worked for each frame: scripts, style, layout and
paint, everything between one frame and the next. Each time is taken by the clock and as processor time; other work on
the machine changes processor time less. The floor is a page that changes one line of text in every frame of the same
drag.
"""

import bisect
import collections
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from benchmarks.browser import VIEWPORT, browser_context
from benchmarks.report import percentile, print_figure, remark
from eosviz.launch.places import ROOT
from tests.running_site import RunningSite

STEPS = (1_000, 20_000, 100_000)
OPENINGS = 5
DRAGS = 4
MOVES_PER_DRAG = 120
MILLISECONDS_BETWEEN_MOVES = 16
PLAYED_SECONDS = 6
FASTEST = "16"
"""The highest speed that the page offers, in steps a second."""
OPEN_GOAL_SECONDS = 1.0
FRAME_GOAL_MILLISECONDS = 16.7
SHOWS = "(number) => document.querySelector('.where b')?.textContent.includes(String(number))"
# The time from the beginning of the navigation to a message that the page handles after the frame was drawn.
PAINTED = """() => new Promise((resolve) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => resolve(performance.now());
  channel.port2.postMessage(0);
}))"""
# The minimum that a page can do: it writes one line of text in the frame after the pointer moved.
FLOOR = """data:text/html,<p id="line">0</p><script>
  let asked = false;
  addEventListener("pointermove", (event) => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; line.textContent = event.clientX; });
  });
</script>"""
TRACED = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"]


def main() -> None:
    with browser_context() as context:
        page = context.new_page()
        page.goto(FLOOR)
        ends = {"left": 12.0, "right": VIEWPORT["width"] - 24.0, "y": 400.0}
        report_frames(
            "frame_floor_scrub", frame_milliseconds(trace_of(page, lambda page: drag(page, **ends)))
        )
    for steps in STEPS:
        with tempfile.TemporaryDirectory() as name:
            site = RunningSite(Path(name))
            try:
                measure(site.wait_until_ready(), steps)
            finally:
                site.stop()


def measure(site: RunningSite, steps: int) -> None:
    stored = store_session(site.data_folder, steps)
    remark(f"a session of {stored['steps']} steps")
    name = f"session_{steps // 1000}k"
    with browser_context() as context:
        context.add_cookies([{"name": "sessionid", "value": stored["cookie"], "url": site.address}])
        page = context.new_page()
        address = f"{site.address.rstrip('/')}{stored['path']}?step={steps}"
        # The first opening fills the browser's cache and does not count.
        opened = [seconds_to_open(page, address, steps) for _ in range(OPENINGS + 1)][1:]
        print_figure(f"{name}_open_p50", percentile(opened, 0.5), "s", OPEN_GOAL_SECONDS)
        print_figure(f"{name}_open_max", max(opened), "s")
        ends = knob_way(page)
        report_frames(
            f"{name}_scrub", frame_milliseconds(trace_of(page, lambda page: drag(page, **ends))), True
        )
        seconds_to_open(page, address.replace(f"?step={steps}", f"?step={steps // 2}"), steps // 2)
        report_frames(f"{name}_play", frame_milliseconds(trace_of(page, play)), True)


def report_frames(name: str, frames: Iterable[tuple[float, float]], has_goal: bool = False) -> None:
    clock, processor = zip(*frames, strict=True)
    print_figure(f"{name}_frames", len(clock), "frames")
    print_figure(f"{name}_p50", percentile(clock, 0.5), "ms")
    print_figure(f"{name}_p95", percentile(clock, 0.95), "ms", FRAME_GOAL_MILLISECONDS if has_goal else None)
    print_figure(f"{name}_max", max(clock), "ms")
    print_figure(f"{name}_processor_p50", percentile(processor, 0.5), "ms")
    print_figure(f"{name}_processor_p95", percentile(processor, 0.95), "ms")


def store_session(data_folder: Path, steps: int, *kind: str) -> dict[str, Any]:
    """Store a session of ``steps`` steps in the site's data folder. ``kind``: `wide` for a session of many
    components, or nothing. Returns the path of its page and the cookie that may open it.
    """
    ours = {"DJANGO_SETTINGS_MODULE", "REDIS_URL", "DATABASE_URL"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    made = subprocess.run(
        [sys.executable, "-m", "benchmarks.stored_session", *kind, str(steps)],
        cwd=ROOT,
        env={**environment, "EOSVIZ_DATA": str(data_folder)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    stored: dict[str, Any] = json.loads(made.stdout)
    return stored


def seconds_to_open(page: Page, address: str, shows: int) -> float:
    page.goto(address, wait_until="commit")
    page.wait_for_function(SHOWS, arg=shows)
    return float(page.evaluate(PAINTED)) / 1000


def trace_of(page: Page, act: Callable[[Page], None]) -> list[dict[str, Any]]:
    """Perform ``act`` on the page and return the events that the browser traced meanwhile."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=TRACED)
    act(page)
    events: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    return events


def knob_way(page: Page) -> dict[str, float]:
    """Return the coordinates, in pixels, between which the knob of the scrubber can be dragged."""
    box = page.locator("eos-scrubber [role=slider]").bounding_box()
    assert box is not None, "the page has no scrubber"
    return {"left": box["x"] + 12, "right": box["x"] + box["width"] - 24, "y": box["y"] + box["height"] / 2}


def drag(page: Page, left: float, right: float, y: float) -> None:
    """Drag the knob from end to end and back several times, and then slowly over a quarter of the line."""
    page.mouse.move(right, y)
    page.mouse.down()
    for begin, end in [(right, left), (left, right)] * (DRAGS // 2) + [(right, right - (right - left) / 4)]:
        for move in range(1, MOVES_PER_DRAG + 1):
            page.mouse.move(begin + (end - begin) * move / MOVES_PER_DRAG, y)
            page.wait_for_timeout(MILLISECONDS_BETWEEN_MOVES)
    page.mouse.up()


def play(page: Page, speed: str = FASTEST, seconds: int = PLAYED_SECONDS) -> None:
    """Play from the middle of the run, by default at the page's highest speed."""
    choose_speed(page, speed)
    play_on(page, seconds)


def choose_speed(page: Page, speed: str) -> None:
    page.locator("eos-transport select.speed").select_option(speed)
    page.keyboard.press("Escape")


def play_on(page: Page, seconds: int) -> None:
    page.locator("eos-transport button.w").first.click()
    page.wait_for_timeout(seconds * 1000)
    page.locator("eos-transport button.w").first.click()


def frame_milliseconds(events: list[dict[str, Any]]) -> Iterator[tuple[float, float]]:
    """Yield, for each frame that was drawn, how many milliseconds the main thread worked for it: by the clock, and as
    processor time.

    A frame ends with the task that draws it, and includes everything that the thread did since the previous frame.
    """
    page = _page_thread(events)
    ours = [event for event in events if event.get("ph") == "X" and _thread(event) == page]
    commits = sorted(event["ts"] for event in ours if event["name"] == "Commit")
    clock = processor = 0.0
    for task in sorted(
        (event for event in ours if event["name"] == "RunTask"), key=lambda event: event["ts"]
    ):
        length = task.get("dur", 0)
        clock += length / 1000
        # The trace leaves out the processor time of short tasks; their time by the clock counts instead.
        processor += task.get("tdur", length) / 1000
        place = bisect.bisect_left(commits, task["ts"])
        if place < len(commits) and commits[place] <= task["ts"] + length:
            yield clock, processor
            clock = processor = 0.0


def _page_thread(events: list[dict[str, Any]]) -> tuple[int, int]:
    """Return the process and thread of the main thread that drew most frames: other pages have a main thread, too."""
    drawing = collections.Counter(_thread(event) for event in events if event["name"] == "FireAnimationFrame")
    return drawing.most_common(1)[0][0]


def _thread(event: dict[str, Any]) -> tuple[int, int]:
    return event["pid"], event["tid"]


if __name__ == "__main__":
    main()
