"""*Open a log* with a copy of a live broker's data: indexes are not sent, and an upload that is too large is refused
before it is sent.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from eosviz.bounded.register import Caller, Register
from eosviz.bounded.tasks import TASKS
from tests.e2e.looking import assert_accessible, faults
from tests.running_site import RunningSite

LOG = Path(__file__).parents[1] / "oracles" / "kafka-logs" / "h2_open" / "hangopen-0"
INDEX_BYTES = 10 * 1024 * 1024
SENT_BYTES_MAX = 100_000
COUNT_SENT = """
const send = window.fetch;
window.fetch = (address, options) => {
  const sizes = options.body.getAll("files").map((file) => file.size);
  sessionStorage.setItem("sent", sizes.reduce((sum, size) => sum + size, 0));
  return send(address, options);
};
"""


def live_copy(folder: Path) -> Path:
    """Make folders of partitions as a running broker keeps them: their last indexes are 10 MB long."""
    for number in range(9):
        partition = folder / f"hangopen-{number}"
        shutil.copytree(LOG, partition, ignore=shutil.ignore_patterns("*.txt", "*.json"))
        for ending in ("index", "timeindex"):
            with (partition / f"{0:020}.{ending}").open("ab") as file:
                file.truncate(INDEX_BYTES)
    return folder


def test_a_live_copy_is_sent_without_its_indexes(
    page: Page, running_site: RunningSite, tmp_path: Path
) -> None:
    page.add_init_script(COUNT_SENT)
    page.goto(f"{running_site.address}replays/log")
    page.locator("#folder").set_input_files(live_copy(tmp_path / "broker"))
    page.locator("form.upload button").click()
    expect(page.locator(".case-partition")).to_have_count(9)
    assert 0 < int(page.evaluate("sessionStorage.getItem('sent')")) < SENT_BYTES_MAX


def test_what_is_too_large_is_refused_with_its_command_and_not_sent(
    page: Page, running_site: RunningSite, tmp_path: Path
) -> None:
    folder = tmp_path / "data of orders"
    folder.mkdir()
    with (folder / f"{0:020}.log").open("wb") as file:
        file.truncate(65 * 2**20)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.goto(f"{running_site.address}replays/log")
    page.locator("#folder").set_input_files(folder)
    page.locator("form.upload button").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(
        "One of the files to upload is larger than 64 MiB, so nothing was uploaded."
    )
    expect(alert.locator("code")).to_have_text("python manage.py logs 'data of orders'")
    expect(alert).to_be_focused()
    assert "POST" not in sent


def test_a_refusal_by_the_worker_leads_back_to_what_was_written(
    page: Page, running_site: RunningSite
) -> None:
    page.goto(f"{running_site.address}replays/log")
    page.locator("#text").fill("good morning")
    page.locator("details.declared summary").click()
    page.locator("#transaction-partitions").fill("4")
    page.locator("#now").fill("2026-11-23T03:05:00Z")
    page.locator("[name=one_cluster]").check()
    page.locator("form.upload button").click()
    expect(page.get_by_role("alert")).to_contain_text("The file could not be opened")
    page.get_by_role("link", name="Back to the upload form").click()
    expect(page.locator("#text")).to_have_value("good morning")
    expect(page.locator("#transaction-partitions")).to_have_value("4")
    expect(page.locator("#now")).to_have_value("2026-11-23T03:05:00Z")
    expect(page.locator("[name=one_cluster]")).to_be_checked()
    expect(page.locator("[name=rest_empty]")).not_to_be_checked()
    page.goto(f"{running_site.address}replays/log")
    expect(page.locator("#text")).to_have_value("")


def test_the_report_for_a_ticket_is_copied_with_one_press(
    browser: Browser, running_site: RunningSite
) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"], locale="en-GB")
    page = context.new_page()
    page.goto(f"{running_site.address}replays/log")
    page.locator("#folder").set_input_files(LOG)
    page.locator("form.upload button").click()
    page.get_by_role("button", name="Copy the report").click()
    expect(page.get_by_text("Copied: paste it")).to_be_visible()
    report = page.evaluate("navigator.clipboard.readText()")
    assert report.startswith("# ") and "hangopen-0" in report
    # A page of another machine that was loaded over plain HTTP has no clipboard: then the text is shown and selected.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate("document.execCommand = () => false")
    page.get_by_role("button", name="Copy the report").click()
    expect(page.get_by_text("press Ctrl+C")).to_be_visible()
    chosen = "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))"
    assert page.evaluate(f"{chosen}(document.activeElement)") == report
    context.close()


@contextmanager
def no_room(site: RunningSite) -> Iterator[None]:
    """While this lasts, all memory for bounded processes of the site is taken."""
    register = Register(site.data_folder / "bounded")
    largest = replace(TASKS["log"], memory_bytes=2**50, interactive=True)
    with register.enter(largest, Caller()) as request:
        assert request.start(2**50)
        yield


@pytest.mark.parametrize(
    "size",
    [pytest.param((1280, 720), id="desk"), pytest.param((390, 844), id="telephone", marks=pytest.mark.slow)],
)
def test_the_page_of_an_upload_shows_its_place_cancels_and_leads_to_the_result(
    browser: Browser, running_site: RunningSite, size: tuple[int, int]
) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, locale="en-GB")
    page = context.new_page()
    with no_room(running_site):
        for place in (1, 2):
            page.goto(f"{running_site.address}replays/log")
            page.locator("#folder").set_input_files(LOG)
            page.locator("form.upload button").click()
            expect(page.get_by_role("status")).to_have_text(f"Number {place} of {place} in the queue.")
        assert faults(page) == []
        assert_accessible(page)
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("status")).to_contain_text("Cancelled")
        page.goto(f"{running_site.address}replays/log")
        page.get_by_role("link", name="Show its place in the queue").click()
        expect(page.get_by_role("status")).to_have_text("Number 1 of 1 in the queue.")
    # Nothing is pressed: the page asks the server again by itself.
    expect(page.locator(".case-partition")).to_have_count(1)
    context.close()
