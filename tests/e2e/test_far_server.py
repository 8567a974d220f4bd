"""A server far away: a step is shown as soon as it is requested, and counts as stored only when the server has
answered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.e2e.begun import begin
from tests.e2e.sentence import sentence
from tests.running_site import RunningSite


class FarServer:
    """A server whose messages the test holds back and releases."""

    def __init__(self) -> None:
        self.holds = False
        self.ahead_after = -1
        """The highest step number after which the server has sent the next step in advance."""
        self._held: list[str | bytes] = []

    def __call__(self, page: WebSocketRoute) -> None:
        self._page = page
        page.connect_to_server().on_message(self._heard)

    def _heard(self, message: str | bytes) -> None:
        if self.holds:
            self._held.append(message)
            return
        self._page.send(message)
        decoded = json.loads(message)
        if decoded["type"] == "ahead":
            self.ahead_after = decoded["after"]

    def answer(self) -> None:
        self.holds = False
        held, self._held = self._held, []
        for message in held:
            self._heard(message)


@pytest.fixture
def far() -> FarServer:
    return FarServer()


@pytest.fixture
def reader(browser: Browser, running_site: RunningSite, far: FarServer) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB")
    context.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    page = context.new_page()
    page.route_web_socket(re.compile("/ws/sessions/"), far)
    page.goto(begin(context, running_site.address, "SC-02", 0))
    expect(page.locator("eos-sentence .s")).to_be_visible()
    yield page
    context.close()


def on_show(page: Page, number: int) -> None:
    expect(page.locator("eos-scrubber [role=slider]")).to_have_attribute("aria-valuenow", str(number))


def wait_until_sent_ahead(page: Page, far: FarServer, after: int) -> None:
    while far.ahead_after < after:
        page.wait_for_timeout(10)


def test_a_step_is_on_show_before_a_far_server_has_answered(reader: Page, far: FarServer) -> None:
    step = reader.locator("button.go")
    for number in (1, 2):  # A session's first step must be like the others.
        wait_until_sent_ahead(reader, far, number - 1)
        far.holds = True
        step.click()
        on_show(reader, number)
        said = sentence(reader)
        far.answer()
        wait_until_sent_ahead(reader, far, number)
        on_show(reader, number)
        assert sentence(reader) == said
    session = urlsplit(reader.url).path.split("/")[-2]
    stored = reader.request.get(urljoin(reader.url, f"/api/sessions/{session}")).json()
    assert [branch["newest"] for branch in stored["branches"]] == [2]
