"""Happenings of markers between a coordinator and the leaders."""

from __future__ import annotations

from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row


@happening
class MarkersSent(Happening):
    """A coordinator sent one request with every marker that was queued for a broker. ``transactions``:
    (transactional id, result) of each marker. ``again``: the partitions whose marker was sent in an earlier
    request, too."""

    coordinator: str
    broker: str
    row: Row
    transactions: tuple[tuple[str, str], ...]
    partitions: tuple[str, ...]
    again: tuple[str, ...]


@happening
class MarkerMoved(Happening):
    """A marker took a row of its state machine, or a row refused a response. ``current``: the coordinator
    epoch with which this broker coordinates the id now; None: it does not. ``answer``: (broker, error) of the
    response, if there was one."""

    coordinator: str
    transactional_id: str
    result: str
    coordinator_epoch: int
    current: int | None
    partitions: tuple[str, ...]
    answer: tuple[str, str] | None
    row: Row


@happening
class MarkerQueued(Aside):
    """A marker was queued. ``broker``: the broker that will get it; None: the leader cannot be reached, or
    the partition was deleted."""

    coordinator: str
    transactional_id: str
    result: str
    partitions: tuple[str, ...]
    broker: str | None
    row: Row


@happening
class MarkerDropped(Aside):
    """A broker that no longer coordinates the id removed a marker from its queue."""

    coordinator: str
    transactional_id: str
    result: str
    partitions: tuple[str, ...]
    coordinator_epoch: int
    row: Row


@happening
class MarkersSentAgain(Aside):
    transactional_id: str
    retries: int
    row: Row


@happening
class NewerForgotten(Aside):
    """A broker that was elected again dropped the completion of its newer election, together with that of the
    older one."""

    coordinator: str
    transactional_id: str
    newer: int
    partitions: tuple[str, ...]


@happening
class LateAnswer(Happening):
    """A response to markers came, but no transaction waits for these markers any more."""

    coordinator: str
    transactional_id: str
    partitions: tuple[str, ...]


@happening
class SameEverywhere(Aside):
    """The last of several partitions of a transaction got its marker."""

    transactional_id: str
    partitions: tuple[str, ...]
