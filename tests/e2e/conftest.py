"""What no page of a browser test may do: break the Content-Security-Policy that it was sent with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage

HERE = Path(__file__).parent
_broken: list[str] = []


def _note(message: ConsoleMessage) -> None:
    if message.type == "error" and "Content Security Policy" in message.text:
        _broken.append(f"{message.page.url if message.page else ''}: {message.text}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a file makes for its tests is made once, so its tests stay in one process. The walks of the first track
    share nothing but the site, and together they are longer than what the other process has left by then.
    """
    for item in items:
        if HERE in item.path.parents:
            alone = item.path.name == "test_first_track.py"
            item.add_marker(pytest.mark.xdist_group(item.name if alone else item.path.stem))


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Iterator[Browser]:
    """As Playwright gives it, but whatever context is made in it is listened to."""
    make: Any = browser.new_context

    def listened_to(**options: Any) -> BrowserContext:
        context: BrowserContext = make(**options)
        context.on("console", _note)
        return context

    browser.new_context = listened_to  # type: ignore[method-assign]
    yield browser
    browser.new_context = make  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def broken_policy() -> Iterator[list[str]]:
    """What browsers refused to load, run or style, as they say on their consoles: empty at each test's end."""
    _broken.clear()
    yield _broken
    assert _broken == []
