"""From a real log to a scenario that others continue, with the keyboard only: the case is opened and made a draft,
the draft is published and its link passed on, and the scenario is forked on a telephone. A log that no client can
have written says why no draft can be made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.newcomer import Keyboard
from tests.e2e.test_class import look, sign_up
from tests.running_site import RunningSite

KAFKA_LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs"
PATIENCE = 60_000
"""Milliseconds: while the test waits, the case is read and the scenario is tried."""
MANNERS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1280, "height": 720}, "locale": "en-GB"},
    "telephone": {"viewport": {"width": 390, "height": 844}, "locale": "zh-CN", "color_scheme": "dark"},
}


@pytest.fixture
def contexts(browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    made = {
        name: browser.new_context(**options, reduced_motion="reduce") for name, options in MANNERS.items()
    }
    for context in made.values():
        context.set_default_timeout(PATIENCE)
    yield made
    for context in made.values():
        context.close()


def open_case(page: Page, home: str, folder: Path) -> Keyboard:
    hand = Keyboard(page)
    page.goto(f"{home}replays/log")
    hand.give_file(page.locator("#folder"), folder)
    hand.press(page.locator("form.upload button"))
    expect(page.locator("#scenario")).to_be_visible(timeout=PATIENCE)
    look(page)
    hand.press(page.locator("#scenario button"))
    return hand


def test_a_case_becomes_a_scenario_that_is_published_and_forked(
    contexts: dict[str, BrowserContext], running_site: RunningSite
) -> None:
    home = running_site.address
    page = contexts["desk"].new_page()
    sign_up(page, home, "oncall@example.org", "Olga", is_looked_at=False)
    hand = open_case(page, home, KAFKA_LOGS / "h2_open" / "hangopen-0")
    expect(page.locator("[data-trial=current]")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("textarea#text")).to_have_value(re.compile("hangopen"))
    look(page)
    hand.press(page.get_by_role("button", name="Publish"))
    expect(page.locator("main")).to_contain_text("Version 1", timeout=PATIENCE)
    # Without a class, no class is offered; only an instructor may publish for all.
    expect(page.locator("input[name=visibility]")).to_have_count(2)
    hand.reach(page.locator("input[name=visibility]:checked"))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Anyone with the link", exact=True)).to_be_checked()
    hand.press(page.get_by_role("button", name="Save"))
    expect(page.locator("main")).to_contain_text("/workshop/")
    address = page.url

    other = contexts["telephone"].new_page()
    sign_up(other, home, "fumi@example.org", "Fumi", is_looked_at=False)
    other.goto(address)
    look(other)
    Keyboard(other).press(other.locator("form[action*='/fork'] button"))
    expect(other.locator("[data-trial=current]")).to_be_visible(timeout=PATIENCE)
    look(other)


def test_a_log_that_no_client_wrote_so_says_why_there_is_none(
    contexts: dict[str, BrowserContext], running_site: RunningSite
) -> None:
    page = contexts["telephone"].new_page()
    sign_up(page, running_site.address, "cleaner@example.org", "Cleo", is_looked_at=False)
    open_case(page, running_site.address, KAFKA_LOGS / "l_compact" / "compacted-0")
    expect(page.locator("#scenario [role=alert]")).to_contain_text("缺少记录")
    look(page)
