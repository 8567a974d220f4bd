"""The transaction coordinator of October 2024, before 4.0. It has behaviour that no profile has, because Kafka
changed it before the release.

The cases of `4.0-snapshot` were recorded from it, so they are played with it. Source:
``TransactionCoordinator`` and ``TransactionMetadata`` at 1eb7644349.
"""

from __future__ import annotations

from dataclasses import replace

from engine.coordinator.transaction_coordinator import (
    FENCE_WRITE,
    Change,
    TransactionCoordinator,
)
from engine.coordinator.transaction_metadata import Image, TransactionMetadata
from engine.coordinator.transaction_states import ABORT, COMMIT, COMPLETED, DECIDED
from engine.errors import EngineError
from engine.messages import NO_PRODUCER_EPOCH, RAISING_VERSION, SHORT_MAX


class SnapshotCoordinator(TransactionCoordinator):
    """The coordinator with three differences from the release:
    - A fence raises the epoch twice (fixed by KAFKA-19367).
    - A completion stores its own epoch as the last epoch.
    - For a decided transaction of version 2, the rules of version 2 also check the epoch of an EndTxn of an
      older version.

    A fourth difference occurs in no case: this coordinator compares the epoch of an EndTxn of version 2 before it
    looks for a pending change (KAFKA-18464).
    """

    def _write(self, kind: str, image: Image, change: Change) -> None:
        metadata = change.metadata
        if kind == FENCE_WRITE and image.client_version >= RAISING_VERSION:
            fenced = metadata.producer_epoch + (0 if metadata.failed_epoch_fence else 1)
            metadata.producer_epoch, metadata.last_producer_epoch = fenced, NO_PRODUCER_EPOCH
            if fenced == SHORT_MAX:
                raise EngineError(f"{metadata.transactional_id}: no epoch follows {SHORT_MAX}")
            image = replace(image, producer_epoch=fenced + 1, last_producer_epoch=fenced)
        super()._write(kind, image, change)

    def _completion(self, metadata: TransactionMetadata, now: int) -> Image:
        image = super()._completion(metadata, now)
        if metadata.client_version < RAISING_VERSION:
            return image
        return replace(image, last_producer_epoch=metadata.producer_epoch)

    def end_transaction(
        self,
        to: object,
        transactional_id: str | None,
        producer_id: int,
        producer_epoch: int,
        commit: bool,
        now: int,
        version: int = 0,
    ) -> None:
        metadata = self.metadata.get(transactional_id or "")
        claimed = (producer_id, producer_epoch)
        if (
            version >= RAISING_VERSION
            or metadata is None
            or metadata.client_version < RAISING_VERSION
            or metadata.state not in DECIDED | COMPLETED
            or metadata.producer_id != producer_id
        ):
            super().end_transaction(to, transactional_id, *claimed, commit, now, version)
        elif metadata.is_repeated(*claimed):
            self._take(COMMIT if commit else ABORT, Change(metadata, to, now, claimed=claimed, version=0))
        else:
            self._fenced(to, metadata, producer_epoch)
