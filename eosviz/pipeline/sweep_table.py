"""From the runs of a sweep to the table that people read: a row per cell of the grid."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from eosviz.pipeline.sweep_runs import COUNTS

TABLE_SCHEMA = t.StructType(
    [
        t.StructField("cell", t.IntegerType(), nullable=False),
        t.StructField("settings", t.StringType(), nullable=False),
        t.StructField("runs", t.LongType(), nullable=False),
        t.StructField("refused", t.LongType(), nullable=False),
        t.StructField("rule", t.StringType(), nullable=True),
        t.StructField("unfinished", t.LongType(), nullable=False),
        *(t.StructField(f"runs_{name}", t.LongType(), nullable=False) for name in COUNTS[1:]),
        *(t.StructField(name, t.LongType(), nullable=False) for name in COUNTS),
    ]
)
"""``runs_duplicates`` counts runs with at least one duplicate, ``duplicates`` the records; the same for the
others. ``unfinished``: runs that met their step or time limit."""


def table(runs: DataFrame) -> DataFrame:
    """``RUNS_SCHEMA`` to ``TABLE_SCHEMA``, in the grid's order."""
    per_run = runs.groupBy("cell", "settings", "run", "outcome", "rule").agg(
        *(f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in COUNTS)
    )
    refused = f.col("outcome") == "refused"
    limited = f.col("outcome").isin("step_limit", "time_limit")
    return (
        per_run.groupBy("cell", "settings")
        .agg(
            f.count("run").alias("runs"),
            f.count_if(refused).alias("refused"),
            f.max("rule").alias("rule"),
            f.count_if(limited).alias("unfinished"),
            *(f.count_if(f.col(name) > 0).alias(f"runs_{name}") for name in COUNTS[1:]),
            *(f.sum(name).alias(name) for name in COUNTS),
        )
        .select(*TABLE_SCHEMA.fieldNames())
        .orderBy("cell")
    )
