"""Signs up an administrator and creates content for every page that needs an account: a class with an attempt, a
scenario of their own, a published run, a sweep.
"""

from __future__ import annotations

import re

from playwright.sync_api import FilePayload, Page, expect

from eosviz.launch.places import ROOT
from tests.e2e.signing_up import sign_up
from tests.running_site import RunningSite

EMAIL = "ada@example.org"
SAMPLE = ROOT / "engine" / "scenario" / "library" / "sc-03-idempotence-suppresses-it.toml"
MADE_WITHIN = 60_000
"""Milliseconds; long, because the machine may be busy."""
ACCOUNT = (
    "account/",
    "account/delete",
    "accounts/email/",
    "accounts/logout/",
    "accounts/password/change/",
    "accounts/password/reset/",
    "accounts/password/reset/done/",
    "accounts/reauthenticate/",
    "accounts/inactive/",
    "accounts/confirm-email/",
)


def settle(page: Page, site: RunningSite) -> dict[str, str]:
    """Sign up and create one thing of each kind. Returns the name of each page → its address."""
    home = site.address
    sign_up(page, home, EMAIL, "Ada")
    site.manage("give_role", EMAIL, "administrator")
    places = {name: home + name for name in (*ACCOUNT, "classes/", "workshop/", "pipeline/")}
    places |= _class(page, home)
    places |= _scenario(page, home)
    places["published"] = _published(page, home)
    return places | _administration(page, home)


def _class(page: Page, home: str) -> dict[str, str]:
    page.goto(f"{home}classes/")
    page.locator("#make_name").fill("Streams")
    page.locator("form[action$=make] button").click()
    expect(page.locator("h1")).to_have_text("Streams")
    room = page.url
    places = {"class": room, "class, results": f"{room}results/"}
    for link in page.locator(f"main a[href*='{room.removeprefix(home)}assign/']").all():
        address = str(link.get_attribute("href"))
        places[f"class, {address.split('/')[-2]}"] = home.rstrip("/") + address
    page.goto(f"{room}assign/explain/")
    page.locator("#id_title").fill("Why does it hold?")
    page.locator("#id_text").fill("In three sentences.")
    page.locator("main button.primary").click()
    expect(page.locator("h1")).to_have_text("Why does it hold?")
    places["assignment"] = page.url
    page.locator("main form[action$=begin] button").click()
    form = page.locator("main form[action$=hand-in]")
    attempt = str(form.get_attribute("action")).removesuffix("hand-in")
    page.locator("textarea").fill("Because the broker remembers five batches.")
    form.locator("button").click()
    expect(page.locator("blockquote")).to_contain_text("five batches")
    return places | {"attempt": home.rstrip("/") + attempt}


def _scenario(page: Page, home: str) -> dict[str, str]:
    page.goto(f"{home}workshop/")
    text = SAMPLE.read_bytes().replace(b'id = "SC-03"', b'id = "ADA-03"')
    file: FilePayload = {"name": "ada.toml", "mimeType": "application/toml", "buffer": text}
    page.locator("form[action$=import] input[type=file]").set_input_files(file)
    page.locator("form[action$=import] button").click()
    expect(page).to_have_url(re.compile("/workshop/[0-9a-f-]{36}/"))
    address = re.sub("build/$", "", page.url)
    page.goto(f"{address}build/")
    expect(page.locator("[data-trial=current]")).to_be_visible(timeout=MADE_WITHIN)
    page.get_by_role("button", name="Publish").click()
    expect(page).to_have_url(address)
    expect(page.locator("main")).to_contain_text("Version 1", timeout=MADE_WITHIN)
    return {"scenario": address, "builder": f"{address}build/"}


def _published(page: Page, home: str) -> str:
    page.goto(f"{home}sessions/new?scenario=SC-03")
    page.locator("main form button.primary").click()
    expect(page.locator("eos-sentence .s")).to_be_visible()
    page.keyboard.press("e")
    page.locator("eos-export .start-publishing").click()
    expect(page.locator("#published-address")).not_to_have_value("", timeout=MADE_WITHIN)
    return page.locator("#published-address").input_value()


def _administration(page: Page, home: str) -> dict[str, str]:
    """Return the addresses of the administration's index, of every model's list, and of the first row of each list
    that has one.
    """
    page.goto(f"{home}administration/")
    lists = [str(link.get_attribute("href")) for link in page.locator("#content-main tbody th a").all()]
    assert lists, "the administration shows no model"
    places = {"administration": page.url}
    for address in dict.fromkeys(lists):
        name = address.strip("/").removeprefix("administration/")
        places[f"administration, {name}"] = home.rstrip("/") + address
        page.goto(home.rstrip("/") + address)
        row = page.locator("#result_list tbody th a")
        if row.count() > 0:
            shown = str(row.first.get_attribute("href"))
            places[f"administration, {name}, one"] = home.rstrip("/") + shown
    return places
