"""Runs an analysis as a job: Spark computes figures from the gathered input, and the figures that may be
shown are stored."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from django.db import transaction
from django.utils import timezone
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from eosviz.analytics.gathering import Gathered, gather
from eosviz.analytics.measures import (
    MOVES_SCHEMA,
    RULES_SCHEMA,
    VISITS_SCHEMA,
    Frames,
    figures,
)
from eosviz.analytics.models import Analysis, Figure
from eosviz.pipeline import actions
from eosviz.pipeline.models import State

FIGURES_MAX = 20_000
"""An analysis stores at most this many figures: those about the most people."""
STORED_AT_ONCE = 500


def run_analysis(spark: SparkSession, analysis: Analysis) -> None:
    """Run a claimed analysis to its end. If it was cancelled, no figures are stored. After an error the
    analysis is marked as failed (`actions.beating`), and the error is raised."""
    with actions.beating(analysis) as stop:
        gathered = gather(analysis.classroom, timezone.now())
        withheld, rows = _figures(spark, gathered, analysis.people_min)
        if stop.is_set():
            actions.finish(analysis, State.CANCELLED)
            return
        _store(analysis, gathered, rows)
        actions.finish(
            analysis,
            State.DONE,
            done=1,
            people=gathered.people,
            sessions=len(gathered.visits),
            under_way=gathered.under_way,
            not_compared=gathered.not_compared,
            left_out=gathered.left_out,
            withheld=withheld,
            finished=timezone.now(),
        )
        # The older analyses are deleted last: if the process is killed before, pages still show one of them.
        older = Analysis.objects.of_scope(analysis.classroom).exclude(id=analysis.id)
        older.exclude(id__in=older.unfinished().values("id")).delete()


def _figures(spark: SparkSession, gathered: Gathered, people_min: int) -> tuple[int, list[Row]]:
    """Compute the figures. Returns how many are withheld, and the rows of those to store."""
    frames = Frames.of(
        _frame(spark, gathered.visits, VISITS_SCHEMA),
        _frame(spark, gathered.moves, MOVES_SCHEMA),
        _frame(spark, gathered.rules, RULES_SCHEMA),
    )
    found = figures(frames, people_min).cache()
    counts = {row["shown"]: row["count"] for row in found.groupBy("shown").count().collect()}
    best_known = (f.desc("people"), f.desc("of"), "kind", "version", "step", "rule")
    rows = found.where("shown").orderBy(*best_known).limit(FIGURES_MAX).collect()
    found.unpersist()
    frames.forget()
    return sum(counts.values()) - len(rows), rows


def _frame(spark: SparkSession, rows: list[dict[str, Any]], schema: StructType) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=to_arrow_schema(schema)), schema)


def _store(analysis: Analysis, gathered: Gathered, rows: list[Row]) -> None:
    made = [
        Figure(
            analysis=analysis,
            kind=row["kind"],
            group=row["group"],
            version_id=row["version"],
            variant=row["variant"] or "",
            step=row["step"],
            rule=row["rule"] or "",
            people=row["people"],
            times=row["times"],
            of=row["of"],
            low=row["low"],
            high=row["high"],
            before_id=row["before"],
            people_before=row["people_before"],
            of_before=row["of_before"],
            said=gathered.sentences.get((row["version"], row["variant"], row["step"])),
        )
        for row in rows
    ]
    with transaction.atomic():
        # An earlier process that was killed may have stored some of these figures.
        analysis.figures.all().delete()
        Figure.objects.bulk_create(made, STORED_AT_ONCE)
