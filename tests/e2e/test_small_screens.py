"""The stage on a telephone, at 200 % and on a lecture hall's screen, at decisive steps: nothing is cut, nothing lies
on something else, and the decision and the place of the step are in view.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, expect

from engine.scenario.shelf import library
from tests.e2e.looking import assert_accessible, at_rest, faults
from tests.e2e.stage import Manner, Stage
from tests.rotation import part

ROOM = {
    "telephone": (390, 844),
    "twice as large": (640, 360),
    "projector": (1920, 1080),
}
DECISIVE = (
    ("SC-03", 80, "en"),
    ("SC-44", 58, "zh-Hans"),
    ("SC-61/k28", 128, "zh-Hans"),
    ("SC-75/wall", 81, "en"),
    ("SC-80", 15, "en"),
)
"""A duplicate; a decision; a fenced zombie; an open transaction that blocks others; the middleware's commit. The
quick tests check two of them, which change with the code.
"""
DECIDED = {"SC-03": "seq 0", "SC-61/k28": "epoch"}

_HOT_IN_VIEW = """() => {
  const stage = document.querySelector("eos-stage");
  const room = stage.getBoundingClientRect();
  const foot = stage.renderRoot.querySelector(".decides")?.getBoundingClientRect().top ?? room.bottom;
  const tag = stage.renderRoot.querySelector('[data-key="tag"]');
  if (tag === null) return [];
  const { top, bottom } = tag.getBoundingClientRect();
  return top >= room.top - 1 && bottom <= Math.min(room.bottom, foot) + 1 ? [] : [`the tag is at ${top}–${bottom}`];
}"""

_BESIDE_ITS_PLACE = """() => {
  const middle = document.querySelector(".mid");
  const below = middle.scrollHeight - middle.clientHeight;
  const above = middle.getBoundingClientRect().top - document.querySelector("eos-stage").getBoundingClientRect().top;
  return Math.abs(above) <= 1 && below <= 1 ? [] : [`${above} px of the stage are above its place, ${below} px follow`];
}"""

_CUT_BELOW = """() => {
  const stage = document.querySelector("eos-stage");
  const foot = stage.getBoundingClientRect().bottom;
  const isWide = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1;
  const isLow = (one) => one.getBoundingClientRect().bottom > foot + 1;
  const wide = [...document.querySelectorAll(".transport button")].filter(isWide);
  const cut = [...stage.renderRoot.querySelectorAll(".under, summary")].filter(isLow);
  return [...wide, ...cut].map((one) => one.textContent);
}"""

_TALL_TITLES = """(titles) => {
  const shown = document.querySelector("eos-masthead h1");
  const tried = shown.cloneNode();
  shown.after(tried);
  shown.hidden = true;
  const line = parseFloat(getComputedStyle(tried).lineHeight);
  const found = titles.filter((title) => {
    tried.textContent = title;
    return tried.getBoundingClientRect().height > 2 * line + 1;
  });
  tried.remove();
  shown.hidden = false;
  return found;
}"""


@pytest.mark.parametrize("room", ROOM)
@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(part(DECISIVE, 2, "engine", "eosviz"), id="in turn"),
        pytest.param(DECISIVE, id="all", marks=pytest.mark.slow),
    ],
)
def test_a_step_that_decides_is_whole_in_every_room(
    stage: Stage, room: str, steps: Sequence[tuple[str, int, str]]
) -> None:
    page = stage.page
    for name, step, language in steps:
        stage.open(name, Manner("telephone" if room == "telephone" else "desk", "light", language), step)
        stage.show("middle", "stage")
        width, height = ROOM[room]
        page.set_viewport_size({"width": width, "height": height})
        # After the resize, the picture is measured again and its step is scrolled into view.
        stage.go_to(step - 1)
        stage.go_to(step)
        found = faults(page)
        assert found == [], (name, found)
        assert at_rest(page, lambda: page.evaluate(_HOT_IN_VIEW)) == [], name
        if room != "projector" and name in DECIDED:
            expect(page.locator("eos-stage :is(.decides, [data-key=compare])")).to_contain_text(DECIDED[name])
        assert _picture_share(page) >= (0.5 if room == "telephone" else 0.3), name
    assert_accessible(page)
    assert stage.errors == []


@pytest.mark.parametrize("view", ["text", "code"])
def test_the_stage_is_seen_from_its_top_after_another_view(stage: Stage, view: str) -> None:
    page = stage.page
    stage.open("SC-75", Manner("telephone"), 54)
    stage.show("middle", view)
    page.locator(".mid").evaluate("(middle) => middle.scrollTo(0, middle.scrollHeight)")
    stage.show("middle", "stage")
    assert at_rest(page, lambda: page.evaluate(_BESIDE_ITS_PLACE)) == []


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740)])
def test_the_line_under_the_picture_is_whole_at_a_run_s_end(stage: Stage, width: int, height: int) -> None:
    """SC-143 has two clients, three brokers, a transaction coordinator and a group coordinator, and so the least room
    for the log and its readers.
    """
    page = stage.page
    stage.open("SC-143", Manner("telephone", "dark", "zh-Hans"))
    page.set_viewport_size({"width": width, "height": height})
    stage.go_to(page.evaluate("document.querySelector('eos-player').store.newest"))
    assert at_rest(page, lambda: page.evaluate(_CUT_BELOW)) == []
    # Above that line, the picture scrolls if the screen is low.
    scrolls = page.evaluate(
        "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('eos-stage'))"
    )
    assert (scrolls > 0) == (height < 800), scrolls
    page.locator("eos-stage").evaluate("(picture) => picture.scrollTo(0, picture.scrollHeight)")
    assert at_rest(page, lambda: page.evaluate(_CUT_BELOW)) == []
    assert stage.errors == []


@pytest.mark.parametrize(
    ("name", "step", "log"),
    [
        pytest.param("SC-03", 140, "t-0", id="the outcome's partition at the end"),
        pytest.param("SC-145", 81, "out-0", id="what a crashed producer wrote"),
        pytest.param("SC-145", 82, "in-0", id="what a crashed consumer reads"),
    ],
)
def test_the_unfolded_log_is_the_one_in_question(stage: Stage, name: str, step: int, log: str) -> None:
    stage.open(name, Manner("telephone"), step)
    expect(stage.page.locator(f"eos-stage [data-key='off:{log}']")).to_be_attached()
    # If there are two clients, the client that is drawn large has another key.
    expect(stage.page.locator("eos-stage [data-key^=client]").last).to_contain_text("p1")


def _picture_share(page: Page) -> float:
    """Return the share of the window's height that the picture takes."""
    share: float = page.evaluate("document.querySelector('eos-stage').clientHeight / innerHeight")
    return share


