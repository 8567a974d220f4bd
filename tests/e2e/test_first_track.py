"""A newcomer goes through the whole first track: from the front page into its first scenario, from one interesting
step to the next, through every question, and from each scenario to the next until the track is done.

Once with the mouse, once with the keyboard alone, once by the accessibility tree alone, once with a finger on a
telephone. The walk is written once; what differs is how a thing is found and pressed. `make test` goes with the mouse,
and by the tree through the beginning of the track; behind the beginning it goes from one question to the next by the
End key. `make test-all` goes all four ways to the end. In `make test` the keyboard alone goes through
test_newcomer_walk.py.
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

TRACK = tracks()[0]
MOVES_MAX = 60
"""Moves after which a scenario of this track counts as one that does not end."""
SECONDS_MAX = 30.0
"""For one thing to happen; far more than is needed, as the machine may be busy."""

POLL_MS = 100
"""To look is dear: more often would keep the page from getting there."""

SENTENCE = "What happened"
QUESTION = "What happens next"
ONWARD = "^(Next in the|Finish the) track$"
NEXT = "^Next notable step$"
RIGHT, WRONG = "Right:", "Not quite"


@dataclass(frozen=True)
class State:
    """What a reader knows of where they are."""

    sentence: str
    is_asked: bool
    is_answered: bool
    is_over: bool


class Reader(Protocol):
    page: Page

    def press(self, role: str, name: str) -> None: ...

    def choose(self, number: int) -> str:
        """Pick the answer with this number, from 0 and round again; its words."""

    def go_on(self) -> None:
        """To the next interesting step."""

    def verdict(self) -> str:
        """What the question's card says about the answer."""

    def state(self) -> State: ...

    def is_there(self, role: str, name: str) -> bool: ...


class Seeing:
    """Looks at the page; roles and names are only how this file names what is seen."""

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
"""Scenarios of the track after which all kinds of things on its way have been met."""
WALKS = [
    ("mouse", len(TRACK.items)),
    ("tree", BEGINNING),
    *(pytest.param((way, len(TRACK.items)), marks=pytest.mark.slow) for way in MEANS_OF if way != "mouse"),
]


@dataclass(frozen=True)
class Walk:
    reader: Reader
    length: int
    """Scenarios, from the first."""


@pytest.fixture(params=WALKS, ids=lambda walk: f"{walk[0]}-{walk[1]}")
def newcomer(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Walk]:
    """A new visitor; the console shows nothing wrong until the end."""
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
        before = len(verdicts)
        is_in_haste = takes_a_part and number > BEGINNING
        verdicts += walk(reader, first_choice=number, go_on=to_the_end if is_in_haste else one_step)
        assert len(verdicts) - before == len(questions(entry(item.scenario).scenario(item.variant), []))
        leave(reader, ONWARD)
    if newcomer.length == len(TRACK.items):
        assert path_of(page) == f"/tracks/{TRACK.name}/"
        until(page, lambda: reader.is_there("heading", TRACK.title["en"]))
        assert f"{len(TRACK.items)} of {len(TRACK.items)} done" in page.locator("main").inner_text()
    # A reader who always guesses the same way is right sometimes and wrong more often, and reads both.
    assert {verdict.startswith(RIGHT) for verdict in verdicts} == {True, False}
    assert all(verdict.startswith((RIGHT, WRONG)) for verdict in verdicts)


def leave(reader: Reader, name: str) -> None:
    """Press the button that leads to another page, and wait until that page is loaded. Chromium stands still for ever
    if it is asked for the accessibility tree of a page that is replaced meanwhile."""
    with reader.page.expect_event("load"):  # The page changes its own address, too: that is no other page.
        reader.press("button", name)


def one_step(reader: Reader) -> None:
    reader.go_on()


def to_the_end(reader: Reader) -> None:
    """Or to the next question, at which a reader stops."""
    reader.page.keyboard.press("End")


def walk(reader: Reader, first_choice: int, go_on: Callable[[Reader], None]) -> list[str]:
    """To the end of this scenario; the verdict on each answer."""
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
    """Answer the question on show; the run goes on, the card says whether it was so, and is closed."""
    assert not asked.is_answered
    reader.choose(choice)
    reader.press("button", "^Check$")
    settled(reader, lambda state: state.is_answered and state.sentence != asked.sentence)
    verdict = reader.verdict()
    reader.press("button", "^Continue")
    return verdict, settled(reader, lambda state: not state.is_answered)


def settled(reader: Reader, is_so: Callable[[State], bool]) -> State:
    """The first state that is so."""
    seen: list[State] = []

    def is_seen() -> bool:
        seen.append(reader.state())
        return is_so(seen[-1])

    reader.page.wait_for_timeout(POLL_MS)  # something was pressed just now
    until(reader.page, is_seen)
    return seen[-1]


def path_of(page: Page) -> str:
    """The address without the step, which the page keeps up to date in its own time."""
    return urlsplit(page.url).path


def until(page: Page, is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not is_so():
        assert time.monotonic() < deadline, "nothing happened"
        page.wait_for_timeout(POLL_MS)
