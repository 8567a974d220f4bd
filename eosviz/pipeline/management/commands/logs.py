"""`logs PATH… [--json] [--deep] [--master M] [--now MS] [--bundle FILE]`: what a real cluster wrote, and why its
readers wait.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from eosviz.catalogue import say
from eosviz.pipeline.kafka_logs.batch_columns import Depth
from eosviz.pipeline.kafka_logs.bounded import kept
from eosviz.pipeline.kafka_logs.bundle_writing import save
from eosviz.pipeline.kafka_logs.case import (
    Case,
    ReadingHere,
    ReadPartition,
    document,
    group_rows,
    problems,
    read_case,
)
from eosviz.pipeline.kafka_logs.directories import find_directories
from eosviz.pipeline.kafka_logs.log_lines import said
from eosviz.pipeline.kafka_logs.remedies import remedy_of
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.text_files import LoneFileError, by_kind
from eosviz.pipeline.kafka_logs.text_reader import Skipped, TextReading
from eosviz.pipeline.kafka_logs.verdicts import Note, Verdict
from eosviz.pipeline.kafka_logs.words import Words

OWN_MASTER = "local[*]"
SPARK_FROM_BYTES = {Depth.HEADERS: 4 * 2**30, Depth.DEEP: 2**28}
"""Bytes of segments from which on Spark reads them."""
LOG_LINES_MAX = 100
"""Lines of logs printed."""
NOTES_MAX = 20
"""Notes printed for one partition; --json has all."""


class Command(BaseCommand):
    help = "Read Kafka's own logs (docs/logs.md): transactions, what both readers see, and a verdict."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "paths",
            metavar="PATH",
            nargs="+",
            help="partition folders, log directories, text printed by Kafka's tools, bundles; together one case",
        )
        parser.add_argument("--json", action="store_true", help="print the document of docs/logs.md")
        parser.add_argument(
            "--now",
            metavar="MS",
            type=int,
            help="milliseconds since 1970 to measure timeouts against; default: the newest broker's time in the"
            " files",
        )

        parser.add_argument(
            "--bundle",
            metavar="FILE",
            help="also save the case for somebody else to look at: no names, keys or values (docs/logs.md, Bundles)",
        )
        parser.add_argument(
            "--keep",
            action="store_true",
            help="also keep the summary on this site, and say where its page is",
        )
        parser.add_argument(
            "--move-times",
            action="store_true",
            help="in the bundle, move all times so that the newest is in 2000",
        )
        parser.add_argument(
            "--deep", action="store_true", help="read every record, not only headers, markers and checksums"
        )
        parser.add_argument(
            "--master",
            metavar="M",
            help=f"read on this Spark master; without it in this process, and on {OWN_MASTER} from"
            f" {_gib(Depth.HEADERS)} GiB of segments on ({_gib(Depth.DEEP)} GiB with --deep)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        paths = [Path(path) for path in options["paths"]]
        depth = Depth.DEEP if options["deep"] else Depth.HEADERS
        try:
            master = options["master"] or _own_master(paths, depth)
            if master is None:
                case = read_case(paths, options["now"], ReadingHere(depth))
            else:
                case = self._on_spark(master, paths, depth, options["now"])
            if options["bundle"]:
                self._save(case, Path(options["bundle"]), options["move_times"])
            if options["keep"]:
                # Imported here: the others need nothing of replays.
                from eosviz.replays.actions import keep_case

                replay = keep_case(document(case, kept))
                self.stderr.write(reverse("replays:log_case", args=[replay.id]), self.style.NOTICE)
        except LoneFileError as error:
            raise CommandError("\n".join(english(one) for one in error.told)) from error
        except LogsError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(document(case, english), ensure_ascii=False))
            return
        for line in _lines(case):
            self.stdout.write(line)

    def _save(self, case: Case, file: Path, move_times: bool) -> None:
        """Say what goes into the bundle and what does not, then write it. On stderr: `--json` owns the output."""
        for part in ("kept", "replaced", "dropped", "times_moved" if move_times else "times_kept"):
            self.stderr.write(say(f"logs.bundle.{part}", "en"), self.style.NOTICE)
        saved = save(case, file, move_times)
        self.stderr.write(
            f"{file}: {saved.partitions} partitions, {saved.batches} batches, {saved.bytes} bytes",
            self.style.NOTICE,
        )

    def _on_spark(self, master: str, paths: list[Path], depth: Depth, now: int | None) -> Case:
        # Imported here: most logs are read without Spark, in less time than its import takes.
        from eosviz.pipeline.command_session import command_session
        from eosviz.pipeline.kafka_logs.spark_fold import SparkReading

        # What cannot be read is said before Spark is started for it.
        logs = by_kind(paths).logs
        if logs:
            find_directories(logs)
        with command_session(master, (LogsError,)) as spark:
            return read_case(paths, now, SparkReading(spark, logs, depth))


def _own_master(paths: list[Path], depth: Depth) -> str | None:
    """Where to read when nobody says: here, until starting Spark costs less than it saves."""
    logs = by_kind(paths).logs
    size = sum(directory.size for directory in find_directories(logs)) if logs else 0
    return OWN_MASTER if size >= SPARK_FROM_BYTES[depth] else None


def _gib(depth: Depth) -> str:
    return f"{SPARK_FROM_BYTES[depth] / 2**30:g}"


def english(words: Words) -> str:
    """A sentence as the command says it."""
    return say(words.key, "en", words.params)


def _lines(case: Case) -> Iterator[str]:
    for read in case.partitions:
        yield from _partition_lines(read)
    for read in case.copies:
        yield f"{read.partition.name}: another copy in {read.directory.path}, not judged"
    for path in case.left_out:
        yield f"{path}: left out, the broker has set it aside"
    if case.text is not None:
        yield from _text_lines(case.text)
    if not case.coordinator.sources and not case.coordinator.latest:
        yield "No partition of __transaction_state was given: open transactions stay undecided."
    for row in group_rows(case):
        if row["held_up"]:
            yield f"group {row['group']} is held up at {row['partition']} offset {row['committed_offset']}"
    yield from (f"damaged: {one}" for one in (*case.coordinator.damage, *case.groups.damage))
    yield from _log_lines(case)
    for verdict, partition in problems(case):
        yield ""
        yield from _verdict_lines(verdict)
        remedy = remedy_of(verdict, partition)
        if remedy is not None:
            yield f"  {remedy.action}: {remedy.command}"
            yield from (f"    {english(condition)}" for condition in remedy.preconditions)
            if (stable := remedy.last_stable_offset) is not None and stable >= 0:
                yield f"    once it is aborted, the last stable offset is {stable}"


def _log_lines(case: Case) -> Iterator[str]:
    for line in case.log_lines[:LOG_LINES_MAX]:
        yield f"{line.place}: {english(said(line))}"
    more = len(case.log_lines) - LOG_LINES_MAX + (0 if case.text is None else case.text.log_lines_left_out)
    if more > 0:
        yield f"and {more} more lines of logs: --json has {len(case.log_lines)}"


def _text_lines(text: TextReading) -> Iterator[str]:
    yield f"text: {text.lines} lines, {text.used} used"
    for reason in Skipped:
        if text.skipped[reason]:
            yield f"  {say(f'replays.case.skipped.{reason.value}', 'en', {'count': text.skipped[reason]})}"
            yield from (f"    {one.place}: {one.line}" for one in text.examples if one.reason is reason)


def _partition_lines(read: ReadPartition) -> Iterator[str]:
    partition = read.partition
    end = partition.high_watermark if partition.high_watermark >= 0 else "?"
    offsets = f"{partition.log_start}..{end}, LSO {partition.last_stable_offset()}"
    counts = f"{partition.batches} batches, {partition.records} records, {len(partition.transactions)} transactions"
    yield f"{partition.name}: {offsets}; {counts}; {read.verdicts[0].kind.value}"
    yield from (f"  damaged: {one}" for one in partition.damage)
    if partition.corrupt > len(partition.damage):
        yield f"  and {partition.corrupt - len(partition.damage)} more damaged places"
    if partition.reserved is not None:
        yield f"  {partition.reserved}: only zeros from here on, space that is reserved and not written yet"
    if partition.legacy:
        yield f"  {partition.legacy} entries of message format v0 or v1: recognised, their records are not read"
    notes = read.verdicts[0].notes
    yield from (f"  {_note(note)}" for note in notes[:NOTES_MAX])
    if len(notes) > NOTES_MAX:
        yield f"  and {len(notes) - NOTES_MAX} more of these: --json has them"


def _note(note: Note) -> str:
    params = {name: getattr(note, name) for name in ("producer_id", "epoch", "first_offset", "marker_offset")}
    return say(f"logs.note.{note.kind.value}", "en", params)


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    yield f"{verdict.partition}: {verdict.kind.value.replace('_', ' ')}"
    yield from (f"  {one.place}: {english(one.says)}" for one in verdict.evidence)
    if verdict.alternatives:
        yield "  possible: " + ", ".join(kind.value for kind in verdict.alternatives)
    yield from (f"  would change it: {english(one)}" for one in verdict.would_change)
