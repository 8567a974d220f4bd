"""*Inspect*: the panel that a step is about is scrolled into view, unless the reader has turned to another panel."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.stage import Manner, Stage

WAITS = ("SC-101", 70)
"""At this step a consumer waits at the LSO; its panel is far down in its column."""


@pytest.fixture
def inspected(page: Page) -> Stage:
    stage = Stage(page)
    name, step = WAITS
    stage.open(name, Manner(), step - 1)
    stage.show("middle", "lanes")
    return stage


def first_about(page: Page) -> object:
    """Return whether the first panel that the step is about lies within its column, to a pixel."""
    return page.evaluate(
        """() => {
          const column = document.querySelector(".player > .right");
          const own = column.querySelector("[data-about]").getBoundingClientRect();
          const around = column.getBoundingClientRect();
          return own.top >= around.top - 1 && own.bottom <= around.bottom + 1;
        }"""
    )


def test_the_panel_of_a_step_scrolls_into_view(inspected: Stage) -> None:
    inspected.page.keyboard.press("ArrowDown")
    expect(inspected.page.locator(".player > .right [data-about]").first).to_be_in_viewport(ratio=1)
    assert first_about(inspected.page)


def test_a_column_that_the_reader_scrolled_stays(inspected: Stage) -> None:
    page = inspected.page
    page.locator(".player > .right").hover()
    page.mouse.wheel(0, 120)
    page.wait_for_function("() => document.querySelector('.player > .right').scrollTop > 0")
    before = page.evaluate("document.querySelector('.player > .right').scrollTop")
    inspected.go_to(WAITS[1])
    assert page.evaluate("document.querySelector('.player > .right').scrollTop") == before


def test_what_is_stored_twice_is_red_whatever_its_producer(page: Page) -> None:
    stage = Stage(page)
    stage.open("SC-02", Manner(), 1)
    stage.show("middle", "lanes")
    page.keyboard.press("End")
    cell = page.locator("svg .cell.broken").first
    red = "getComputedStyle(document.querySelector('.strip .bad, .bad')).color"
    expect(cell).to_be_visible()
    assert cell.evaluate("(one) => getComputedStyle(one).stroke") == page.evaluate(red)
