"""Decides why the consumers of a partition wait, or that they do not wait. There is one verdict for each open
transaction, with its evidence.

The partition shows that a transaction is open. Only the coordinator's log shows whether it should be
(`verdict_rules.py`). If the copies do not prove enough for a verdict (`copy_proofs.py`), the verdict is
`undecided` and says which files or statements are needed.

Source: KIP-664 (hanging transactions), KIP-890, Kafka's `TransactionCoordinator`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from eosviz.pipeline.kafka_logs.coordinator import CoordinatorEntry, Listed, partition_of
from eosviz.pipeline.kafka_logs.copy_proofs import (
    Copies,
    Situation,
    coordinator_newer,
    id_whole,
    named,
    readers_declared_waiting,
    segments_declared_whole,
    topic_whole,
)
from eosviz.pipeline.kafka_logs.evidence import (
    Evidence,
    entry_sentence,
    marker_sentence,
    transaction_sentence,
)
from eosviz.pipeline.kafka_logs.log_lines import LoggedLines, LogLine, left_by, line_sentence
from eosviz.pipeline.kafka_logs.log_tails import Beside, doubt_a_cut_tail
from eosviz.pipeline.kafka_logs.notes import Note, notes_of
from eosviz.pipeline.kafka_logs.partition import Partition, Transaction
from eosviz.pipeline.kafka_logs.verdict_kinds import NOT_HEALTHY, OPEN, VerdictKind
from eosviz.pipeline.kafka_logs.verdict_rules import Row, judged, timeout_at
from eosviz.pipeline.kafka_logs.words import Words, moment, words

LOG_LINES_MAX = 20
"""A verdict has at most this many log lines as evidence: the newest ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict on one open transaction, or on a partition without one."""

    kind: VerdictKind
    partition: str
    transaction: Transaction | None = None
    entry: CoordinatorEntry | None = None
    """The coordinator's newest record of the transactional id; None if no record has the producer id."""
    listed: Listed | None = None
    """The row of the producer id in an output of `kafka-transactions.sh list`, if no record of the id is
    known; otherwise None."""
    timeout_at: int | None = None
    """The time at which the coordinator will abort the transaction because of its timeout, in milliseconds
    since 1970; None if it is unknown."""
    evidence: tuple[Evidence, ...] = ()
    alternatives: tuple[VerdictKind, ...] = ()
    would_change: tuple[Words, ...] = ()
    notes: tuple[Note, ...] = field(default=())
    rests_on: VerdictKind | None = None
    """If the transaction's data was deleted (`EVIDENCE_DELETED`), the kind of verdict that follows from the
    other evidence, mainly from the coordinator's records; otherwise None."""
    notes_left_out: int = 0
    """In the first verdict on a partition: the number of its notes that are left out because of NOTES_MAX. 0 in
    the other verdicts."""


def verdicts_of(
    partition: Partition,
    copies: Copies,
    now: int,
    source: Beside | None = None,
    log_lines: LoggedLines | None = None,
) -> tuple[Verdict, ...]:
    """The verdicts on a partition: one for each open transaction, in the order of their first offsets, or one
    if no transaction is open. `now`: the time against which timeouts are measured, in ms since 1970; -1 if
    unknown. `source`: what the partition was read from. `log_lines`: the lines of log output about
    transactions."""
    log_lines = log_lines or LoggedLines()
    notes, notes_left_out = notes_of(partition, copies.coordinator)
    cut_at = None if source is None else doubt_a_cut_tail(partition, source)
    found = [
        _with_log_lines(_verdict(Situation(partition, one, entry, copies, now)), log_lines)
        for one in partition.open_transactions
        for entry in [copies.coordinator.latest_of(one.producer_id)]
    ] or [_nothing_open(partition, source, cut_at, log_lines)]
    first, *others = (replace(one, notes=notes) for one in found)
    return (replace(first, notes_left_out=notes_left_out), *others)


def _nothing_open(
    partition: Partition, source: Beside | None, cut_at: int | None, log_lines: LoggedLines
) -> Verdict:
    """The verdict on a partition without an open transaction: healthy or undecided."""
    if not partition.batches and (lines := log_lines.of_partition(partition.name)):
        return _only_logged(partition, lines)
    doubts = []
    if partition.corrupt:
        doubts.append(words("evidence.damaged", count=partition.corrupt))
    if cut_at is not None:
        doubts.append(words("evidence.cut", end=partition.log_end, once=cut_at))
    if source is not None and source.is_empty_segment_alone:
        doubts.append(words("evidence.empty_alone"))
    if not doubts:
        return Verdict(kind=VerdictKind.HEALTHY, partition=partition.name)
    return Verdict(
        kind=VerdictKind.UNDECIDED,
        partition=partition.name,
        evidence=tuple(Evidence(partition.name, one) for one in doubts),
        alternatives=(VerdictKind.HEALTHY, *NOT_HEALTHY),
        would_change=(words("change.whole_copy"),),
    )


