"""Where a recorded Kafka 4.1 broker with transaction version 0 differs from the engine's 2.8 profile.

All differences stand in :data:`DIFFERENCES`, by name and with their reason. One of them is a rule with a memory,
verification (KIP-890, first part); :class:`Verification` says for each request what it answers, from what the
engine's own coordinator and logs know. So a recording must show it exactly where the rule says, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.broker.broker import Broker
from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.broker.producer_state import ProducerStateEntry
from engine.coordinator.transaction_states import PREPARE_ABORT, PREPARE_COMMIT
from engine.errors import Error
from engine.messages import NO_SEQUENCE, ProduceRequest, RecordBatch, TxnOffsetCommitRequest


@dataclass(frozen=True, slots=True)
class Difference:
    """``here``: what the player does about it."""

    name: str
    reason: str
    here: str


DIFFERENCES = (
    Difference(
        "verification",
        "since 3.6 a leader asks the coordinator whether a partition belongs to the transaction before it takes "
        "the first batch of one (KIP-890, AddPartitionsToTxnManager); 2.8 takes the batch",
        "a request that verification refuses is answered here and never reaches the engine's broker",
    ),
    Difference(
        "earliest sequence",
        "while no batch of a verified transaction is stored, sequences above the lowest one that was seen are out "
        "of order (ProducerAppendInfo.checkSequence since 3.6)",
        "answered here, like verification",
    ),
    Difference(
        "first producer id",
        "a recorded cluster has handed out ids before, and its controller hands out blocks (KIP-730)",
        "the block of the engine's broker starts at the first id of the recording; the later ones are its own",
    ),
    Difference(
        "partitions of internal topics",
        "a recording does not say how many a cluster has, so neither which of them a group has",
        "compared by topic",
    ),
)

CLIENT_SEES = {
    Error.PRODUCER_FENCED: Error.INVALID_PRODUCER_EPOCH,
    Error.CONCURRENT_TRANSACTIONS: Error.NOT_ENOUGH_REPLICAS,
    Error.COORDINATOR_LOAD_IN_PROGRESS: Error.NOT_ENOUGH_REPLICAS,
    Error.NOT_COORDINATOR: Error.NOT_ENOUGH_REPLICAS,
}
"""What a producer is told of the coordinator's answer to a verification; others stay as they are."""


@dataclass(slots=True)
class _Seen:
    """What is kept between a verification and the first batch of its transaction."""

    epoch: int
    lowest_sequence: int

    def note(self, epoch: int, sequence: int) -> None:
        if epoch == self.epoch and sequence < self.lowest_sequence:
            self.lowest_sequence = sequence
        if epoch > self.epoch:
            self.epoch, self.lowest_sequence = epoch, sequence


def _is_cached(entry: ProducerStateEntry, batch: RecordBatch) -> bool:
    return entry.producer_epoch == batch.producer_epoch and any(
        (known.first_sequence, known.last_sequence) == (batch.base_sequence, batch.last_sequence)
        for known in entry.batches
    )


class Verification:
    """KIP-890's first part in front of ``broker``, which leads everything and coordinates everybody."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self._seen: dict[tuple[str, int], _Seen] = {}
        self._looked_at: dict[str, int] = {}

    def refuses(self, request: ProduceRequest | TxnOffsetCommitRequest) -> dict[str, tuple[Error, int]]:
        """Partitions (of the offsets log: the commit's own) to error and log start offset."""
        if isinstance(request, TxnOffsetCommitRequest):
            return self._refuses_offsets(request)
        refused: dict[str, tuple[Error, int]] = {}
        for partition, batch in request.batches.items():
            if batch.is_transactional and partition in self.broker.replicas:
                found = self._refuses_batch(request.transactional_id, partition, batch)
                if found is not None:
                    refused[partition] = found
        return refused

    def look_at_logs(self) -> None:
        """Forget what was seen of a producer once a transactional batch or marker of it is stored."""
        for partition, replica in self.broker.replicas.items():
            end = self._looked_at.get(partition, 0)
            for batch in replica.log.batches:
                if batch.base_offset >= end and batch.is_transactional:
                    self._seen.pop((partition, batch.producer_id), None)
            self._looked_at[partition] = replica.log.log_end

    def _refuses_batch(
        self, transactional_id: str | None, partition: str, batch: RecordBatch
    ) -> tuple[Error, int] | None:
        if self._is_open(partition, batch.producer_id, batch.producer_epoch):
            return None
        seen = self._note(partition, batch.producer_id, batch.producer_epoch, batch.base_sequence)
        error = self._ask(transactional_id or "", batch.producer_id, batch.producer_epoch, partition)
        if error is not Error.NONE:
            return CLIENT_SEES.get(error, error), -1
        log = self.broker.replicas[partition].log
        entry = log.producers.entries.get(batch.producer_id)
        if entry is not None and (batch.producer_epoch < entry.producer_epoch or _is_cached(entry, batch)):
            return None
        if batch.base_sequence > seen.lowest_sequence:
            return Error.OUT_OF_ORDER_SEQUENCE_NUMBER, log.log_start
        return None

    def _refuses_offsets(self, request: TxnOffsetCommitRequest) -> dict[str, tuple[Error, int]]:
        groups = self.broker.groups
        if groups is None:
            return {}
        partition = f"{OFFSETS_TOPIC}-{groups.coordinator.partition_of(request.group_id)}"
        producer_id, epoch = request.producer_id, request.producer_epoch
        if self._is_open(partition, producer_id, epoch):
            return {}
        self._note(partition, producer_id, epoch, NO_SEQUENCE)
        error = self._ask(request.transactional_id, producer_id, epoch, partition)
        if error is Error.NONE:
            return {}
        if error is Error.PRODUCER_FENCED:
            error = Error.INVALID_PRODUCER_EPOCH
        return dict.fromkeys(request.offsets, (error, -1))

    def _is_open(self, partition: str, producer_id: int, epoch: int) -> bool:
        entry = self.broker.replicas[partition].log.producers.entries.get(producer_id)
        return (
            entry is not None and entry.transaction_first_offset is not None and entry.producer_epoch == epoch
        )

    def _note(self, partition: str, producer_id: int, epoch: int, sequence: int) -> _Seen:
        seen = self._seen.setdefault((partition, producer_id), _Seen(epoch, sequence))
        seen.note(epoch, sequence)
        return seen

    def _ask(self, transactional_id: str, producer_id: int, epoch: int, partition: str) -> Error:
        """The coordinator's answer (``handleVerifyPartitionsInTransaction``)."""
        host = self.broker.transactions
        if host is None or not transactional_id:
            return Error.INVALID_REQUEST
        here = host.coordinator.lookup(transactional_id)
        if here is not Error.NONE:
            return here
        metadata = host.coordinator.metadata.get(transactional_id)
        if metadata is None or metadata.producer_id != producer_id:
            return Error.INVALID_PRODUCER_ID_MAPPING
        if metadata.producer_epoch != epoch:
            return Error.PRODUCER_FENCED
        if metadata.state in (PREPARE_COMMIT, PREPARE_ABORT):
            return Error.CONCURRENT_TRANSACTIONS
        return Error.NONE if partition in metadata.partitions else Error.INVALID_TXN_STATE
