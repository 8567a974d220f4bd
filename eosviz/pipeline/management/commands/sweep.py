"""`sweep FILE [--master M] [--out DIR]`: many runs over a grid of settings and seeds, on Spark."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from eosviz.pipeline import actions
from eosviz.pipeline.java import NoJava
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.spark import job_reason, start_session
from eosviz.pipeline.sweep_document import BadSweep, SweepDocument, parse_sweep
from eosviz.pipeline.sweep_runs import COUNTS


class Command(BaseCommand):
    help = "Run a sweep document (docs/sweeps.md) on Spark and keep its table for the page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a sweep document, TOML")
        parser.add_argument(
            "--master", metavar="M", default="local[2]", help="Spark master; default local[2]"
        )
        parser.add_argument(
            "--out", metavar="DIR", help="where the Parquet files go; default: the data folder"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        text, document = _read(options["file"])
        out = Path(options["out"] or settings.DATA_DIR / "sweeps").resolve()
        try:
            out.mkdir(parents=True, exist_ok=True)
            spark = start_session(options["master"], settings.DATA_DIR)
        except NoJava as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"{error.filename}: {error.strerror}; choose another place with --out"
            ) from error
        self.stdout.write(f"{document.scenario}: {document.runs} runs in {len(document.cells)} cells")
        try:
            done = actions.sweep(spark, document, text, out)
        except Exception as error:
            raise CommandError(f"the job failed and left nothing behind: {job_reason(error)}") from error
        finally:
            spark.stop()
        for line in _lines(done):
            self.stdout.write(line)
        self.stdout.write(f"{done.folder}\n{reverse('pipeline:sweep', args=[done.id])}")


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
    names = [axis["name"] for axis in done.axes]
    head = [*names, "runs", "refused", "unfinished", *COUNTS]
    rows = [[*row["values"], *(str(row[name]) for name in head[len(names) :])] for row in done.rows()]
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]
    ]
