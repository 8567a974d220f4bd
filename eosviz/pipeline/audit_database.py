"""The audit's rules for a database beside Kafka (CPT-4, CPT-5, GEN-6). They compare the database's rows with
the records of the same work.

Work is identified by the serial number of its record. At the end of a run, work is *due* if a service has
taken it and not finished it, if the outbox has an entry for it, or if a consumer will read its record again.
A consumer does so if the offset that its group or the database keeps for it is not after the record.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from eosviz.pipeline import facts as kinds
from eosviz.pipeline.audit_logs import LANE, NEVER, of_kind
from eosviz.pipeline.audit_rules import Logs, breaches
from eosviz.pipeline.audit_transactions import at_rest

WORK = ["session", "serial"]


def _newest(facts: DataFrame, *keys: str) -> DataFrame:
    """The last fact of each group of facts with equal ``keys`` (names of columns)."""
    newest = Window.partitionBy(*keys).orderBy(f.desc("fact"))
    return facts.withColumn("place", f.row_number().over(newest)).where("place = 1").drop("place")


def _by_serial(facts: DataFrame) -> DataFrame:
    return facts.withColumn("serial", f.explode("serials"))


def _stored(logs: Logs) -> DataFrame:
    """The copies of records that each partition's last leader stored and did not truncate: the columns
    ``session, serial, partition, at_offset``. Internal topics are left out."""
    last = _newest(of_kind(logs.facts, kinds.LEADER).where("replica is not null"), *LANE).select(
        *LANE, "replica"
    )
    kept = logs.appends.where(f.col("control").isNull() & (f.col("cut") == NEVER)).where(
        ~f.col("partition").startswith("__")
    )
    copies = kept.join(last, [*LANE, "replica"]).select(
        *LANE, "offset", f.posexplode("serials").alias("nth", "serial")
    )
    return copies.select(*WORK, "partition", (f.col("offset") + f.col("nth")).alias("at_offset"))


def _due(logs: Logs) -> DataFrame:
    """The work that is due at the end of the run: the columns ``session, serial``."""
    taken = _by_serial(of_kind(logs.facts, kinds.WORK))
    held = _newest(taken, "session", "subject", "serial").where("state = 'taken'")
    entries = _newest(_by_serial(of_kind(logs.facts, kinds.OUTBOX)), *WORK).where("state = 'added'")
    read = taken.where("name is not null").select(*WORK, "name").distinct()
    kept = _newest(of_kind(logs.facts, kinds.KEPT), "session", "name", "partition").select(
        "session", "name", "partition", f.col("offset").alias("kept")
    )
    again = (
        read.join(_stored(logs), WORK)
        .join(kept, ["session", "name", "partition"], "left")
        .where(f.coalesce("kept", f.lit(0)) <= f.col("at_offset"))
    )
    return held.select(*WORK).union(entries.select(*WORK)).union(again.select(*WORK)).distinct()


def _works(logs: Logs) -> DataFrame:
    """One row for each piece of work that is not due, in sessions that came to rest. ``rows``: how many
    copies of its row the database has. ``stored``: how many copies of its record the log has. ``step``: the
    last step that concerns it."""
    rows = _newest(_by_serial(of_kind(logs.facts, kinds.ROW)), *WORK).select(
        *WORK, f.col("value").alias("rows")
    )
    stored = _stored(logs).groupBy(*WORK).agg(f.count("*").alias("stored"))
    known = (
        _by_serial(of_kind(logs.facts, kinds.WORK, kinds.ROW)).groupBy(*WORK).agg(f.max("step").alias("step"))
    )
    return (
        known.join(_due(logs), WORK, "left_anti")
        .join(at_rest(logs), "session", "left_semi")
        .join(rows, WORK, "left")
        .join(stored, WORK, "left")
        .fillna(0, ["rows", "stored"])
        .withColumn("partition", f.lit(kinds.DATABASE))
    )


def row_missing(logs: Logs) -> DataFrame:
    """CPT-4, GEN-6: at rest, the database has a row for each stored record that a service took up or sent."""
    return breaches(_works(logs).where("stored > 0 and rows = 0"), "serial", "rows", "stored")


def record_missing(logs: Logs) -> DataFrame:
    """CPT-4, GEN-6: at rest, the log has the record of each row."""
    return breaches(_works(logs).where("rows > 0 and stored = 0"), "serial", "rows", "stored")


def row_repeated(logs: Logs) -> DataFrame:
    """CPT-5: the database has no second row for the same record."""
    broken = _by_serial(of_kind(logs.facts, kinds.ROW)).where("value > 1")
    return breaches(broken.withColumn("partition", f.lit(kinds.DATABASE)), "serial", "value")
