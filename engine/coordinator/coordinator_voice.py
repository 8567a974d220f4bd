"""What a transaction coordinator says: sentences, refusals with what they compared, transitions, facts for judges."""

from __future__ import annotations

from typing import Any

from engine.coordinator.transaction_metadata import TransactionMetadata
from engine.coordinator.transaction_states import (
    CLAIM_REPLACED,
    CLAIM_TOO_LATE,
    COMMITS,
    TRANSACTION_STATES,
)
from engine.errors import Error
from engine.events import MarkersGivenUp, OutcomeDecided, PartitionsRegistered, TransactionCompleted
from engine.machine import Row
from engine.telling.rows import row_key
from engine.watching import Watch

NEXT = {
    Error.CONCURRENT_TRANSACTIONS: "refusal.client_asks_again",
    Error.COORDINATOR_LOAD_IN_PROGRESS: "refusal.client_asks_again",
    Error.NOT_COORDINATOR: "refusal.client_looks_up_again",
    Error.INVALID_PRODUCER_ID_MAPPING: "refusal.client_aborts_and_raises",
    Error.UNKNOWN_SERVER_ERROR: "refusal.client_has_no_rule",
}
"""What the client does about a refusal; everything else ends it."""

ALSO: dict[str, tuple[str, ...]] = {
    "coordinator.epoch_raised": ("TXC-4",),
    "coordinator.fences_open_transaction": ("TXC-4", "TXC-8", "FEN-2", "FEN-5"),
    "coordinator.init_meets_transition": ("TXC-6", "FEN-5"),
    "coordinator.init_waits_for_markers": ("FEN-5",),
    "coordinator.transaction_begins": ("TXC-4", "CTR-36"),
    "coordinator.partitions_added": ("TXC-4",),
    "coordinator.add_meets_transition": ("TXC-6",),
    "coordinator.end_meets_transition": ("TXC-6",),
    "coordinator.decides_commit": ("TXC-4",),
    "coordinator.decides_abort": ("TXC-4",),
    "coordinator.all_markers_acknowledged": ("TXC-4",),
    "coordinator.id_expires": ("TXC-4",),
    "coordinator.transaction_timed_out": ("TXC-10", "FEN-2"),
    "coordinator.resumes_markers": ("TXC-19",),
}
"""What else of the specification a sentence is about, beside the row's own rule."""


