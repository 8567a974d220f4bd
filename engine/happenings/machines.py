"""Transitions of the state machines of all roles."""

from __future__ import annotations

from engine.happenings.base import Aside, happening
from engine.machine import Row


@happening
class RowTaken(Aside):
    """A machine of a table went to another state. ``of``: whose machine it is."""

    of: str
    row: Row
