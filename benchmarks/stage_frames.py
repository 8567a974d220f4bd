"""Benchmark `stage`: what a frame costs while a run with more than 200 objects on the stage is scrubbed, stepped and
played.

The run has five producers, forty-two partitions and six brokers, more than the stage shows at full size; the page has
its initial settings. The floor is measured in the same page: over the picture lie as many empty SVG nodes as the
picture has objects, and only the browser moves them.
"""

import tempfile
from functools import partial
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.browser import browser_context
from benchmarks.long_session import (
    choose_speed,
    drag,
    frame_milliseconds,
    knob_way,
    play_on,
    report_frames,
    seconds_to_open,
    store_session,
    trace_of,
)
from benchmarks.report import print_figure
from tests.running_site import RunningSite

STEPS = 1_000
STEPS_MADE = 40
MILLISECONDS_BETWEEN_STEPS = 1_000
"""The pause between two steps, as of a reader who looks at each: a step's animation ends before the next step."""
OBJECTS_LEAST = 200
SPEEDS = {"play": ("2", 40), "play_fastest": ("16", 6)}
"""Name → the speed chosen in the page, and the seconds to play. Speed 2 is twice reading speed, at which steps are
animated; speed 16 is sixteen steps a second.
"""
MILLISECONDS_TO_REST = 2_000
"""The pause before playing is traced, so that the trace contains neither what a just opened page still loads nor the
driver's own script.
"""
OBJECTS = "document.querySelector('eos-stage').renderRoot.querySelectorAll('svg.scene > g').length"
ELEMENTS = "document.querySelector('eos-stage').renderRoot.querySelectorAll('svg.scene *').length"
# Each node moves for 420 ms, as a message does, and then again, until the time is over.
FLOOR = """async ([count, seconds]) => {
  const around = document.querySelector("eos-stage").getBoundingClientRect();
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const place = ["left", "top", "width", "height"].map((name) => `${name}:${around[name]}px`);
  picture.style.cssText = `position:fixed;${place.join(";")}`;
  for (let number = 0; number < count; number += 1) {
    const node = document.createElementNS(picture.namespaceURI, "g");
    picture.append(node);
    const to = `translate(${(number * 37) % around.width}px, ${(number * 53) % around.height}px)`;
    node.animate([{ transform: "translate(0, 0)" }, { transform: to }], { duration: 420, iterations: Infinity });
  }
  document.body.append(picture);
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) await new Promise(requestAnimationFrame);
  picture.remove();
}"""
FLOOR_SECONDS = 6


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        site = RunningSite(Path(name))
        try:
            measure(site.wait_until_ready())
        finally:
            site.stop()


def measure(site: RunningSite) -> None:
    stored = store_session(site.data_folder, STEPS, "wide")
    with browser_context() as context:
        context.add_cookies([{"name": "sessionid", "value": stored["cookie"], "url": site.address}])
        page = context.new_page()
        address = f"{site.address.rstrip('/')}{stored['path']}?step={{}}"
        seconds_to_open(page, address.format(STEPS), STEPS)
        count = page.evaluate(OBJECTS)
        if count < OBJECTS_LEAST:
            raise SystemExit(f"the stage has {count} objects: {OBJECTS_LEAST} were to be measured")
        print_figure("stage_objects", count, "objects")
        print_figure("stage_elements", page.evaluate(ELEMENTS), "elements")
        floor = trace_of(page, lambda page: page.evaluate(FLOOR, [count, FLOOR_SECONDS]))
        report_frames("stage_floor", frame_milliseconds(floor))
        ends = knob_way(page)
        report_frames(
            "stage_scrub", frame_milliseconds(trace_of(page, lambda page: drag(page, **ends))), True
        )
        seconds_to_open(page, address.format(STEPS // 2), STEPS // 2)
        report_frames("stage_step", frame_milliseconds(trace_of(page, step)), True)
        for what, (speed, seconds) in SPEEDS.items():
            seconds_to_open(page, address.format(STEPS // 2), STEPS // 2)
            choose_speed(page, speed)
            page.wait_for_timeout(MILLISECONDS_TO_REST)
            played = trace_of(page, partial(play_on, seconds=seconds))
            report_frames(f"stage_{what}", frame_milliseconds(played), True)


def step(page: Page) -> None:
    """Make one step after the other, and wait for the end of each one's animation."""
    for _ in range(STEPS_MADE):
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(MILLISECONDS_BETWEEN_STEPS)


if __name__ == "__main__":
    main()
