"""A newcomer goes through the whole first track: from the front page to its first scenario, from one interesting step
to the next, through every question, and from each scenario to the next until the track is done.

The test is run with the mouse, with the keyboard only, with the accessibility tree only, and with a finger on a
telephone. The walk is written once; only finding and pressing a control differ. `make test` uses the mouse for the
whole track, and the tree for its beginning; after the beginning, the End key leads from one question to the next.
`make test-all` goes to the end in all four ways. In `make test`, test_newcomer_walk.py covers the keyboard.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import ne
from typing import Protocol
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page

from engine.predict.finding import questions
from engine.scenario.shelf import entry
from engine.scenario.tracks import tracks
from tests.e2e.listener import Listener
from tests.e2e.newcomer import Keyboard
from tests.running_site import RunningSite

CUT_BUTTONS = """[...document.querySelectorAll(".predict-bar button")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
TRACK = tracks()[0]
MOVES_MAX = 60
"""After so many moves, a scenario of this track counts as one that does not end."""
SECONDS_MAX = 30.0
"""How long to wait for one change of the page; far more than needed, because the machine may be busy."""

POLL_MS = 100
"""Checking a page takes time; more frequent checks would slow the page down."""

SENTENCE = "What happened"
QUESTION = "What happens next"
ONWARD = "^(Next scenario|Finish the track)$"
NEXT = "^Next notable step$"
RIGHT, WRONG = "Right:", "Not quite"


@dataclass(frozen=True)
class State:
    """What a reader can tell about the current step."""

    sentence: str
    is_asked: bool
    is_answered: bool
    is_over: bool


class Reader(Protocol):
    page: Page

    def press(self, role: str, name: str) -> None: ...

    def choose(self, number: int) -> str:
        """Choose the answer with this number, counted from 0 and modulo the number of answers. Returns its text."""

    def go_on(self) -> None:
        """Go to the next interesting step."""

    def verdict(self) -> str:
        """Return what the card of the question says about the answer."""

    def state(self) -> State: ...

    def is_there(self, role: str, name: str) -> bool: ...


class Seeing:
    """Sees the page; roles and names only serve to find in the test what a person finds by sight."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def named(self, role: str, name: str) -> Locator:
        return self.page.get_by_role(role, name=re.compile(name))  # type: ignore[arg-type]

    def is_there(self, role: str, name: str) -> bool:
        return self.named(role, name).count() == 1

    def state(self) -> State:
        card = self.named("group", QUESTION)
        return State(
            self.named("region", SENTENCE).get_by_role("status").inner_text(),
            card.count() == 1,
            card.get_by_role("status").count() == 1,
            self.named("button", NEXT).is_disabled(),
        )

    def verdict(self) -> str:
        return self.named("group", QUESTION).get_by_role("status").inner_text()


class WithMouse(Seeing):
    def press(self, role: str, name: str) -> None:
        self.named(role, name).click()

    def choose(self, number: int) -> str:
        choices = self.named("group", QUESTION).locator("label")
        chosen = choices.nth(number % choices.count())
        chosen.click()
        return chosen.inner_text().strip()

    def go_on(self) -> None:
        self.press("button", NEXT)


class WithFinger(WithMouse):
    def press(self, role: str, name: str) -> None:
        self.named(role, name).tap()

    def choose(self, number: int) -> str:
        choices = self.named("group", QUESTION).locator("label")
        chosen = choices.nth(number % choices.count())
        chosen.tap()
        return chosen.inner_text().strip()


class WithKeyboard(Seeing):
    def press(self, role: str, name: str) -> None:
        Keyboard(self.page).press(self.named(role, name))

    def choose(self, number: int) -> str:
        choices = self.named("group", QUESTION).get_by_role("radio")
        wanted = choices.nth(number % choices.count())
        Keyboard(self.page).reach(choices.first)
        self.page.keyboard.press("Space")
        for _ in range(number % choices.count()):
            self.page.keyboard.press("ArrowDown")
        assert wanted.is_checked()
        return wanted.locator("xpath=..").inner_text().strip()

    def go_on(self) -> None:
        self.page.keyboard.press("Shift+ArrowRight")


class ByTree(Listener):
    def is_there(self, role: str, name: str) -> bool:
        return len(self.things(role, name)) == 1

    def state(self) -> State:
        cards = self.things("group", QUESTION)
        is_answered = bool(cards) and bool(self.things("status", inside=cards[0]))
        return State(self.hears(SENTENCE), bool(cards), is_answered, self.thing("button", NEXT).is_disabled)

    def verdict(self) -> str:
        return self.words_of(self.thing("status", inside=self.thing("group", QUESTION)))

    def choose(self, number: int) -> str:
        choices = self.things("radio")
        chosen = choices[number % len(choices)]
        self.act(chosen)
        return chosen.name

    def go_on(self) -> None:
        self.press("button", NEXT)


@dataclass(frozen=True)
class Means:
    reader: Callable[[Page], Reader]
    size: tuple[int, int] = (1280, 720)
    has_touch: bool = False


MEANS_OF = {
    "mouse": Means(WithMouse),
    "keyboard": Means(WithKeyboard),
    "tree": Means(ByTree),
    "finger": Means(WithFinger, (390, 844), has_touch=True),
}


BEGINNING = 3
"""After so many scenarios of the track, every kind of page and question in it has occurred."""
WALKS = [
    ("mouse", len(TRACK.items)),
    ("tree", BEGINNING),
    *(pytest.param((way, len(TRACK.items)), marks=pytest.mark.slow) for way in MEANS_OF if way != "mouse"),
]


@dataclass(frozen=True)
class Walk:
    reader: Reader
    length: int
    """How many scenarios of the track, from the first, the walk goes through."""


@pytest.fixture(params=WALKS, ids=lambda walk: f"{walk[0]}-{walk[1]}")
def newcomer(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Walk]:
    """A new visitor. At the end, the console must show no errors."""
    way, length = request.param
    means = MEANS_OF[way]
    width, height = means.size
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale="en-GB", has_touch=means.has_touch,
        reduced_motion="reduce",
    )  # fmt: skip
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield Walk(means.reader(page), length)
    context.close()
    assert wrong == []


def test_a_newcomer_goes_through_the_first_track(
    newcomer: Walk, running_site: RunningSite, takes_a_part: bool
) -> None:
    reader = newcomer.reader
    page = reader.page
    page.goto(running_site.address)
    leave(reader, "^Start: ")
    verdicts: list[str] = []
    for number, item in enumerate(TRACK.items[: newcomer.length], start=1):
        title = f"^{re.escape(entry(item.scenario).document['title']['en'])}$"
        until(page, partial(reader.is_there, "heading", title))
        until(page, lambda: reader.is_there("button", "^Quiz: on$"))
        assert page.evaluate(CUT_BUTTONS) == []
        before = len(verdicts)
        is_in_haste = takes_a_part and number > BEGINNING
        verdicts += walk(reader, first_choice=number, go_on=to_the_end if is_in_haste else one_step)
        assert len(verdicts) - before == len(questions(entry(item.scenario).scenario(item.variant), []))
        leave(reader, ONWARD)
    if newcomer.length == len(TRACK.items):
        assert path_of(page) == f"/tracks/{TRACK.name}/"
        until(page, lambda: reader.is_there("heading", TRACK.title["en"]))
        assert f"{len(TRACK.items)} of {len(TRACK.items)} done" in page.locator("main").inner_text()
    # A reader who chooses by number is sometimes right and more often wrong, and so sees both verdicts.
    assert {verdict.startswith(RIGHT) for verdict in verdicts} == {True, False}
    assert all(verdict.startswith((RIGHT, WRONG)) for verdict in verdicts)


def leave(reader: Reader, name: str) -> None:
    """Press the button that leads to another page, and wait until that page is loaded. Chromium hangs for ever if the
    accessibility tree is requested for a page that is being replaced.
    """
    # The page also changes its own address while it stays loaded, so the test waits for the event `load`.
    with reader.page.expect_event("load"):
        reader.press("button", name)


def one_step(reader: Reader) -> None:
    reader.go_on()


def to_the_end(reader: Reader) -> None:
    """Go to the end of the run, or to the next question, where the page stops."""
    reader.page.keyboard.press("End")


def walk(reader: Reader, first_choice: int, go_on: Callable[[Reader], None]) -> list[str]:
    """Go to the end of this scenario. Returns the verdict on each answer."""
    verdicts: list[str] = []
    state = reader.state()
    for _ in range(MOVES_MAX):
        if state.is_asked:
            verdict, state = answer(reader, state, first_choice + len(verdicts))
            verdicts.append(verdict)
        elif state.is_over:
            return verdicts
        else:
            go_on(reader)
            state = settled(reader, partial(ne, state))
    raise AssertionError(f"it does not end within {MOVES_MAX} moves")


def answer(reader: Reader, asked: State, choice: int) -> tuple[str, State]:
    """Answer the question on show. The run continues, the card shows the verdict, and then the card is closed."""
    assert not asked.is_answered
    reader.choose(choice)
    reader.press("button", "^Check$")
    settled(reader, lambda state: state.is_answered and state.sentence != asked.sentence)
    verdict = reader.verdict()
    reader.press("button", "^Continue")
    return verdict, settled(reader, lambda state: not state.is_answered)


def settled(reader: Reader, is_so: Callable[[State], bool]) -> State:
    """Wait for a state for which ``is_so`` returns true, and return it."""
    seen: list[State] = []

    def is_seen() -> bool:
        seen.append(reader.state())
        return is_so(seen[-1])

    reader.page.wait_for_timeout(POLL_MS)  # A control was pressed just before.
    until(reader.page, is_seen)
    return seen[-1]


def path_of(page: Page) -> str:
    """Return the path of the page's address. The query with the step is updated a moment later."""
    return urlsplit(page.url).path


def until(page: Page, is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not is_so():
        assert time.monotonic() < deadline, "nothing happened"
        page.wait_for_timeout(POLL_MS)
