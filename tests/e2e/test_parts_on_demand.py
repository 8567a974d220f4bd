"""Parts that a page loads on demand: if one does not load, the page says so and names the remedy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.stage import Manner, Stage

AT_HAND = "**/parts/at-hand-*.js"


@pytest.fixture
def page(stage: Stage) -> Page:
    stage.open("SC-44", Manner(), step=3)
    return stage.page


def test_a_part_that_did_not_come_is_there_after_a_reload(page: Page) -> None:
    page.route(AT_HAND, lambda route: route.abort())
    page.keyboard.press("?")
    missing = page.get_by_text("A part of this page could not be loaded. Try again, or reload the page.")
    expect(missing).to_be_visible()
    page.unroute(AT_HAND)
    page.reload()
    expect(page.locator(".where b")).to_contain_text("3")
    page.keyboard.press("?")
    expect(page.locator("eos-help dialog")).to_be_visible()
    expect(missing).to_have_count(0)


def test_what_is_typed_before_the_search_is_there_is_in_its_field(page: Page) -> None:
    held: list[Route] = []
    page.route(AT_HAND, lambda route: held.append(route))
    page.keyboard.press("/")
    page.keyboard.type("abort")
    expect(page.locator("eos-search dialog")).to_have_count(0)
    page.wait_for_timeout(100)
    for route in held:
        route.fallback()
    page.unroute(AT_HAND)
    expect(page.locator("eos-search input[type=search]")).to_have_value("abort")


def test_upright_pictures_and_nodes_come_with_their_parts(stage: Stage) -> None:
    for name, manner in (("SC-83", Manner()), ("SC-44", Manner("telephone"))):
        stage.open(name, manner, step=2)
        assert stage.page.locator("eos-stage svg.scene > g").count() > 0


@pytest.mark.parametrize(
    ("pressed", "opened"),
    [("eos-strip [data-term]", ".term-note"), (".beats > .now .beat-open", ".beat-list")],
)
def test_what_is_pressed_before_its_part_is_there_opens_then(page: Page, pressed: str, opened: str) -> None:
    held: list[Route] = []
    page.route(AT_HAND, lambda route: held.append(route))
    page.locator(pressed).first.click()
    expect(page.locator(opened)).to_have_count(0)
    for route in held:
        route.fallback()
    page.unroute(AT_HAND)
    expect(page.locator(opened)).to_be_visible()
