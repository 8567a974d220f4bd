"""Reads the sentence under the picture, once it describes the step on show."""

from __future__ import annotations

from playwright.sync_api import Page

# The sentence is drawn one paint after the rest of the page, and waits for the cause of the step if that was
# requested.
_DRAWN = """() => {
  const sentence = document.querySelector("eos-sentence");
  if (sentence === null || sentence.store?.frame === undefined) return false;
  const isOfThisFrame = sentence.beside === null || sentence.beside === sentence.store.frame;
  return isOfThisFrame && !sentence.isUpdatePending && !sentence.hasAttribute("data-awaits");
}"""


def wait_for_sentence(page: Page) -> None:
    """Wait until the sentence describes the step on show."""
    page.wait_for_function(_DRAWN)


def sentence(page: Page) -> str:
    """Return the sentence of the step on show."""
    wait_for_sentence(page)
    return page.locator("eos-sentence .s").inner_text()
