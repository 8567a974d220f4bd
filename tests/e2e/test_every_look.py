"""The pages that only people with an account see, the administration, and the pages that are shown when something
fails, in every size, theme and language. Slow: the tests of classes, workshop and sharing check the same pages in two
looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from playwright.sync_api import Browser, Page, expect

from eosviz.operating.unavailable_pages import PAGES
from tests.e2e.administrator import MADE_WITHIN, settle
from tests.e2e.looking import (
    assert_accessible,
    assert_nothing_scrolls_sideways,
    assert_words_complete,
    text_faults,
)
from tests.e2e.stage import SIZES, THEMES
from tests.e2e.test_every_page import NO_QUESTIONS, Places, page_of
from tests.running_site import RunningSite

LOOKS = list(product(SIZES, THEMES, ("en-GB", "zh-CN")))
FAILURES: list[tuple[str, dict[str, object]]] = [
    (name, {}) for name in ("403.html", "403_csrf.html", "404.html", "429.html")
]
FAILURES += [("failure.html", {"what": failure.key, "why": failure.why}) for failure in PAGES]
"""Templates of error responses, each with its context."""
DATA = "administration"
"""The pages of the administration show documents as they are stored; `[section]` in these looks like a missing word."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def places(browser: Browser, running_site: RunningSite) -> Iterator[Places]:
    context = browser.new_context(locale="en-GB")
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    page.set_default_timeout(MADE_WITHIN)
    yield Places(context, settle(page, running_site))
    context.close()


@pytest.fixture(params=LOOKS, ids=["-".join(look) for look in LOOKS])
def look(request: pytest.FixtureRequest, browser: Browser, places: Places) -> Iterator[Page]:
    with page_of(browser, request.param, places) as page:
        page.set_default_timeout(MADE_WITHIN)
        yield page


def test_every_page_of_an_administrator_is_accessible_complete_and_uncut(
    look: Page, places: Places, broken_policy: list[str]
) -> None:
    found: list[str] = []
    for name, address in places.pages.items():
        look.goto(address)
        if name == "published":
            expect(look.locator("eos-sentence .s")).to_be_visible(timeout=MADE_WITHIN)
        if name == "builder":
            expect(look.locator("[data-trial=current]")).to_be_visible(timeout=MADE_WITHIN)
        found += broken_policy
        checks = [assert_accessible, assert_nothing_scrolls_sideways]
        if not name.startswith(DATA):
            checks.append(assert_words_complete)
        for check in checks:
            try:
                check(look)
            except AssertionError as fault:
                found.append(f"{name}: {check.__name__}: {fault}")
        found += [f"{name}: {fault}" for fault in text_faults(look)]
        # To check how a page behaves when it is turned, axe copies the administration's styles into the page, which
        # the policy refuses.
        broken_policy.clear()
    assert found == []


def test_what_is_shown_when_something_fails_is_accessible(look: Page, running_site: RunningSite) -> None:
    look.goto(running_site.address)
    language = "zh-hans" if look.evaluate("navigator.language") == "zh-CN" else "en"
    found: list[str] = []
    for template, context in FAILURES:
        with translation.override(language):
            look.set_content(render_to_string(template, context))
        for check in (assert_accessible, assert_words_complete, assert_nothing_scrolls_sideways):
            try:
                check(look)
            except AssertionError as fault:
                found.append(f"{template} {context}: {check.__name__}: {fault}")
    assert found == []
