"""How often does a retry duplicate? A sweep is built, watched, cancelled and resumed; a broken square of its table is
stepped through, its faults are shrunk to those needed, and the result becomes a scenario. `test_every_page.py` checks
every page; this test checks those that it does not reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.signing_up import sign_up
from tests.e2e.test_class import look
from tests.e2e.test_travelling import NO_QUESTIONS
from tests.running_site import RunningSite

RUNS = 40_000
"""So many runs that the sweep does not end before the test has clicked; few of them are made."""
PATIENCE_MS = 600_000
"""A busy machine takes minutes to start Spark."""


@pytest.fixture
def page(browser: Browser, running_site: RunningSite) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, locale="en-GB", reduced_motion="reduce"
    )
    context.add_init_script(NO_QUESTIONS)
    page = context.new_page()
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    sign_up(page, running_site.address, "sven@example.org", "Sven")
    yield page
    expect.set_options(timeout=5_000)
    context.close()


def field(page: Page, name: str) -> Locator:
    return page.locator(f"[id='at-{name}']")


def state(page: Page) -> Locator:
    return page.locator(".sweep-state")


def made(page: Page) -> int:
    """Return the number of finished runs that the progress bar shows."""
    return int(page.locator(".sweep-state progress").get_attribute("value") or 0)


# The test takes 111 s of the browser's part while the other parts use the cores too, so only `make test-all` runs it.
@pytest.mark.slow
def test_a_sweep_is_built_watched_cancelled_resumed_stepped_shrunk_and_made_a_scenario(
    page: Page, running_site: RunningSite
) -> None:
    page.goto(f"{running_site.address}pipeline/")
    page.get_by_role("link", name="Build a sweep").click()
    page.locator("select[name=scenario]").select_option("SC-02")
    page.get_by_role("button", name="Choose").click()
    _fill(page)
    page.get_by_role("button", name="Start the sweep").click()

    # Squares appear although nothing is pressed.
    square = page.locator(".heat td a").first
    expect(square).to_be_visible(timeout=PATIENCE_MS)
    expect(state(page)).to_contain_text("Running")
    page.reload()
    expect(square).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(state(page)).to_contain_text("Cancelled", timeout=PATIENCE_MS)
    kept = made(page)
    assert 0 < kept < RUNS
    page.get_by_role("button", name="Resume").click()
    page.wait_for_function(
        "kept => document.querySelector('.sweep-state progress').value > kept", arg=kept, timeout=PATIENCE_MS
    )
    page.get_by_role("button", name="Cancel").click()
    expect(state(page)).to_contain_text("Cancelled", timeout=PATIENCE_MS)
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    expect(page.locator("[data-part=map]")).to_contain_text(f"only {made(page)} of {RUNS} runs")

    square.click()
    broken = page.locator(".sweep-broken li", has_text="Runs with duplicates")
    cell = page.url
    _open_broken(page, broken)
    page.goto(cell)
    broken.get_by_role("button", name="Shrink its faults").click()
    expect(page.locator(".shrunk")).to_contain_text("; 1 left", timeout=PATIENCE_MS)
    page.get_by_role("link", name="Next steps").click()
    _on_a_telephone_in_the_dark(page)
    _open_broken(page, page.locator("#take"))
    page.go_back()
    page.get_by_role("button", name="Create a scenario from it").click()
    expect(page.locator("textarea#text")).to_have_value(re.compile(r'\[\[faults\]\]\s+action = "drop"'))
    expect(page.locator("[data-trial=current]")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".builder-trial")).to_contain_text(re.compile("duplicat", re.I))


def _fill(page: Page) -> None:
    """Fill in two settings and a fault. A mistake on the way is shown at its field."""
    field(page, "producers.p1.settings.retries").fill("3")
    field(page, "producers.p1.settings.enable_idempotence").fill("false, perhaps")
    field(page, "faults.0.kinds").get_by_label("drop", exact=True).check()
    field(page, "faults.0.places").select_option("Produce answer")
    field(page, "faults.0.rates").fill("0.4")
    field(page, "seeds").fill(str(RUNS // 2))
    write = page.get_by_role("button", name="Write the document")
    write.click()
    wrong = field(page, "producers.p1.settings.enable_idempotence")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(page.locator("label", has=wrong)).to_contain_text("true | false")
    look(page)
    wrong.fill("false, true")
    write.click()
    expect(page.locator("#sweep-text")).to_have_value(re.compile(r"values = \[false, ?true\]"))


def _on_a_telephone_in_the_dark(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    look(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


def _open_broken(page: Page, place: Locator) -> None:
    """Open the run at the step that breaks a guarantee. With fewer faults, this may be a later step than with all
    faults.
    """
    button = place.get_by_role("button", name=re.compile("Open it at step"))
    step = int((re.search(r"\d+", button.inner_text()) or [""])[0])
    button.click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    assert f"step={step}" in page.url
