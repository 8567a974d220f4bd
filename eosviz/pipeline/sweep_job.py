"""Sweeps as jobs: a claimed one is run on Spark, chunk by chunk, and its table made of what there is."""

from pathlib import Path

from django.utils import timezone
from pyspark.sql import SparkSession

from eosviz.pipeline import actions
from eosviz.pipeline.live import tell_watchers
from eosviz.pipeline.models import State, Sweep
from eosviz.pipeline.sweep_chunks import CHUNK_SECONDS, Stopped, read_runs, write_chunks
from eosviz.pipeline.sweep_document import parse_sweep
from eosviz.pipeline.sweep_table import rows_of, table


def run_sweep(spark: SparkSession, sweep: Sweep, chunk_seconds: float = CHUNK_SECONDS) -> None:
    """Run a claimed sweep to its end, or until it is asked to stop. Raises what the job raised; then it has failed,
    what was run stays, and it can be resumed.
    """
    document = parse_sweep(sweep.document)
    folder = Path(sweep.folder)
    with actions.beating(sweep) as stop:
        ended = State.DONE
        with actions.alone(folder):
            try:
                write_chunks(
                    spark,
                    document,
                    folder,
                    lambda done: _tell_progress(sweep, done),
                    stop,
                    chunk_seconds,
                    sweep.facts,
                )
            except Stopped:
                ended = State.CANCELLED
            runs = read_runs(spark, folder)
            rows = rows_of(runs)
            if ended == State.DONE:
                # One small file, beside the runs, for whoever reads without the database.
                table(runs).coalesce(1).write.mode("overwrite").parquet(str(folder / "table"))
        actions.finish(sweep, ended, table=rows)


def _tell_progress(sweep: Sweep, done: int) -> None:
    Sweep.objects.filter(id=sweep.id).update(done=done, beat=timezone.now())
    tell_watchers(sweep.id)
