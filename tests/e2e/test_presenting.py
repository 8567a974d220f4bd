"""An instructor presents to two followers. The followers see the presenter's steps; one looks at another step and
comes back; they raise hands and answer a poll; one loses the connection and, when it returns, is at the presenter's
step with its hand and answer unchanged.
"""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from engine.predict.finding import questions
from engine.scenario.shelf import entry
from tests.e2e.looking import assert_accessible_in_turn, assert_words_complete, faults
from tests.e2e.test_sharing import shown_step, start
from tests.running_site import RunningSite

FOLLOWED_WITHIN = 30_000
"""Milliseconds; far more than needed, because the machine may be busy."""
QUESTION = questions(entry("SC-03").scenario(), [])[0].to_json()
RIGHT, CHOICES = QUESTION["right"], [choice["id"] for choice in QUESTION["choices"]]
WRONG = next(choice for choice in CHOICES if choice != RIGHT)


def expect_step(page: Page, step: str) -> None:
    expect(page.locator("eos-scrubber [role=slider]")).to_have_attribute(
        "aria-valuenow", step, timeout=FOLLOWED_WITHIN
    )


def move(page: Page, key: str) -> str:
    """Press a key that moves to another step, and return that step's number."""
    before = shown_step(page)
    page.keyboard.press(key)
    expect(page.locator("eos-scrubber [role=slider]")).not_to_have_attribute(
        "aria-valuenow", before, timeout=FOLLOWED_WITHIN
    )
    return shown_step(page)


def follow_address(presenter: Page) -> str:
    presenter.keyboard.press("s")
    presenter.locator("eos-share .start-presenting").click()
    expect(presenter.locator("#share-follow")).to_have_value(re.compile("/follow/"))
    assert_accessible_in_turn(presenter)
    address = presenter.locator("#share-follow").input_value()
    presenter.keyboard.press("Escape")
    expect(presenter.get_by_role("button", name="Presenting")).to_be_visible()
    return address


def test_an_instructor_presents_to_two_followers(browser: Browser, running_site: RunningSite) -> None:
    site = running_site
    presenter = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB").new_page()
    start(presenter, site.address)
    move(presenter, "Shift+ArrowRight")
    address = follow_address(presenter)

    desk = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB")
    telephone = browser.new_context(viewport={"width": 390, "height": 844}, locale="zh-CN")
    one, other = desk.new_page(), telephone.new_page()
    for page in (one, other):
        page.goto(address)
        expect_step(page, shown_step(presenter))
    expect(one.get_by_text("the recording ends here")).to_have_count(0)
    expect(one.get_by_text("Following", exact=True)).to_be_visible()
    expect(other.get_by_text("跟随中")).to_be_visible()
    assert_accessible_in_turn(one)
    assert faults(other) == []

    step = move(presenter, "Shift+ArrowRight")
    for page in (one, other):
        expect_step(page, step)
    presenter.locator(".middle-tab").filter(has_text="Space").click()
    expect(one.locator("eos-spacetime")).to_be_visible()

    _asks_and_looks_closely(presenter, one, other)

    # One follower goes back alone, does not follow meanwhile, and comes back.
    alone = move(one, "ArrowUp")
    expect(one.get_by_role("button", name="Follow again")).to_be_visible()
    step = move(presenter, "Shift+ArrowRight")
    expect_step(other, step)
    assert shown_step(one) == alone
    one.keyboard.press("f")
    expect_step(one, step)

    _hands(presenter, one, other)
    _poll_begins(presenter, one, other)

    # The other follower loses the connection, misses some steps, and has caught up when the connection returns.
    telephone.set_offline(True)
    lost = shown_step(other)
    # A connection that was made before the browser went offline would survive, but not the end of the server.
    site.kill("web")
    site.wait_until_healthy()
    step = move(presenter, "PageUp")
    expect_step(one, step)
    assert shown_step(other) == lost
    telephone.set_offline(False)
    expect_step(other, step)
    _poll_ends(presenter, one, other)

    # Both followers see the end of the presentation.
    presenter.keyboard.press("s")
    presenter.locator("eos-share .end-presenting").click()
    expect(one.get_by_text("Presentation ended")).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(other.get_by_text("演示已结束")).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(one.locator("eos-hands summary")).to_have_count(0)
    for context in (presenter.context, desk, telephone):
        context.close()


