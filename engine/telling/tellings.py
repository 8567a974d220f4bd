"""The tables of all roles as one: dict of happening class → function that adds its sentences."""

from __future__ import annotations

from engine.happenings.base import Happening
from engine.telling import (
    appends,
    batches,
    brokers,
    controller,
    database,
    describing,
    groups,
    kernel,
    logs,
    loops,
    machines,
    markers,
    middleware,
    producer,
    readers,
    requests,
    sender,
    tool,
    transactions,
    verification,
)
from engine.telling.telling import Tell

TELLINGS: dict[type[Happening], Tell] = {
    **appends.TELLINGS,
    **batches.TELLINGS,
    **brokers.TELLINGS,
    **controller.TELLINGS,
    **database.TELLINGS,
    **describing.TELLINGS,
    **groups.TELLINGS,
    **kernel.TELLINGS,
    **logs.TELLINGS,
    **loops.TELLINGS,
    **machines.TELLINGS,
    **markers.TELLINGS,
    **middleware.TELLINGS,
    **producer.TELLINGS,
    **readers.TELLINGS,
    **requests.TELLINGS,
    **sender.TELLINGS,
    **tool.TELLINGS,
    **transactions.TELLINGS,
    **verification.TELLINGS,
}
