"""An instructor who has never seen TOML builds a scenario from nothing, publishes it and gives it to a class; every
page on the way is looked at, on the desk in English and once more on a telephone, in Chinese and in the dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.test_class import look, make_instructor, sign_up
from tests.running_site import RunningSite


@pytest.fixture(autouse=True)
def _patient() -> Iterator[None]:
    """A busy machine runs trials slowly; what is waited for comes."""
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
    sign_up(page, running_site.address, "wanda@example.org", "Wanda")
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


def test_a_scenario_is_built_from_nothing_published_and_given_to_a_class(
    page: Page, running_site: RunningSite
) -> None:
    home = running_site.address
    page.goto(f"{home}classes/")
    page.locator("#make_name").fill("Streams by form")
    page.locator("form[action$=make] button").click()
    page.goto(f"{home}workshop/")
    look(page)
    page.get_by_role("button", name="Start from nothing").click()

    page.locator("#at-id").fill("LOST-AND-DEAD")
    page.locator("#at-title-en").fill("The second acknowledgement is lost and then the leader dies")
    page.locator("#at-title-en").press("Tab")
    expect(text(page)).to_have_value(re.compile("and then the leader dies"))
    _clients_and_calls(page)
    _faults(page)

    expect(page.locator(".trial-ended")).to_contain_text("it runs to its end")
    expect(page.locator(".builder-trial")).to_contain_text("Every guarantee holds.")
    page.get_by_role("button", name="Expect what came out").click()
    expect(text(page)).to_have_value(re.compile(r"verdicts = \["))
    tried(page)
    expect(page.locator(".builder-trial")).to_contain_text("It came out as expected.")
    part(page, "Outcome")
    look(page)
    _mistake_in_the_text(page)

    saved(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("h1")).to_contain_text("the leader dies")
    expect(page.locator("main")).to_contain_text("Version 1")
    look(page)
    address = page.url
    page.get_by_label("A class", exact=True).check()
    page.get_by_role("button", name="Keep this").click()
    page.get_by_role("link", name=re.compile("^Watch")).click()
    page.locator("#id_title").fill("Lost and dead")
    look(page)
    page.locator("main button.primary").click()
    expect(page.locator("h1")).to_have_text("Lost and dead")
    expect(page.locator("main")).to_contain_text("LOST-AND-DEAD")
    _on_a_telephone(page, address)


def _clients_and_calls(page: Page) -> None:
    part(page, "Clients")
    page.locator("#at-producers-add").click()
    page.locator("details.form-part details.form-part summary").first.click()
    page.locator("#at-producers-0-settings-add").select_option("enable_idempotence")
    expect(page.locator("#at-producers-0-settings-enable_idempotence")).to_have_value("true")
    part(page, "Applications")
    page.locator("#at-applications-add").click()
    for number in range(3):
        page.locator("#at-applications-0-calls-add").click()
        expect(text(page)).to_have_value(re.compile(f"at = {10 * number + 10},"))
    look(page)
    tried(page)
    part(page, "Clients")
    # What idempotence forces is told where it is switched on (CFG-6), by the engine that ran it.
    expect(page.locator(".form-forced")).to_contain_text("acks = all")


def _faults(page: Page) -> None:
    """The one by pointing at a message of the trial run, the other by rule."""
    row = page.locator(".message-list tr", has_text="answer to Produce #2")
    row.get_by_role("combobox").select_option("drop")
    part(page, "Faults")
    expect(page.locator(".form-rows details.form-part")).to_have_count(1)
    page.locator("#at-faults-add").click()
    page.locator("#at-faults-1-action").select_option("crash")
    expect(page.locator("#at-faults-1-actor")).to_be_visible()
    expect(page.locator(".wrong-count").first).to_be_visible()  # nobody is named yet
    page.locator("#at-faults-1-actor").fill("broker-1")
    page.locator("#at-faults-1-actor").press("Tab")
    expect(page.locator(".wrong-count")).to_have_count(0)
    page.locator("details.form-part details.form-part summary").last.click()
    page.locator("#at-faults-1-match-nth").fill("2")
    page.locator("#at-faults-1-match-nth").press("Tab")
    expect(text(page)).to_have_value(re.compile('nth = 2 }\naction = "crash"'))
    tried(page)
    expect(page.locator(".form-unmet")).to_have_count(0)
    look(page)


def _mistake_in_the_text(page: Page) -> None:
    """The text is edited, too: a mistake shows at its field, a comment stays through the form's next edit."""
    before = text(page).input_value()
    text(page).fill("# Mine.\n" + before.replace('profile = "k28"', 'profile = "k99"'))
    expect(page.locator(".builder-trial li")).to_contain_text("profile")
    page.locator(".builder-trial li button").click()
    expect(page.locator("#at-profile")).to_be_focused()
    page.locator("#at-profile").select_option("k28")
    expect(text(page)).to_have_value(re.compile("^# Mine[.]\n"))
    expect(page.locator(".builder-trial li")).to_have_count(0)


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