def _asks_and_looks_closely(presenter: Page, one: Page, other: Page) -> None:
    """The presenter's question *why* is answered on all pages, and closed on all; the same holds for a check that is
    opened.
    """
    presenter.keyboard.press("w")
    answer = presenter.locator(".why-chain > li").first
    expect(answer).to_be_visible(timeout=FOLLOWED_WITHIN)
    for page in (one, other):
        expect(page.locator(".why-chain > li").first).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(one.locator(".why-chain > li").first).to_contain_text(answer.inner_text().split(".")[0])
    assert_accessible_in_turn(one)
    presenter.keyboard.press("Escape")
    expect(one.locator(".why-chain")).to_have_count(0, timeout=FOLLOWED_WITHIN)
    presenter.keyboard.press("+")
    for page in (one, other):
        expect(page.locator("eos-code")).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(one).to_have_url(re.compile("zoom=decision"), timeout=FOLLOWED_WITHIN)
    presenter.keyboard.press("-")
    expect(one.locator("eos-spacetime")).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(one.get_by_text("Following", exact=True)).to_be_visible()


def look(page: Page) -> None:
    assert_accessible_in_turn(page)
    assert_words_complete(page)
    assert faults(page) == []


def _hands(presenter: Page, one: Page, other: Page) -> None:
    """One follower raises a hand at an earlier step; the presenter goes to that step and lowers the hand."""
    behind = move(one, "ArrowUp")
    one.keyboard.press("h")
    one.locator("eos-hands input").fill("Why is it sent again?")
    look(one)
    one.keyboard.press("Enter")
    expect(one.locator("eos-hands summary")).to_contain_text("Hand raised", timeout=FOLLOWED_WITHIN)
    other.locator("eos-hands summary").click()
    look(other)
    other.locator("eos-hands form button").click()
    hands = presenter.locator("eos-hands summary")
    expect(hands).to_contain_text("2 hands", timeout=FOLLOWED_WITHIN)
    expect(presenter.locator("eos-hands [role=status]")).to_contain_text("Follower 2 raised a hand")
    presenter.keyboard.press("h")
    first = presenter.locator("eos-hands li").first
    expect(first).to_contain_text("Why is it sent again?")
    look(presenter)
    first.locator(".go-there").click()
    expect_step(presenter, behind)
    expect_step(other, behind)
    presenter.keyboard.press("h")
    first.locator(".small").click()
    expect(hands).to_contain_text("1 hand", timeout=FOLLOWED_WITHIN)
    expect(one.locator("eos-hands [role=status]")).to_have_text("Your hand was lowered.")
    expect(one.locator("eos-hands summary")).to_contain_text("Raise hand")
    presenter.keyboard.press("Escape")
    one.keyboard.press("f")


def _poll_begins(presenter: Page, one: Page, other: Page) -> None:
    """The engine's question goes to all followers. Both answer wrongly, then the other one changes the answer."""
    presenter.locator(".predict-bar button").click()
    presenter.evaluate("step => document.querySelector('eos-player').store.moveTo(step)", QUESTION["at"])
    presenter.locator(".predict-card .ask-all").click()
    card = presenter.locator(".poll-card")
    expect(card).to_contain_text("0 answers", timeout=FOLLOWED_WITHIN)
    expect(presenter.locator(".predict-card")).to_have_count(1)
    for page in (one, other):
        expect(page.locator(".poll-card input")).to_have_count(len(CHOICES), timeout=FOLLOWED_WITHIN)
    look(one)
    look(other)
    for page, choice in ((one, WRONG), (other, WRONG)):
        page.locator(f".poll-card input[value={choice}]").check()
        page.locator(".poll-card button.primary").click()
        expect(page.locator(".poll-card input")).to_have_count(0, timeout=FOLLOWED_WITHIN)
    expect(card).to_contain_text("2 answers", timeout=FOLLOWED_WITHIN)
    other.locator(".poll-card button").first.click()
    other.locator(f".poll-card input[value={RIGHT}]").check()
    other.locator(".poll-card button.primary").click()
    expect(card.locator("li", has_text="1 · 50 %")).to_have_count(2, timeout=FOLLOWED_WITHIN)
    expect(one.locator(".poll-bars")).to_have_count(0)
    card.get_by_role("button", name="Show the counts to everyone").click()
    expect(one.locator(".poll-bars li")).to_have_count(len(CHOICES), timeout=FOLLOWED_WITHIN)
    look(presenter)
    look(one)


def _poll_ends(presenter: Page, one: Page, other: Page) -> None:
    """The poll has survived the server's end. The next step is revealed as the answer, together with the reasons."""
    presenter.locator(".poll-card").get_by_role("button", name="Reveal").click(timeout=FOLLOWED_WITHIN)
    for page in (presenter, one, other):
        expect_step(page, str(QUESTION["at"] + 1))
        expect(page.locator(".poll-bars .is-right")).to_contain_text("1 · 50 %", timeout=FOLLOWED_WITHIN)
    expect(one.locator(".poll-card details[open]")).to_have_count(1)
    for page in (presenter, one, other):
        look(page)
    presenter.locator(".poll-card button.primary").click()
    for page in (presenter, one, other):
        expect(page.locator(".poll-card")).to_have_count(0, timeout=FOLLOWED_WITHIN)