def test_where_names_have_no_room_beats_are_bars_with_the_name_of_one(stage: Stage) -> None:
    page = stage.page
    stage.open("SC-44", step=59)
    expect(page.locator(".beats > .now .name")).to_have_text("txn-1: commit is decided")
    page.set_viewport_size({"width": 800, "height": 700})
    expect(page.locator(".beats.bars")).to_be_visible()
    expect(page.locator(".beat-named > b")).to_have_text("5. txn-1: commit is decided")


def test_what_folds_on_a_telephone_opens(stage: Stage) -> None:
    """Settings in force, rules of the step, and guarantees each open with one press, complete."""
    page = stage.page
    stage.open("SC-03", Manner("telephone"), 80)
    page.locator(".about > summary").click()
    expect(page.locator(".about table")).to_be_visible()
    page.locator(".about > summary").click()
    page.get_by_text("5 rules").click()
    expect(page.locator(".by-rules .chip").filter(has_text="SEQ-11")).to_be_visible()
    page.get_by_text("5 rules").click()
    page.get_by_role("button", name="Guarantees").click()
    expect(page.locator(".guarantees-all li").first).to_be_visible()
    expect(page.locator(".guarantees-all")).to_contain_text("4 not judged")
    assert_accessible(page)
    assert stage.errors == []


def test_no_title_of_the_library_takes_three_lines_of_a_telephone(stage: Stage) -> None:
    """Beside the title are the way back, the search and the menu, which contains sharing and the language."""
    page = stage.page
    for language in ("en", "zh-Hans"):
        stage.open("SC-03", Manner("telephone", "light", language))
        titles = [entry.document["title"][language] for entry in library()]
        tall = page.evaluate(_TALL_TITLES, titles)
        assert tall == []
    page.locator("eos-tools details.menu > summary").click()
    expect(page.get_by_role("button", name="English")).to_be_visible()
    assert stage.errors == []


