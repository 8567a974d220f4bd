"""The Content-Security-Policy in a real browser: what it forbids is refused, and the tests notice the refusal."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.running_site import RunningSite

_TRY = """() => {
  const made = document.createElement("p");
  made.setAttribute("style", "color: rgb(1, 2, 3)");
  made.setAttribute("onclick", "window.wasRun = true");
  document.body.append(made);
  made.click();
  const script = document.createElement("script");
  script.textContent = "window.wasRun = true";
  document.body.append(script);
  const sheet = document.createElement("style");
  sheet.textContent = "p { color: rgb(1, 2, 3) }";
  document.body.append(sheet);
  return { color: getComputedStyle(made).color, wasRun: window.wasRun === true };
}"""


def test_nothing_written_into_a_page_runs_or_styles_it(
    page: Page, running_site: RunningSite, broken_policy: list[str]
) -> None:
    page.goto(running_site.address)
    done = page.evaluate(_TRY)
    assert done["wasRun"] is False
    assert done["color"] != "rgb(1, 2, 3)"
    page.evaluate("0")  # the answer comes after the lines of the console
    for kind in ("inline style", "inline script", "inline event handler"):
        assert any(kind in line for line in broken_policy), (kind, broken_policy)
    broken_policy.clear()


@pytest.mark.parametrize("address", ["api/docs", "accounts/login/", "accounts/signup/"])
def test_pages_of_other_libraries_keep_to_it(page: Page, running_site: RunningSite, address: str) -> None:
    page.goto(running_site.address + address)
    expect(page.locator(".opblock, main form").first).to_be_visible(timeout=30_000)
