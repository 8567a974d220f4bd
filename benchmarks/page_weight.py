"""Benchmark `page`: the size of the scripts of the first page and of the player as they are transferred, and the heap
after 2,000 and 20,000 steps.

The heap is what is alive after a garbage collection of the browser. The reader goes forwards through every step in
strides of ten, as if a key were held down; the page must not keep steps that were seen long ago. The heap contains
the code that the browser has compiled, which grows the longer it runs; therefore the heap is also measured in a
browser that compiles nothing.
"""

import gzip
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Response

from benchmarks.browser import browser_context
from benchmarks.long_session import SHOWS, store_session
from benchmarks.report import print_figure
from tests.running_site import RunningSite

STEPS = 20_000
EARLY = 2_000
STRIDE = 10
FRONT_GOAL_KILOBYTES = 10
SCRIPT_GOAL_KILOBYTES = 150
HEAP_GOAL_RATIO = 1.1
COMPILES_NOTHING = "--js-flags=--no-turbofan --no-maglev --no-sparkplug"
# Each step is requested only when the page shows the one requested before.
WALK = """async ([from, to, stride]) => {
  const store = document.querySelector("eos-player").store;
  for (let number = from; number <= to; number += stride) {
    store.moveTo(number);
    do await new Promise(requestAnimationFrame); while (store.shown !== number);
  }
}"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        site = RunningSite(Path(name))
        try:
            measure(site.wait_until_ready())
        finally:
            site.stop()


def measure(site: RunningSite) -> None:
    with browser_context() as context:
        print_figure(
            "first_page_scripts",
            script_kilobytes(context, site.address, ".trailer"),
            "kB",
            FRONT_GOAL_KILOBYTES,
        )
    stored = store_session(site.data_folder, STEPS)
    cookie: Any = {"name": "sessionid", "value": stored["cookie"], "url": site.address}
    address = f"{site.address.rstrip('/')}{stored['path']}?step=1"
    with browser_context() as context:
        context.add_cookies([cookie])
        weight = script_kilobytes(context, address, "eos-sentence .s")
        print_figure("player_scripts", weight, "kB", SCRIPT_GOAL_KILOBYTES)
        print_heap(context, address, "heap")
    with browser_context(COMPILES_NOTHING) as context:
        context.add_cookies([cookie])
        print_heap(context, address, "heap_without_code")


def print_heap(context: BrowserContext, address: str, name: str) -> None:
    page = context.new_page()
    page.goto(address)
    page.wait_for_function(SHOWS, arg=1)
    page.evaluate(WALK, [1, EARLY, STRIDE])
    early = heap_megabytes(page)
    page.evaluate(WALK, [EARLY, STEPS, STRIDE])
    late = heap_megabytes(page)
    print_figure(f"{name}_after_2k", early, "MB")
    print_figure(f"{name}_after_20k", late, "MB")
    print_figure(f"{name}_ratio", late / early, "times", HEAP_GOAL_RATIO)


def script_kilobytes(context: BrowserContext, address: str, shown: str) -> float:
    """Return the kilobytes of all scripts that the page requests until the element ``shown`` is there and the network
    is idle, compressed with gzip as a web server would do it.
    """
    scripts: list[Response] = []
    page = context.new_page()
    page.on("response", lambda got: scripts.append(got) if got.request.resource_type == "script" else None)
    page.goto(address)
    page.locator(shown).first.wait_for()
    page.wait_for_load_state("networkidle")
    weight = sum(len(gzip.compress(script.body())) for script in scripts) / 1000
    page.close()
    return weight


def heap_megabytes(page: Page) -> float:
    browser = page.context.new_cdp_session(page)
    for _ in range(2):
        browser.send("HeapProfiler.collectGarbage")
    return float(browser.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


if __name__ == "__main__":
    main()
