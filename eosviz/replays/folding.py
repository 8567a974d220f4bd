"""Applies the changes of a file to a view (docs/frame.md), and checks each change.

The engine's own changes always fit; those of a file need not. A page that steps back applies *before*, so a
file whose *before* differs from the view would show two different pasts. Such a file is refused.
"""

from copy import deepcopy
from typing import Any

from msgspec import UNSET

from engine.step import pruned
from eosviz.replays.format import Change
from eosviz.replays.lines import canonical


class DoesNotFit(Exception):
    """A change does not fit the view; ``path`` says where, as dotted text."""

    def __init__(self, path: list[str]) -> None:
        self.path = ".".join(path)
        super().__init__(self.path)


def apply(view: dict[str, Any], changes: list[Change]) -> None:
    """Apply ``changes`` to ``view`` in order, in place. Raises :class:`DoesNotFit`; the view is then partly changed."""
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
        # The value is copied, because later changes may alter what was added, but the step that added it must
        # stay as it was.
        place[name] = deepcopy(change.after) if isinstance(change.after, dict) else change.after


def _equal(held: Any, before: Any) -> bool:
    """Whether two values are equal, apart from empty objects, which the engine does not record."""
    # In Python `1 == True`; a page would show one as the other.
    if type(held) is type(before) and not isinstance(held, dict | list):
        return bool(held == before)
    return _spelled(held) == _spelled(before)


def _spelled(value: Any) -> bytes:
    bare = {} if value is UNSET else pruned(value)
    return canonical(bare)
