"""A class from beginning to end in a browser: an instructor at a desktop, in English, and a learner with a telephone,
in Chinese and the dark theme. Every page on the way is checked.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.looking import (
    assert_accessible_in_turn,
    assert_nothing_scrolls_sideways,
    assert_words_complete,
)
from tests.e2e.signing_up import sign_up as sign_up_by_forms
from tests.running_site import RunningSite

ANALYSIS_ID = "5b0e4f0a-6f4a-4c59-9a0e-2f3cf5f1a002"
SEEN_WITHIN = 30_000
"""Milliseconds; the server sends the table after a change, within two seconds, and the machine may be busy."""


def look(page: Page) -> None:
    assert_accessible_in_turn(page)
    assert_words_complete(page)
    assert_nothing_scrolls_sideways(page)


def sign_up(page: Page, home: str, email: str, name: str, is_looked_at: bool = True) -> None:
    if is_looked_at:
        sign_up_by_forms(page, home, email, name, look)
    else:
        sign_up_by_forms(page, home, email, name)


def make_instructor(site: RunningSite, email: str) -> None:
    site.manage("give_role", email, "instructor")


def _count(site: RunningSite, room: str) -> str:
    """Store the figures of a finished count of the class, without waiting for Spark. Returns the query with which the
    page of the run shows them.
    """
    analysis = {"state": "done", "classroom": room.rstrip("/").rpartition("/")[2], "people": 9, "sessions": 12,
                "finished": "2026-01-01T00:00:00Z", "created": "2026-01-01T00:00:00Z"}  # fmt: skip
    usual = {"analysis": ANALYSIS_ID, "people": 4, "times": 6, "of": 9, "low": 0.19, "high": 0.73}
    run = {**usual, "version": 1}
    figures = [
        {**run, "kind": "ended"},
        *({**run, "kind": kind, "step": 3} for kind in ("back", "wrong", "confused")),
        *({**usual, "kind": "confused", "rule": "SEQ-11", "group": group} for group in ("", "class")),
        {**run, "kind": "wrong", "before": 2, "people_before": 7, "of_before": 8},
    ]
    rows = [{"model": "analytics.analysis", "pk": ANALYSIS_ID, "fields": analysis}]
    rows += [{"model": "analytics.figure", "fields": figure} for figure in figures]
    site.manage("loaddata", "--format=json", "-", typed=json.dumps(rows))
    return "?version=1&variant="


def give(page: Page, room: str, kind: str, title: str, **fields: str) -> str:
    """Create an assignment with its form and return its address."""
    page.goto(f"{room}assign/{kind}/")
    look(page)
    page.locator("#id_title").fill(title)
    for name, value in fields.items():
        field = page.locator(f"#id_{name}")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.locator("main button.primary").click()
    expect(page.locator("h1")).to_have_text(title)
    look(page)
    return page.url


@pytest.fixture
def instructor(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, locale="en-GB", timezone_id="Asia/Shanghai"
    )
    page = context.new_page()
    sign_up(page, running_site.address, "tess@example.org", "Tess")
    make_instructor(running_site, "tess@example.org")
    yield page
    context.close()


@pytest.fixture
def learner(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, locale="zh-CN", color_scheme="dark", reduced_motion="reduce"
    )
    page = context.new_page()
    sign_up(page, running_site.address, "lea@example.org", "Lea")
    yield page
    context.close()


def test_a_class_is_made_joined_solved_watched_and_exported(
    instructor: Page, learner: Page, running_site: RunningSite
) -> None:
    home = running_site.address
    instructor.goto(f"{home}classes/")
    look(instructor)
    instructor.locator("#make_name").fill("Streams")
    instructor.locator("form[action$=make] button").click()
    expect(instructor.locator("h1")).to_have_text("Streams")
    room, code = instructor.url, instructor.locator(".class-code").inner_text()
    _find_a_scenario(instructor, room)
    settings = {"material": "SC-02", "guarantee": "duplicated", "due": "2099-01-31T12:00"}
    hold = give(instructor, room, "hold", "No duplicates, please", **settings)
    expect(instructor.locator("main time")).to_have_text("2099-01-31 12:00 UTC+8")
    _change(instructor, hold)
    explain = give(instructor, room, "explain", "Why does it hold?", text="In three sentences.")
    instructor.goto(f"{room}results/")
    expect(instructor.locator("[data-when=live]")).to_be_visible(timeout=SEEN_WITHIN)

    learner.goto(f"{home}classes/join/{code}/")
    look(learner)
    learner.locator("main button.primary").click()
    expect(learner.locator("h1")).to_have_text("Streams")
    look(learner)
    row = instructor.locator("tbody tr", has_text="Lea")
    expect(row).to_contain_text("not started", timeout=SEEN_WITHIN)

    _hold(learner, hold)
    expect(row).to_contain_text("done", timeout=SEEN_WITHIN)
    _explain(learner, explain)
    expect(row).to_contain_text("waiting for review", timeout=SEEN_WITHIN)
    look(instructor)

    row.get_by_text("waiting for review").click()
    expect(instructor.locator("blockquote")).to_contain_text("five batches")
    look(instructor)
    instructor.locator("textarea").fill("Quite so.")
    instructor.locator("button[value=yes]").click()
    expect(instructor).to_have_url(f"{room}results/")
    learner.goto(explain)
    expect(learner.locator("main")).to_contain_text("Quite so.")

    file = instructor.request.get(f"{room}results.csv").text().removeprefix("\ufeff")
    outcomes = {line["assignment"]: line["outcome"] for line in csv.DictReader(io.StringIO(file))}
    assert outcomes == {"No duplicates, please": "passed", "Why does it hold?": "passed"}
    counted = _count(running_site, room)
    for address in (room, f"{home}account/delete", f"{room}analytics/", f"{room}analytics/{counted}"):
        instructor.goto(address)
        look(instructor)


def _find_a_scenario(page: Page, room: str) -> None:
    """After words are typed above the long list, only the scenarios that contain all of them remain."""
    page.goto(f"{room}assign/watch/")
    page.locator(".option-finder input").fill("sc-03 ack")
    options = page.locator("#id_material option")
    expect(options.filter(has_text="SC-03")).not_to_have_count(0)
    assert all("SC-03" in text for text in options.all_text_contents())
    expect(page.locator("#id_material")).to_have_value("SC-03")
    page.locator(".option-finder input").fill("")
    assert options.count() > 200


def _change(page: Page, address: str) -> None:
    page.goto(f"{address}change")
    look(page)
    expect(page.locator("#id_due")).to_have_value("2099-01-31T12:00")
    page.locator("#id_attempts_max").fill("2")
    page.locator("main button.primary").click()
    expect(page).to_have_url(address)


def _hold(learner: Page, address: str) -> None:
    """Switch idempotence on, look at the run, come back and hand the attempt in."""
    learner.goto(address)
    look(learner)
    learner.locator("select[name$=enable_idempotence]").select_option("true")
    learner.locator("main form[action$=begin] button").click()
    # When the learner leaves the page, it sends how far they looked.
    expect(learner.locator("eos-player a.home")).to_be_visible(timeout=SEEN_WITHIN)
    learner.wait_for_function("() => document.querySelector('eos-player').store?.frame !== undefined")
    with learner.expect_response(lambda answer: answer.url.endswith("/trail"), timeout=SEEN_WITHIN) as sent:
        learner.evaluate("dispatchEvent(new Event('pagehide'))")
    assert sent.value.status == 204
    # A link of the player leads back to the assignment of the attempt.
    learner.locator("eos-player a.home").click(timeout=SEEN_WITHIN)
    expect(learner).to_have_url(address)
    look(learner)
    learner.locator("main form[action$=hand-in] button").click()
    expect(learner.locator("main ol")).to_contain_text("一直成立到最后")


def _explain(learner: Page, address: str) -> None:
    learner.goto(address)
    learner.locator("main form[action$=begin] button").click()
    look(learner)
    learner.locator("textarea").fill("Because the broker remembers five batches.")
    learner.locator("main form[action$=hand-in] button").click()
    expect(learner.locator("blockquote")).to_contain_text("five batches")
    look(learner)
