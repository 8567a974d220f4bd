"""What can be done about a verdict: what each reader would see then, and the command of Kafka's own tools.

Nothing is ever run from here. Source: `kafka-transactions.sh` (KIP-664).
"""

from dataclasses import dataclass

from eosviz.pipeline.kafka_logs.batch_facts import Range
from eosviz.pipeline.kafka_logs.partition import Partition
from eosviz.pipeline.kafka_logs.verdicts import Verdict, VerdictKind

_TOOL = "kafka-transactions.sh --bootstrap-server HOST:PORT"

_ABORTED = (VerdictKind.ORPHAN, VerdictKind.FENCED_WRITER, VerdictKind.LATE_WRITE)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do, on what conditions, and what it would show."""

    action: str
    """`abort`, `wait` or `look`."""
    command: str
    preconditions: tuple[str, ...]
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
    preview = (partition.last_stable_offset(gone), partition.visible_committed(gone))
    if verdict.kind in _ABORTED:
        place = f"--topic {topic} --partition {number} --start-offset {transaction.first_offset}"
        first = f"{_TOOL} describe-producers --topic {topic} --partition {number}"
        conditions = (
            f"the transaction is still open there: {first}",
            "its writer is stopped, or it can write again behind the marker",
        )
        return Remedy("abort", f"{_TOOL} abort {place}", conditions, *preview)
    if verdict.kind is VerdictKind.UNDECIDED or entry is None:
        command = f"{_TOOL} find-hanging --topic {topic} --partition {number}"
        return Remedy("look", command, ("the cluster runs",), *preview)
    described = f"{_TOOL} describe --transactional-id {entry.transactional_id}"
    if verdict.kind is VerdictKind.SLOW_BUT_ALIVE:
        condition = f"the coordinator aborts by itself at {verdict.timeout_at} (milliseconds since 1970)"
    else:
        leader = (
            f"the coordinator of {entry.transactional_id}"
            if entry.said_at
            else f"the leader of {entry.partition}"
        )
        condition = f"{leader} runs: it writes the marker again until it succeeds"
    return Remedy("wait", described, (condition,), *preview)
