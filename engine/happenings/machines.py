"""The happening of a transition, for the state machines of all roles."""

from __future__ import annotations

from engine.happenings.base import Aside, happening
from engine.machine import Row


@happening
class RowTaken(Aside):
    """A state machine took a row of its table, which may change its state. ``of``: the name of the object
    with this state."""

    of: str
    row: Row
