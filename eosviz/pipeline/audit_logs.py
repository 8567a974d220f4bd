"""Derives from facts what audits need before they judge: the contents of each log over time, and what happened to
each batch. The functions take DataFrames with the columns of ``facts.FACTS_SCHEMA``, and name the columns that they
add or return."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from eosviz.pipeline import facts as kinds

COPY = ["session", "partition", "replica"]
LANE = ["session", "partition"]
NEVER = 2**62
"""Stands for the number of a fact that never happened. It is higher than every number of a fact."""


def of_kind(facts: DataFrame, *wanted: str) -> DataFrame:
    return facts.where(f.col("kind").isin(*wanted))


def cuts(facts: DataFrame) -> DataFrame:
    """The columns ``session, partition, replica, offset, cut``: each batch that was truncated from the log's
    end, and the fact of the truncation."""
    removed = of_kind(facts, kinds.REMOVED).select(*COPY, "step", "offset", f.col("fact").alias("cut"))
    ends = of_kind(facts, kinds.POINTERS).select(*COPY, "step", "log_end")
    return removed.join(ends, [*COPY, "step"]).where("offset >= log_end").select(*COPY, "offset", "cut")


def appends(facts: DataFrame) -> DataFrame:
    """Every stored batch with two more columns: ``gone``, the fact by which the batch left this replica, and
    ``cut``, the fact of its truncation. Each is ``NEVER`` without such a fact."""
    stored = of_kind(facts, kinds.APPEND)
    removed = of_kind(facts, kinds.REMOVED).select(*COPY, "offset", f.col("fact").alias("removed"))
    gone = _first_after(stored, removed, "removed", "gone")
    cut = _first_after(stored, cuts(facts).withColumnRenamed("cut", "removed"), "removed", "cut")
    return stored.join(gone, ["session", "fact"]).join(cut, ["session", "fact"])


def _first_after(stored: DataFrame, later: DataFrame, fact: str, name: str) -> DataFrame:
    """The columns ``session, fact, <name>``: for each stored batch the first fact of ``later`` about it, or
    ``NEVER``."""
    return (
        stored.select(*COPY, "offset", "fact")
        .join(later, [*COPY, "offset"], "left")
        .groupBy("session", "fact")
        .agg(f.coalesce(f.min(f.when(f.col(fact) > f.col("fact"), f.col(fact))), f.lit(NEVER)).alias(name))
    )


def with_ends(stored: DataFrame, keys: list[str]) -> DataFrame:
    """The transactional data batches of ``stored``, each with the next marker of its producer that was never
    truncated, in the same log (equal ``keys``). The marker's columns are ``end`` (the fact of the marker),
    ``end_offset`` and ``end_control``; without such a marker they are ``NEVER``, null and null."""
    following = (
        Window.partitionBy(*keys, "producer_id").orderBy("fact").rowsBetween(1, Window.unboundedFollowing)
    )
    marks = f.col("control").isNotNull() & (f.col("cut") == NEVER)

    def next_of(column: str) -> Column:
        return f.first(f.when(marks, f.col(column)), ignorenulls=True).over(following)

    return (
        stored.where("producer_id >= 0")
        .withColumn("end", f.coalesce(next_of("fact"), f.lit(NEVER)))
        .withColumn("end_offset", next_of("offset"))
        .withColumn("end_control", next_of("control"))
        .where("transactional and control is null")
    )
