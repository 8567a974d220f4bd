"""Intervening on a message at the message itself, with mouse, finger and keys, in a real browser with a server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.e2e.begun import begin
from tests.e2e.looking import assert_accessible, assert_nothing_scrolls_sideways, at_rest
from tests.e2e.test_every_page import NO_QUESTIONS
from tests.e2e.test_looking import at
from tests.running_site import RunningSite

REQUEST = "7"
"""In SC-03: the id of the first Produce request of t-1, in transit from step 24 to 31."""
ANSWER = "13"
"""The id of the response to it, in transit from step 42 to 49."""


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce", has_touch=True)
    context.add_init_script(NO_QUESTIONS)
    yield context
    context.close()


@pytest.fixture
def hall(context: BrowserContext) -> Iterator[Page]:
    """A large screen with an empty page."""
    page = context.new_page()
    page.set_viewport_size({"width": 1920, "height": 1080})
    yield page
    page.close()


@pytest.fixture
def page(hall: Page, running_site: RunningSite) -> Page:
    opened(hall, running_site, "SC-03", 60, 28)
    hall.locator("eos-player").evaluate("player => { player.middle = 'stage' }")
    return hall


def opened(page: Page, site: RunningSite, scenario: str, count: int, step: int) -> None:
    """Open a new session of the scenario with ``count`` steps, at ``step``."""
    page.goto(f"{begin(page.context, site.address, scenario, count)}?step={step}&zoom=stage")
    at(page, step)


def message(page: Page, number: str = REQUEST) -> Locator:
    return page.locator(f"eos-stage [data-key='m:{number}']")


def is_lost(page: Page, number: str = REQUEST, step: int = 29, time: int = 44) -> None:
    """The page shows that the message is lost: torn and crossed at the place where it was, with the time."""
    at(page, step)
    expect(message(page, number).locator(".cross").first).to_be_visible()
    expect(page.locator("eos-stage [data-key=tag]")).to_have_text(f"Lost at t = {time} ms")


def test_a_message_that_has_arrived_leads_to_the_step_before(page: Page) -> None:
    """At the step before, the message is still in transit, and it stays selected."""
    for step in (29, 30, 31, 32):
        page.keyboard.press("ArrowDown")
        at(page, step)
    message(page).click()
    page.locator("eos-selection-bar button.selected").click()
    expect(page.locator("eos-selection-bar button.selected")).to_contain_text(
        "Produce request (t-1, seq 0–1), p1 to broker-2"
    )
    actions = page.locator(".action-list")
    expect(actions.get_by_text("no longer in transit")).to_have_count(1)
    actions.get_by_role("button", name="Go to step 31").click()
    at(page, 31)
    expect(page.get_by_role("toolbar", name="Intervene on this message")).to_be_visible()


def test_the_offer_to_drop_a_message_stands_there_after_every_load(page: Page) -> None:
    for _ in range(3):
        page.reload()
        expect(page.get_by_role("button", name="Drop a message")).to_be_visible()


def test_on_a_telephone_the_offer_stands_beside_what_decided(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(re.sub("step=[0-9]+", "step=25", page.url))
    at(page, 25)
    foot = page.locator("eos-stage .decides")
    expect(foot).to_contain_text("p1 cannot know")
    foot.get_by_role("button", name="Drop a message").click(trial=True)
    expect(page.get_by_role("button", name="Drop a message")).to_have_count(1)


def test_the_acts_on_a_refusal_leave_the_decision_and_the_request_free(
    hall: Page, running_site: RunningSite
) -> None:
    hall.set_viewport_size({"width": 1280, "height": 720})
    opened(hall, running_site, "SC-61", 134, 128)
    hall.keyboard.press("m")
    acts = hall.get_by_role("toolbar", name="Intervene on this message").bounding_box()
    assert acts is not None
    for key in ("compare", "m:37", "m:38"):
        box = hall.locator(f"eos-stage [data-key='{key}']").bounding_box()
        assert box is not None
        assert acts["y"] + acts["height"] <= box["y"] or box["y"] + box["height"] <= acts["y"], key


def test_a_message_that_is_pressed_offers_its_end_on_itself(page: Page) -> None:
    message(page).click()
    acts = page.get_by_role("toolbar", name="Intervene on this message")
    expect(acts.get_by_role("button")).to_have_text(
        [re.compile(word) for word in ("^Drop", "^Delay", "^Duplicate", "^More")]
    )
    assert_accessible(page)
    drop = acts.get_by_role("button", name=re.compile("^Drop"))
    expect(drop).to_have_attribute(
        "title", re.compile("^Drop only the Produce request from p1 to broker-2: ")
    )
    drop.click()
    is_lost(page)
    expect(acts).to_have_count(0)
    offer = page.locator("eos-undo-bar").get_by_text("Compare with the original")
    offer.click()
    expect(page.locator(".compare-place")).to_contain_text("Here the")


def test_beside_two_runs_what_is_selected_stays_in_its_bar(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    message(page).click()
    page.keyboard.press("d")
    is_lost(page)
    expect(page.locator(".branches-here")).to_be_visible()
    page.locator("eos-player").evaluate("player => player.store.select({ kind: 'message', id: '8' })")
    bar = page.locator("eos-selection-bar button.selected")
    expect(bar).to_contain_text("Selected")
    assert bar.evaluate(
        "bar => [...bar.children].every((one) => one.offsetLeft + one.offsetWidth <= bar.offsetLeft + bar.offsetWidth)"
    )


def test_on_a_large_screen_what_is_pressed_is_what_answers(page: Page) -> None:
    """On a large screen the page is enlarged (CSS `zoom`): the px of pointer events then differ from those of
    elements.
    """
    message(page).click()
    acts = page.get_by_role("toolbar", name="Intervene on this message")
    thing, bar = message(page).bounding_box(), acts.bounding_box()
    assert thing is not None and bar is not None
    assert 0 <= bar["y"] - thing["y"] - thing["height"] < thing["height"]
    assert abs(bar["x"] + bar["width"] / 2 - thing["x"] - thing["width"] / 2) < bar["width"]
    page.keyboard.press("Escape")
    slider = page.locator("eos-scrubber .slider")
    line = slider.bounding_box()
    assert line is not None
    x = line["x"] + line["width"] / 6
    page.mouse.click(x, line["y"] + line["height"] / 2)

    def beside() -> list[float]:
        """Return the distance in px between the press and the knob, or nothing if the knob has moved there."""
        knob = page.locator("eos-scrubber .knob").bounding_box()
        assert knob is not None
        beyond = abs(knob["x"] + knob["width"] / 2 - x)
        return [beyond] if beyond >= 40 else []

    assert at_rest(page, beside) == []


def test_no_row_of_the_list_moves_while_the_list_loads(page: Page) -> None:
    """The list's actions and questions come from two requests. If its rows moved between them, a press would hit
    another row than intended.
    """
    message(page).click()
    page.evaluate(
        """() => {
          window.shownRows = [];
          const rows = () => [...document.querySelectorAll(".action-list li")].map((row) => row.textContent);
          new MutationObserver(() => rows().length > 0 && window.shownRows.push(rows().length))
            .observe(document.querySelector("eos-selection-bar"), { childList: true, subtree: true });
        }"""
    )
    page.keyboard.press("a")
    expect(page.locator(".action-list .questions li").first).to_be_visible()
    page.wait_for_timeout(300)
    assert len(set(page.evaluate("() => window.shownRows"))) == 1
    assert page.locator(".action-list .can li").count() > 3


def test_the_keys_alone_reach_a_message_and_drop_it(page: Page) -> None:
    message(page).focus()
    page.keyboard.press("Enter")
    expect(message(page)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Drop a message").focus()
    # Other messages are in transit, too.
    for _ in range(5):
        page.keyboard.press("m")
        page.wait_for_timeout(100)
        if message(page).get_attribute("aria-pressed") == "true":
            break
    expect(message(page)).to_have_attribute("aria-pressed", "true")
    # The actions beside the message have the focus.
    expect(
        page.get_by_role("toolbar", name="Intervene on this message").get_by_role("button").first
    ).to_be_focused()
    page.keyboard.press("d")
    is_lost(page)


def test_where_nothing_is_on_its_way_m_goes_back_to_what_left_last(page: Page) -> None:
    page.locator("eos-player").evaluate("player => player.store.moveTo(10)")
    at(page, 10)
    page.get_by_role("button", name="Drop a message").click()
    at(page, 9)
    expect(page.get_by_role("status").get_by_text("Back at step 9")).to_be_visible()
    acts = page.get_by_role("toolbar", name="Intervene on this message")
    expect(acts.get_by_role("button").first).to_be_focused()


def test_a_broker_that_is_selected_offers_to_crash_beside_itself(page: Page) -> None:
    page.locator("eos-player").evaluate("player => player.store.select({ kind: 'actor', id: 'broker-2' })")
    acts = page.get_by_role("toolbar", name="Intervene on broker-2")
    expect(acts.get_by_role("button")).to_have_text(["Crash", "Pause", re.compile("^More")])
    acts.get_by_role("button", name="Crash").click()
    expect(page.locator("eos-undo-bar")).to_contain_text("broker-2 crashed")


def test_delay_asks_how_long_and_offers_what_outlasts_the_timeout(page: Page) -> None:
    page.locator("eos-player").evaluate(
        f"player => player.store.select({{ kind: 'message', id: '{REQUEST}' }})"
    )
    page.get_by_role("toolbar", name="Intervene on this message").get_by_role("button", name="Delay").click()
    asked = page.locator(".action-list")
    expect(asked.locator("input")).to_be_focused()
    asked.get_by_role("button", name="66 ms: past the request timeout").click()
    expect(asked).to_contain_text("from p1 to broker-2 by 66 ms")
    asked.get_by_role("button", name="Delay", exact=True).click()
    expect(page.locator("eos-undo-bar")).to_contain_text("66 ms")


def test_a_finger_duplicates_a_message_and_both_are_seen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    # A telephone shows the broker that the step is about: here, the leader of the request that leaves.
    page.locator("eos-player").evaluate("player => player.store.moveTo(24)")
    at(page, 24)
    controls = page.get_by_role("group", name="Step controls")
    before = controls.bounding_box()
    message(page).tap()
    duplicate = page.get_by_role("toolbar", name="Intervene on this message").get_by_role(
        "button", name="Duplicate"
    )
    expect(duplicate).to_be_visible()
    assert controls.bounding_box() == before
    duplicate.tap()
    at(page, 25)
    expect(page.locator("eos-undo-bar .found-bar")).to_be_visible()
    assert controls.bounding_box() == before
    expect(page.locator("eos-stage [data-key=tag]")).to_have_text("Duplicated: a copy is in transit")
    assert_nothing_scrolls_sideways(page)


def test_a_finger_drops_a_message_of_a_folded_broker_and_unfolds_another(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    # Step 44 is about t-0, and the response in transit is about t-1: two brokers with separate boxes.
    page.locator("eos-player").evaluate("player => player.store.moveTo(44)")
    at(page, 44)
    unfolded = page.locator("eos-stage [data-key='off:t-0']")
    expect(unfolded).to_be_attached()
    message(page, ANSWER).tap()
    assert_accessible(page)
    page.get_by_role("toolbar", name="Intervene on this message").get_by_role(
        "button", name=re.compile("^Drop")
    ).tap()
    is_lost(page, ANSWER, 45, 56)
    # A press on the box of broker-1 unfolds it until the next step.
    expect(unfolded).not_to_be_attached()
    page.locator("eos-stage [data-key='broker:broker-1']").tap()
    expect(unfolded).to_be_attached()
    page.get_by_role("button", name="Step", exact=True).tap()
    at(page, 46)
    page.get_by_role("button", name="Step back").tap()
    at(page, 45)
    expect(unfolded).not_to_be_attached()
    assert_nothing_scrolls_sideways(page)


def test_the_message_that_a_question_asks_about_is_lit_while_it_is_asked(
    hall: Page, running_site: RunningSite
) -> None:
    """Three messages are in transit; only the one that the question asks about is lit."""
    page = hall
    opened(page, running_site, "SC-02", 90, 85)
    lit = page.locator("eos-stage [data-key^='m:']:has(.env.hot)")
    expect(lit).to_have_count(0)
    switch = page.locator(".predict-bar [aria-pressed]")
    switch.click()
    expect(page.locator("#predict-question")).to_contain_text("r1")
    expect(lit).to_contain_text("r1")
    headline = page.locator("eos-sentence .lead")
    expect(headline).to_contain_text(re.compile("^p1 .*Produce"))
    page.locator(".predict-card .close").click()
    expect(headline).to_contain_text("Every in-sync replica has all records")
    expect(lit).to_have_count(0)
    # The choice is kept for this session only: another session shows what its address says.
    switch.click()
    opened(page, running_site, "SC-02", 90, 85)
    expect(switch).to_have_attribute("aria-pressed", "false")


def test_the_time_line_makes_the_steps_up_to_where_it_is_pressed(
    hall: Page, running_site: RunningSite
) -> None:
    page = hall
    opened(page, running_site, "SC-03", 40, 40)
    slider = page.locator("eos-scrubber .slider")
    expect(slider).to_have_attribute("aria-valuemax", "140")
    line = slider.bounding_box()
    assert line is not None
    page.mouse.click(line["x"] + line["width"] * 0.7, line["y"] + line["height"] / 2)
    expect(slider).to_have_attribute("aria-valuenow", re.compile(r"^(8|9|1\d)\d$"))
    expect(page.locator(".knob-wanted")).to_have_count(0)


def test_the_end_key_makes_the_run_to_its_end(page: Page) -> None:
    page.keyboard.press("End")
    at(page, 140)
    expect(page.locator(".transport .where")).to_contain_text("the run ends")


def test_the_list_of_beats_is_walked_with_arrows(page: Page) -> None:
    page.locator("eos-player").evaluate("player => player.store.moveTo(10)")
    at(page, 10)
    page.keyboard.press("o")
    here = page.locator(".beat-list [aria-current] > button")
    expect(here).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(here).not_to_be_focused()
    expect(page.locator(".beat-list button:focus")).to_have_count(1)
    at(page, 10)  # The arrow key moves in the list, not in the run.
    assert_accessible(page)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    at(page, 9)
    page.keyboard.press("Escape")
    expect(page.locator(".beat-list")).to_have_count(0)


def test_the_beat_that_holds_the_step_is_lit_and_no_other(page: Page) -> None:
    beats = page.evaluate("document.querySelector('eos-player').store.frame.plan.beats")
    tiles = page.locator(".beats > li")
    for place, beat in enumerate(beats[:3]):
        for step in (beat["first"], beat["lands"], beat["last"]):
            page.locator("eos-player").evaluate("(player, step) => player.store.moveTo(step)", step)
            at(page, step)
            classes = tiles.evaluate_all("tiles => tiles.map((tile) => tile.className)")
            assert [classes.index("now"), classes.count("now")] == [place, 1], step
    # No other beat has the ring of the focus.
    tiles.nth(1).locator(".beat").click()
    at(page, beats[1]["lands"])
    page.keyboard.press("ArrowRight")
    at(page, beats[2]["lands"])
    expect(page.locator(".beats > .now > .beat")).to_be_focused()


def test_the_controls_are_reached_before_the_picture(page: Page) -> None:
    order = page.evaluate("""() => [...document.querySelectorAll("button, summary, [tabindex='0']")]
      .filter((one) => one.checkVisibility())
      .map((one) => one.closest(".top, .say, .foot, .time, .mid")?.className ?? "")""")
    places = ["foot" if one.startswith("foot") else one for one in order]
    assert places.index("foot") < places.index("time") < places.index("mid"), places


@pytest.mark.parametrize("width", [1280, 1920])
def test_what_is_selected_on_a_branch_keeps_its_name(page: Page, width: int) -> None:
    page.locator("eos-player").evaluate("player => player.store.select({ kind: 'message', id: '7' })")
    page.keyboard.press("d")
    at(page, 29)
    page.keyboard.press("End")
    expect(page.locator(".transport .where")).to_contain_text("the run ends")
    page.set_viewport_size({"width": width, "height": width * 9 // 16})
    page.locator("eos-player").evaluate("player => player.store.select({ kind: 'record', id: '1' })")
    name = page.locator(".selected .what")
    expect(name).to_have_text("Selected: record 1")
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth"), "the name is cut"
    expect(page.locator(".predict-slot")).to_be_hidden()
    where, bar = page.locator(".where").bounding_box(), page.locator(".selected").bounding_box()
    assert where is not None and bar is not None and where["x"] + where["width"] <= bar["x"]


def test_a_component_that_is_selected_has_its_acts_beside_it_and_no_list_over_it(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    for actor in ("p1", "c1"):
        page.locator("eos-player").evaluate(
            "(player, id) => player.store.select({ kind: 'actor', id })", actor
        )
        acts = page.get_by_role("toolbar", name=f"Intervene on {actor}")
        expect(acts.get_by_role("button")).to_have_text(["Crash", "Pause", re.compile("^More")])
        page.wait_for_function(_CLEAR, arg=[actor, ".message-acts"])
    page.locator("eos-selection-bar .selected").click()
    expect(page.locator(".action-list .can")).to_be_visible()
    page.wait_for_function(_CLEAR, arg=["c1", ".action-list"])


_CLEAR = """([actor, selector]) => {
  const stage = document.querySelector("eos-stage");
  const { left, top } = stage.getBoundingClientRect();
  const { x, y, width, height } = stage.boxOfActor(actor);
  const box = document.querySelector(selector).getBoundingClientRect();
  const wide = Math.min(box.right, left + x + width) - Math.max(box.left, left + x);
  const high = Math.min(box.bottom, top + y + height) - Math.max(box.top, top + y);
  return Math.min(wide, high) <= 0;
}"""
