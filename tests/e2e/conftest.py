"""Settings of every browser test: long timeouts, and a failure if a page violates the Content-Security-Policy with
which it was sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, expect

from tests.e2e.looking import walk_begins
from tests.e2e.stage import Stage

PATIENCE = 60_000
"""How many milliseconds a test waits for anything, such as a page or a press; far more than needed, because the
machine may be busy.
"""
_broken: list[str] = []


def _note(message: ConsoleMessage) -> None:
    if message.type == "error" and "Content Security Policy" in message.text:
        _broken.append(f"{message.page.url if message.page else ''}: {message.text}")


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Iterator[Browser]:
    """Playwright's browser. Each context that a test makes in it has the long timeout, and its console messages are
    noted.
    """
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
    """What the browsers refused to load, run or style, read from their consoles; it must be empty at the end of each
    test.
    """
    _broken.clear()
    yield _broken
    assert _broken == []


@pytest.fixture(autouse=True)
def _looks_in_turn(request: pytest.FixtureRequest, takes_a_part: bool) -> None:
    walk_begins(request.node.name, is_in_turn=takes_a_part)


@pytest.fixture(autouse=True, scope="module")
def _patient() -> None:
    """Sets the timeout before any other fixture of a module runs, so that it also applies there."""
    expect.set_options(timeout=PATIENCE)
