"""Zooming in and out: with the keyboard only, and with the checks that apply to every page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.looking import assert_accessible, assert_nothing_scrolls_sideways, assert_words_complete
from tests.e2e.stage import MANNERS, Manner, Stage
from tests.rotation import in_turn

FENCED = ("SC-61/k28", 128)
"""At this step the batch of a fenced producer is refused. Its checks are: one that passed, one that decided, and the
sentence.
"""


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Stage]:
    context = browser.new_context(reduced_motion="reduce")
    yield Stage(context.new_page())
    context.close()


def shows(page: Page, text: str) -> None:
    expect(page.locator("eos-sentence .s")).to_have_text(text)


def test_every_check_of_a_step_is_walked_with_the_arrow_keys(stage: Stage) -> None:
    name, step = FENCED
    page = stage.page
    stage.open(name, Manner(), step - 1)
    page.keyboard.press("+")
    now = page.locator("eos-code li.now")
    expect(now).to_have_count(1)
    page.keyboard.press("ArrowRight")
    # The previous step may have checks of its own; the next step begins with its first check.
    while page.evaluate("document.querySelector('eos-player').store.shown") < step:
        page.keyboard.press("ArrowRight")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    shows(page, "1/3 Is seq 1 among the recent batches of this epoch (cached: none)? No.")
    expect(now.locator("code")).to_have_text("if entry.find_duplicate(batch):")
    page.keyboard.press("ArrowRight")
    shows(page, "2/3 Is epoch 0 lower than the known epoch 2? Yes.")
    expect(now.locator("code")).to_have_text("if batch.epoch < entry.epoch:")
    expect(now.locator(".numbers")).to_have_text("arrived 0 · stored 2")
    page.wait_for_function("() => new URL(location.href).searchParams.get('zoom') === 'decision:2'")
    page.keyboard.press("ArrowRight")
    expect(page.locator("eos-sentence .s")).to_contain_text(
        "3/3 broker-1 refuses a batch of p1 (r3, PID 1000)"
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator("eos-transport .where")).to_contain_text(f"step {step + 1}")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("eos-sentence .s")).to_contain_text("3/3")
    page.keyboard.press("-")
    expect(page.locator("eos-stage")).to_be_visible()
    expect(page.locator("eos-sentence .s")).not_to_contain_text("3/3")
    page.wait_for_function("() => !new URL(location.href).searchParams.has('zoom')")
    assert stage.errors == []


def test_a_marked_line_leads_to_its_check_and_the_row_that_fired_stands_below(stage: Stage) -> None:
    page = stage.page
    stage.open("SC-61/k28", Manner(), 58)
    page.get_by_role("button", name="Code", exact=True).click()
    rows = page.locator("eos-code .rows")
    expect(rows).to_have_count(2)
    expect(rows.nth(1).locator("tr.hit")).to_contain_text("PrepareAbort")
    expect(rows.nth(1).locator("tr.hit")).to_contain_text("→ CompleteAbort")
    page.locator("eos-code").get_by_role("button", name="The step is here").first.click()
    expect(page.locator("eos-zoom-bar select")).to_have_value("decision")
    expect(page.locator("eos-sentence .s")).to_contain_text("1/5")
    assert stage.errors == []


def test_transactions_are_walked_from_beginning_to_decision_to_end(stage: Stage) -> None:
    page = stage.page
    stage.open("SC-61/k28", Manner(), 0)
    page.keyboard.press("-")
    lines = page.locator("eos-transactions li")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("txn-1 1000·0")
    expect(lines.first).to_contain_text("aborted")
    where = page.locator("eos-transport .where b")
    for step in (14, 47, 66, 75, 102, 120):
        page.keyboard.press("ArrowRight")
        expect(where).to_have_text(f"step {step}")
    page.keyboard.press("ArrowLeft")
    expect(where).to_have_text("step 102")
    page.get_by_role("button", name="Decided at step 47").click()
    expect(where).to_have_text("step 47")
    expect(lines.first).to_have_class("aborted picked")
    page.keyboard.press("+")
    expect(page.locator("eos-stage")).to_be_visible()
    assert stage.errors == []


@pytest.mark.parametrize("level", ["decision", "transaction"])
@pytest.mark.parametrize("manner", in_turn(MANNERS[:2], 1, "engine", "eosviz", name=str), ids=str)
def test_both_look_well_everywhere(stage: Stage, manner: Manner, level: str) -> None:
    """Both levels are shown in two manners, which differ in size, theme and language."""
    name, step = FENCED
    stage.open(name, manner, step)
    page = stage.page
    page.evaluate("(level) => document.querySelector('eos-player').zoom.use(level)", level)
    expect(
        page.locator("eos-code li.now" if level == "decision" else "eos-transactions li").first
    ).to_be_visible()
    assert_words_complete(page)
    assert_nothing_scrolls_sideways(page)
    assert_accessible(page)
    assert stage.errors == []
