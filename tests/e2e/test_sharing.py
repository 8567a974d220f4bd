"""Sharing the step on show: a copied link leads another browser to the same step, view and selection."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.looking import assert_accessible, faults
from tests.e2e.sentence import sentence
from tests.running_site import RunningSite

SIZES = {"desk": (1280, 720), "telephone": (390, 844)}


@pytest.fixture
def person(size: str, browser: Browser) -> Iterator[BrowserContext]:
    """The browser of a person who makes a link; pages may use its clipboard."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-GB")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


def shown_step(page: Page) -> str:
    return page.locator("eos-scrubber [role=slider]").get_attribute("aria-valuenow") or ""


def start(page: Page, home: str) -> None:
    """Start a session of SC-03 without the questions, which would stop the reader on the way."""
    page.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    page.goto(f"{home}sessions/new?scenario=SC-03")
    page.locator("main form button.primary").click()
    expect(page.locator("eos-sentence .s")).to_contain_text("An acknowledgement is lost, and the producer is")


def copied_link(page: Page) -> str:
    before = faults(page)
    page.keyboard.press("s")
    dialog = page.locator("eos-share dialog")
    expect(dialog.locator("#share-link")).to_have_value(re.compile("/open/SC-03/"))
    assert_accessible(page)
    assert faults(page) == before
    dialog.get_by_role("button", name="Copy").first.click()
    expect(dialog.get_by_role("status")).to_have_text("Copied.")
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize("size", ["desk", pytest.param("telephone", marks=pytest.mark.slow)])
def test_a_copied_link_leads_another_browser_to_the_same_step(
    person: BrowserContext, browser: Browser, running_site: RunningSite
) -> None:
    page = person.new_page()
    start(page, running_site.address)
    for _ in range(3):
        before = shown_step(page)
        page.keyboard.press("Shift+ArrowRight")
        expect(page.locator("eos-scrubber [role=slider]")).not_to_have_attribute("aria-valuenow", before)
    page.locator(".middle-tab").filter(has_text="Space").click()
    page.locator("eos-spacetime").get_by_role("button", name="by time").press("Enter")
    expect(page.locator("eos-spacetime .twin")).to_contain_text("Gaps of 3 to 30 ms are to scale")
    step, said = shown_step(page), sentence(page)
    address = copied_link(page)
    session = page.url.split("?")[0]

    visitor = browser.new_context(viewport=page.viewport_size, locale="zh-CN")
    other = visitor.new_page()
    other.goto(f"{address}&lang=en")
    # The page of the link redirects the visitor to a session of the visitor's own.
    expect(other).to_have_url(re.compile(r"/sessions/[0-9a-f-]{36}/"))
    expect(other.locator("eos-sentence .s")).to_have_text(said)
    assert shown_step(other) == step
    assert not other.url.startswith(session)
    by_time = other.locator("eos-spacetime").get_by_role("button", name="by time")
    expect(by_time).to_have_attribute("aria-pressed", "true")
    # The session belongs to the visitor, who continues from there.
    other.keyboard.press("ArrowDown")
    expect(other.locator("eos-scrubber [role=slider]")).not_to_have_attribute("aria-valuenow", step)
    # Opening the link again leads to the same session.
    opened = other.url.split("?")[0]
    other.goto(f"{address}&lang=zh-Hans")
    expect(other).to_have_url(re.compile(re.escape(opened)))
    expect(other.locator("html")).to_have_attribute("lang", "zh-Hans")
    visitor.close()


@pytest.mark.parametrize("size", ["telephone", pytest.param("desk", marks=pytest.mark.slow)])
def test_a_frame_plays_in_a_page_of_another_site_without_cookies(
    person: BrowserContext, browser: Browser, running_site: RunningSite, broken_policy: list[str]
) -> None:
    page = person.new_page()
    start(page, running_site.address)
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("eos-scrubber [role=slider]")).not_to_have_attribute("aria-valuenow", "0")
    said = sentence(page)
    page.keyboard.press("s")
    expect(page.locator("#share-frame")).to_have_value(re.compile("<iframe"))
    frame = page.locator("#share-frame").input_value()

    visitor = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-GB")
    other = visitor.new_page()
    with another_site(frame) as address:
        other.goto(address)
        plays_in_a_frame(other, said)
    assert visitor.cookies() == []
    # No other page of the site may be shown in a frame.
    with (
        another_site(frame.replace("/embed/", "/open/")) as address,
        other.expect_event("requestfailed"),
        other.expect_console_message(lambda line: "frame-ancestors" in line.text),
    ):
        other.goto(address)
    assert all("frame-ancestors" in refused for refused in broken_policy)
    broken_policy.clear()
    visitor.close()


@contextmanager
def another_site(content: str) -> Iterator[str]:
    """Serve a page with this content at another host and port of this machine, and yield its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def plays_in_a_frame(other: Page, said: str) -> None:
    inside = other.frame_locator("iframe")
    expect(inside.locator("eos-sentence .s")).to_have_text(said)
    inside.locator("eos-transport .go").click()
    expect(inside.locator("eos-sentence .s")).not_to_have_text(said)
    expect(inside.get_by_role("link", name="Open in eosviz")).to_have_attribute("target", "_blank")
