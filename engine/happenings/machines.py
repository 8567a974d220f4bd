"""The happening of a transition, for the state machines of all roles."""

from __future__ import annotations

from engine.happenings.base import Aside, happening
from engine.machine import Row


@happening
class RowTaken(Aside):
    """A state machine took a row of its table. ``of``: the name of the object whose state the machine holds."""

    of: str
    row: Row
