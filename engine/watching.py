"""How closely a run is watched: bare, judged or recorded.

Roles emit happenings to one :class:`Watch` and name the parts of the view that they touched. A bare run only counts; a
judged run also passes facts to the judges; a recorded run also keeps sentences, decisions and changes. What a role does
must never depend on the level: it may only skip building what no level reads (``if watch.hears(…)``).

*Changes* need no bookkeeping in the roles: a part of the state that has a place in the view is a
:class:`Part` (``path`` and ``view()``), and the role that changes it calls ``watch.touch(part)``. At the end of
the step the recorder compares the part's view with the one it knew. A forgotten ``touch`` is caught by the
fold test: folding the changes of every step must give the view the engine reports.
"""

from __future__ import annotations

from typing import Any, ParamSpec, Protocol

from engine.happenings.base import Happening

Path = tuple[str, ...]


class _Absent:
    """Marks a path that does not exist (before it was added, after it was removed)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


Change = tuple[Path, Any, Any]
"""Path, value before, value after; ABSENT where there was or is none."""


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
        """The event or key that made this a step; None so far."""

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

    def parts(self) -> list[Part]:
        """The view's parts of this level."""
        return []

    def touch(self, part: Part) -> None:
        """This part's view may have changed."""

    def touch_last(self, part: Part) -> None:
        """Touch a part behind all that were touched before: a removed part leaves the view after the parts inside
        its place, so that stepping back restores them."""
