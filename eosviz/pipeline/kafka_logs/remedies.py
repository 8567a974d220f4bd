"""What can be done about a verdict: what each reader would see then, and the command of Kafka's own tools.

Nothing is ever run from here. Source: `kafka-transactions.sh` (KIP-664).
"""

from dataclasses import dataclass

from eosviz.pipeline.kafka_logs.batch_facts import Range
from eosviz.pipeline.kafka_logs.partition import Partition
from eosviz.pipeline.kafka_logs.verdicts import Verdict, VerdictKind
from eosviz.pipeline.kafka_logs.words import Words, moment, words

_TOOL = "kafka-transactions.sh --bootstrap-server HOST:PORT"

_ABORTED = (VerdictKind.ORPHAN, VerdictKind.FENCED_WRITER, VerdictKind.LATE_WRITE)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do, on what conditions, and what it would show."""

    action: str
    """`abort`, `wait` or `look`."""
    command: str
    preconditions: tuple[Words, ...]
    last_stable_offset: int | None
    """Once this transaction is aborted; None where nothing is open in these files."""
    visible_read_committed: tuple[Range, ...] | None


def remedy_of(verdict: Verdict, partition: Partition) -> Remedy | None:
    """None for a verdict without a remedy: a healthy partition, or evidence that is gone."""
    transaction, entry = verdict.transaction, verdict.entry
    if transaction is None:
        return None
    topic, _, number = partition.name.rpartition("-")
    gone = (transaction.producer_id,)
    preview = (_stable_without(partition, gone), partition.visible_committed(gone))
    if verdict.kind in _ABORTED:
        place = f"--topic {topic} --partition {number} --start-offset {transaction.first_offset}"
        first = f"{_TOOL} describe-producers --topic {topic} --partition {number}"
        conditions = (words("condition.open", command=first), words("condition.writer"))
        return Remedy("abort", f"{_TOOL} abort {place}", conditions, *preview)
    if verdict.kind is VerdictKind.UNDECIDED or entry is None:
        command = f"{_TOOL} find-hanging --topic {topic} --partition {number}"
        return Remedy("look", command, (words("condition.cluster"),), *preview)
    described = f"{_TOOL} describe --transactional-id {entry.transactional_id}"
    if verdict.kind is VerdictKind.SLOW_BUT_ALIVE:
        condition = words("condition.timeout", at=moment(verdict.timeout_at))
    elif entry.said_at:
        condition = words("condition.coordinator", transactional_id=entry.transactional_id)
    else:
        condition = words("condition.leader", partition=entry.partition)
    return Remedy("wait", described, (condition,), *preview)


def _stable_without(partition: Partition, gone: tuple[int]) -> int:
    """With the marker that ends it, which takes an offset of its own at the end of the log."""
    stable = partition.last_stable_offset(gone)
    return stable + (0 <= stable == partition.high_watermark)
