"""The actions of a newcomer, with the mouse only or with the keyboard only. Both classes have the same methods, so
that a test is written once and run with each.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from playwright.sync_api import Locator, Page, expect

TABS_MAX = 400
"""A control that is not focused after so many presses of Tab counts as not reachable by keyboard."""


class Hand(Protocol):
    page: Page

    def press(self, control: Locator) -> None:
        """Activate a button, a link, or another element that can be chosen."""

    def choose(self, field: Locator, option: str) -> None:
        """Choose from a drop-down list the first option whose text matches ``option``, a regular expression."""

    def give_file(self, field: Locator, file: Path) -> None:
        """Choose a file in a file field."""

    def next_interesting(self) -> None: ...

    def back(self) -> None: ...

    def drop_selected(self) -> None: ...


class Mouse:
    """Uses the mouse only."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, control: Locator) -> None:
        control.click()

    def choose(self, field: Locator, option: str) -> None:
        field.select_option(label=_matching_label(field, option))

    def give_file(self, field: Locator, file: Path) -> None:
        with self.page.expect_file_chooser() as chooser:
            field.click()
        chooser.value.set_files(file)

    def next_interesting(self) -> None:
        self.page.locator("eos-transport .next").click()

    def back(self) -> None:
        self.page.locator("eos-transport .back").click()

    def drop_selected(self) -> None:
        # On a phone, the actions on a message replace the button once they are known.
        self.page.locator("eos-selection-bar").locator("button.selected, .acts .more").click()
        self.page.locator(".action-list .can button").first.click()


class Keyboard:
    """Uses the keyboard only: Tab to move the focus, Enter to activate."""

    def __init__(self, page: Page) -> None:
        self.page = page
        # From now on, Playwright handles file choosers. A listener that is added only when the key is down may come
        # too late.
        page.on("filechooser", lambda chooser: None)

    def press(self, control: Locator) -> None:
        self.reach(control)
        self.page.keyboard.press("Enter")

    def choose(self, field: Locator, option: str) -> None:
        wanted = _matching_label(field, option)
        self.reach(field)
        self.page.keyboard.press("Home")
        for _ in range(field.locator("option").count()):
            if field.locator("option:checked").inner_text().strip() == wanted:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"the arrow keys do not reach {wanted}")

    def give_file(self, field: Locator, file: Path) -> None:
        self.reach(field)
        with self.page.expect_file_chooser() as chooser:
            self.page.keyboard.press("Space")
        chooser.value.set_files(file)

    def next_interesting(self) -> None:
        self.page.keyboard.press("Shift+ArrowRight")

    def back(self) -> None:
        self.page.keyboard.press("ArrowUp")

    def drop_selected(self) -> None:
        self.page.keyboard.press("d")

    def reach(self, control: Locator) -> None:
        """Move the focus to the control with Tab."""
        expect(control).to_be_attached()
        for _ in range(TABS_MAX):
            if control.evaluate("(element) => element.getRootNode().activeElement === element"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {control}")


def _matching_label(field: Locator, option: str) -> str:
    # A part of the page that is loaded on demand fills its lists a moment later.
    field.locator("option").filter(has_text=re.compile(option)).first.wait_for(state="attached")
    labels = [label.strip() for label in field.locator("option").all_inner_texts()]
    return next(label for label in labels if re.search(option, label))
