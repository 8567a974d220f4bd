"""Every happening with its telling: the tables of all roles as one."""

from __future__ import annotations

from engine.happenings.base import Happening
from engine.telling import batches, machines, producer, readers, sender
from engine.telling.telling import Tell

TELLINGS: dict[type[Happening], Tell] = {
    **batches.TELLINGS,
    **machines.TELLINGS,
    **producer.TELLINGS,
    **readers.TELLINGS,
    **sender.TELLINGS,
}
