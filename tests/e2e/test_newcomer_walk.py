"""What a newcomer must be able to do from beginning to end: open the library and SC-03, see the duplicate that is not
stored, go back, drop another message, compare with SC-02, export, import, verify.

`make test` does this on a desktop with the keyboard only; `make test-all` also on a telephone, and on both with the
mouse. On the way, there must be no error in the browser's console, and no page may violate the accessibility rules of
level A and AA.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.looking import assert_accessible_in_turn, assert_one_screen
from tests.e2e.newcomer import Hand, Keyboard, Mouse
from tests.e2e.sentence import sentence, wait_for_sentence
from tests.running_site import RunningSite

SIZES = {"desk": (1280, 720), "telephone": (390, 844)}
INTERESTING_MAX = 12
MADE_WITHIN = 60_000
"""Milliseconds for a task that writes a file while other work runs."""


WALKS = [
    pytest.param("desk", Keyboard, id="desk-keyboard"),
    pytest.param("telephone", Mouse, id="telephone-mouse", marks=pytest.mark.slow),
    pytest.param("desk", Mouse, id="desk-mouse", marks=pytest.mark.slow),
    pytest.param("telephone", Keyboard, id="telephone-keyboard", marks=pytest.mark.slow),
]


@pytest.fixture
def page(size: str, browser: Browser) -> Iterator[Page]:
    """The page of a browser that has never visited the site. At the end, its console must show no errors."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-GB")
    # The newcomer has switched the questions off: otherwise the run stops before each decision.
    context.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    page = context.new_page()
    wrong: list[str] = []
    page.on(
        "console",
        lambda message: (
            wrong.append(f"{message.text} {message.location}") if message.type == "error" else None
        ),
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert wrong == []


@pytest.mark.parametrize(("size", "hand_of"), WALKS)
def test_newcomer_walks_the_whole_thread(
    hand_of: Callable[[Page], Hand], page: Page, running_site: RunningSite, tmp_path: Path
) -> None:
    hand = hand_of(page)
    home = running_site.address
    page.goto(home)
    assert_accessible_in_turn(page)

    start(hand, "SC-03")
    step_to_rule(hand, "SEQ-11")
    assert "appends nothing" in sentence(page)
    assert_one_screen(page)
    assert_accessible_in_turn(page)
    session = page.url

    drop_an_earlier_request(hand)
    expect(page.locator("eos-sentence .s")).to_contain_text("The network drops")
    expect(page.locator("eos-transport .all-branches")).to_contain_text("2 runs")
    expect(page).not_to_have_url(session)

    page.goto(home)
    start(hand, "SC-02")
    step_until_nothing_new(hand)
    expect(page.locator("eos-strip .is-broken")).to_have_text(re.compile(r"duplicate\s*✕ 1"))

    compare(hand, home, left=r"^SC-03 · the original run", right=r"^SC-02 · the original run")
    assert_accessible_in_turn(page)
    # The comparison opens at the first difference.
    expect(page.locator(".compare-foot .to-difference")).to_have_text(
        re.compile(r"(Fault|First difference( beyond timing)?): step \d+")
    )
    expect(page.locator(".compare-side.differs")).not_to_have_count(0)
    page.locator(".compare-foot input[type=range]").fill("0")
    expect(page.locator(".compare-side.differs")).to_have_count(0)
    hand.press(page.locator(".to-difference"))
    expect(page.locator(".compare-side.differs")).not_to_have_count(0)

    page.goto(session)
    file = export(hand, tmp_path)
    page.goto(f"{home}replays/import")
    assert_accessible_in_turn(page)
    hand.give_file(page.locator("input[type=file]"), file)
    hand.press(page.locator("form.upload button"))
    expect(page.locator(".badge")).to_have_text("verified")
    expect(page.locator("eos-transport .all-branches")).to_contain_text("2 runs")
    assert_accessible_in_turn(page)


def start(hand: Hand, scenario: str) -> None:
    hand.page.goto(urljoin(hand.page.url, "/library/"))
    hand.press(hand.page.locator(f"#{scenario} button.primary"))
    expect(hand.page.locator("eos-sentence .s")).to_be_visible()
    expect(hand.page.locator("eos-scrubber [role=slider]")).to_have_attribute("aria-valuenow", "0")


def shown_step(page: Page) -> int:
    return int(page.locator("eos-scrubber [role=slider]").get_attribute("aria-valuenow") or "0")


# At the last step, the button for the next step is disabled as soon as that step is requested.
_MOVED_OR_AT_END = """before => {
  const knob = document.querySelector("eos-scrubber [role=slider]");
  if (knob?.getAttribute("aria-valuenow") !== String(before)) return true;
  const { busy, shown, target } = document.querySelector("eos-player").store;
  return !busy && shown === target && document.querySelector("eos-transport .next").disabled;
}"""


def move(hand: Hand, movement: str) -> bool:
    """Move and wait until another step is on show. Returns False if there was no step to move to."""
    page = hand.page
    before = shown_step(page)
    getattr(hand, movement)()
    page.wait_for_function(_MOVED_OR_AT_END, arg=before, timeout=MADE_WITHIN)
    return shown_step(page) != before


def step_to_rule(hand: Hand, rule: str) -> None:
    """Go from one interesting step to the next until one is about this rule."""
    for _ in range(INTERESTING_MAX):
        assert move(hand, "next_interesting")
        wait_for_sentence(hand.page)
        if rule in (hand.page.locator("eos-references .chips").text_content() or ""):
            return
    raise AssertionError(f"no interesting step is about {rule}")


def step_until_nothing_new(hand: Hand) -> None:
    next_button = hand.page.locator("eos-transport .next")
    for _ in range(INTERESTING_MAX):
        if next_button.is_disabled():
            return
        assert move(hand, "next_interesting")
    raise AssertionError("the run does not end")


def drop_an_earlier_request(hand: Hand) -> None:
    """Go back to a step at which a request is in transit, select it and drop it."""
    page = hand.page
    request = page.locator("eos-stage").get_by_role(
        "button", name=re.compile("^Produce request from p1 .*: arrives at")
    )
    while request.count() == 0:
        assert move(hand, "back")
    hand.press(request.first)
    expect(page.locator("eos-selection-bar .selected")).to_be_visible()
    before = shown_step(page)
    hand.drop_selected()
    expect(page.locator("eos-scrubber [role=slider]")).to_have_attribute("aria-valuenow", str(before + 1))


def compare(hand: Hand, home: str, left: str, right: str) -> None:
    page = hand.page
    page.goto(f"{home}compare/")
    assert_accessible_in_turn(page)
    form = page.locator("form[method=get].stacked")
    hand.choose(form.locator("select[name=left]"), left)
    hand.choose(form.locator("select[name=right]"), right)
    hand.press(form.locator("button"))
    expect(page.locator(".compare-side h2 .where")).to_have_count(2)


def export(hand: Hand, folder: Path) -> Path:
    page = hand.page
    hand.press(page.locator("details.menu > summary"))
    hand.press(page.locator("details.menu button", has_text="Export"))
    hand.choose(page.locator("eos-export select"), "^all runs")
    with page.expect_download(timeout=MADE_WITHIN) as download:
        hand.press(page.locator("eos-export button[data-form=replay]"))
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file
