"""A case as `manage.py logs` prints it, in English. The partitions come first, the verdicts last."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from eosviz.catalogue import say_shortly
from eosviz.pipeline.kafka_logs.case import Case, ReadPartition, group_rows, problems
from eosviz.pipeline.kafka_logs.case_sentences import (
    coordinator_sentence,
    group_sentences,
    now_sentence,
    written_sentence,
)
from eosviz.pipeline.kafka_logs.copy_proofs import named
from eosviz.pipeline.kafka_logs.log_lines import line_sentence
from eosviz.pipeline.kafka_logs.notes import Note
from eosviz.pipeline.kafka_logs.partition import Partition
from eosviz.pipeline.kafka_logs.remedies import remedy_of
from eosviz.pipeline.kafka_logs.text_reader import Skipped, TextReading
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind
from eosviz.pipeline.kafka_logs.verdicts import Verdict
from eosviz.pipeline.kafka_logs.words import Words, place_words, words

_Entry = TypeVar("_Entry")
PRINTED_MAX = {
    "partitions": 200,
    "left_out": 20,
    "groups": 100,
    "log_lines": 100,
    "notes": 20,
    "verdicts": 20,
}
"""At most this many entries of each sort are printed without `--all`. Notes are counted for each partition
separately."""


def english(sentence: Words) -> str:
    """The English text of a sentence."""
    return say_shortly(sentence.key, "en", sentence.params)


def lines_of(case: Case, every: bool = False) -> Iterator[str]:
    """The lines that are printed for a case. Without `every`, at most PRINTED_MAX entries of each sort are
    printed."""
    yield from _lines(case, _Few(every))


class _Few:
    """Limits the output to the first entries of each sort. A line states the number of the others."""

    def __init__(self, every: bool) -> None:
        self._every = every

    def of(
        self, kind: str, entries: Iterable[_Entry], lines: Callable[[_Entry], Iterable[str]]
    ) -> Iterator[str]:
        entries = iter(entries)
        for entry in entries if self._every else islice(entries, PRINTED_MAX[kind]):
            yield from lines(entry)
        more = sum(1 for _ in entries)
        if more:
            yield say_shortly(f"logs.more.{kind}", "en", {"count": more})


def _lines(case: Case, few: _Few) -> Iterator[str]:
    # If there are too many partitions, those whose verdict is not healthy are printed first.
    first = sorted(case.partitions, key=lambda one: one.verdicts[0].kind is VerdictKind.HEALTHY)
    many = len(first) > PRINTED_MAX["partitions"]
    yield from few.of(
        "partitions", first if many else case.partitions, lambda one: _partition_lines(one, few)
    )
    yield from _copies_line(case)
    yield from few.of(
        "left_out", case.left_out, lambda path: [f"{path}: left out, the broker has set it aside"]
    )
    if case.text is not None:
        yield from _text_lines(case.text)
    found = problems(case)
    if found:
        yield english(now_sentence(case.now, case.copies_known))
        yield english(coordinator_sentence(case.coordinator, case.copies_known, is_needed=True))
    yield english(written_sentence(case.coordinator, (read.partition for read in case.partitions)))
    yield from few.of("groups", group_rows(case), lambda row: [english(one) for one in group_sentences(row)])
    yield from (f"damaged: {one}" for one in (*case.coordinator.damage, *case.groups.damage))
    yield from _log_lines(case, few)
    yield from few.of("verdicts", found, lambda one: _verdict_lines(*one))


def _copies_line(case: Case) -> Iterator[str]:
    """One line about the copies without verdicts; none if there are no such copies."""
    if case.copies:
        names = sorted({read.partition.name for read in case.copies})
        yield english(words("copies", count=len(case.copies), partitions=named(names)))


def _log_lines(case: Case, few: _Few) -> Iterator[str]:
    yield from few.of(
        "log_lines", case.log_lines, lambda line: [f"{line.place}: {english(line_sentence(line))}"]
    )
    if case.text is not None and (more := case.text.log_lines_left_out):
        yield f"and {more} more lines of logs that were not kept"


def _text_lines(text: TextReading) -> Iterator[str]:
    yield f"text: {text.lines} lines, {text.used} used"
    for reason in Skipped:
        if text.skipped[reason]:
            yield f"  {say_shortly(f'replays.case.skipped.{reason.value}', 'en', {'count': text.skipped[reason]})}"
            yield from (f"    {one.place}: {one.line}" for one in text.examples if one.reason is reason)


def _partition_lines(read: ReadPartition, few: _Few) -> Iterator[str]:
    partition = read.partition
    end = partition.high_watermark if partition.high_watermark >= 0 else "?"
    offsets = f"{partition.log_start}..{end}, LSO {partition.last_stable_offset()}"
    counts = f"{partition.batches} batches, {partition.records} records, {len(partition.transactions)} transactions"
    yield f"{partition.name}: {offsets}; {counts}; {read.verdicts[0].kind.value}"
    yield from (f"  damaged: {one}" for one in partition.damage)
    for jump in partition.jumps if partition.reports_jumps else ():
        yield f"  {english(words('jump', place=place_words(jump.place), first=jump.expected, last=jump.found - 1))}"
    if partition.corrupt > len(partition.damage):
        yield f"  and {partition.corrupt - len(partition.damage)} more damaged places"
    if partition.reserved is not None:
        yield f"  {partition.reserved}: only zeros from here on, space that is reserved and not written yet"
    if partition.legacy:
        yield f"  {partition.legacy} entries of message format v0 or v1: recognised, their records are not read"
    yield from few.of("notes", read.verdicts[0].notes, lambda note: [f"  {_note(note)}"])
    if more := read.verdicts[0].notes_left_out:
        yield f"  and {more} more that were not kept"


def _note(note: Note) -> str:
    params = {name: getattr(note, name) for name in ("producer_id", "epoch", "first_offset", "marker_offset")}
    return say_shortly(f"logs.note.{note.kind.value}", "en", params)


def _verdict_lines(verdict: Verdict, partition: Partition) -> Iterator[str]:
    yield ""
    yield f"{verdict.partition}: {verdict.kind.value.replace('_', ' ')}"
    yield from (f"  {one.place}: {english(one.says)}" for one in verdict.evidence)
    if verdict.alternatives:
        yield "  possible: " + ", ".join(kind.value for kind in verdict.alternatives)
    yield from (f"  would change it: {english(one)}" for one in verdict.would_change)
    remedy = remedy_of(verdict, partition)
    if remedy is None:
        return
    yield f"  {remedy.action}: {remedy.command}"
    yield from (f"    {english(condition)}" for condition in remedy.preconditions)
    stable = remedy.last_stable_offset
    if stable is not None and stable >= 0 and remedy.action != "look":
        yield f"    {english(words(f'then.{remedy.ends}', offset=stable))}"
    for other in remedy.others:
        yield f"  {english(words('or_since', version=other.since) if other.since else words('or'))} {other.command}"
        yield from (f"    {english(condition)}" for condition in other.preconditions)
