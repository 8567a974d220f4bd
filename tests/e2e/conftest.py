"""What holds for every browser test: patience, and no page that breaks the Content-Security-Policy it was sent with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, expect

from tests.e2e.looking import walk_begins
from tests.e2e.stage import Stage

PATIENCE = 60_000
"""Milliseconds for any wait, including pages and presses; far more than needed, because the machine may be busy."""
_broken: list[str] = []


def _note(message: ConsoleMessage) -> None:
    if message.type == "error" and "Content Security Policy" in message.text:
        _broken.append(f"{message.page.url if message.page else ''}: {message.text}")


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Iterator[Browser]:
    """Playwright's browser, with listeners in each context that is made in it."""
    make: Any = browser.new_context

    def listened_to(**options: Any) -> BrowserContext:
        context: BrowserContext = make(**options)
        context.set_default_timeout(PATIENCE)
        context.on("console", _note)
        return context

    browser.new_context = listened_to  # type: ignore[method-assign]
    yield browser
    browser.new_context = make  # type: ignore[method-assign]


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Stage]:
    context = browser.new_context(reduced_motion="reduce")
    yield Stage(context.new_page())
    context.close()


@pytest.fixture(autouse=True)
def broken_policy() -> Iterator[list[str]]:
    """Refusals to load, run or style, from the browsers' consoles; empty at the end of each test."""
    _broken.clear()
    yield _broken
    assert _broken == []


@pytest.fixture(autouse=True)
def _looks_in_turn(request: pytest.FixtureRequest, takes_a_part: bool) -> None:
    walk_begins(request.node.name, is_in_turn=takes_a_part)


@pytest.fixture(autouse=True, scope="module")
def _patient() -> None:
    """Before what a module makes for its tests, too."""
    expect.set_options(timeout=PATIENCE)
