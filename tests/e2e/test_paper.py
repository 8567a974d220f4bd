"""The printed page of the player: paper has room, so nothing is folded as on the screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ViewportSize

from tests.e2e.looking import assert_nothing_scrolls_sideways
from tests.e2e.stage import Stage

SHEET: ViewportSize = {"width": 718, "height": 1000}
"""px: the size of A4 within its margins."""

_PANELS = """() => [...document.querySelectorAll(".player > :is(.left, .mid, .right) > .panel > :not(button)")]
  .map((panel) => [panel.localName, panel.offsetHeight,
    Math.max(0, panel.offsetHeight - panel.parentElement.clientHeight)])"""
"""Returns, for each panel, its name, its height, and how many px of it its place does not show."""


@pytest.fixture
def stage(browser: Browser) -> Iterator[Stage]:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    yield Stage(context.new_page())
    context.close()


def test_every_panel_is_printed_whole(stage: Stage) -> None:
    page = stage.page
    run = stage.open("SC-50")
    stage.go_to(run.richest)
    stage.show("middle", "lanes")
    page.wait_for_function("() => document.querySelectorAll('.player .panel[data-more]').length > 2")
    on_screen = page.evaluate(_PANELS)
    assert sum(hidden > 1 for _, _, hidden in on_screen) > 2
    page.emulate_media(media="print")
    page.set_viewport_size(SHEET)
    on_paper = page.evaluate(_PANELS)
    assert [name for name, _, _ in on_paper] == [name for name, _, _ in on_screen]
    assert all(height > 10 and hidden <= 1 for _, height, hidden in on_paper), on_paper
    assert page.locator(".player .buttons").first.is_hidden()
    assert_nothing_scrolls_sideways(page)
