"""Every page of the site, in both themes and languages and at both sizes: it is accessible, no word is missing, and
nothing is cut.

`make test` checks some of the pages in one look; which pages and which look changes with the site's code. `make
test-all` checks each page in all eight looks. The pages need content, so the fixture creates it first: a session
stepped to the refused duplicate, a compared pair, a log case from a broker's files, a sweep.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, BrowserContext, Page, expect

from engine.predict.finding import questions
from engine.scenario.shelf import entry
from tests.e2e.begun import begin
from tests.e2e.looking import (
    BEYOND,
    LONG,
    ONE_OF_EACH_LOOK,
    assert_accessible,
    assert_nothing_scrolls_sideways,
    assert_one_screen,
    assert_words_complete,
    at_rest,
    cut_panels,
    forbidden,
    text_faults,
)
from tests.e2e.newcomer import Keyboard
from tests.e2e.stage import play
from tests.e2e.test_newcomer_walk import SIZES, move
from tests.rotation import part
from tests.running_site import RunningSite

KAFKA_LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs"
LOG_FILE = KAFKA_LOGS / "b_idem" / "idem-0" / "00000000000000000000.log"
SWEEP_ID = "5b0e4f0a-6f4a-4c59-9a0e-2f3cf5f1a001"
EVERY_LOOK = list(product(SIZES, ("light", "dark"), ("en", "zh-CN")))
LOOKS = part(EVERY_LOOK, 1, "engine", "eosviz")
FURTHER = [look for look in EVERY_LOOK if look not in LOOKS]
PAGES_IN_TURN = 10
"""How many pages the quick test checks."""
ROOM = {"twice as large": (640, 360), "four times as large": (320, 256), "projector": (1920, 1080)}
"""The size in px that a desktop's page has at 200 % and at 400 %, and the size of a lecture hall's screen."""
STEPS_LOOKED_AT = 12
STEPPED = ("SC-01", "SC-03", "SC-28", "SC-33")
"""Scenarios that are stepped through in both languages; the quick tests take one scenario in one language."""
OPENED = {
    "question": ((".predict-bar button",), ".predict-card"),
    "why": (("button.ask-why",), ".why-panel"),
    "inspect": (("[data-view=lanes]",), "eos-lanes"),
    "space-time": (("[data-view=spacetime]",), "eos-spacetime"),
    "keys and marks": (("details.menu summary", 'eos-tools button[title*="(?)"]'), "eos-help dialog[open]"),
}
"""Page → controls of the player that are pressed one after the other, and what they open."""
NO_QUESTIONS = "localStorage.setItem('eosviz-questions', 'off')"
"""A script that runs in a page before the page's own: it switches the questions off, so that the run does not stop at
them.
"""


@dataclass(frozen=True)
class Places:
    """The addresses of the pages with content, and the cookies of the person who may see them."""

    cookies: BrowserContext
    pages: dict[str, str]


@pytest.fixture(scope="module")
def places(browser: Browser, running_site: RunningSite) -> Iterator[Places]:
    context = browser.new_context(locale="en-GB")
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    home = running_site.address
    pages = {
        "front": home,
        "library": f"{home}library/",
        "library, chosen": f"{home}library/?breaks=hanging&length=long",
        "scenario": f"{home}sessions/new?scenario=SC-58",
        "search": f"{home}search/?q=stuck",
        "search, one kind": f"{home}search/?q=marker&kind=requirement",
    }
    run = play("SC-03")
    refused = next(step["number"] for step in run.steps if "SEQ-11" in step["rules"])
    page.goto(f"{begin(context, home, 'SC-03', len(run.steps))}?step={refused}")
    expect(page.locator("eos-scrubber [role=slider]")).to_have_attribute("aria-valuenow", str(refused))
    pages["player"] = page.url
    asked = questions(entry("SC-03").scenario(), [])[0].at
    pages |= {
        "question": re.sub(r"step=\d+", f"step={asked}", page.url),
        "why": page.url,
        "keys and marks": page.url,
        "inspect": page.url,
        "space-time": page.url,
    }
    page.keyboard.press("s")
    page.locator("eos-share .start-presenting").click()
    expect(page.locator("#share-follow")).to_have_value(re.compile("/follow/"))
    pages["follower"] = page.locator("#share-follow").input_value()
    # The site sends the link a moment after the dialog has opened.
    expect(page.locator("#share-link")).to_have_value(re.compile("/open/"))
    link = page.locator("#share-link").input_value()
    pages["frame"] = link.replace("/open/", "/embed/")
    pages["link that leads nowhere"] = link.replace("step=", "step=x")
    page.keyboard.press("Escape")
    page.goto(f"{home}compare/")
    pages["compare, asked"] = page.url
    page.locator("form[method=post].stacked button").click()
    expect(page.locator(".compare-side .where").first).to_be_visible()
    pages["compare"] = page.url
    pages |= _open_logs(page, f"{home}replays/log")
    _store_sweep(running_site)
    for name in (
        "tracks/",
        "tracks/exactly-once/",
        "generations/",
        "generations/?scenario=SC-89/heartbeats-lost",
        "replays/import",
        "account/used",
        "accounts/login/",
        "accounts/signup/",
        "classes/",
        "workshop/",
        "replays/log",
        "pipeline/",
        "pipeline/new?scenario=SC-02",
        f"pipeline/sweeps/{SWEEP_ID}/",
        f"pipeline/sweeps/{SWEEP_ID}/cells/0/",
        "reference/",
    ):
        pages[name] = home + name
    for name in (
        "machines/",
        "code/",
        "errors/",
        "signatures/",
        "versions/",
        "requirements/",
        "requirements/SEQ-11",
        "contradictions/",
        "middleware/",
        "terms/",
        "limits/",
        "player/",
    ):
        pages[f"reference/{name}"] = f"{home}reference/{name}"
    pages["not found"] = f"{home}nowhere"
    yield Places(context, pages)
    context.close()


def _open_logs(page: Page, address: str) -> dict[str, str]:
    """Open one file, whose case is also played, and then a folder with a hanging transaction together with the
    coordinator's log.
    """
    pages = {}
    page.goto(address)
    page.locator("input[type=file]").last.set_input_files(LOG_FILE)
    page.locator("form.upload button").click()
    expect(page.locator(".case-partition").first).to_be_visible()
    pages["log case, verdicts"] = page.url
    page.locator("a.play-case").click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    pages["log case"] = page.url
    page.goto(address)
    page.locator("#folder").set_input_files(KAFKA_LOGS / "h2_open" / "hangopen-0")
    page.locator("#coordinator").set_input_files(KAFKA_LOGS / "_internal")
    page.locator("form.upload button").click()
    # What an engineer whose consumers are stuck does with three clicks: two folders are chosen, and the form is sent.
    verdict = page.locator(".verdict-card")
    expect(verdict).to_have_count(1)
    expect(verdict.locator("h3")).to_contain_text("hangopen-0: slow but alive")
    expect(verdict).to_contain_text("tx-open-public")
    pages["log case, held up"] = page.url
    return pages


def _store_sweep(site: RunningSite) -> None:
    """Store a sweep as the command would, without waiting for Spark."""
    row = {
        "cell": 0,
        "settings": json.dumps({"retries": 0, "idempotence": True}),
        "runs": 4,
        "refused": 0,
        "unfinished": 0,
        "rule": None,
        "first_seed": 0,
        "runs_duplicated": 3,
        "example_duplicated": {"seed": 1, "step": 112},
        "distributions": {"steps": [[149, 3], [160, 1]], "reported_ms": [[20, 4]]},
    }
    row |= dict.fromkeys(("stored", "duplicates", "lost", "failed", "reordered"), 1)
    fields = {
        "title": {"en": "Retries", "zh-Hans": "重试"}, "scenario": "SC-02", "variant": "", "document": "seeds = 4",
        "axes": [{"name": "retries", "path": "p1.retries", "values": [0]},
                 {"name": "idempotence", "path": "p1.enable_idempotence", "values": [True]}],
        "seeds": 4, "runs": 4, "done": 4, "table_runs": 4, "engine": "1", "folder": "sweeps/one", "table": [row],
        "created": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    stored = json.dumps([{"model": "pipeline.sweep", "pk": SWEEP_ID, "fields": fields}])
    site.manage("loaddata", "--format=json", "-", typed=stored)


@pytest.fixture(
    params=[*LOOKS, *(pytest.param(look, marks=pytest.mark.slow) for look in FURTHER)],
    ids=["-".join(look) for look in (*LOOKS, *FURTHER)],
)
def look(request: pytest.FixtureRequest, browser: Browser, places: Places) -> Iterator[Page]:
    with page_of(browser, request.param, places) as page:
        yield page


@contextmanager
def page_of(browser: Browser, look: tuple[str, str, str], places: Places) -> Iterator[Page]:
    """Yield a page in this size, theme and language, for the person who owns the content."""
    size, theme, locale = look
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        locale=locale,
        reduced_motion="reduce",
    )
    context.add_init_script(NO_QUESTIONS)
    # The cookie identifies the person, but not the chosen language: the browser's language decides.
    for cookie in places.cookies.cookies():
        if cookie["name"] == "sessionid":
            context.add_cookies([{
                "name": cookie["name"], "value": cookie["value"], "domain": cookie["domain"], "path": cookie["path"],
                "expires": cookie["expires"], "httpOnly": cookie["httpOnly"], "secure": cookie["secure"],
                "sameSite": cookie["sameSite"],
            }])  # fmt: skip
    yield context.new_page()
    context.close()


def test_every_page_is_accessible_complete_and_uncut(look: Page, places: Places, takes_a_part: bool) -> None:
    shown = list(places.pages)
    if takes_a_part:
        shown = part(shown, PAGES_IN_TURN, "engine", "eosviz")
    faults: list[str] = []
    errors: list[str] = []
    look.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    look.on("pageerror", lambda error: errors.append(str(error)))
    language = "zh-Hans" if look.evaluate("navigator.language") == "zh-CN" else "en"
    for name in shown:
        address = places.pages[name]
        errors.clear()
        look.goto(address)
        if look.locator("eos-player, eos-compare").count() > 0:
            expect(look.locator("eos-sentence .s:visible").first).to_be_visible()
            look.wait_for_function("() => document.fonts.ready.then(() => true)")
        if name in OPENED:
            pressed, opened = OPENED[name]
            for control in pressed:
                look.locator(control).first.click()
            expect(look.locator(opened)).to_be_visible()
        assert look.locator("html").get_attribute("lang") == language
        if name in ("not found", "link that leads nowhere"):
            errors = [error for error in errors if "404" not in error and "400" not in error]
        if errors:
            faults.append(f"{name}: console says {errors}")
        for check in (assert_accessible, assert_words_complete, assert_nothing_scrolls_sideways):
            try:
                check(look)
            except AssertionError as fault:
                faults.append(f"{name}: {check.__name__}: {fault}")
        faults += [f"{name}: {fault}" for fault in text_faults(look)]
        faults += [f"{name} at {size}: {beyond} px too wide" for size, beyond in _beyond(look)]
    assert faults == []


def _beyond(page: Page) -> Iterator[tuple[str, int]]:
    """Yield the name of each further size in which the page is too wide, and by how many px."""
    usual = page.viewport_size
    for size, (width, height) in ROOM.items():
        page.set_viewport_size({"width": width, "height": height})
        for beyond in at_rest(page, lambda: [found] if (found := page.evaluate(BEYOND)) > 0 else []):
            yield size, beyond
    if usual is not None:
        page.set_viewport_size(usual)


def test_the_page_for_our_own_failures_is_accessible(look: Page, running_site: RunningSite) -> None:
    look.goto(running_site.address)
    look.set_content(render_to_string("failure.html", {"what": "page.failed", "why": "page.failed.why"}))
    assert_accessible(look)
    assert_words_complete(look)


FAINT = {
    "a text": '<p style="color: #aaa">faint</p>',
    "what it stands in": '<section style="background: #222"><p>faint</p></section>',
    "what is seen through": '<div style="opacity: 0.3"><p>faint</p></div>',
    "a field": '<input aria-label="faint" value="faint" style="color: #ccc; background: #fff">',
    "nothing": "",
}


@pytest.mark.parametrize("kind", FAINT)
def test_one_faint_text_is_found_among_thousands_that_are_not(browser: Browser, kind: str) -> None:
    page = browser.new_page()
    rows = "<p>text</p>" * LONG
    page.set_content(
        f'<!doctype html><html lang="en"><title>t</title><body style="background: #fff; color: #000"><main>'
        f"{rows}{FAINT[kind]}{rows}</main>"
    )
    if kind == "nothing":
        assert_accessible(page)
    else:
        with pytest.raises(AssertionError, match="color-contrast"):
            assert_accessible(page, within=0)
    assert page.locator(f"[{ONE_OF_EACH_LOOK}]").count() == 0
    page.close()


def test_one_link_that_looks_like_its_text_is_found_among_thousands_that_do_not(browser: Browser) -> None:
    page = browser.new_page()
    rows = '<p>Read <a href="#a">this</a> next</p>' * LONG
    plain = '<p>Read <a href="#a" style="color: #333; text-decoration: none">this</a> next</p>'
    for shown, found in ((rows, []), (rows + plain + rows, ["link-in-text-block"])):
        page.set_content(
            f'<!doctype html><html lang="en"><title>t</title><style>a {{ color: #00e }}</style><main>{shown}</main>'
        )
        assert [rule for rule, _ in forbidden(page)] == found
    page.close()


def stepped_in_turn() -> list[Any]:
    every = list(product(STEPPED, ("en-GB", "zh-CN")))
    drawn = part(every, 1, "engine", "eosviz")
    return [pytest.param(*one, marks=[] if one in drawn else [pytest.mark.slow]) for one in every]


@pytest.mark.parametrize(
    ("scenario", "locale"),
    stepped_in_turn(),
)
def test_no_step_hides_a_panel_or_puts_a_text_on_another(
    browser: Browser, running_site: RunningSite, scenario: str, locale: str
) -> None:
    """On a desktop, at interesting steps: stage, space-time and lanes are shown, and all panels fit on the screen
    without scrolling.
    """
    width, height = SIZES["desk"]
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale=locale, reduced_motion="reduce"
    )
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    hand = Keyboard(page)
    page.goto(begin(context, running_site.address, scenario, 0))
    expect(page.locator("eos-sentence .s")).to_be_visible()
    faults: list[str] = []
    for _ in range(STEPS_LOOKED_AT):
        for key in ("0", "i", "6"):  # the stage, the lanes, space-time
            page.keyboard.press(key)
            page.evaluate(
                "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            step = page.locator("eos-scrubber [role=slider]").get_attribute("aria-valuenow")
            faults += [f"step {step}: {fault}" for fault in text_faults(page) + cut_panels(page)]
        if page.locator("eos-transport .next").is_disabled() or not move(hand, "next_interesting"):
            break
    assert_one_screen(page)
    context.close()
    assert faults == []
