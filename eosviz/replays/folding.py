"""Applies the changes in a file to a view (docs/frame.md), and checks that each change fits.

Changes that the engine makes always fit; changes in a file may not. A page that goes back a step applies
*before*. So if a file's *before* differs from the view, a page would show two different pasts. Such a file is
refused.
"""

from copy import deepcopy
from typing import Any

from msgspec import UNSET

from engine.step import pruned
from eosviz.replays.format import Change
from eosviz.replays.lines import canonical


class DoesNotFit(Exception):
    """A change does not fit the view. The text has the change's ``path``, with dots between its parts."""

    def __init__(self, path: list[str]) -> None:
        self.path = ".".join(path)
        super().__init__(self.path)


def apply(view: dict[str, Any], changes: list[Change]) -> None:
    """Apply ``changes`` to ``view``, in order. Raises :class:`DoesNotFit`; then only a part of them has been
    applied."""
    for change in changes:
        _apply_one(view, change)


def _apply_one(view: dict[str, Any], change: Change) -> None:
    *parents, name = change.path
    place: Any = view
    for parent in parents:
        if parent not in place:
            if change.before is not UNSET:
                raise DoesNotFit(change.path)
            place[parent] = {}
        place = place[parent]
        if not isinstance(place, dict):
            raise DoesNotFit(change.path)
    if not _equal(place.get(name, UNSET), change.before):
        raise DoesNotFit(change.path)
    if change.after is UNSET:
        place.pop(name, None)
    else:
        # The value is copied: later changes may modify what was added, but the step that added it must stay
        # unchanged.
        place[name] = deepcopy(change.after) if isinstance(change.after, dict) else change.after


def _equal(held: Any, before: Any) -> bool:
    """Whether two values are equal. Empty objects inside them are ignored, because the engine does not record
    them."""
    # In Python `1 == True`, but a page shows them differently.
    if type(held) is type(before) and not isinstance(held, dict | list):
        return bool(held == before)
    return _spelled(held) == _spelled(before)


def _spelled(value: Any) -> bytes:
    bare = {} if value is UNSET else pruned(value)
    return canonical(bare)
