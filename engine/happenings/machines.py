"""Transitions of the state machines of all roles."""

from __future__ import annotations

from engine.happenings.base import Aside, happening
from engine.machine import Row


@happening
class RowTaken(Aside):
    """A state machine took a row of its table and changed its state. ``of``: the object that the machine
    belongs to."""

    of: str
    row: Row