class CoordinatorVoice:
    """The sentences and facts of :class:`engine.coordinator.transaction_coordinator.TransactionCoordinator`; it decides
    nothing and answers nothing."""

    name: str
    watch: Watch

    def epoch_of(self, key: str) -> int:
        """The epoch under which this broker coordinates the id."""
        raise NotImplementedError

    def _tell_registered(self, metadata: TransactionMetadata) -> None:
        """Also after a load: the coordinator that wrote the image may have crashed before it reported it."""
        if self.watch.judging:
            partitions = tuple(sorted(metadata.partitions))
            self.watch.fact(
                PartitionsRegistered(
                    producer_id=metadata.producer_id,
                    partitions=partitions,
                    coordinator_epoch=self.epoch_of(metadata.transactional_id),
                )
            )

    def _say_rejected(
        self, error: Error, key: str, rule: str, compared: list[list[Any]], /, **params: Any
    ) -> None:
        """What no state decides."""
        if self.watch.recording:
            self.watch.say(key, (rule,), coordinator=self.name, error=error.name, **params)
            self.watch.refuse(rule, error.name, compared, NEXT.get(error, "refusal.client_ends"))
        elif self.watch.said is None:
            self.watch.said = key

    def _refuse_claim(
        self,
        claimed: tuple[int, int],
        metadata: TransactionMetadata,
        rule: str,
        error: Error,
    ) -> None:
        if self.watch.recording:
            self.watch.refuse(
                rule,
                error.name,
                [
                    ["claimed producer id", claimed[0]],
                    ["claimed epoch", claimed[1]],
                    ["current producer id", metadata.producer_id],
                    ["current epoch", metadata.producer_epoch],
                ],
                NEXT.get(error, "refusal.producer_fenced"),
            )

    def _say_fenced(self, metadata: TransactionMetadata, arrived: int, error: Error) -> None:
        too_high = arrived > metadata.producer_epoch
        self.watch.say(
            "coordinator.epoch_never_given" if too_high else "coordinator.stale_epoch",
            ("FEN-2",),
            coordinator=self.name,
            transactional_id=metadata.transactional_id,
            arrived=arrived,
            current=metadata.producer_epoch,
            error=error.name,
        )
        self.watch.refuse(
            "FEN-2",
            error.name,
            [["arrived epoch", arrived], ["current epoch", metadata.producer_epoch]],
            "refusal.producer_fenced",
        )

    def _decide(
        self, row: Row, metadata: TransactionMetadata, claimed: tuple[int, int] | None = None
    ) -> None:
        """Say which row was taken; a refusal also says what it looked at. ``claimed``: PID and epoch that an
        InitProducerId names."""
        self._say(row_key(row), row.spec, metadata)
        watch = self.watch
        if not watch.recording:
            return
        target = row.target or row.source
        watch.transition(
            TRANSACTION_STATES.name, metadata.transactional_id, row.source, target, row.on, row.number
        )
        if row.refused and claimed is not None and row.when in (CLAIM_REPLACED, CLAIM_TOO_LATE):
            self._refuse_claim(claimed, metadata, row.spec, Error[row.reply])
        elif row.refused:
            watch.refuse(
                row.spec,
                row.reply,
                [["state", metadata.state], ["being written", metadata.pending_state]],
                NEXT.get(Error[row.reply], "refusal.client_ends"),
            )

    def _note(
        self, key: str, rules: tuple[str, ...], metadata: TransactionMetadata, /, **more: object
    ) -> None:
        if self.watch.recording:
            self.watch.note(
                key,
                rules,
                coordinator=self.name,
                transactional_id=metadata.transactional_id,
                state=metadata.state,
                producer_epoch=metadata.producer_epoch,
                **more,
            )

    def _lead(self, key: str, rules: tuple[str, ...], metadata: TransactionMetadata) -> None:
        """Make this the headline; the earlier sentence, that a record is replicated, becomes a note."""
        if self.watch.recording:
            self.watch.lead(
                key,
                rules,
                coordinator=self.name,
                transactional_id=metadata.transactional_id,
                state=metadata.state,
                producer_epoch=metadata.producer_epoch,
            )

    def _say(self, key: str, rule: str, metadata: TransactionMetadata) -> None:
        watch = self.watch
        if not watch.recording:
            if watch.said is None:
                watch.said = key
            return
        watch.say(
            key,
            (rule, *ALSO.get(key, ())),
            coordinator=self.name,
            transactional_id=metadata.transactional_id,
            state=metadata.state,
            pending=metadata.pending_state,
            producer_id=metadata.producer_id,
            producer_epoch=metadata.producer_epoch,
        )

    def _tell_decided(self, metadata: TransactionMetadata, found: bool = False) -> None:
        if self.watch.judging:
            self.watch.fact(
                OutcomeDecided(
                    producer_id=metadata.producer_id,
                    producer_epoch=metadata.producer_epoch,
                    committed=metadata.state in COMMITS,
                    found=found,
                )
            )

    def _tell_unmarked(self, metadata: TransactionMetadata) -> None:
        if self.watch.judging:
            self.watch.fact(
                MarkersGivenUp(
                    producer_id=metadata.producer_id,
                    partitions=tuple(sorted(metadata.partitions)),
                    coordinator_epoch=self.epoch_of(metadata.transactional_id),
                )
            )

    def _tell_completed(self, metadata: TransactionMetadata) -> None:
        if self.watch.judging:
            epoch = self.epoch_of(metadata.transactional_id)
            self.watch.fact(TransactionCompleted(producer_id=metadata.producer_id, coordinator_epoch=epoch))
