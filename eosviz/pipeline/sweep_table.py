"""Makes the table of a sweep from its runs, with one row for each cell of the grid."""

from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from typing import Any

from pyspark import inheritable_thread_target
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from eosviz.pipeline.sweep_measures import DISTRIBUTED, JUDGED, SUMS

BITS = 5
"""Values in distributions have this many significant bits. So values up to 31 are exact, and larger ones are
rounded down by at most 1/16."""

_EXAMPLE = t.StructType(
    [t.StructField("seed", t.LongType(), nullable=False), t.StructField("step", t.LongType())]
)
TABLE_SCHEMA = t.StructType(
    [
        t.StructField("cell", t.IntegerType(), nullable=False),
        t.StructField("settings", t.StringType(), nullable=False),
        t.StructField("runs", t.LongType(), nullable=False),
        t.StructField("refused", t.LongType(), nullable=False),
        t.StructField("rule", t.StringType()),
        t.StructField("unfinished", t.LongType(), nullable=False),
        t.StructField("first_seed", t.LongType(), nullable=False),
        *(t.StructField(name, t.LongType(), nullable=False) for name in SUMS),
        *(t.StructField(f"runs_{name}", t.LongType(), nullable=False) for name in (*JUDGED, "failed", "aborted")),
        *(t.StructField(f"example_{name}", _EXAMPLE) for name in JUDGED),
    ]
)  # fmt: skip
"""One row for each cell. ``runs_<guarantee>`` counts the runs that broke the guarantee, while ``duplicates``
and the other sums count records, transactions or rows. ``runs_failed`` and ``runs_aborted`` count the runs
with at least one failed record or aborted transaction. ``example_<guarantee>`` has the lowest seed with which
a run broke the guarantee, and the first step at which it did. ``unfinished`` counts the runs that ended at
their step or time limit."""

DISTRIBUTION_SCHEMA = t.StructType(
    [
        t.StructField("cell", t.IntegerType(), nullable=False),
        t.StructField("measure", t.StringType(), nullable=False),
        t.StructField("value", t.LongType()),
        t.StructField("runs", t.LongType(), nullable=False),
    ]
)
"""How many runs of a cell had a value of a measure. ``value`` is rounded down to ``BITS`` significant
bits."""


def table(runs: DataFrame) -> DataFrame:
    """The table (``TABLE_SCHEMA``) for runs (``RUNS_SCHEMA``). Its rows are in no order."""
    refused = f.col("outcome") == "refused"
    limited = f.col("outcome").isin("step_limit", "time_limit")
    return (
        runs.groupBy("cell", "settings")
        .agg(
            f.count("run").alias("runs"),
            f.count_if(refused).alias("refused"),
            f.max("rule").alias("rule"),
            f.count_if(limited).alias("unfinished"),
            f.min("seed").alias("first_seed"),
            *(f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in SUMS),
            *(f.count(f"broken_{name}").alias(f"runs_{name}") for name in JUDGED),
            *(f.count_if(f.col(name) > 0).alias(f"runs_{name}") for name in ("failed", "aborted")),
            *(_example(name).alias(f"example_{name}") for name in JUDGED),
        )
        .select(*TABLE_SCHEMA.fieldNames())
    )


def _example(guarantee: str) -> Column:
    broken = f.col(f"broken_{guarantee}")
    return f.min(f.when(broken.isNotNull(), f.struct("seed", broken.alias("step"))))


def distributions(runs: DataFrame) -> DataFrame:
    """The distributions (``DISTRIBUTION_SCHEMA``) for runs (``RUNS_SCHEMA``)."""
    return (
        runs.where("outcome != 'refused'")
        .unpivot(["cell"], list(DISTRIBUTED), "measure", "exact")
        .where("exact IS NOT NULL")
        .withColumn("value", _cut(f.col("exact")))
        .groupBy("cell", "measure", "value")
        .agg(f.count("exact").alias("runs"))
        .select(*DISTRIBUTION_SCHEMA.fieldNames())
    )


def _cut(value: Column) -> Column:
    whole = 2**BITS
    unit = f.pow(f.lit(2), f.floor(f.log2(f.greatest(value, f.lit(1)))) - (BITS - 1)).cast("long")
    return f.when(value < whole, value).otherwise(value - value % unit)


def rows_of(runs: DataFrame) -> list[dict[str, Any]]:
    """The rows of the table as plain values, in the grid's order, in the form in which the database stores
    them. Each row has `distributions`: a dict of measure → [[value, number of runs], …]."""
    # The Spark jobs for the table and for the distributions run at the same time: most of their time is
    # planning, during which the cores are idle.
    with ThreadPoolExecutor(1, "table") as pool:
        # The jobs of the new thread then belong to the same pool of Spark's scheduler as those of this
        # thread.
        with_properties = inheritable_thread_target(runs.sparkSession)
        counted = pool.submit(with_properties(lambda: table(runs).collect()))
        spread: dict[int, dict[str, list[list[int]]]] = {}
        for cell, measure, value, count in sorted(distributions(runs).collect()):
            spread.setdefault(cell, {}).setdefault(measure, []).append([value, count])
        rows = sorted((row.asDict(recursive=True) for row in counted.result()), key=itemgetter("cell"))
    return [{**row, "distributions": spread.get(row["cell"], {})} for row in rows]


def frame_of(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    """The result of ``rows_of`` as a DataFrame with the columns ``TABLE_SCHEMA``, in the grid's order."""
    names = TABLE_SCHEMA.fieldNames()
    return spark.createDataFrame([tuple(row[name] for name in names) for row in rows], TABLE_SCHEMA)
