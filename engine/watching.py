"""The levels at which a run is watched: bare, judged or recorded.

Roles emit happenings to one :class:`Watch`, and mark the parts of the view that they changed. A bare run only
notes which events make a step. A judged run also passes facts to the judges. A recorded run also keeps
sentences, decisions and changes. A role's behaviour must never depend on the level; a role may only skip
building an event that is not read (``if watch.hears(…)``).

How changes are found: a piece of state with a place in the view is a :class:`Part` (``path`` and ``view()``),
and the role that changes it calls ``watch.touch(part)``. At the end of the step the recorder compares the
part's view with its previous one. The fold test finds a forgotten ``touch``: folding the changes of every
step must give the engine's view.
"""

from __future__ import annotations

from typing import Any, ParamSpec, Protocol

from engine.happenings.base import Happening

Path = tuple[str, ...]


class _Absent:
    """Stands for a value that does not exist."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


Change = tuple[Path, Any, Any]
"""(path, value before, value after); ABSENT where there was or is no value."""


class Part(Protocol):
    """A piece of state with a place of its own in the view. ``view()`` returns JSON-shaped data (string
    keys), or None if the part no longer exists. The parts of a role must not overlap."""

    @property
    def path(self) -> Path: ...

    def view(self) -> Any: ...


Fields = ParamSpec("Fields")


class Kind(Protocol[Fields]):
    """A class of happenings, as the argument of ``emit``: mypy checks the fields against the class."""

    @property
    def makes_step(self) -> bool: ...

    @property
    def judged(self) -> bool: ...

    def __call__(self, *fields: Fields.args, **named: Fields.kwargs) -> Happening: ...


class Watch:
    """The bare level: notes the first event of each step, and builds no event. The other levels have the same
    interface."""

    __slots__ = ("judging", "recording", "said")

    def __init__(self, judging: bool = False, recording: bool = False) -> None:
        self.judging = judging
        self.recording = recording
        self.said: object = None
        """The first event or key of this step; None: nothing was emitted yet, so there is no step."""

    def emit(self, kind: Kind[Fields], /, *fields: Fields.args, **named: Fields.kwargs) -> None:
        """Report an event. A level that reads the event builds its happening; this level does not."""
        if kind.makes_step and self.said is None:
            self.said = kind

    def hears(self, kind: Kind[...]) -> bool:
        """Whether an event of this class is built. Call this before computing expensive fields; after False,
        ``emit`` need not be called."""
        if kind.makes_step and self.said is None:
            self.said = kind
        return False

    def parts(self) -> list[Part]:
        """The parts of the view that this level adds."""
        return []

    def touch(self, part: Part) -> None:
        """Mark a part whose view may have changed."""

    def touch_last(self, part: Part) -> None:
        """Mark a part, and compare it after all parts that were marked before."""
