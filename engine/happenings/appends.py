"""Happenings of batches that reached a leader's log."""

from __future__ import annotations

from engine.broker.append_rules import Shown
from engine.broker.appended import Appended
from engine.happenings.base import Happening, happening
from engine.messages import RecordBatch


@happening
class ClientBatchReached(Happening):
    """A client's batch reached a leader's log. ``shown``: (rule, whether it is on) for each of the log's rules for
    the batch, in order; a switch can turn a rule off. ``log_end`` and ``high_watermark``: the offsets after the
    append."""

    broker: str
    partition: str
    client: str
    batch: RecordBatch
    appended: Appended
    acks: int
    log_end: int
    high_watermark: int
    shown: Shown


@happening
class BrokerBatchReached(Happening):
    """A marker or a coordinator's record reached a leader's log."""

    broker: str
    partition: str
    batch: RecordBatch
    appended: Appended
    acks: int
    last_stable_offset: int
    high_watermark: int
    shown: Shown
