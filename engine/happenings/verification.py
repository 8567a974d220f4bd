"""What happens before the first batch of a transaction in a partition: questions to coordinators, and their answers."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening


@happening
class CoordinatorAsked(Happening):
    """A leader holds a request back and asks. ``adds``: the coordinator is to add the partitions, too (KIP-890)."""

    broker: str
    client: str
    coordinator: str
    transactional_id: str
    partitions: tuple[str, ...]
    adds: bool


@happening
class CoordinatorNotReachable(Aside):
    broker: str
    client: str
    transactional_id: str


@happening
class QuestionReplaced(Aside):
    """A request that waits behind a question gives way to a newer one of the same transactional id."""

    broker: str
    client: str
    transactional_id: str
    error: Error


@happening
class PartitionsVerified(Happening):
    """A coordinator answers. ``error``: of the first partition that may not be written, else NONE."""

    coordinator: str
    leader: str
    transactional_id: str
    partitions: tuple[str, ...]
    error: Error


@happening
class AsksAgain(Happening):
    """The transaction before is not complete; the request waits, and the leader asks once more at ``at``."""

    broker: str
    client: str
    transactional_id: str
    at: int


@happening
class QuestionsLost(Happening):
    """The connection to a coordinator ended, or it has been silent for too long."""

    broker: str
    coordinator: str
    clients: tuple[str, ...]


class Unsafe(Enum):
    """Why a batch may not start a transaction in a partition."""

    REFUSED = "not_in_transaction"
    ENDED_MEANWHILE = "transaction_ended_meanwhile"
    EARLIER_MISSING = "first_batch_missing"
    NOT_THE_FIRST = "not_the_first_batch"


@happening
class WriteNotAllowed(Happening):
    """Nothing is appended. ``found``: the error that the coordinator or the log has; ``error``: what the client gets
    instead."""

    broker: str
    client: str
    partition: str
    why: Unsafe
    found: Error
    error: Error
    first_sequence: int
    lowest_sequence: int


@happening
class OffsetsNotAllowed(Happening):
    """The offsets of a transaction are not stored."""

    broker: str
    client: str
    group: str
    found: Error
    error: Error
