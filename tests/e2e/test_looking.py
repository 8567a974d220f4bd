"""Breakpoints, search, the tree of branches, undo, menus by mouse, and comparing, in a real browser with a server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.e2e.begun import begin
from tests.e2e.looking import (
    assert_accessible_in_turn,
    assert_nothing_scrolls_sideways,
    assert_words_complete,
    faults,
)
from tests.e2e.test_every_page import NO_QUESTIONS
from tests.running_site import RunningSite

SIZES = {"desk": (1280, 720), "telephone": (390, 844)}
STEPS = 40


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    context.add_init_script(NO_QUESTIONS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, running_site: RunningSite) -> Iterator[Page]:
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{begin(context, running_site.address, 'SC-03', STEPS)}?step=9")
    expect(knob(page)).to_have_attribute("aria-valuenow", "9")
    yield page
    page.close()


def knob(page: Page) -> Locator:
    return page.locator("eos-scrubber [role=slider]")


def at(page: Page, step: int | str) -> None:
    expect(knob(page)).to_have_attribute("aria-valuenow", str(step))


def dialog(page: Page, tag: str) -> Locator:
    return page.locator(f"{tag} dialog")


def gone(dialog: Locator) -> None:
    """Wait until keys go to the page again: for one more frame after the dialog has closed, they go to the field that
    had the focus.
    """
    expect(dialog).to_be_hidden()
    dialog.page.wait_for_function("() => document.activeElement?.closest('dialog') == null")


def pleasant(page: Page) -> None:
    """In two looks, no word is missing, nothing is cut at the side, and the page is accessible."""
    for size, theme in (("telephone", "dark"), ("desk", "light")):
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        assert_words_complete(page)
        assert_nothing_scrolls_sideways(page)
        assert_accessible_in_turn(page)


def test_a_breakpoint_set_by_keyboard_stops_the_run_and_outlives_the_page(page: Page) -> None:
    page.keyboard.press("k")
    stops = dialog(page, "eos-breakpoints")
    expect(stops).to_contain_text("No breakpoints yet")
    stops.get_by_label("Stop when").focus()
    page.keyboard.type("a rule")
    stops.get_by_label("Rule", exact=True).focus()
    page.keyboard.type("seq-11")
    page.keyboard.press("Enter")
    expect(stops.locator(".stop-list li")).to_have_text(re.compile("rule SEQ-11"))
    pleasant(page)
    page.keyboard.press("Escape")
    gone(stops)
    page.keyboard.press("r")
    bar = page.locator("eos-found-bar .found-bar")
    expect(bar).to_contain_text("Stopped at step 80: rule SEQ-11")
    at(page, 80)
    expect(page).to_have_url(re.compile("stop=rule"))
    page.keyboard.press("r")
    expect(bar).to_contain_text("without reaching a breakpoint")
    page.keyboard.press("Shift+R")
    at(page, 80)
    page.goto(re.sub("[?].*", "", page.url))
    at(page, 80)  # A session opens at the step where it was left.
    page.keyboard.press("k")
    expect(stops.locator(".stop-list li")).to_have_count(1)
    stops.get_by_label("rule SEQ-11", exact=True).uncheck()
    expect(stops.get_by_role("button", name="Run to next breakpoint")).to_be_disabled()


def test_found_steps_are_listed_and_gone_through_by_keys(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("producer id")
    search = dialog(page, "eos-search")
    expect(search.get_by_role("status")).to_contain_text(f"All steps made so far ({STEPS}) were searched")
    numbers = [int(text) for text in search.locator(".found-steps li .num:first-child").all_inner_texts()]
    assert len(numbers) > 2
    pleasant(page)
    search.get_by_label("Kind").select_option("timer")
    expect(search.get_by_role("status")).to_contain_text("0 steps match")
    search.get_by_label("Kind").select_option("")
    expect(search.locator(".found-steps li")).to_have_count(len(numbers))
    search.locator(".found-steps button").first.click()
    gone(search)
    at(page, numbers[0])
    page.keyboard.press("n")
    at(page, numbers[1])
    page.keyboard.press("p")
    at(page, numbers[0])
    expect(page.locator(".found-bar .num")).to_have_text(f"1 of {len(numbers)}")
    # Entering only a number goes to that step.
    page.keyboard.press("/")
    search.get_by_label("Text of a sentence").fill("25")
    expect(search.get_by_role("button", name="Go to step 25")).to_be_visible()
    page.keyboard.press("Enter")
    gone(search)
    at(page, 25)
    page.keyboard.press("/")
    search.get_by_label("Text of a sentence").fill("outbox")
    expect(search.get_by_role("status")).to_contain_text("0 steps match")
    everywhere = search.get_by_role("link", name="Search scenarios and reference for “outbox”")
    expect(everywhere).to_have_attribute("href", "/search/?q=outbox")
    search.get_by_label("Text of a sentence").fill("producer id")
    expect(search.locator(".found-steps li")).to_have_count(len(numbers))
    search.locator(".found-steps button").first.click()
    gone(search)
    # Escape closes what lies on top: first a menu, then the bar with the search results, then the selection.
    page.locator("details.menu > summary").click()
    page.keyboard.press("Escape")
    expect(page.locator("details.menu[open]")).to_have_count(0)
    expect(page.locator(".found-bar .num")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".found-bar")).to_have_count(0)


def test_what_is_done_by_pointing_can_be_taken_back_and_its_branch_named(page: Page) -> None:
    # If a key has nothing to act on, the page says what it needs.
    lacking = {
        "d": "press m for the next one in transit",
        "u": "nothing to undo",
        "f": "you are not following one",
        "h": "only during a presentation",
    }
    for key, hint in lacking.items():
        page.keyboard.press(key)
        expect(page.locator(".message.hint")).to_contain_text(hint)
    page.keyboard.press("Escape")
    expect(page.locator(".message.hint")).to_have_count(0)
    page.locator("eos-stage [data-key='m:3']").click(button="right")
    menu = page.locator(".action-list.floating")
    expect(menu).to_contain_text("Drop only the Produce request from p1 to broker-1: later messages")
    pleasant(page)
    menu.get_by_role("button", name=re.compile("^Drop")).click()
    at(page, 10)
    bar = page.locator("eos-undo-bar")
    expect(bar).to_contain_text("Changed run a: dropped Produce (t-0, seq 0) from p1 to broker-1")
    page.keyboard.press("u")
    at(page, 9)
    expect(bar).to_contain_text("Changed run a keeps the intervention")
    page.keyboard.press("Shift+U")
    at(page, 10)
    page.locator("details.menu > summary").click()
    page.get_by_role("button", name=re.compile("^All runs")).click()
    tree = dialog(page, "eos-branches")
    second = tree.locator(".branch-list > li").nth(1)
    expect(second).to_contain_text("from p1 to broker-1, after step 9")
    second.get_by_role("button", name="Rename changed run a").click()
    page.keyboard.type("what if")
    page.keyboard.press("Enter")
    expect(second.locator(".branch-called")).to_have_text("Changed run “what if”")
    pleasant(page)
    second.get_by_role("button", name="Go to where it branches off: the original run, step 9").click()
    at(page, 9)


def test_a_timer_and_a_partition_say_what_can_be_done_and_what_not(page: Page) -> None:
    page.locator("nav.tabs button", has_text="Inspect").click()
    timer = page.locator("eos-timers button").first
    timer.focus()
    page.keyboard.press("Shift+F10")
    menu = page.locator(".action-list.floating")
    expect(menu.get_by_role("button", name="Run until it expires")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(menu.locator("button:focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(timer).to_be_focused()
    page.locator("eos-lanes").get_by_text("t-0", exact=True).click(button="right")
    expect(menu.get_by_role("button", name="Change leader")).to_have_count(2)
    expect(menu.locator(".off").filter(has_text="Restore ISR")).to_contain_text(
        "t-0 has no follower that is out of sync"
    )
    menu.get_by_role("button", name="Find all steps about the selection").click()
    expect(page.locator(".found-bar .what")).to_have_text("a step about partition t-0")


def test_one_click_compares_with_another_version_to_the_end(page: Page) -> None:
    page.keyboard.press("c")
    choice = dialog(page, "eos-compare-with")
    expect(choice.get_by_role("button", name="Kafka 2.0")).to_be_visible()
    pleasant(page)
    choice.get_by_role("button", name="Kafka 0.10").click()
    sides = page.locator(".compare-side")
    expect(sides.nth(0)).to_contain_text("Kafka 2.8")
    expect(sides.nth(1)).to_contain_text("Kafka 0.10")
    page.get_by_role("button", name="by virtual time").click()
    page.get_by_role("button", name="Run both to the end").click()
    for side, count in zip(sides.all(), "01", strict=True):
        apart = side.get_by_role("list", name="What differs at this step")
        expect(apart.get_by_role("listitem").filter(has_text="duplicates")).to_have_text(
            f"t-0, duplicates {count}"
        )
        expect(apart).not_to_contain_text("lost")
    assert_words_complete(page)
    # Zooming applies to both sides: from one line for each transaction to the code of the step.
    page.keyboard.press("+")
    expect(page.locator(".compare-side eos-spacetime")).to_have_count(2)
    page.keyboard.press("+")
    for place in (0, 1):
        here = sides.nth(place).get_by_role("button", name=re.compile("^The step is here"))
        expect(here.first).to_be_visible()
    pleasant(page)
    page.get_by_label("Zoom").select_option("transactions")
    expect(page.locator(".compare-side eos-transactions")).to_have_count(2)
    expect(page).to_have_url(re.compile(r"(?=.*[?&]zoom=transactions)(?=.*[?&]by=time)(?=.*[?&]at=\d+)"))
    at = page.locator(".compare-foot output").inner_text()
    page.reload()
    expect(page.locator(".compare-side eos-transactions")).to_have_count(2)
    expect(page.locator(".compare-foot output")).to_have_text(at)
    assert_words_complete(page)
    # On a telephone, the change is shown below the title, which keeps its width.
    page.set_viewport_size({"width": 390, "height": 844})
    title, changed = (
        page.locator(f".compare-head {one}").bounding_box() for one in ("h1", ".compare-changed")
    )
    assert title is not None and changed is not None
    assert title["width"] > 200 and changed["y"] >= title["y"] + title["height"]


def test_a_finger_branches_and_reaches_what_lies_below_the_picture(
    browser: Browser, running_site: RunningSite
) -> None:
    width, height = SIZES["telephone"]
    hand = browser.new_context(
        viewport={"width": width, "height": height}, locale="en-GB", reduced_motion="reduce", has_touch=True
    )
    hand.add_init_script(NO_QUESTIONS)
    page = hand.new_page()
    page.goto(f"{begin(hand, running_site.address, 'SC-03', 60)}?step=41")
    at(page, 41)
    page.locator("details.menu > summary").tap()
    page.get_by_role("button", name=re.compile("^New run")).tap()
    expect(page.locator("eos-transport .all-branches")).to_have_text("New run a · 2 runs")
    at(page, 41)
    # The note about the new branch covers the last line until it is closed.
    page.locator(".message.hint button").tap()
    twin = page.locator("eos-stage details")
    twin.locator("summary").tap()
    expect(twin).to_contain_text("seq 0")
    assert faults(page) == []
    hand.close()


def test_a_dropped_message_is_seen_where_it_was_lost_and_compared_with_the_run_as_it_was(
    page: Page,
) -> None:
    # Step 28 is about t-0, but the request in transit is for t-1, whose log is still empty.
    page.goto(re.sub("step=9", "step=28", page.url))
    at(page, 28)
    page.locator("eos-stage [data-key='m:7']").click()
    page.keyboard.press("d")
    at(page, 29)
    expect(page.locator("eos-stage [data-key=tag]")).to_contain_text("Lost at")
    page.locator("nav.tabs button", has_text="Inspect").click()
    expect(page.locator("eos-lanes .lane[data-partition=t-1]")).to_contain_text(
        "broker-2 does not process it"
    )
    offer = page.locator("eos-undo-bar").get_by_text("Compare with the original")
    expect(offer).to_be_visible()
    pleasant(page)
    page.keyboard.press("c")
    # It opens where broker-2 stores the batch in one run and refuses it in the other: no moment has both steps.
    expect(page.locator(".compare-place")).to_contain_text("Here the leader decides differently")
    place = page.locator(".compare-foot output")
    expect(place).to_have_text("32 | 124")
    page.reload()
    expect(place).to_have_text("32 | 124")
    # The logs contain different records at the end, so the logs are shown; a press shows the messages, with the lost
    # one.
    expect(page.locator(".compare-side eos-lanes")).to_have_count(2)
    page.get_by_role("button", name="Show messages").click()
    expect(page.locator(".compare-side eos-spacetime")).to_have_count(2)
    # From the last stop, presses lead to the fault and then to what follows from it.
    page.locator(".to-difference").click()
    expect(page.locator(".compare-place")).to_contain_text("the fault that only one run has")
    expect(place).to_have_text("28 | 29")
    page.locator(".to-difference").click()
    expect(page.locator(".compare-place")).to_contain_text("first differ in more than time")
    expect(place).to_have_text("32")
    page.keyboard.press("ArrowRight")
    expect(place).not_to_have_text("32")
    page.keyboard.press("Escape")
    expect(page.locator("eos-player")).to_be_visible()


def test_a_telephone_shows_what_differs_and_sentences_and_logs_of_both_runs(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(re.sub("step=9", "step=28&zoom=stage", page.url))
    at(page, 28)
    page.keyboard.press("m")
    page.keyboard.press("d")
    at(page, 29)
    page.locator("eos-transport .go").click()
    at(page, 30)
    # The link to the original run stays, however far the reader goes.
    page.locator("eos-transport .as-it-was").click()
    button = page.locator(".to-difference")
    expect(button).to_contain_text(re.compile("(Fault|First difference|Leader decides).*: step"))
    assert button.evaluate("one => one.scrollWidth <= one.clientWidth")
    table = page.get_by_role("table", name="What differs at this step")
    page.locator(".compare-foot .zoom select").select_option("lanes")
    page.locator(".to-end").click()
    expect(page.locator(".compare-foot .go")).to_be_disabled()
    expect(table).to_be_visible()
    sides = page.locator(".compare-side").all()
    said = [side.locator("eos-said") for side in sides]
    expect(page.locator(".compare-flip")).not_to_be_visible()
    for one in said:
        expect(one).to_be_in_viewport(ratio=1)
    tops = [box["y"] for side in sides if (box := side.locator("eos-lanes").bounding_box()) is not None]
    assert len(tops) == 2 and tops == sorted(tops)
    for side in sides:
        reader = side.locator("eos-lanes g.lane").first.locator("g[aria-label*=c2]").last
        reader.scroll_into_view_if_needed()
        seen, foot = reader.bounding_box(), page.locator(".compare-foot").bounding_box()
        assert seen is not None and foot is not None and seen["y"] + seen["height"] <= foot["y"]
    expect(page).to_have_url(re.compile(r"[?&]at=1\d\d"))  # The address changes a moment later.
    page.goto(re.sub(r"zoom=\w+", "zoom=spacetime", page.url))
    page.wait_for_function(
        """() => {
          const [left, right] = [...document.querySelectorAll("eos-spacetime")].map(({ shadowRoot }) =>
            [...(shadowRoot?.querySelectorAll("svg .title") ?? [])].map((name) => name.textContent.trim()));
          return left?.length > 1 && left.join() === right?.join();
        }"""
    )
    page.locator(".compare-foot .zoom select").select_option("lanes")
    expect(page.locator(".compare-foot .go")).to_be_disabled()
    expect(page.locator(".compare-head")).to_be_in_viewport(ratio=1)
    expect(page.locator(".compare-foot output")).to_contain_text("|")
    page.locator(".compare-foot .by").select_option("time")
    expect(page.locator(".compare-foot output")).to_contain_text("ms")
    pleasant(page)
