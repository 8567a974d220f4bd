"""Adds the transitions of state machines to steps."""

from __future__ import annotations

from engine.happenings import machines as happened
from engine.happenings.base import Happening
from engine.machine import Row
from engine.telling.telling import Tell, Teller


def tell_row(row: Row, of: str, teller: Teller) -> None:
    """Add the transition of a row to the step. A row that refuses leaves the state unchanged."""
    teller.transition(row.machine, of, row.source, row.target or row.source, row.on, row.number)


def _row_taken(h: happened.RowTaken, teller: Teller) -> None:
    tell_row(h.row, h.of, teller)


TELLINGS: dict[type[Happening], Tell] = {happened.RowTaken: _row_taken}
