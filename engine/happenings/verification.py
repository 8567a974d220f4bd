"""Happenings of the verification before a transaction's first batch in a partition: questions to
coordinators, and their answers."""

from __future__ import annotations

from enum import Enum

from engine.errors import Error
from engine.happenings.base import Aside, Happening, happening


@happening
class CoordinatorAsked(Happening):
    """A leader holds back a request and asks the coordinator. ``adds``: the coordinator is to add the
    partitions to the transaction, too (KIP-890, part 2)."""

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
    """Two questions about one transactional id were queued. The one with the higher epoch stays; if the
    epochs are equal, the newer one. ``error``: what the client of the discarded question gets."""

    broker: str
    client: str
    transactional_id: str
    error: Error


@happening
class PartitionsVerified(Happening):
    """A coordinator answered a leader. ``error``: the error of the first partition that may not be written
    to, or NONE."""

    coordinator: str
    leader: str
    transactional_id: str
    partitions: tuple[str, ...]
    error: Error


@happening
class AsksAgain(Happening):
    """The previous transaction is not complete, so the client's request waits, and the leader repeats the
    question at ``at`` (virtual ms)."""

    broker: str
    client: str
    transactional_id: str
    at: int


@happening
class QuestionsLost(Happening):
    """The connection to a coordinator ended, or the coordinator's response is overdue, so the questions of the leader
    ``broker`` have failed. ``clients``: the clients whose requests waited for the answers."""

    broker: str
    coordinator: str
    clients: tuple[str, ...]


class Unsafe(Enum):
    """The reasons why a batch may not start a transaction in a partition."""

    REFUSED = "not_in_transaction"
    ENDED_MEANWHILE = "transaction_ended_meanwhile"
    EARLIER_MISSING = "first_batch_missing"
    NOT_THE_FIRST = "not_the_first_batch"


@happening
class WriteNotAllowed(Happening):
    """A batch was not appended. ``found``: the error from the coordinator or the log. ``error``: the error that the
    client gets in its place. ``lowest_sequence``: the lowest first sequence of the batches that wait for the
    verification."""

    broker: str
    client: str
    partition: str
    why: Unsafe
    found: Error
    error: Error
    producer_id: int
    producer_epoch: int
    first_sequence: int
    last_sequence: int
    lowest_sequence: int


@happening
class OffsetsNotAllowed(Happening):
    """The offsets of a transaction were not stored. ``ended_meanwhile``: the coordinator allowed them, but a
    marker came first."""

    broker: str
    client: str
    group: str
    found: Error
    error: Error
    ended_meanwhile: bool
