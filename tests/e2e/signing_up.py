"""Signs up with the forms of a site without mail, as a person does."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

PASSWORD = "correct horse battery"


def sign_up(
    page: Page, home: str, email: str, name: str, look: Callable[[Page], None] = lambda page: None
) -> None:
    """Sign up, sign in, and end on the account's page. `look` is called on each page on the way."""
    page.goto(f"{home}accounts/signup/")
    look(page)
    for field, value in {"email": email, "name": name, "password1": PASSWORD}.items():
        page.locator(f"input[name={field}]").fill(value)
    page.locator("main button.primary").click()
    expect(page).to_have_url(f"{home}accounts/login/")
    expect(page.locator("input[name=login]")).to_have_value(email)
    look(page)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button.primary").click()
    expect(page).to_have_url(f"{home}account/")
    look(page)
