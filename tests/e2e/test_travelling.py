"""A run leaves its server: published for all, and as one file that plays without a network.

The test runs on a telephone, in Chinese and the dark theme, and checks the pages on the way. `test_workshop.py` does
the same on a desktop, in English and the light theme, with the functions of this file.
"""

from __future__ import annotations

import csv
import io
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, Route, expect

from tests.e2e.looking import (
    assert_accessible_in_turn,
    assert_nothing_scrolls_sideways,
    assert_one_screen,
    assert_words_complete,
)
from tests.e2e.sentence import sentence, wait_for_sentence
from tests.e2e.signing_up import sign_up
from tests.running_site import RunningSite

MANNERS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1280, "height": 720}, "locale": "en-GB", "color_scheme": "light"},
    "telephone": {"viewport": {"width": 390, "height": 844}, "locale": "zh-CN", "color_scheme": "dark"},
}
NO_QUESTIONS = "localStorage.setItem('eosviz-questions', 'off')"
MADE_WITHIN = 60_000
"""Milliseconds; long, because the machine may be busy."""
STEPS = 60


@pytest.fixture(params=["telephone"])
def manner(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def person(manner: str, browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(**MANNERS[manner], reduced_motion="reduce")
    context.add_init_script(NO_QUESTIONS)
    yield context
    context.close()


def shown_step(page: Page) -> str:
    return page.locator("eos-scrubber [role=slider]").get_attribute("aria-valuenow") or ""


def go_to(page: Page, number: int) -> None:
    page.evaluate("number => document.querySelector('eos-player').store.moveTo(number)", number)
    expect(page.locator("eos-scrubber [role=slider]")).to_have_attribute("aria-valuenow", str(number))
    wait_for_sentence(page)


def look(page: Page) -> None:
    assert_accessible_in_turn(page)
    assert_words_complete(page)
    assert_nothing_scrolls_sideways(page)


def saved(page: Page, form: str, folder: Path) -> Path:
    with page.expect_download(timeout=MADE_WITHIN) as download:
        page.locator(f"eos-export button[data-form={form}]").click()
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    return target


def test_a_run_is_published_saved_and_played_with_the_network_off(
    person: BrowserContext, manner: str, browser: Browser, running_site: RunningSite, tmp_path: Path
) -> None:
    home = running_site.address
    page = person.new_page()
    page.goto(f"{home}sessions/new?scenario=SC-03")
    page.locator("main form button.primary").click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    session = page.url.split("?")[0]
    page.evaluate("count => document.querySelector('eos-player').store.grow(count)", STEPS)
    page.wait_for_function("count => document.querySelector('eos-player').store.newest >= count", arg=STEPS)
    go_to(page, 31)
    text = sentence(page)

    dialog = page.locator("eos-export dialog")
    _opens_with_all_rows(page, dialog)
    expect(dialog.locator("a[href^='/accounts/login/']")).to_be_visible()
    look(page)
    file = saved(page, "html", tmp_path)
    expect(dialog.locator("[role=status]")).to_contain_text(file.name)

    # What the browser has created so far becomes the account's.
    sign_up(page, home, f"{uuid.uuid4().hex[:8]}@example.org", "Tess")
    page.goto(f"{session}?step=31")
    expect(page.locator("eos-sentence .s")).to_have_text(text)
    page.keyboard.press("e")
    dialog.locator(".start-publishing").click()
    address = page.locator("#published-address")
    expect(address).to_have_value(
        re.compile(f"^{re.escape(home)}published/[0-9a-f]{{64}}/$"), timeout=MADE_WITHIN
    )
    look(page)
    published = address.input_value()

    watch_published(browser, manner, published, text)
    play_offline(browser, manner, file, text, STEPS)

    page.goto(f"{home}account/")
    look(page)
    page.locator("#published-heading ~ ul form button").click()
    expect(page.locator("#published-heading")).to_have_count(0)
    assert page.request.get(published).status == 404


def _opens_with_all_rows(page: Page, dialog: Locator) -> None:
    """The dialog shows no rows before the server has said which files it can make, so no row moves under a press."""
    held: list[Route] = []
    page.route("**/exports/limits", lambda route: held.append(route))
    with page.expect_request("**/exports/limits"):
        page.keyboard.press("e")
    expect(dialog.first).to_be_visible()
    expect(dialog.locator("[data-form]")).to_have_count(0)
    held.pop().continue_()
    page.unroute("**/exports/limits")
    expect(dialog.locator("[data-form=parquet]")).to_be_visible()


def watch_published(browser: Browser, manner: str, published: str, text: str) -> None:
    visitor = browser.new_context(**MANNERS[manner], reduced_motion="reduce")
    other = visitor.new_page()
    other.goto(f"{published}?step=31")
    expect(other.locator("eos-sentence .s")).to_have_text(text)
    look(other)
    other.keyboard.press("e")
    expect(other.locator("eos-export a[download]")).to_be_visible()
    assert_accessible_in_turn(other)
    # the player sets this cookie
    assert [cookie["name"] for cookie in visitor.cookies()] == ["django_language"]
    visitor.close()


def use_other_language(page: Page) -> None:
    """Press the button for the other language; on a telephone, it is in the menu."""
    button = page.locator("eos-tools button[lang]")
    if not button.is_visible():
        page.locator("eos-tools details.menu > summary").click()
    button.click()


def play_offline(browser: Browser, manner: str, file: Path, text: str, steps: int) -> None:
    """Play the file offline, with the keyboard only: it must request nothing, and the console must stay empty.
    `text`: the sentence of step 31.
    """
    alone = browser.new_context(**MANNERS[manner], reduced_motion="reduce", offline=True)
    page = alone.new_page()
    asked: list[str] = []
    complaints: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith(("data:", "blob:")):
            asked.append(request.url)

    alone.on("request", note)
    page.on("console", lambda line: complaints.append(line.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    slider = page.locator("eos-scrubber [role=slider]")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    for number in range(1, 5):
        page.keyboard.press("ArrowDown")
        expect(slider).to_have_attribute("aria-valuenow", str(number))
    page.keyboard.press("ArrowUp")
    expect(slider).to_have_attribute("aria-valuenow", "3")
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuenow", str(steps))
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    go_to(page, 31)
    assert sentence(page) == text
    look(page)
    if manner == "desk":
        assert_one_screen(page)
    # Both languages name the class and method of Kafka.
    assert re.search(r"[A-Z]\w+\.\w+", page.locator("eos-references").inner_html())
    use_other_language(page)
    expect(page.locator("eos-sentence .s")).not_to_have_text(text)
    assert re.search(r"[A-Z]\w+\.\w+", page.locator("eos-references").inner_html())
    use_other_language(page)
    expect(page.locator("eos-sentence .s")).to_have_text(text)
    page.locator(".tabs button", has_text=re.compile("Code|代码")).click()
    expect(page.locator("eos-code")).to_be_visible()
    go_to(page, steps)
    _save_pictures(page, file.parent)
    assert asked == [file.as_uri()]
    assert complaints == []
    alone.close()


def _save_pictures(page: Page, folder: Path) -> None:
    page.keyboard.press("e")
    assert_accessible_in_turn(page)
    drawn = saved(page, "svg", folder).read_text(encoding="utf-8")
    assert drawn.startswith("<svg") and "broker-1" in drawn and "var(" not in drawn
    assert saved(page, "png", folder).read_bytes().startswith(b"\x89PNG")
    assert saved(page, "mermaid", folder).read_text(encoding="utf-8").startswith("sequenceDiagram\n")
    rows = list(csv.reader(io.StringIO(saved(page, "csv", folder).read_text(encoding="utf-8-sig"))))
    records = page.evaluate(
        "Object.keys(document.querySelector('eos-player').store.frame.view.records).length"
    )
    assert len(rows) == records + 1 > 3
    page.evaluate(
        "window.print = () => { window.printed = document.querySelectorAll('.sheet eos-lanes').length; }"
    )
    page.locator("eos-export .export-list li button").last.click()
    page.locator("eos-handout input").fill("0, 3–4, 31")
    assert_accessible_in_turn(page)
    page.locator("eos-handout form button.primary").click()
    page.wait_for_function("() => window.printed === 4")
    page.emulate_media(media="print")
    expect(page.locator("article.handout .sheet").last).to_be_visible()
    expect(page.locator("eos-scrubber")).to_be_hidden()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("article.handout")).to_have_count(0)
