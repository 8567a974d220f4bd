"""How transitions of state machines are told."""

from __future__ import annotations

from engine.happenings import machines as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller


def _row_taken(h: happened.RowTaken, teller: Teller) -> None:
    row = h.row
    teller.transition(h.machine, h.of, row.source, row.target or row.source, row.on, row.number)


TELLINGS: dict[type[Happening], Tell] = {happened.RowTaken: _row_taken}
