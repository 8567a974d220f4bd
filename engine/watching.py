"""How closely a run is watched: bare, judged or recorded.

Roles talk to one :class:`Watch`. A bare run only counts; a judged run also passes facts to the
judges; a recorded run also keeps sentences, decisions and changes. What a role does must never
depend on the level: it may only skip building what nobody reads (``if watch.recording``).

*Changes* need no bookkeeping in the roles: a part of the state that has a place in the view is a
:class:`Part` (``path`` and ``view()``), and whoever changes it says ``watch.touch(part)``. At the end of
the step the recorder compares the part's view with the one it knew. A forgotten ``touch`` is caught by the
fold test: folding the changes of every step must give the view the engine reports.
"""

from __future__ import annotations

from typing import Any, ParamSpec, Protocol

from engine.happenings.base import Happening
from engine.shapes.steps import Decision

Path = tuple[str, ...]


class _Absent:
    """Marks a path that does not exist (before it was added, after it was removed)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


class Part(Protocol):
    """A piece of state with a place of its own in the view. Keep parts small: one batch, one queue.

    ``view()`` returns JSON-shaped data (string keys), or None when the part is gone. The parts of a role must
    not overlap: a part's view holds no path that another part owns.
    """

    @property
    def path(self) -> Path: ...

    def view(self) -> Any: ...


Fields = ParamSpec("Fields")


class Kind(Protocol[Fields]):
    """A class of happenings, as ``emit`` takes it: mypy checks the fields against the class."""

    @property
    def makes_step(self) -> bool: ...

    @property
    def judged(self) -> bool: ...

    def __call__(self, *fields: Fields.args, **named: Fields.kwargs) -> Happening: ...


class Watch:
    """The bare level: counts, keeps nothing. Also the surface of the other levels."""

    __slots__ = ("judging", "recording", "said")

    def __init__(self, judging: bool = False, recording: bool = False) -> None:
        self.judging = judging
        self.recording = recording
        self.said: object = None
        """What made this a step; None: nothing did yet."""

    def emit(self, kind: Kind[Fields], /, *fields: Fields.args, **named: Fields.kwargs) -> None:
        """Something happened. It is built only where something reads it: at this level nothing does."""
        if kind.makes_step and self.said is None:
            self.said = kind

    def hears(self, kind: Kind[...]) -> bool:
        """Whether such an event is built. Asked before its fields cost something; where it is not, the step is noted
        here and ``emit`` need not be called."""
        if kind.makes_step and self.said is None:
            self.said = kind
        return False

    def say(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        """Make this a step: the first key said is its sentence, later ones are notes.

        ``rules`` are the requirement IDs that the code *enforced* just now. Build costly parameters only
        ``if watch.recording``.
        """
        if self.said is None:
            self.said = key

    def note(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        """A further sentence of this step; makes no step by itself."""

    def lead(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        """What the step is about, although something was said before it, which becomes a note; itself a note when
        a state machine took a row before."""
        if self.said is None:
            self.said = key

    def decide(self, decision: Decision) -> None:
        """The rules that a receiver tried, in order (``decision`` of docs/frame.md). Only when recording."""

    def refuse(
        self, rule: str, error: str, compared: list[list[Any]], next_key: str, /, **next_params: Any
    ) -> None:
        """A refusal: rule, error, the compared numbers and what the receiver does next (UIV-3)."""

    def transition(self, machine: str, of: str, source: str, target: str, on: str, row: int) -> None:
        """A state machine took a row of its table."""

    def parts(self) -> list[Part]:
        """What this level itself adds to the view."""
        return []

    def touch(self, part: Part) -> None:
        """This part's view may have changed."""

    def touch_last(self, part: Part) -> None:
        """The same, behind all that was touched before: a part that is gone leaves the view after those inside its
        place, or who steps back would lose them."""

    def fact(self, fact: object) -> None:
        """Something that judges weigh (events.py)."""
