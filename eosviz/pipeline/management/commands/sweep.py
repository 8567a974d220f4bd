"""`sweep FILE [--master M] [--out DIR] [--resume] [--facts]`: makes runs for a grid of settings and seeds, on
Spark."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.urls import reverse
from pyspark.sql import SparkSession

from engine.scenario.header import ENGINE_VERSION
from eosviz.operating.needed_tables import TablesCommand
from eosviz.pipeline import actions
from eosviz.pipeline.bad_sweep import BadSweep
from eosviz.pipeline.command_session import add_master, command_session
from eosviz.pipeline.models import State, Sweep
from eosviz.pipeline.spark import job_reason
from eosviz.pipeline.sweep_checks import parse_sweep
from eosviz.pipeline.sweep_document import SweepDocument
from eosviz.pipeline.sweep_job import run_sweep
from eosviz.pipeline.sweep_measures import COUNTS


class Command(TablesCommand):
    help = "Run a sweep document (docs/sweeps.md) on Spark and keep its table for the page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a sweep document, TOML")
        add_master(parser)
        parser.add_argument(
            "--out", metavar="DIR", help="where the Parquet files go; default: the data folder"
        )
        parser.add_argument(
            "--facts", action="store_true", help="also write what happened in each run, for the audit"
        )
        parser.add_argument(
            "--resume",
            action="store_true",
            help="go on with the newest sweep of this document that has not ended",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        text, document = _read(options["file"])
        out = Path(options["out"] or settings.DATA_DIR / "sweeps").resolve()
        sweep = _unfinished(text, out) if options["resume"] else None
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(
                f"{error.filename}: {error.strerror}; choose another place with --out"
            ) from error
        with command_session(options["master"]) as spark:
            sweep = sweep or actions.add_sweep(document, text, out, facts=options["facts"])
            self.stdout.write(f"{document.scenario}: {document.runs} runs in {len(document.cells)} cells")
            self.stdout.flush()
            _run(spark, sweep)
        for line in _lines(sweep):
            self.stdout.write(line)
        self.stdout.write(f"{sweep.folder}\n{reverse('pipeline:sweep', args=[sweep.id])}")


def _run(spark: SparkSession, sweep: Sweep) -> None:
    if not actions.claim(sweep):
        raise CommandError(f"{sweep.id}: another process runs this sweep")
    try:
        run_sweep(spark, sweep)
    except BaseException as error:
        reason = job_reason(error) if isinstance(error, Exception) else "interrupted"
        raise CommandError(f"{reason}; what was run stays in {sweep.folder}; go on with --resume") from error


def _unfinished(text: str, out: Path) -> Sweep:
    known = Sweep.objects.filter(document=text, engine=ENGINE_VERSION, folder__startswith=f"{out}/")
    found: Sweep | None = known.exclude(state=State.DONE).recent().first()
    if found is None:
        raise CommandError(f"no unfinished sweep of this document in {out}; start it without --resume")
    if found.state != State.WAITING:
        try:
            actions.resume(found)
        except actions.JobRefused as error:
            raise CommandError(f"{found.id}: another process runs this sweep") from error
    return found


def _read(path: str) -> tuple[str, SweepDocument]:
    try:
        text = Path(path).read_text(encoding="utf-8")
        return text, parse_sweep(text)
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(
            f"{path}: {error}; give a sweep document such as docs/examples/first-sweep.toml"
        ) from error
    except BadSweep as error:
        raise CommandError(f"{path}: {error}") from error


def _lines(done: Sweep) -> list[str]:
    """The table as lines with aligned columns: the names of the columns, then a line for each cell."""
    names = [axis["name"] for axis in done.axes]
    found = list(done.rows())
    rule = ["rule"] if any(row["refused"] for row in found) else []
    head = [*names, "runs", "refused", *rule, "unfinished", *COUNTS]
    rows = [[*row["values"], *(_cell(row[name]) for name in head[len(names) :])] for row in found]
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]
    ]


def _cell(value: object) -> str:
    return "-" if value is None else str(value)
