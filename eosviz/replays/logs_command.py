"""`manage.py logs PATH…`: its options, and the code that carries it out. Django is imported only when it is
needed, because most logs are read in less time than Django takes to start."""

import gc
import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from eosviz.catalogue import say_shortly
from eosviz.pipeline.kafka_logs.case import Case, document, read_case
from eosviz.pipeline.kafka_logs.declared import ContradictedError, add_declarations, declared_of
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.printed import english, lines_of
from eosviz.pipeline.kafka_logs.reader_choice import add_reader_options, reading_of
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.text_files import LoneFileError
from eosviz.pipeline.kafka_logs.words import as_kept

HELP = "Read Kafka's own logs (docs/logs.md): transactions, what both readers see, and a verdict."

LANGUAGES = ("en", "zh-Hans")
"""The languages in which a report can be written."""
Write = Callable[[str], Any]
"""The type of a function that writes a line. The line that it gets has no line feed."""


class CommandFailed(Exception):
    """The command failed; the text says why."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options and arguments of the command."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="partition folders, log directories, text printed by Kafka's tools, bundles; together one case",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="print every partition, verdict and note; without it the first of each, and how many more there are",
    )
    parser.add_argument("--json", action="store_true", help="print the document of docs/logs.md")
    parser.add_argument(
        "--report",
        choices=("md",),
        help="print a report for a ticket in Markdown: partitions, verdicts, commands, what was not given",
    )
    parser.add_argument(
        "--language", choices=LANGUAGES, default="en", help="the language of the report; default: en"
    )
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help="also save the case for another person to look at: no names, keys or values (docs/logs.md, Bundles)",
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
    add_declarations(parser)
    add_reader_options(parser)


def run(options: dict[str, Any], out: Write, err: Write) -> None:
    """Read the paths and print the result with `out`. Everything else is printed with `err`. Raises
    CommandFailed."""
    paths = [Path(path) for path in options["paths"]]
    depth = Depth.DEEP if options["deep"] else Depth.HEADERS
    if options["keep"]:
        _check_site()
    try:
        with reading_of(paths, depth, options, err) as reading:
            case = read_case(paths, declared_of(options), reading)
        if options["bundle"]:
            _save(case, Path(options["bundle"]), options["move_times"], err)
    except LoneFileError as error:
        raise CommandFailed("\n".join(english(one) for one in error.sentences)) from error
    except ContradictedError as error:
        raise CommandFailed(english(error.sentence)) from error
    except LogsError as error:
        raise CommandFailed(str(error)) from error
    if options["keep"]:
        err(_keep(case))
    if options["json"]:
        out(json.dumps(document(case, english), ensure_ascii=False))
        return
    for line in _report(case, options["language"]) if options["report"] else lines_of(case, options["all"]):
        out(line)


def _report(case: Case, language: str) -> Iterator[str]:
    from eosviz.pipeline.kafka_logs.ticket import ticket_lines

    return ticket_lines(document(case, as_kept), language)


def _save(case: Case, file: Path, move_times: bool, err: Write) -> None:
    """Print what the bundle contains and what it does not, then write it. The text is printed with `err`."""
    from eosviz.pipeline.kafka_logs.bundle_writing import save

    for part in ("kept", "replaced", "dropped", "times_moved" if move_times else "times_kept"):
        err(say_shortly(f"logs.bundle.{part}", "en"))
    saved = save(case, file, move_times)
    err(f"{file}: {saved.partitions} partitions, {saved.batches} batches, {saved.bytes} bytes")


def _check_site() -> None:
    """Load Django, whose database is needed. Raises CommandFailed if tables are missing."""
    import django
    from django.apps import apps
    from django.core.management.base import CommandError

    if not apps.ready:
        django.setup()
    from eosviz.operating.needed_tables import check_tables

    try:
        check_tables()
    except CommandError as error:
        raise CommandFailed(str(error)) from error


def _keep(case: Case) -> str:
    """Store the case in the site's database. Returns the address of its page."""
    from django.urls import reverse

    from eosviz.replays.actions import keep_case

    return reverse("replays:log_case", args=[keep_case(document(case, as_kept)).id])


def main(arguments: Sequence[str]) -> int:
    """Runs the command. Returns the exit code."""
    # The garbage collector is turned off: everything that is read stays until the end and has no cycles, and
    # collecting took a third of the time for a case with many transactions.
    gc.disable()
    parser = ArgumentParser(prog="manage.py logs", description=HELP)
    add_arguments(parser)
    options = vars(parser.parse_args(arguments))
    try:
        run(options, _to(sys.stdout), _to(sys.stderr))
        sys.stdout.flush()
    except CommandFailed as error:
        _to(sys.stderr)(f"CommandError: {error}")
        return 1
    except BrokenPipeError:
        # The reader of the pipe has closed it. Without this, Python would print an error when it flushes
        # stdout at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _to(stream: TextIO) -> Write:
    return lambda line: stream.write(f"{line}\n")
