"""An instructor presents to two followers: they are taken along, one lets go and comes back, one loses the
connection and is where the presenter is when it returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.e2e.looking import assert_accessible, faults
from tests.e2e.test_sharing import shown_step, start
from tests.running_site import RunningSite

FOLLOWED_WITHIN = 30_000
"""Milliseconds; far more than is needed, as the machine may be busy."""


def expect_step(page: Page, step: str) -> None:
    expect(page.locator("eos-scrubber [role=slider]")).to_have_attribute(
        "aria-valuenow", step, timeout=FOLLOWED_WITHIN
    )


def move(page: Page, key: str) -> str:
    """Press a key that moves, and give the step it led to."""
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
    assert_accessible(presenter)
    address = presenter.locator("#share-follow").input_value()
    presenter.keyboard.press("Escape")
    expect(presenter.get_by_role("button", name="Presenting")).to_be_visible()
    return address


def test_an_instructor_presents_to_two_followers(
    browser: Browser, start_site: Callable[..., RunningSite]
) -> None:
    site = start_site()
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
    expect(one.get_by_text("Following", exact=True)).to_be_visible()
    expect(other.get_by_text("跟随中")).to_be_visible()
    assert_accessible(one)
    assert faults(other) == []

    step = move(presenter, "Shift+ArrowRight")
    for page in (one, other):
        expect_step(page, step)
    presenter.locator(".middle-tab").filter(has_text="Space").click()
    expect(one.locator("eos-spacetime")).to_be_visible()

    # What the presenter asks is answered for all, and closed for all; so is the check that is looked at.
    presenter.keyboard.press("w")
    answer = presenter.locator(".why-chain > li").first
    expect(answer).to_be_visible(timeout=FOLLOWED_WITHIN)
    for page in (one, other):
        expect(page.locator(".why-chain > li").first).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(one.locator(".why-chain > li").first).to_contain_text(answer.inner_text().split(".")[0])
    assert_accessible(one)
    presenter.keyboard.press("Escape")
    expect(one.locator(".why-chain")).to_have_count(0, timeout=FOLLOWED_WITHIN)
    presenter.keyboard.press("+")
    for page in (one, other):
        expect(page.locator("eos-code")).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(one).to_have_url(re.compile("zoom=decision"), timeout=FOLLOWED_WITHIN)
    presenter.keyboard.press("-")
    expect(one.locator("eos-spacetime")).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(one.get_by_text("Following", exact=True)).to_be_visible()

    # One goes back alone, is left alone, and comes back.
    alone = move(one, "ArrowLeft")
    expect(one.get_by_role("button", name="Follow again")).to_be_visible()
    step = move(presenter, "Shift+ArrowRight")
    expect_step(other, step)
    assert shown_step(one) == alone
    one.keyboard.press("f")
    expect_step(one, step)

    # The other loses the connection, misses what happens, and is there when it returns.
    telephone.set_offline(True)
    lost = shown_step(other)
    site.kill("web")  # A connection that stands outlives a browser's being offline; this one does not.
    site.wait_until_healthy()
    step = move(presenter, "Shift+ArrowRight")
    expect_step(one, step)
    assert shown_step(other) == lost
    telephone.set_offline(False)
    expect_step(other, step)

    # The end is said to both.
    presenter.keyboard.press("s")
    presenter.locator("eos-share .end-presenting").click()
    expect(one.get_by_text("Presentation ended")).to_be_visible(timeout=FOLLOWED_WITHIN)
    expect(other.get_by_text("演示已结束")).to_be_visible(timeout=FOLLOWED_WITHIN)
    for context in (presenter.context, desk, telephone):
        context.close()
