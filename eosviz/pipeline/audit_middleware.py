"""The audit's rules for transactions over middleware (MW-7, MW-8 and MW-10 to MW-12)."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from eosviz.pipeline import facts as kinds
from eosviz.pipeline.audit_logs import of_kind
from eosviz.pipeline.audit_rules import Logs, breaches

TRANSACTION = ["session", "tid"]
ENDED = ("COMMITTED", "ROLLED_BACK", "COMPENSATED", "MANUAL", "FORGOTTEN")
"""The states in which a transaction has ended: the middleware does nothing more by itself."""


def _states(logs: Logs) -> DataFrame:
    """One row for each transaction and each step that changes it, with its state after the step. ``applied``:
    how many nodes have carried out their part by then. ``nodes``: how many nodes have a part."""
    moved = of_kind(logs.facts, kinds.DECISION, kinds.NODE)
    events = moved.groupBy(*TRANSACTION, "step").agg(f.max("fact").alias("now"))
    so_far = events.join(moved.drop("step"), TRANSACTION).where("fact <= now")
    newest = Window.partitionBy(*TRANSACTION, "step", "kind", f.coalesce("subject", f.lit(""))).orderBy(
        f.desc("fact")
    )
    latest = so_far.withColumn("place", f.row_number().over(newest)).where("place = 1")
    decision = f.col("kind") == kinds.DECISION
    parts = (
        moved.where("items is not null")
        .groupBy(*TRANSACTION)
        .agg((f.max(f.size("items")) + 1).alias("nodes"))
    )
    states = latest.groupBy(*TRANSACTION, "step").agg(
        f.max(f.when(decision, f.col("state"))).alias("state"),
        f.sum(f.when(~decision & (f.col("value") > 0), 1).otherwise(0)).alias("applied"),
    )
    return states.join(parts, TRANSACTION).withColumn("partition", f.lit(None).cast("string"))


def mixed(logs: Logs) -> DataFrame:
    """MW-12: after a transaction has ended, either every node or no node has carried out its part."""
    broken = _states(logs).where(f.col("state").isin(*ENDED)).where("applied > 0 and applied < nodes")
    return breaches(broken, "tid", "state", "applied", "nodes")


def repeated(logs: Logs) -> DataFrame:
    """MW-10: no node carries out its part twice, however often a message arrives."""
    broken = of_kind(logs.facts, kinds.NODE).where("value > 1")
    return breaches(broken, "tid", "subject", "state", "value")


def decision_sent(logs: Logs) -> DataFrame:
    """MW-7, MW-8: before a transaction ends, its decision is sent to each participant whose PrepareOk has
    arrived."""
    ended = of_kind(logs.facts, kinds.DECISION).where("state in ('COMMITTED', 'ROLLED_BACK')")
    wanted = f.when(f.col("state") == "COMMITTED", "Commit").otherwise("Rollback")
    due = ended.select(
        *TRANSACTION,
        "step",
        f.col("fact").alias("ending"),
        "state",
        wanted.alias("name"),
        f.explode("items").alias("subject"),
    )
    voted = (
        of_kind(logs.facts, kinds.MESSAGE)
        .where("name = 'PrepareOk' and state = 'delivered'")
        .select(*TRANSACTION, f.col("detail").alias("subject"), f.col("fact").alias("voted"))
    )
    due = due.join(voted, [*TRANSACTION, "subject"]).where("voted < ending").drop("voted").distinct()
    sent = (
        of_kind(logs.facts, kinds.MESSAGE)
        .where("state = 'sent' and name in ('Commit', 'Rollback')")
        .select(*TRANSACTION, "name", "subject", f.col("step").alias("sent_at"))
    )
    met = due.join(sent, [*TRANSACTION, "name", "subject"]).where("sent_at <= step")
    broken = due.join(met, ["session", "ending", "subject"], "left_anti")
    return breaches(
        broken.withColumn("partition", f.lit(None).cast("string")), "tid", "state", "subject", "name"
    )


def confirmed_last(logs: Logs) -> DataFrame:
    """MW-8, MW-10: ConfirmAck is sent only after the transaction has ended."""
    decided = of_kind(logs.facts, kinds.DECISION).select(
        *TRANSACTION, f.col("step").alias("moved"), "fact", "state"
    )
    acks = (
        of_kind(logs.facts, kinds.MESSAGE)
        .where("name = 'ConfirmAck' and state = 'sent'")
        .select(*TRANSACTION, "step", f.col("fact").alias("ack"), "subject")
    )
    newest = Window.partitionBy("session", "ack").orderBy(f.desc("fact"))
    states = (
        acks.join(decided, TRANSACTION)
        .where("moved <= step")
        .withColumn("place", f.row_number().over(newest))
        .where("place = 1")
    )
    broken = states.where(~f.col("state").isin(*ENDED)).withColumn("partition", f.lit(None).cast("string"))
    return breaches(broken, "tid", "state", "subject")


def compensated_whole(logs: Logs) -> DataFrame:
    """MW-11, MW-12: after a transaction was compensated, the part of every node is undone."""
    broken = _states(logs).where("state = 'COMPENSATED' and applied > 0")
    return breaches(broken, "tid", "state", "applied", "nodes")
