"""Happenings of transactional ids at their coordinator."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row


@happening
class IdMoved(Happening):
    """A transactional id took a row of its state machine, or a row refused the request. ``pending``: the
    state that is being written. ``claimed``: producer id and epoch in the request. ``by_leader``: a leader
    sent the request on behalf of its client. ``added``: the number of partitions that the request adds.
    ``scan_ms``: if a scan for transactions that exceeded their timeout took the row, the interval of scans in ms;
    else None."""

    coordinator: str
    transactional_id: str
    state: str
    pending: str | None
    producer_id: int
    producer_epoch: int
    row: Row
    claimed: tuple[int, int] | None
    by_leader: bool
    added: int
    scan_ms: int | None = None


@happening
class ClaimRefused(Happening):
    """The producer id in an InitProducerId is neither the current one of the transactional id, nor the
    previous one with its last epoch."""

    coordinator: str
    transactional_id: str
    state: str
    pending: str | None
    producer_id: int
    producer_epoch: int
    claimed: tuple[int, int]


@happening
class MarkersResumed(Happening):
    """A new coordinator read the decision from the log and sends the markers."""

    coordinator: str
    transactional_id: str
    state: str
    pending: str | None
    producer_id: int
    producer_epoch: int


@happening
class EpochRefused(Happening):
    """A request was refused, because its epoch is not ``current``, the epoch of the transactional id. ``by_leader``:
    a leader sent the request on behalf of its client."""

    coordinator: str
    transactional_id: str
    arrived: int
    current: int
    error: Error
    by_leader: bool


# -- refusals that do not depend on the state ----------------------------------------------------------


@happening
class EmptyId(Happening):
    coordinator: str
    error: Error
    spec: str


@happening
class TimeoutOutOfRange(Happening):
    coordinator: str
    error: Error
    transactional_id: str
    timeout: int
    longest: int


@happening
class NoIdentityYet(Happening):
    coordinator: str
    error: Error
    transactional_id: str
    arrived: int


@happening
class UnknownMapping(Happening):
    """A request was refused, because its producer id is not that of its transactional id. ``known``: the
    transactional id's producer id; None: the transactional id itself is unknown."""

    coordinator: str
    error: Error
    transactional_id: str
    arrived: int
    known: int | None


@happening
class NotHere(Happening):
    """A broker refused a request, because it does not coordinate the transactional id, or has not read the
    id's log partition yet. ``number``: the number of this log partition. ``owned``: the log partitions that
    this broker coordinates. ``by_leader``: a leader sent the request on behalf of its client."""

    coordinator: str
    error: Error
    transactional_id: str
    number: int
    owned: tuple[int, ...]
    by_leader: bool


# -- epochs --------------------------------------------------------------------------------------------


class Identity(Enum):
    """The kind of identity that an InitProducerId without an open transaction gets."""

    NEW = "id_is_new"
    ROTATED = "id_rotated"
    GIVEN_AGAIN = "epoch_given_again"
    GOES_UP = "epoch_goes_up"


@happening
class IdentityChosen(Aside):
    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int
    old_producer_id: int
    producer_id: int
    new_epoch: int
    identity: Identity


@happening
class FencePrepared(Aside):
    """The coordinator chose the higher epoch with which it aborts the open transaction. ``by_timeout``: the
    transaction was open for too long; if False, the cause is an InitProducerId."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int
    new_epoch: int
    row: Row
    by_timeout: bool


@happening
class EpochRises(Aside):
    """With transaction version 2, the decision raised the epoch. ``next_producer_id``: the producer id that
    replaces the current one at completion; None while epochs are left."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    new_epoch: int
    next_producer_id: int | None


@happening
class FenceNotWritten(Aside):
    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int


@happening
class FenceStands(Happening):
    """The abort with the raised epoch is replicated, so it is final."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int


@happening
class DecisionStands(Happening):
    """The record of the decision is replicated, so the outcome is final."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int


@happening
class DecisionWithoutMarkers(Aside):
    """The outcome is final, but no markers are sent: when its record was replicated, the epoch ``arrived`` of the
    EndTxn was not the current one (2.0)."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int
    arrived: int
