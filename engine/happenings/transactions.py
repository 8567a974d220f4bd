"""What happens to transactional ids at their coordinator."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening
from engine.machine import Row


@happening
class IdMoved(Happening):
    """A row of the machine of an id was taken, or refused the request. ``pending``: the state that is being written.
    ``claimed``: producer id and epoch that the request names. ``by_leader``: a leader asks for its client."""

    coordinator: str
    transactional_id: str
    state: str
    pending: str | None
    producer_id: int
    producer_epoch: int
    row: Row
    claimed: tuple[int, int] | None
    by_leader: bool


@happening
class ClaimRefused(Happening):
    """InitProducerId names another producer id than the one that the id has or had."""

    coordinator: str
    transactional_id: str
    state: str
    pending: str | None
    producer_id: int
    producer_epoch: int
    claimed: tuple[int, int]


@happening
class MarkersResumed(Happening):
    """A new coordinator read the decision in the log and sends the markers."""

    coordinator: str
    transactional_id: str
    state: str
    pending: str | None
    producer_id: int
    producer_epoch: int


@happening
class EpochRefused(Happening):
    """A request with another epoch than ``current``."""

    coordinator: str
    transactional_id: str
    arrived: int
    current: int
    error: Error


# -- what no state decides -----------------------------------------------------------------------------


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
    """``known``: the producer id that the transactional id has; None: the id itself is unknown."""

    coordinator: str
    error: Error
    transactional_id: str
    arrived: int
    known: int | None


@happening
class NotHere(Happening):
    """This broker does not coordinate the id, or not yet. ``number``: the id's partition of the log; ``owned``: those
    that this broker has."""

    coordinator: str
    error: Error
    transactional_id: str
    number: int
    owned: tuple[int, ...]


# -- epochs --------------------------------------------------------------------------------------------


class Identity(Enum):
    """Which identity an InitProducerId gets that finds nothing open."""

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
    """The epoch of an open transaction that the coordinator aborts."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int
    new_epoch: int
    row: Row


@happening
class EpochRises(Aside):
    """A decision of version 2 carries the next epoch. ``next_producer_id``: the one that its completion takes, None
    where epochs are left."""

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
    """The abort under the raised epoch is durable."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int


@happening
class DecisionStands(Happening):
    """The outcome is durable."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int


@happening
class DecisionWithoutMarkers(Aside):
    """The outcome is durable, but no markers are sent, because the request came with the epoch ``arrived``."""

    coordinator: str
    transactional_id: str
    state: str
    producer_epoch: int
    arrived: int
