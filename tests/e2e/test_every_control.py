"""Every control of every page is pressed once, on the page as it opens, and something must answer: another address, a
text, a dialog, a file. Nothing may cause an error in the console, and no address that a page offers may be missing.

Controls with the same look and name on several pages count as one. `make test` presses only those of the small pages;
the rest is slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urldefrag

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from playwright.sync_api import Error as PlaywrightError

from tests.e2e.administrator import MADE_WITHIN, settle
from tests.e2e.pressing import Control, addresses, come_to_rest, controls, listen, press
from tests.e2e.test_every_page import NO_QUESTIONS, Places
from tests.e2e.test_every_page import places as _places_of_a_guest
from tests.running_site import RunningSite

guest = _places_of_a_guest
PRESSED_WITHIN = 10_000
"""How many milliseconds to wait until a visible control can be pressed."""
KEYS = {
    "share": "s",
    "export": "e",
    "help": "?",
    "search": "/",
    "breakpoints": "k",
    "why": "w",
    "comparing": "c",
}
"""A part of the player that opens with a key, and the key."""
NOT_SENT = {
    "/delete": "takes away what other rows press",
    "/leave": "takes away what other rows press",
    "/archive": "takes away what other rows press",
    "/members/": "takes away what other rows press",
    "/withdraw": "takes away what other rows press",
    "/logout": "signs out who presses the rest",
    "/i18n/": "what comes after it would be in another language",
    "/pipeline/new": "starts Spark for minutes; tests/pipeline and test_sweeping start sweeps",
}
"""Part of a form's address → why the form is not sent."""
DOES_NOTHING = {
    "button 'a' in footer": "the only branch, which is on show",
    "button 'log' in footer": "what was written, which is on show",
    "button 'Stage' in nav": "the tab on show",
    "select 'Speed: multiple of reading speed (×), or steps per second' in footer": "Play follows it",
    "div 'Timeline' in footer": "a click in its middle, where its knob may be already",
    "button 'by event' in footer": "two runs are compared by event from the first",
    "select 'What happens to": "the button beside it adds what is chosen",
}
"""Beginning of a control's description → why the control need not answer."""
COMES_AND_GOES = {"button 'b' in footer": "a branch that an earlier press made"}
"""Beginning of a control's description → which other press adds or removes the control."""
REFUSES = {
    "button 'Open it at step": "the sweep of test_every_page was stored without a scenario",
    "button 'Open the run": "the sweep of test_every_page was stored without a scenario",
    "button 'Shrink": "the sweep of test_every_page was stored without a scenario",
}
"""Beginning of a control's description → why the server refuses its request."""
QUIET_PAGES = ("not found", "link that leads nowhere", "administration")
"""Pages whose errors in the console do not count: two addresses that the server refuses, and Django's own
administration.
"""


def _not_sent(route: Route) -> None:
    if route.request.method == "POST":
        route.fulfill(status=204)
    else:
        route.continue_()


@dataclass
class Walk:
    """Opens one page after the other and presses each control once."""

    page: Page
    cookies: list[Any]
    faults: list[str] = field(default_factory=list)
    pressed: set[tuple[str, ...]] = field(default_factory=set)
    offered: set[str] = field(default_factory=set)
    _complaints: list[str] = field(default_factory=list)

    _heard: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._heard = listen(self.page)
        self.page.on("pageerror", lambda error: self._complaints.append(str(error)))
        self.page.on(
            "console", lambda line: self._complaints.append(line.text) if line.type == "error" else None
        )
        self.page.context.route(lambda address: any(part in address for part in NOT_SENT), _not_sent)

    def through(self, name: str, address: str, key: str | None = None) -> None:
        self.open(address, key)
        self.offered |= {urldefrag(one).url for one in addresses(self.page)}
        found = [control for control in controls(self.page) if control.alike not in self.pressed]
        for place, control in enumerate(found):
            self.pressed.add(control.alike)
            if place > 0:
                self.open(address, key)
            self._press(name, control)

    def open(self, address: str, key: str | None = None) -> None:
        """Open the page as a new visitor would see it, but signed in: earlier choices are forgotten."""
        self.page.context.clear_cookies()
        self.page.context.add_cookies(self.cookies)
        self.page.goto(address)
        if self.page.locator("eos-player, eos-compare").count() > 0:
            expect(self.page.locator("eos-sentence .s:visible").first).to_be_visible()
        if self.page.locator("eos-builder").count() > 0:
            expect(self.page.locator("[data-trial=current]")).to_be_visible(timeout=MADE_WITHIN)
        if key is not None:
            self.page.keyboard.press(key)
        come_to_rest(self.page)
        self._complaints.clear()

    def _press(self, name: str, control: Control) -> None:
        try:
            answered = press(self.page, control, self._heard)
        except PlaywrightError as error:
            self.faults.append(f"{name}: {control}: {str(error).splitlines()[0]}")
            return
        if answered is None and not _is_meant(control, COMES_AND_GOES):
            self.faults.append(f"{name}: {control} is there at times only")
        if answered is False and not _is_meant(control, DOES_NOTHING):
            self.faults.append(f"{name}: {control} does nothing")
        if self._complaints and not _is_meant(control, REFUSES):
            self.faults.append(f"{name}: {control}: {self._complaints}")


def _is_meant(control: Control, rows: dict[str, str]) -> bool:
    return any(str(control).startswith(row) for row in rows)


@pytest.fixture
def walk(browser: Browser, guest: Places) -> Iterator[Walk]:
    with _walk_of(browser, guest.cookies) as walk:
        yield walk


@contextmanager
def _walk_of(browser: Browser, person: BrowserContext) -> Iterator[Walk]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, locale="en-GB", reduced_motion="reduce"
    )
    context.add_init_script(f"localStorage.clear(); {NO_QUESTIONS}")
    context.set_default_timeout(PRESSED_WITHIN)
    session: list[Any] = [cookie for cookie in person.cookies() if cookie["name"] == "sessionid"]
    yield Walk(context.new_page(), session)
    context.close()


@pytest.mark.slow
def test_what_is_pressed_on_small_pages_answers(walk: Walk, guest: Places) -> None:
    for name in ("tracks/", "compare, asked", "replays/import", "reference/terms/", "account/used"):
        walk.through(name, guest.pages[name])
    assert walk.faults == []


@pytest.mark.slow
def test_every_control_of_a_guest_answers(walk: Walk, guest: Places) -> None:
    for name, address in guest.pages.items():
        if not name.startswith(QUIET_PAGES):
            walk.through(name, address)
    for name, key in KEYS.items():
        walk.through(f"player, {name}", guest.pages["player"], key)
    assert walk.faults == []


@pytest.mark.slow
def test_every_control_of_an_administrator_answers(browser: Browser, running_site: RunningSite) -> None:
    context = browser.new_context(locale="en-GB")
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    page.set_default_timeout(MADE_WITHIN)
    pages = settle(page, running_site)
    with _walk_of(browser, context) as walk:
        for name, address in pages.items():
            if not name.startswith(QUIET_PAGES):
                walk.through(name, address)
    context.close()
    assert walk.faults == []


@pytest.mark.slow
def test_no_page_offers_an_address_that_leads_nowhere(walk: Walk, guest: Places) -> None:
    for name, address in guest.pages.items():
        if not name.startswith(QUIET_PAGES):
            walk.open(address)
            walk.offered |= {urldefrag(one).url for one in addresses(walk.page)}
    refused = {
        one: answer.status
        for one in sorted(walk.offered)
        if (answer := walk.page.request.head(one)).status >= 400
    }
    assert refused == {}
