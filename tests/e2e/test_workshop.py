"""An instructor who has never seen TOML builds *the second acknowledgement is lost and then the leader dies* from
nothing, publishes it and gives it to a class. Two learners solve it: one predicts wrongly, one breaks the guarantee
within the budget. The instructor sees both live, downloads the results, publishes a replay, and saves a file that
plays without a network.

Every page on the way is checked, on the desktop in English and on telephones in Chinese and the dark theme; the pages
for signing up are checked in `test_class.py`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.sentence import sentence
from tests.e2e.test_class import look, make_instructor, sign_up
from tests.e2e.test_travelling import go_to, play_offline, shown_step, watch_published
from tests.e2e.test_travelling import saved as saved_file
from tests.running_site import RunningSite

SEEN_WITHIN = 60_000
"""Milliseconds; the server sends the table after a change, within two seconds, and the machine may be busy."""


@pytest.fixture(autouse=True)
def _patient() -> Iterator[None]:
    """Raises the timeout of expectations for this module, because a busy machine runs trials slowly."""
    expect.set_options(timeout=60_000)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture
def page(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, locale="en-GB", reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    sign_up(page, running_site.address, "wanda@example.org", "Wanda", is_looked_at=False)
    make_instructor(running_site, "wanda@example.org")
    yield page
    context.close()


def part(page: Page, name: str) -> None:
    page.locator(".builder-groups").get_by_role("button", name=re.compile(f"^{name}")).click()


def text(page: Page) -> Locator:
    return page.locator("textarea#text")


def saved(page: Page) -> None:
    expect(page.locator("[data-saved=saved]")).to_be_visible()


def tried(page: Page) -> None:
    expect(page.locator("[data-trial=current]")).to_be_visible()


@pytest.fixture
def learners(browser: Browser, running_site: RunningSite) -> Iterator[dict[str, Page]]:
    """Pia, who predicts, has a telephone, in Chinese and the dark theme; Ben, who breaks the guarantee, has a
    desktop.
    """
    phone = browser.new_context(
        viewport={"width": 390, "height": 844}, locale="zh-CN", color_scheme="dark", reduced_motion="reduce"
    )
    desk = browser.new_context(
        viewport={"width": 1280, "height": 720}, locale="en-GB", reduced_motion="reduce"
    )
    pages = {"Pia": phone.new_page(), "Ben": desk.new_page()}
    for name, page in pages.items():
        page.set_default_timeout(60_000)
        sign_up(page, running_site.address, f"{name.lower()}@example.org", name, is_looked_at=False)
    yield pages
    for context in (phone, desk):
        context.close()


def test_from_an_empty_page_to_a_class_that_solved_it_and_a_file_that_plays_alone(
    page: Page, learners: dict[str, Page], browser: Browser, running_site: RunningSite, tmp_path: Path
) -> None:
    home = running_site.address
    page.goto(f"{home}classes/")
    page.locator("#make_name").fill("Streams by form")
    page.locator("form[action$=make] button").click()
    expect(page.locator("h1")).to_have_text("Streams by form")
    room, code = page.url, page.locator(".class-code").inner_text()
    address = _build_and_publish(page, home)
    given = {kind: _give(page, address, kind) for kind in ("predict", "break")}

    page.goto(f"{room}results/")
    for learner in learners.values():
        learner.goto(f"{home}classes/join/{code}/")
        learner.locator("main button.primary").click()
        expect(learner.locator("h1")).to_have_text("Streams by form")
    rows = {name: page.locator("tbody tr", has_text=name) for name in learners}
    _predict_wrongly(learners["Pia"], given["predict"], rows["Pia"])
    _break(learners["Ben"], given["break"], rows["Ben"])
    look(page)
    _results_as_a_file(page, room)
    _replay(page, browser, address, tmp_path)
    _on_a_telephone(page, address)


def _build_and_publish(page: Page, home: str) -> str:
    """Build the scenario with the form, without typing in the text, and publish it. Returns the address of the
    published scenario.
    """
    page.goto(f"{home}workshop/")
    look(page)
    page.get_by_role("button", name="Start empty").click()

    page.locator("#at-id").fill("LOST-AND-DEAD")
    page.locator("#at-title-en").fill("The second acknowledgement is lost and then the leader dies")
    page.locator("#at-title-en").press("Tab")
    expect(text(page)).to_have_value(re.compile("and then the leader dies"))
    _clients_and_calls(page)
    _faults(page)
    _question(page)

    expect(page.locator(".trial-ended")).to_contain_text("the run is complete")
    expect(page.locator(".builder-trial")).to_contain_text("No guarantee is broken.")
    expect(page.locator(".trial-records")).to_contain_text("3 by p1")
    page.get_by_role("button", name="Expect this result").click()
    expect(text(page)).to_have_value(re.compile(r"verdicts = \["))
    tried(page)
    expect(page.locator(".builder-trial")).to_contain_text("The result is as expected.")
    part(page, "Expected result")
    look(page)
    _mistake_in_the_text(page)

    saved(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("h1")).to_contain_text("the leader dies")
    expect(page.locator("main")).to_contain_text("Version 1")
    look(page)
    address = page.url
    page.get_by_label("A class", exact=True).check()
    page.get_by_role("button", name="Save").click()
    return address


def _give(page: Page, address: str, kind: str) -> str:
    """Make an assignment of this kind from the page of the scenario. Returns the address of the assignment."""
    page.goto(address)
    page.locator(f"a[href*='/assign/{kind}/']").first.click()
    page.locator("#id_title").fill(f"Lost and dead, {kind}")
    if kind == "break":
        page.locator("#id_guarantee").select_option("duplicated")
        page.locator("#id_budget").fill("1")
    look(page)
    page.locator("main button.primary").click()
    expect(page.locator("h1")).to_have_text(f"Lost and dead, {kind}")
    expect(page.locator("main")).to_contain_text(
        "The second acknowledgement is lost and then the leader dies"
    )
    return page.url


_ASKED_OR_MOVED = """before => document.querySelector(".predict-card") !== null
  || document.querySelector("eos-scrubber [role=slider]").getAttribute("aria-valuenow") !== before"""


_LOOKED_AT = """() => {
  const { x, y, width, height } = document.querySelector("eos-stage").getBoundingClientRect();
  const shown = [0.1, 0.3, 0.5].map((part) => document.elementFromPoint(x + width / 2, y + height * part)?.tagName);
  return [...new Set(shown)];
}"""
"""Returns the names of the uppermost elements in the upper half of the picture."""


def _predict_wrongly(learner: Page, address: str, row: Locator) -> None:
    """The learner answers that the repeated batch is a duplicate and not stored, which is wrong in this run."""
    learner.goto(address)
    look(learner)
    learner.locator("main form[action$=begin] button").click()
    card = learner.locator(".predict-card")
    for _ in range(40):
        before = shown_step(learner)
        learner.locator("eos-transport .next").click()
        learner.wait_for_function(_ASKED_OR_MOVED, arg=before)
        if card.count():
            break
    expect(card).to_be_visible()
    look(learner)
    # The card of the question must not cover the upper half of the picture.
    assert learner.evaluate(_LOOKED_AT) == ["EOS-STAGE"]
    card.locator("input[value=duplicate]").check()
    card.locator("button.primary").click()
    expect(card.locator("[role=status]")).to_contain_text("不对。结果是")
    look(learner)
    expect(row.locator(".bad")).to_be_visible(timeout=SEEN_WITHIN)
    learner.goto(address)
    learner.locator("main form[action$=hand-in] button").click()
    expect(learner.locator("main ol")).to_contain_text("0")
    expect(row).to_contain_text("not done", timeout=SEEN_WITHIN)


def _break(learner: Page, address: str, row: Locator) -> None:
    """After the acknowledgement was lost, the brokers forget the producer, so the batch that is sent again is stored
    again.
    """
    learner.goto(address)
    look(learner)
    learner.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    learner.locator("main form[action$=begin] button").click()
    expect(learner.locator("eos-sentence .s")).to_be_visible()
    store = "document.querySelector('eos-player').store"
    for _ in range(30):
        learner.keyboard.press("Shift+ArrowRight")
        learner.wait_for_function(f"() => !{store}.busy && {store}.shown === {store}.target")
        if "is lost with it" in sentence(learner):
            break
    else:
        pytest.fail("no beat says that a response is lost")
    learner.evaluate(f"{store}.select({{ kind: 'partition', id: 't-0' }})")
    learner.locator("eos-selection-bar button.selected").click()
    look(learner)
    learner.locator(".action-list li", has_text="make the brokers drop the state of every producer").locator(
        "button"
    ).click()
    for _ in range(30):
        learner.wait_for_function(f"() => !{store}.busy && {store}.shown === {store}.target")
        if not learner.evaluate(f"{store}.canGrow") and learner.evaluate(f"{store}.shown === {store}.newest"):
            break
        learner.keyboard.press("Shift+ArrowRight")
    expect(row).to_contain_text("step", timeout=SEEN_WITHIN)
    learner.goto(address)
    look(learner)
    learner.locator("main form[action$=hand-in] button").click()
    expect(learner.locator("main ol")).to_contain_text("done")
    expect(row).to_contain_text("done", timeout=SEEN_WITHIN)


def _results_as_a_file(page: Page, room: str) -> None:
    file = page.request.get(f"{room}results.csv").text().removeprefix("\ufeff")
    results = {(line["learner"], line["kind"]): line for line in csv.DictReader(io.StringIO(file))}
    predicted, broken = results["Pia", "predict"], results["Ben", "break"]
    assert (predicted["outcome"], predicted["score"], predicted["score_max"]) == ("failed", "0", "1")
    assert predicted["wrong_at"]
    assert broken["outcome"] == "passed"
    assert results["Pia", "break"]["outcome"] == results["Ben", "predict"]["outcome"] == ""


def _replay(page: Page, browser: Browser, address: str, folder: Path) -> None:
    """The instructor publishes a run and saves it as a file that plays without a server."""
    page.bring_to_front()  # A page behind another one may not be painted, and the sentence is drawn only with a paint.
    page.goto(address)
    page.add_init_script("localStorage.setItem('eosviz-questions', 'off')")
    page.locator("form[action$='/start'] button").first.click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    store = "document.querySelector('eos-player').store"
    page.evaluate(f"{store}.grow(500)")
    page.wait_for_function(f"() => !{store}.canGrow && !{store}.busy")
    steps = page.evaluate(f"{store}.newest")
    go_to(page, 31)
    shown = sentence(page)
    page.keyboard.press("e")
    file = saved_file(page, "html", folder)
    page.locator("eos-export .start-publishing").click()
    published = page.locator("#published-address")
    expect(published).to_have_value(re.compile("/published/[0-9a-f]{64}/$"))
    watch_published(browser, "desk", published.input_value(), shown)
    play_offline(browser, "desk", file, shown, steps)


def _clients_and_calls(page: Page) -> None:
    part(page, "Clients")
    page.locator("#at-producers-add").click()
    page.locator("details.form-part details.form-part summary").first.click()
    page.locator("#at-producers-0-settings-add").select_option("enable_idempotence")
    page.locator("#at-producers-0-settings-add-do").click()
    expect(page.locator("#at-producers-0-settings-enable_idempotence")).to_have_value("true")
    part(page, "Applications")
    page.locator("#at-applications-add").click()
    for number in range(3):
        page.locator("#at-applications-0-calls-add").click()
        expect(text(page)).to_have_value(re.compile(f"at = {10 * number + 10},"))
    _another_word(page)
    _by_keyboard(page)
    look(page)
    tried(page)
    part(page, "Clients")
    # A value that idempotence forces is shown beside its switch (CFG-6), as the engine computed it in the trial.
    expect(page.locator(".form-forced")).to_contain_text("acks = all")


def _another_word(page: Page) -> None:
    """Fields that the chosen call does not have disappear from the text, and come back with the earlier call."""
    word = page.locator("#at-applications-0-calls-2-do")
    word.select_option("begin_transaction")
    expect(text(page)).to_have_value(re.compile(r'at = 30, do = "begin_transaction" }'))
    expect(page.locator(".wrong-count")).to_have_count(0)
    word.select_option("send")
    expect(text(page)).to_have_value(re.compile(r'at = 30, do = "send", partition = "t-0" }'))


def _by_keyboard(page: Page) -> None:
    """A call is moved up twice with the keyboard, whose focus moves along; then both moves are undone."""
    before = text(page).input_value()
    page.locator("#at-applications-0-calls-2-earlier").press("Enter")
    expect(page.locator("#at-applications-0-calls-1-earlier")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#at-applications-0-calls-0-later")).to_be_focused()
    expect(text(page)).to_have_value(re.compile("at = 30,.*at = 10,.*at = 20,", re.DOTALL))
    saved(page)
    for _ in range(2):
        page.keyboard.press("Control+z")
        saved(page)
    assert text(page).input_value() == before


def _faults(page: Page) -> None:
    """Make one fault from a message of the trial run, and the other with the form."""
    row = page.locator(".message-list tr", has_text="response to Produce #2")
    row.get_by_role("combobox").select_option("drop")
    row.get_by_role("button").click()
    part(page, "Faults")
    expect(page.locator(".form-rows details.form-part")).to_have_count(1)
    page.locator("#at-faults-add").click()
    page.locator("#at-faults-1-action").select_option("crash")
    expect(page.locator("#at-faults-1-actor")).to_be_visible()
    expect(page.locator(".wrong-count").first).to_be_visible()  # no name is entered yet
    page.locator("#at-faults-1-actor").select_option("broker-1")
    expect(page.locator(".wrong-count")).to_have_count(0)
    when = page.locator("#at-faults-1-when")
    when.select_option("time")
    expect(page.locator("#at-faults-1-at")).to_be_focused()
    expect(text(page)).not_to_have_value(re.compile("match.*match", re.DOTALL))
    expect(page.locator(".wrong-count")).to_have_count(0)
    when.select_option("message")
    expect(text(page)).to_have_value(re.compile("match.*match", re.DOTALL))
    saved(page)
    page.reload()  # Parts of the form that were open stay open.
    expect(page.locator("#at-faults-1-actor")).to_have_value("broker-1")
    page.locator("details.form-part details.form-part summary").last.click()
    page.locator("#at-faults-1-match-response").select_option("true")
    page.locator("#at-faults-1-match-nth").fill("2")
    page.locator("#at-faults-1-match-nth").press("Tab")
    expect(text(page)).to_have_value(re.compile("nth = 2 }"))
    tried(page)
    expect(page.locator(".form-unmet")).to_have_count(0)
    look(page)


def _question(page: Page) -> None:
    """Add the question what the partition does with the batch that is sent again. The trial shows the engine's
    answer.
    """
    part(page, "Lesson")
    page.locator("#at-checkpoints-add").click()
    page.locator("#at-checkpoints-0-ask").select_option("append")
    page.locator("#at-checkpoints-0-nth").fill("1")
    page.locator("#at-checkpoints-0-nth").press("Tab")
    expect(text(page)).to_have_value(re.compile('ask = "append"'))
    tried(page)
    expect(page.locator(".trial-questions li")).to_contain_text("Append it to the log")
    look(page)


def _mistake_in_the_text(page: Page) -> None:
    """The text can be edited, too: a mistake is shown at its field, and a comment survives the next edit with the
    form.
    """
    before = text(page).input_value()
    text(page).fill("# Mine.\n" + before.replace('profile = "k28"', 'profile = "k99"'))
    expect(page.locator(".mistake-list li")).to_contain_text("profile")
    page.locator(".mistake-list li button").click()
    expect(page.locator("#at-profile")).to_be_focused()
    page.locator("#at-profile").select_option("k28")
    expect(text(page)).to_have_value(re.compile("^# Mine[.]\n"))
    expect(page.locator(".mistake-list li")).to_have_count(0)
    _in_two_windows(page)


def _in_two_windows(page: Page) -> None:
    """The scenario is changed in two windows. The author decides which text to keep, and no change is lost without a
    message.
    """
    saved(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("#at-summary-en")).to_be_visible()  # the address names the part that was shown
    text(other).fill("# Theirs.\n" + text(other).input_value())
    saved(other)
    other.close()
    text(page).fill(text(page).input_value() + "# At its end.\n")
    expect(page.locator("[data-saved=conflict]")).to_be_visible()
    look(page)
    page.locator("button.keep-this").click()
    saved(page)
    page.reload()
    expect(text(page)).to_have_value(re.compile("^# Mine[.].*# At its end[.]\n$", re.DOTALL))
    tried(page)


def _on_a_telephone(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="简体中文").click()
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    for place in (address, f"{address}build/", re.sub("workshop/.*", "workshop/", address)):
        page.goto(place)
        if place.endswith("build/"):
            expect(page.locator(".builder-groups")).to_be_visible()
            tried(page)
        look(page)