def test_a_press_on_the_picture_closes_an_open_list_and_does_nothing_else(stage: Stage) -> None:
    page = stage.page
    stage.open("SC-03", Manner("telephone"), 25)
    reader = page.locator("eos-stage [data-key='reader:t-0:c2'][aria-pressed]")
    box = reader.bounding_box()
    assert box is not None
    for opener, opened in (
        ("eos-tools details.menu > summary", "eos-tools details.menu[open]"),
        ("eos-references .by-rules > summary", "eos-references .by-rules[open]"),
    ):
        page.locator(opener).first.click()
        expect(page.locator(opened)).to_be_visible()
        page.mouse.click(box["x"] + 6, box["y"] + box["height"] / 2)
        expect(page.locator(opened)).to_have_count(0)
        expect(page.locator(".selected")).to_have_count(0)
    page.mouse.click(box["x"] + 6, box["y"] + box["height"] / 2)
    expect(page.locator(".selected")).to_be_visible()
    assert stage.errors == []


@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_beside_branches_and_questions_the_guarantees_stay_one_line(stage: Stage, language: str) -> None:
    page = stage.page
    stage.open("SC-02", Manner("telephone", "light", language), 112)
    # The width that branches and questions leave of the row.
    page.locator("eos-strip").evaluate("strip => { strip.style.width = '150px'; }")
    broken = page.locator(".guarantees-short > :first-child")
    expect(broken).to_contain_text("1 broken" if language == "en" else "被破坏 1")
    is_one_line = "one => one.scrollWidth <= one.clientWidth && one.clientHeight < 24"
    assert broken.evaluate(is_one_line)
    # The same where there are also a branch and a question.
    page.locator("eos-strip").evaluate("strip => { strip.style.width = '36px'; }")
    expect(broken).to_have_text(re.compile(r"^\s*✕\s1\s*$"))
    assert broken.evaluate(is_one_line)
    page.locator(".guarantees-short").click()
    expect(page.locator(".guarantees-all")).to_be_visible()
    assert stage.errors == []


def test_what_a_step_is_about_comes_back_when_another_broker_is_let_go(stage: Stage) -> None:
    """A press on the small box of a broker shows its log; when the selection ends, the picture of the step is shown
    again.
    """
    page = stage.page
    stage.open("SC-03", Manner("telephone"), 80)
    stage.show("middle", "stage")
    duplicate = page.locator("eos-stage [data-key=ghost]")
    expect(duplicate).to_have_count(1)
    page.locator('eos-stage [data-key="broker:broker-2"]').click()
    expect(duplicate).to_have_count(0)
    page.evaluate("document.querySelector('eos-player').store.select(null)")
    expect(duplicate).to_have_count(1)
    page.locator('eos-stage [data-key="broker:broker-1"]').click()
    expect(page.locator('eos-stage [data-key="broker:broker-1"]')).to_have_attribute("role", "button")
    expect(duplicate).to_have_count(1)
    assert stage.errors == []


def test_what_a_step_is_about_stays_in_sight_when_the_picture_gets_less_room(stage: Stage) -> None:
    page = stage.page
    stage.open("SC-44/k28", Manner(), 57)
    page.set_viewport_size({"width": 640, "height": 400})
    stage.go_to(58)
    page.set_viewport_size({"width": 640, "height": 345})
    page.wait_for_function("""() => {
      const stage = document.querySelector("eos-stage");
      const under = stage.renderRoot.querySelector(".under");
      const box = stage.boxOf("co:broker-2");
      return box.y >= 0 && box.y + box.height <= stage.clientHeight - under.offsetHeight;
    }""")
    assert stage.errors == []


def test_two_copies_have_their_offsets_and_readers_their_partition(stage: Stage) -> None:
    page = stage.page
    stage.open("SC-02", Manner("telephone"), 86)
    stage.show("middle", "stage")
    expect(page.locator("eos-stage [data-key='off:t-0'] .bad")).to_have_text(["43 duplicate"])
    reader = page.locator("eos-stage [data-key='reader:t-0:c1']")
    expect(reader).to_contain_text("read_committed")
    expect(reader).to_contain_text("t-0: 1 read")


def test_one_offset_stands_at_one_place_in_the_rows_of_all_readers(stage: Stage) -> None:
    stage.page.set_viewport_size({"width": 390, "height": 844})
    stage.open("SC-44", Manner("telephone", "light", "en"))
    stage.go_to(80)
    rows = stage.page.locator("eos-stage [data-key^='reader:t-0:']")
    expect(rows).to_have_count(2)
    places = [row.locator("rect.flag").first.bounding_box() for row in rows.all()]
    assert len({round(place["x"]) for place in places if place is not None}) == 1
