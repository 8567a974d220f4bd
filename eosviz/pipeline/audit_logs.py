"""Derives what audit rules need from the facts: the contents of each log over time, and what happened to each
batch. The functions take DataFrames with the columns of ``facts.FACTS_SCHEMA``, and their docstrings name the
columns that they add or return."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from eosviz.pipeline import facts as kinds

COPY = ["session", "partition", "replica"]
LANE = ["session", "partition"]
NEVER = 2**62
"""Stands for the number of a fact that does not exist. It is higher than the number of every fact."""


def of_kind(facts: DataFrame, *wanted: str) -> DataFrame:
    return facts.where(f.col("kind").isin(*wanted))


def cuts(facts: DataFrame) -> DataFrame:
    """One row for each batch that was truncated from the end of a log: ``session, partition, replica, offset,
    cut``. ``cut``: the number of the fact of the truncation."""
    removed = of_kind(facts, kinds.REMOVED).select(*COPY, "step", "offset", f.col("fact").alias("cut"))
    ends = of_kind(facts, kinds.POINTERS).select(*COPY, "step", "log_end")
    return removed.join(ends, [*COPY, "step"]).where("offset >= log_end").select(*COPY, "offset", "cut")


def appends(facts: DataFrame) -> DataFrame:
    """Every stored batch, with two more columns: ``gone``, the number of the fact by which the batch left
    this replica, and ``cut``, the number of the fact of its truncation. Each is ``NEVER`` if there is no such
    fact."""
    stored = of_kind(facts, kinds.APPEND)
    removed = of_kind(facts, kinds.REMOVED).select(*COPY, "offset", f.col("fact").alias("removed"))
    gone = _first_after(stored, removed, "removed", "gone")
    cut = _first_after(stored, cuts(facts).withColumnRenamed("cut", "removed"), "removed", "cut")
    return stored.join(gone, ["session", "fact"]).join(cut, ["session", "fact"])


def _first_after(stored: DataFrame, later: DataFrame, fact: str, name: str) -> DataFrame:
    """The columns ``session, fact, <name>``: for each stored batch (``fact``), the number of the first later
    fact of ``later`` about it, or ``NEVER``. ``fact``: the column of ``later`` with that number."""
    return (
        stored.select(*COPY, "offset", "fact")
        .join(later, [*COPY, "offset"], "left")
        .groupBy("session", "fact")
        .agg(f.coalesce(f.min(f.when(f.col(fact) > f.col("fact"), f.col(fact))), f.lit(NEVER)).alias(name))
    )


def with_ends(stored: DataFrame, keys: list[str]) -> DataFrame:
    """The transactional data batches of ``stored``. Each has columns about the next marker of its producer in
    the same log (equal ``keys``) that was never truncated: ``end`` (the number of the marker's fact),
    ``end_offset`` and ``end_control``. Without such a marker they are ``NEVER``, null and null."""
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
