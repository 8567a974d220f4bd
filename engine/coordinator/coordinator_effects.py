"""The effects of a transaction coordinator, which its host carries out."""

from __future__ import annotations

from engine.coordinator.transaction_metadata import Image
from engine.errors import Error
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from engine.value import value


@value
class Answer:
    """Effect: respond to a request. ``to``: the object with which the host identifies the request."""

    to: object
    error: Error
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    thrown: bool = False
    """Whether Kafka's coordinator throws an exception here, so that ``KafkaApis.handleError`` sends the
    response."""


@value
class Write:
    """Effect: append this image to the log (None: a tombstone). When the append has ended, the host calls
    ``written(token, error, now)``."""

    token: int
    transactional_id: str
    image: Image | None


@value
class SendMarkers:
    """Effect: send a marker to the leader of every partition (MRK-1). ``result``: COMMIT or ABORT."""

    transactional_id: str
    result: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    partitions: tuple[str, ...]


@value
class Completed:
    """Effect: report that the completion of a transaction was written, or that its write failed (TXC-18)."""

    transactional_id: str
    error: Error
