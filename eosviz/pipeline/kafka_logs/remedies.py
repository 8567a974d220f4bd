"""Remedies for a verdict: commands of Kafka's own tools, and what a read_committed consumer gets once the
transaction has ended. eosviz itself runs no such command. Source: `kafka-transactions.sh` (KIP-664;
`forceTerminateTransaction` since Kafka 4.1)."""

import shlex
from dataclasses import dataclass

from eosviz.pipeline.kafka_logs.batch_facts import Range
from eosviz.pipeline.kafka_logs.partition import Partition, Transaction
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind
from eosviz.pipeline.kafka_logs.verdict_rules import ONGOING, is_ongoing
from eosviz.pipeline.kafka_logs.verdicts import Verdict
from eosviz.pipeline.kafka_logs.words import Words, moment_by, words

_TOOL = "kafka-transactions.sh --bootstrap-server HOST:PORT"
FORCE_TERMINATE_SINCE = "4.1"
"""The first version of Kafka whose tool and brokers have `forceTerminateTransaction`."""

_ABORTED = (VerdictKind.ORPHAN, VerdictKind.FENCED_WRITER, VerdictKind.LATE_WRITE)


@dataclass(frozen=True, slots=True)
class Other:
    """Another command that would end the transaction, with its own conditions."""

    command: str
    since: str
    """The first version of Kafka whose tool has the command. Empty if all versions of the tool have it."""
    preconditions: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a person may do about a verdict, under which conditions, and with which consequences."""

    action: str
    """`abort`, `wait` or `look`."""
    command: str
    preconditions: tuple[Words, ...]
    ends: str
    """The outcome that the transaction will have, `committed` or `aborted`."""
    last_stable_offset: int | None
    """The last stable offset once this transaction has ended; -1 if it is unknown."""
    visible_read_committed: tuple[Range, ...] | None
    others: tuple[Other, ...] = ()


def remedy_of(verdict: Verdict, partition: Partition) -> Remedy | None:
    """The remedy for a verdict; None if the verdict is about no open transaction."""
    transaction, entry = verdict.transaction, verdict.entry
    if transaction is None:
        return None
    kind = verdict.rests_on or verdict.kind
    ends = (None if entry is None else entry.decision) or "aborted"
    if kind in _ABORTED:
        # The coordinator's decision was about another transaction of the producer.
        ends = "aborted"
    preview = _preview(partition, transaction, ends)
    if kind in _ABORTED:
        command, conditions = _abort(partition, transaction)
        return Remedy("abort", command, conditions, *preview)
    known = entry or verdict.listed
    if known is None:
        command = f"{_TOOL} find-hanging {_place(partition)}"
        return Remedy("look", command, (words("condition.cluster"),), *preview)
    described = f"{_TOOL} describe --transactional-id {quoted(known.transactional_id)}"
    others = _others(verdict, partition, transaction)
    if kind is VerdictKind.UNDECIDED:
        return Remedy("look", described, (words("condition.cluster"),), *preview, others)
    return Remedy("wait", described, _conditions(verdict, partition), *preview, others)


def quoted(name: str) -> str:
    """A name that a user chose, quoted as one word for a shell."""
    if name.isprintable():
        return shlex.quote(name)
    escaped = name.encode("unicode_escape").decode("ascii").replace("'", "\\'")
    return f"$'{escaped}'"


def _place(partition: Partition) -> str:
    topic, _, number = partition.name.rpartition("-")
    return f"--topic {quoted(topic)} --partition {quoted(number)}"


def _abort(partition: Partition, transaction: Transaction) -> tuple[str, tuple[Words, ...]]:
    """The command that aborts a transaction, and the conditions under which it may be used."""
    place = _place(partition)
    conditions = (
        words("condition.open", command=f"{_TOOL} describe-producers {place}"),
        words("condition.writer"),
    )
    return f"{_TOOL} abort {place} --start-offset {transaction.first_offset}", conditions


def _conditions(verdict: Verdict, partition: Partition) -> tuple[Words, ...]:
    """The conditions under which the transaction ends if one waits."""
    entry, kind = verdict.entry, verdict.rests_on or verdict.kind
    if entry is None or kind is VerdictKind.SLOW_BUT_ALIVE:
        return (words("condition.timeout", at=moment_by(verdict.timeout_at)),)
    if entry.text_place:
        coordinator = words("condition.coordinator", transactional_id=entry.transactional_id)
    else:
        coordinator = words("condition.leader", partition=entry.partition)
    if entry.is_prepared:
        return (words("condition.data_leader", partition=partition.name), coordinator)
    return (coordinator,)


def _others(verdict: Verdict, partition: Partition, transaction: Transaction) -> tuple[Other, ...]:
    """Commands that end an ongoing transaction before its timeout. There may be none."""
    entry, listed = verdict.entry, verdict.listed
    if listed is not None and listed.state == ONGOING:
        of = {"producer_id": transaction.producer_id, "partition": partition.name}
        return (_terminate(listed.transactional_id, words("condition.listed_ongoing", **of)),)
    if entry is None or entry.value is None or not is_ongoing(partition, transaction, entry):
        return ()
    who = {"producer_id": entry.value.producer_id, "epoch": entry.value.producer_epoch}
    terminate = _terminate(entry.transactional_id, words("condition.ongoing", **who))
    if verdict.kind is not VerdictKind.EVIDENCE_DELETED or verdict.rests_on is VerdictKind.UNDECIDED:
        return (terminate,)
    command, conditions = _abort(partition, transaction)
    last = words("condition.this_partition", at=moment_by(verdict.timeout_at))
    return (terminate, Other(command, "", (*conditions, last)))


def _terminate(transactional_id: str, condition: Words) -> Other:
    command = f"{_TOOL} forceTerminateTransaction --transactionalId {quoted(transactional_id)}"
    stopped = words("condition.terminated", transactional_id=transactional_id)
    return Other(command, FORCE_TERMINATE_SINCE, (condition, stopped))


def _preview(partition: Partition, transaction: Transaction, ends: str) -> tuple[str, int, tuple[Range, ...]]:
    """What follows if a marker with the outcome `ends` is appended to the log: (outcome, last stable offset,
    offsets that a read_committed consumer gets)."""
    gone = (transaction.producer_id,)
    stable = partition.last_stable_offset(gone)
    behind = stable + (0 <= stable == partition.high_watermark)
    seen = partition.visible_committed(gone, transaction if ends == "committed" else None)
    return ends, behind, seen
