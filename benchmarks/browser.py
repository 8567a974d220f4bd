"""The browser of the benchmarks, and the measurement of the time from a click to the frame that shows its effect."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, Page, ViewportSize, sync_playwright

from eosviz.launch.browser import INSTALL_REMEDY, browser_options, find_browser

# Both pages (product and floor) change their text inside an animation frame. A message that the page posts to itself
# in that frame arrives after the frame was drawn. `inFrame` is false when the text changed outside of an animation
# frame; then the next frame draws the change.
_MEASURE = """
{
  const original = window.requestAnimationFrame.bind(window);
  let inFrame = false;
  const afterwards = (action) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = action;
    channel.port2.postMessage(0);
  };
  window.requestAnimationFrame = (callback) => original((time) => {
    if (!inFrame) {
      inFrame = true;
      afterwards(() => { inFrame = false; });
    }
    callback(time);
  });
  let arrives = () => {};
  window.WebSocket = class extends WebSocket {
    constructor(...words) {
      super(...words);
      this.addEventListener("message", ({ data }) => {
        if (!data.startsWith('{"type":"ahead"')) arrives(performance.now());
      });
    }
  };
  // A page may know the step before it is stored, so either may come first.
  window.millisecondsToPaint = async (button, shown) => {
    const before = shown().textContent;
    const arrival = new Promise((resolve) => { arrives = resolve; });
    let begin;
    const painting = new Promise((resolve) => {
      const painted = () => afterwards(() => resolve(performance.now()));
      const observer = new MutationObserver(() => {
        if (shown().textContent === before) return;
        observer.disconnect();
        if (inFrame) painted();
        else original(painted);
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      begin = performance.now();
      button().click();
    });
    return [(await arrival) - begin, (await painting) - begin];
  };
}
"""
CLICK = """() => window.millisecondsToPaint(
  () => document.querySelector("button.go"), () => document.querySelector(".where b"))"""
VIEWPORT: ViewportSize = {"width": 1280, "height": 720}


@contextmanager
def browser_context(*options: str) -> Iterator[BrowserContext]:
    """Yield a new browser context whose window has the size `VIEWPORT`. ``options``: further command-line options of
    the browser.
    """
    program = find_browser()
    if program is None:
        raise SystemExit(f"no browser is installed: {INSTALL_REMEDY}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*browser_options(), *options])
        context = browser.new_context(viewport=VIEWPORT)
        context.add_init_script(_MEASURE)
        yield context
        browser.close()


def click_milliseconds(page: Page) -> tuple[float, float]:
    """Click *Step* once. Returns the milliseconds until the message arrived that says that the step is stored, and
    the milliseconds until the frame that shows the next number was painted.
    """
    if page.evaluate("() => document.querySelector('button.go').disabled"):
        raise SystemExit(
            "the run is over: a click makes no step, so there is nothing to time; ask for fewer clicks"
        )
    arrived, painted = page.evaluate(CLICK)
    return arrived, painted