def _with_log_lines(verdict: Verdict, log_lines: LoggedLines) -> Verdict:
    """The verdict, with the log lines about its transaction added to its evidence."""
    if verdict.transaction is None:
        return verdict
    transactional_id = None if verdict.entry is None else verdict.entry.transactional_id
    about = log_lines.about(
        verdict.partition, verdict.transaction.producer_id, transactional_id, LOG_LINES_MAX
    )
    more = tuple(_logged(one) for one in about)
    return replace(verdict, evidence=verdict.evidence + more) if more else verdict


def _only_logged(partition: Partition, lines: Sequence[LogLine]) -> Verdict:
    """The verdict on a partition of which only log lines are known."""
    left = next(
        (left for one in reversed(lines) if (left := left_by(one))), (VerdictKind.HEALTHY, *NOT_HEALTHY)
    )
    return Verdict(
        kind=VerdictKind.UNDECIDED,
        partition=partition.name,
        evidence=tuple(_logged(one) for one in lines[-LOG_LINES_MAX:]),
        alternatives=left,
        would_change=(words("change.dump", partition=partition.name), words("change.coordinator")),
    )


def _logged(line: LogLine) -> Evidence:
    return Evidence(line.place, line_sentence(line))


def _verdict(at: Situation) -> Verdict:
    transaction, entry, coordinator = at.transaction, at.entry, at.copies.coordinator
    evidence = [Evidence(transaction.place, transaction_sentence(transaction))]
    if is_deleted(at.partition, transaction):
        evidence.append(
            Evidence(at.partition.name, words("evidence.log_start", offset=at.partition.log_start))
        )
    listed = coordinator.listed.get(transaction.producer_id)
    if entry is None and (listed is not None or not coordinator.sources):
        return _unjudged(at, evidence, listed)
    if entry is None:
        sources = ", ".join(named(coordinator.sources))
        count = coordinator.records + len(coordinator.listed)
        evidence.append(Evidence(sources, words("evidence.not_among", count=count)))
    else:
        evidence.append(Evidence(entry.place, entry_sentence(entry)))
    marker = at.partition.producers[transaction.producer_id].last_marker
    if marker is not None:
        evidence.append(Evidence(marker.place, marker_sentence(marker)))
    found = judged(at)
    if not found.missing:
        evidence.append(Evidence("rule", found.why))
        evidence += _declared_of_copies(at, found.row)
    return _of_deleted(
        at,
        Verdict(
            kind=found.kind,
            partition=at.partition.name,
            transaction=transaction,
            entry=entry,
            timeout_at=timeout_at(entry),
            evidence=tuple(evidence),
            alternatives=found.alternatives,
            would_change=found.missing or found.row.would_change,
        ),
    )


def _declared_of_copies(at: Situation, row: Row) -> Iterator[Evidence]:
    """The evidence that consists of statements by the person who gave the files."""
    after = at.copies.declared.copied_after
    if coordinator_newer in row.needs and readers_declared_waiting(at):
        sentence = words("evidence.readers_waited", partition=at.partition.name, at=moment(after or 0))
        yield Evidence("--copied-after", sentence)
    if {topic_whole, id_whole} & {*row.needs} and (logs := segments_declared_whole(at)):
        yield Evidence("--rest-empty", words("evidence.segments_whole", partitions=named(logs)))


def _unjudged(at: Situation, evidence: list[Evidence], listed: Listed | None) -> Verdict:
    """The verdict `undecided`. ``listed``: the producer id's row in an output of `kafka-transactions.sh
    list`."""
    would_change = words("change.coordinator")
    if listed is not None:
        of_id = {"transactional_id": listed.transactional_id}
        evidence.append(Evidence(listed.place, words("evidence.listed", state=listed.state, **of_id)))
        would_change = words("change.describe", **of_id)
        count = at.copies.transaction_partitions
        if count is not None and not at.copies.coordinator.is_renamed:
            partition = partition_of(listed.transactional_id, count)
            would_change = words("change.describe_or", partition=partition, **of_id)
    return _of_deleted(
        at,
        Verdict(
            kind=VerdictKind.UNDECIDED,
            partition=at.partition.name,
            transaction=at.transaction,
            listed=listed,
            evidence=tuple(evidence),
            alternatives=OPEN,
            would_change=(would_change,),
        ),
    )


def _of_deleted(at: Situation, verdict: Verdict) -> Verdict:
    """The same verdict or, if the transaction's data was deleted, a verdict that says so and has the kind of
    the given one as `rests_on`."""
    if not is_deleted(at.partition, at.transaction):
        return verdict
    would_change = (*verdict.would_change, words("change.older_copy"))
    return replace(
        verdict, kind=VerdictKind.EVIDENCE_DELETED, rests_on=verdict.kind, would_change=would_change
    )


def is_deleted(partition: Partition, transaction: Transaction) -> bool:
    """Whether all data of an open transaction was deleted."""
    return transaction.from_snapshot and transaction.last_offset < partition.log_start
