"""The answer to *why* takes one press: for an engineer on call with the mouse, with the keyboard, and with a screen
reader.

The run is SC-75: a producer has opened a transaction and then stopped, and read_committed consumers wait behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.begun import begin
from tests.e2e.looking import (
    assert_accessible,
    assert_nothing_scrolls_sideways,
    assert_one_screen,
    assert_words_complete,
)
from tests.e2e.stage import Manner, Stage
from tests.e2e.test_every_page import NO_QUESTIONS
from tests.running_site import RunningSite

HELD, MARKER_STORED = 82, 88
SIZES = {"desk": (1280, 720), "telephone": (390, 844)}

_SELECTED = "() => document.querySelector('eos-player').store.selection"


@pytest.fixture(scope="module")
def address(browser: Browser, running_site: RunningSite) -> Iterator[tuple[str, Page]]:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    yield begin(context, running_site.address, "SC-75", 104, variant="timeout"), page
    context.close()


def opened(address: tuple[str, Page], size: str = "desk", theme: str = "light", step: int = HELD) -> Page:
    """Open the player at a step, with nothing selected, and return its page."""
    where, page = address
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"{where}?step={step}")
    page.wait_for_function(
        "number => document.querySelector('eos-player')?.store?.shown === number", arg=step
    )
    return page


def chain(page: Page) -> Locator:
    """The sentences on show: first the answer, then its reasons."""
    return page.locator("eos-why :is(.why-answer, .why-chain > li:not(.why-folded))")


def test_the_producer_that_holds_the_stable_offset_is_found_in_two_clicks(
    address: tuple[str, Page],
) -> None:
    page = opened(address)
    page.get_by_role("button", name="Why is the last stable offset of t-0 here?").click()
    links = chain(page)
    expect(links.first).to_contain_text(
        "From offset 1 on, read_committed consumers of t-0 wait for the end of txn-1's transaction"
        " (PID 1000, epoch 0): app-1 makes no"
    )
    expect(links.nth(1)).to_contain_text("t-0: the last stable offset is 1, the high watermark 5")
    assert page.locator(".why-body").evaluate("list => list.scrollHeight <= list.clientHeight")
    page.get_by_role("button", name="more sentences").click()
    expect(page.locator(".why-chain > li:focus")).to_have_count(1)
    shown = " ".join(links.all_inner_texts())
    for word in ("PID 1000, epoch 0", "txn-1", "p1 uses txn-1", "txn-1 has been in state Ongoing since"):
        assert word in shown, word
    page.get_by_role("button", name="p1", exact=True).click()
    expect(page.locator(".why-subject[aria-pressed=true]")).to_have_text("p1")
    assert page.evaluate(_SELECTED)["id"] == "p1"
    page.locator(".why-subject", has_text="transaction of txn-1").first.click()
    assert page.evaluate(_SELECTED) == {"kind": "transaction", "id": "txn-1"}
    # A selection alone does not change the question.
    expect(links.nth(1)).to_contain_text("t-0: the last stable offset is 1")


def test_the_answer_follows_the_reader_and_a_step_of_it_can_be_visited(address: tuple[str, Page]) -> None:
    page = opened(address)
    page.get_by_role("button", name="Why? w").click()
    expect(chain(page).nth(1)).to_contain_text("t-0: the last stable offset is 1")
    page.evaluate("number => document.querySelector('eos-player').store.moveTo(number)", MARKER_STORED)
    expect(chain(page).nth(1)).to_contain_text("appends the ABORT marker of PID 1000")
    expect(chain(page).nth(2)).to_contain_text("The marker sender of broker-2")
    page.locator(".why-others").select_option(label="What is still pending for txn-1 (PrepareAbort)?")
    expect(chain(page).first).to_contain_text("Still without an acknowledged marker: t-0")
    expect(chain(page).nth(1)).to_contain_text("p1 uses txn-1")
    page.locator(".why-step").first.click()
    page.wait_for_function("() => document.querySelector('eos-player').store.shown === 86")
    # The answer stays on show while the reader looks at its steps, and one press leads back.
    expect(page.locator(".why-step[aria-current=step]")).to_have_text("step 86")
    expect(chain(page).first).to_contain_text("Still without an acknowledged marker: t-0")
    page.get_by_role("button", name=f"Back to step {MARKER_STORED}").click()
    page.wait_for_function(
        "number => document.querySelector('eos-player').store.shown === number", arg=MARKER_STORED
    )
    expect(chain(page).first).to_contain_text("Still without an acknowledged marker: t-0")


def test_the_chain_stands_on_the_picture_and_moves_nothing_of_it(address: tuple[str, Page]) -> None:
    page = opened(address)
    page.get_by_role("button", name="Stage", exact=True).click()
    picture = page.locator("eos-stage")
    expect(page.locator(".player[data-beats] .beats")).to_be_visible()
    before = picture.bounding_box()
    page.keyboard.press("w")
    numbers = picture.locator("svg.scene > g[data-key^='chain:']")
    expect(numbers.first).to_be_visible()
    assert picture.bounding_box() == before
    assert numbers.count() >= 3
    numbers.first.click()
    expect(page.locator(":is(.why-answer, .why-chain > li):focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(numbers).to_have_count(0)


def test_what_a_reader_lacks_is_asked_at_its_strip(address: tuple[str, Page]) -> None:
    page = opened(address)
    page.get_by_role("button", name="Why does c-committed not see 1–4?").press("Enter")
    expect(chain(page).nth(1)).to_contain_text(
        "Offset 1 of t-0 belongs to a transaction that has no marker there yet"
    )
    opened(address, step=104)
    page.get_by_role("button", name="Why does c-committed not see 1–2?").press("Enter")
    expect(chain(page).nth(1)).to_contain_text("PID 1000, from offset 1 to the ABORT marker at 5")


def test_with_the_keyboard_alone(address: tuple[str, Page]) -> None:
    page = opened(address)
    page.keyboard.press("w")
    expect(chain(page).first).to_be_visible()
    expect(page.locator(".why-head")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.textContent.trim()") == "transaction of txn-1":
            break
    page.keyboard.press("Enter")
    assert page.evaluate(_SELECTED) == {"kind": "transaction", "id": "txn-1"}
    page.keyboard.press("Escape")
    expect(page.locator(".why-panel")).to_have_count(0)
    # Escape first closes the answer; pressed again, it ends the selection.
    assert page.evaluate(_SELECTED) is not None
    page.keyboard.press("Escape")
    assert page.evaluate(_SELECTED) is None


@pytest.mark.parametrize(
    ("size", "theme", "chinese"), [("desk", "light", False), ("telephone", "dark", True)]
)
def test_the_answer_is_accessible_complete_and_hides_nothing(
    address: tuple[str, Page], size: str, theme: str, chinese: bool
) -> None:
    page = opened(address, size, theme)
    if chinese:
        page.locator("eos-tools details.menu > summary").click()
        page.get_by_role("button", name="中文").click()
    page.locator(".ask-why").click()
    expect(chain(page).first).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="11")).to_have_count(1)
    assert_accessible(page)
    assert_words_complete(page)
    assert_nothing_scrolls_sideways(page)
    if size == "desk":
        assert_one_screen(page)
    picture, answer = page.locator("eos-stage").bounding_box(), page.locator(".why-panel").bounding_box()
    assert picture is not None and answer is not None
    assert page.locator("main.mid").bounding_box()["height"] > 100  # type: ignore[index]
    if size == "telephone":
        rows = page.locator("eos-stage svg.scene").bounding_box()
        body = page.locator(".why-body").bounding_box()
        assert rows is not None and body is not None and rows["y"] + rows["height"] <= body["y"] + 1
        folded = page.locator(".why-line[aria-expanded=false]")
        count = folded.count()
        folded.first.click()
        expect(folded).to_have_count(count - 1)
        opened_body = page.locator(".why-body").bounding_box()
        assert opened_body is not None and opened_body["height"] > body["height"]
    if chinese:
        page.locator("eos-tools details.menu > summary").click()
        page.get_by_role("button", name="English").click()


def test_a_recording_says_that_it_cannot_be_asked(browser: Browser) -> None:
    context = browser.new_context(reduced_motion="reduce")
    stage = Stage(context.new_page())
    stage.open("SC-75/timeout", Manner(), step=HELD)
    stage.page.locator(".ask-why").click()
    expect(stage.page.locator(".why-none")).to_contain_text("This recording is played without the engine")
    assert stage.errors == []
    context.close()


def test_the_menu_of_a_thing_lists_what_can_be_asked_of_it(address: tuple[str, Page]) -> None:
    page = opened(address)
    page.locator("eos-stage").get_by_role("button", name="t-0, offset 1–2:").click()
    page.locator("eos-selection-bar .selected").click()
    asked = page.locator(".action-list .questions li", has_text="What is still pending for txn-1")
    asked.get_by_role("button").click()
    expect(page.locator(".action-list")).to_have_count(0)
    expect(chain(page).first).to_contain_text(
        "app-1 makes no further call to p1, so it will request no further commit or abort"
    )
    expect(chain(page).nth(1)).to_contain_text("p1 uses txn-1")


def test_a_refusal_is_explained_beside_the_sentence(browser: Browser, running_site: RunningSite) -> None:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    page.goto(f"{begin(context, running_site.address, 'SC-28', 40)}?step=34")
    page.get_by_role("button", name="Why refused?").click()
    expect(chain(page).first).to_contain_text("refuses seq 2 of PID 0 in t-0, because it expects seq 1")
    expect(page.locator(".why-compared > li")).to_have_text(
        ["expected first seq 1", "first seq in the request 2"]
    )
    expect(
        page.get_by_role("listitem").filter(has_text="Is seq 2 beyond the expected seq 1?").first
    ).to_be_visible()
    # Nothing was refused yet at an earlier step: the panel closes.
    page.locator("eos-player").evaluate("player => player.store.moveTo(10)")
    expect(page.locator(".why-panel")).to_have_count(0)
    context.close()


def test_a_selection_without_a_question_leaves_the_question_of_the_step(
    address: tuple[str, Page],
) -> None:
    page = opened(address)
    page.locator("eos-player").evaluate("player => player.store.select({ kind: 'record', id: '99' })")
    page.keyboard.press("w")
    expect(page.locator(".why-instead")).to_contain_text("record 99")
    assert_accessible(page)
    expect(page.locator(".why-asked")).to_have_text("Why is the last stable offset of t-0 at 1?")
    page.keyboard.press("Escape")
    # If there is a question about the selection, *why* asks it; one press asks about the step instead.
    page.locator("eos-player").evaluate("player => player.store.select({ kind: 'actor', id: 'p2' })")
    page.keyboard.press("w")
    expect(page.locator(".why-asked")).to_contain_text("p2")
    expect(page.locator(".why-instead")).to_have_count(0)
    page.get_by_role("button", name="Ask about the step").click()
    expect(page.locator(".why-asked")).to_have_text("Why is the last stable offset of t-0 at 1?")
