"""`logs PATH… [--json] [--now MS]`: what a real cluster wrote, and why its readers wait."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from eosviz.pipeline.kafka_logs.case import Case, ReadPartition, document, group_rows, problems, read_case
from eosviz.pipeline.kafka_logs.directories import LogsError
from eosviz.pipeline.kafka_logs.remedies import remedy_of
from eosviz.pipeline.kafka_logs.verdicts import Note, Verdict

NOTES_MAX = 20
"""Notes printed for one partition; --json has all."""


class Command(BaseCommand):
    help = "Read Kafka's own logs (docs/logs.md): transactions, what both readers see, and a verdict."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "paths", metavar="PATH", nargs="+", help="partition folders or log directories; together one case"
        )
        parser.add_argument("--json", action="store_true", help="print the document of docs/logs.md")
        parser.add_argument(
            "--now",
            metavar="MS",
            type=int,
            help="milliseconds since 1970 to measure timeouts against; default: the newest broker's time in the"
            " files",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            case = read_case([Path(path) for path in options["paths"]], options["now"])
        except LogsError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(document(case), ensure_ascii=False))
            return
        for line in _lines(case):
            self.stdout.write(line)


def _lines(case: Case) -> Iterator[str]:
    for read in case.partitions:
        yield from _partition_lines(read)
    for read in case.copies:
        yield f"{read.partition.name}: another copy in {read.directory.path}, not judged"
    if not case.coordinator.partitions:
        yield "No partition of __transaction_state was given: open transactions stay undecided."
    for row in group_rows(case):
        if row["held_up"]:
            yield f"group {row['group']} is held up at {row['partition']} offset {row['committed_offset']}"
    yield from (f"damaged: {one}" for one in (*case.coordinator.damage, *case.groups.damage))
    for verdict, partition in problems(case):
        yield ""
        yield from _verdict_lines(verdict)
        remedy = remedy_of(verdict, partition)
        if remedy is not None:
            yield f"  {remedy.action}: {remedy.command}"
            yield from (f"    {condition}" for condition in remedy.preconditions)
            yield f"    once it is aborted, the last stable offset is {remedy.last_stable_offset}"


def _partition_lines(read: ReadPartition) -> Iterator[str]:
    partition = read.partition
    offsets = f"{partition.log_start}..{partition.high_watermark}, LSO {partition.last_stable_offset()}"
    counts = f"{partition.batches} batches, {partition.records} records, {len(partition.transactions)} transactions"
    yield f"{partition.name}: {offsets}; {counts}; {read.verdicts[0].kind.value}"
    yield from (f"  damaged: {one}" for one in partition.damage)
    if partition.corrupt > len(partition.damage):
        yield f"  and {partition.corrupt - len(partition.damage)} more damaged places"
    if partition.legacy:
        yield f"  {partition.legacy} entries of message format v0 or v1: recognised, their records are not read"
    notes = read.verdicts[0].notes
    yield from (f"  {_note(note)}" for note in notes[:NOTES_MAX])
    if len(notes) > NOTES_MAX:
        yield f"  and {len(notes) - NOTES_MAX} more of these: --json has them"


def _note(note: Note) -> str:
    what = note.kind.value.replace("_", " ")
    return f"offset {note.first_offset}: producer {note.producer_id} epoch {note.epoch} {what}, {note.marker_offset}"


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    yield f"{verdict.partition}: {verdict.kind.value.replace('_', ' ')}"
    yield from (f"  {one.place}: {one.says}" for one in verdict.evidence)
    if verdict.alternatives:
        yield "  possible: " + ", ".join(kind.value for kind in verdict.alternatives)
    yield from (f"  would change it: {one}" for one in verdict.would_change)
