"""Every happening with its telling: the tables of all roles as one."""

from __future__ import annotations

from engine.happenings.base import Happening
from engine.telling import (
    batches,
    groups,
    machines,
    markers,
    middleware,
    producer,
    readers,
    sender,
    transactions,
)
from engine.telling.telling import Tell

TELLINGS: dict[type[Happening], Tell] = {
    **batches.TELLINGS,
    **groups.TELLINGS,
    **machines.TELLINGS,
    **markers.TELLINGS,
    **middleware.TELLINGS,
    **producer.TELLINGS,
    **readers.TELLINGS,
    **sender.TELLINGS,
    **transactions.TELLINGS,
}
