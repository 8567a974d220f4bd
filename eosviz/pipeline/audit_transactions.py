"""The audit's rules for transactions: decisions, markers, responses, and transactions that stay open.

Here a transaction is everything that an application's producer sent between beginning and ending it: records
and group offsets. The outcome of a record or offset is that of the producer's next marker in the same
partition.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from eosviz.pipeline import facts as kinds
from eosviz.pipeline.audit_logs import COPY, LANE, of_kind
from eosviz.pipeline.audit_rules import Logs, breaches, with_lives, with_newest_sending

CLIENT = "client_transactions"
PREPARED = {"PrepareCommit": "COMMIT", "PrepareAbort": "ABORT"}
TRANSACTION = ["session", "producer", "number"]


def _moves(logs: Logs) -> DataFrame:
    """The transitions of the clients' state machines. ``number``: how many transactions the application had
    begun by then."""
    moves = of_kind(logs.facts, kinds.TRANSITION).where(f.col("name") == CLIENT)
    so_far = Window.partitionBy("session", "subject").orderBy("fact")
    begins = (f.col("state") == "IN_TRANSACTION") & (f.col("detail") == "READY")
    return moves.withColumn("number", f.sum(begins.cast("int")).over(so_far))


def _numbered(logs: Logs, rows: DataFrame, producer: str, step: str) -> DataFrame:
    """Those of ``rows`` whose producer had begun a transaction by their step, each with the columns
    ``producer`` and ``number``, the number of the producer's newest transaction at that step. The parameters
    ``producer`` and ``step`` are names of columns of ``rows``."""
    moves = _moves(logs).select(
        "session", f.col("subject").alias("producer"), f.col("step").alias("moved"), "number"
    )
    met = rows.withColumn("producer", f.col(producer)).join(moves, ["session", "producer"])
    newest = Window.partitionBy("session", "fact").orderBy(f.desc("moved"), f.desc("number"))
    return (
        met.where(f.col("moved") <= f.col(step))
        .withColumn("place", f.row_number().over(newest))
        .where("place = 1 and number > 0")
        .drop("place", "moved")
    )


def _records(logs: Logs) -> DataFrame:
    """The stored batches of transactions, each with the marker that ended the transaction: the columns
    ``session, producer, number, step, partition, offset, outcome, end``."""
    sent = _numbered(logs, of_kind(logs.facts, kinds.SENT), "name", "step").select(
        "session",
        "producer",
        "number",
        f.col("fact").alias("sent"),
        f.explode("serials").alias("serial"),
    )
    stored = logs.leading.drop("name", "state", "subject")
    return (
        with_newest_sending(stored, sent)
        .where("sent is not null and cut > end")
        .select(*TRANSACTION, "step", "partition", "offset", f.col("end_control").alias("outcome"), "end")
    )


def _offsets(logs: Logs) -> DataFrame:
    """The offsets that group coordinators stored in transactions, with the columns of `_records`."""
    noted = of_kind(logs.facts, kinds.OFFSET).where("subject is not null")
    ends = logs.leading.select("session", "partition", "offset", "end", "end_control", "cut").where(
        "cut > end"
    )
    return (
        _numbered(logs, noted, "subject", "value")
        .join(ends, ["session", "partition", "offset"])
        .select(*TRANSACTION, "step", "partition", "offset", f.col("end_control").alias("outcome"), "end")
    )


def _learned(logs: Logs) -> DataFrame:
    """The outcome of each transaction that its application learned."""
    return (
        _moves(logs)
        .where(
            "number > 0 and state in ('READY', 'INITIALIZING')"
            " and detail in ('COMMITTING_TRANSACTION', 'ABORTING_TRANSACTION')"
        )
        .withColumn("producer", f.col("subject"))
        .withColumn(
            "outcome", f.when(f.col("detail") == "COMMITTING_TRANSACTION", "COMMIT").otherwise("ABORT")
        )
        .select(*TRANSACTION, "step", "outcome", f.col("fact").alias("end"))
    )


def _transactions(logs: Logs) -> DataFrame:
    """One row for each transaction with an outcome. ``parts``: the outcomes of its records, of its offsets,
    and the one that its application learned. ``step``: the newest step of these outcomes."""
    of_offsets = f.col("part") == "offsets"
    parts = (
        _records(logs)
        .withColumn("part", f.lit("records"))
        .unionByName(_offsets(logs).withColumn("part", f.lit("offsets")))
        .unionByName(_learned(logs).withColumn("part", f.lit("learned")), allowMissingColumns=True)
        .where("outcome is not null")
    )
    return (
        parts.groupBy(*TRANSACTION)
        .agg(
            f.collect_set(f.when(~of_offsets, f.col("outcome"))).alias("results"),
            f.collect_set(f.when(of_offsets, f.col("outcome"))).alias("offsets"),
            f.sort_array(f.collect_set(f.struct("part", "partition", "offset", "outcome"))).alias("parts"),
            f.max("step").alias("step"),
        )
        .withColumn("partition", f.lit(None).cast("string"))
    )


def one_result(logs: Logs) -> DataFrame:
    """TXC-15: the markers after the records of one transaction have the same type in every partition: that of
    the outcome that its application learned. `offsets_with_outputs` checks the markers after its offsets."""
    return breaches(_transactions(logs).where("size(results) > 1"), "producer", "number", "parts")


def offsets_with_outputs(logs: Logs) -> DataFrame:
    """OFS-4: the offsets that a transaction commits have the same outcome as its records, and it is the
    outcome that its application learned."""
    broken = _transactions(logs).where(
        "size(offsets) > 0 and size(results) <= 1 and size(array_union(results, offsets)) > 1"
    )
    return breaches(broken, "producer", "number", "parts")


def marker_epochs(logs: Logs) -> DataFrame:
    """MRK-5: in a partition the coordinator epoch of a producer's markers never decreases while the leader
    keeps its state of the producer."""
    earlier = (
        Window.partitionBy(*LANE, "producer_id", "life")
        .orderBy("fact")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    markers = with_lives(logs).where("leading and control is not null and cut = gone")
    judged = markers.withColumn("highest", f.max("coordinator_epoch").over(earlier))
    broken = judged.where("coordinator_epoch < highest")
    return breaches(broken, "replica", "producer_id", "offset", "control", "coordinator_epoch", "highest")


def marked_as_decided(logs: Logs) -> DataFrame:
    """TXC-15: a marker has the outcome of the last decision about its producer before it, if that decision has
    the marker's epoch and contains its partition. Not checked: a marker that is the first batch after the
    replica dropped its state of the producer."""
    decided = of_kind(logs.facts, kinds.LOGGED).where(f.col("state").isin(*PREPARED)).drop("partition")
    in_life = Window.partitionBy(*COPY, "producer_id", "life").orderBy("fact")
    known = (f.col("life") == 0) | (f.row_number().over(in_life) > 1)
    markers = (
        with_lives(logs)
        .withColumn("known", known)
        .where("leading and control is not null and known")
        .drop("known", "life")
    )
    rows = markers.unionByName(decided, allowMissingColumns=True)
    earlier = (
        Window.partitionBy("session", "producer_id")
        .orderBy("fact")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    says = f.when(f.col("state") == "PrepareCommit", "COMMIT").when(f.col("state") == "PrepareAbort", "ABORT")
    judged = rows.withColumn("decided", f.last(says, ignorenulls=True).over(earlier)).withColumn(
        "decided_epoch",
        f.last(f.when(says.isNotNull(), f.col("producer_epoch")), ignorenulls=True).over(earlier),
    )
    judged = judged.withColumn(
        "included", f.last(f.when(says.isNotNull(), f.col("items")), ignorenulls=True).over(earlier)
    )
    broken = judged.where(
        "control <> decided and producer_epoch = decided_epoch and array_contains(included, partition)"
    )
    return breaches(broken, "replica", "producer_id", "producer_epoch", "offset", "control", "decided")


def _last_state(logs: Logs) -> DataFrame:
    """The newest state of each transactional id that a leader of `__transaction_state` stored. A state that
    was truncated later counts, too."""
    newest = Window.partitionBy("session", "name").orderBy(f.desc("fact"))
    logged = of_kind(logs.facts, kinds.LOGGED).withColumn("place", f.row_number().over(newest))
    return logged.where("place = 1").drop("place")


def at_rest(logs: Logs) -> DataFrame:
    """The sessions that came to rest while all brokers were alive: the column ``session``."""
    newest = Window.partitionBy("session", "replica").orderBy(f.desc("fact"))
    lives = (
        of_kind(logs.facts, kinds.BROKER).withColumn("place", f.row_number().over(newest)).where("place = 1")
    )
    troubled = lives.where("state <> 'alive'").select("session").distinct()
    ended = of_kind(logs.facts, kinds.SESSION).where("state = 'complete'").select("session")
    return ended.join(troubled, "session", "left_anti")


def prepared_completes(logs: Logs) -> DataFrame:
    """MRK-9: at rest, no transaction is prepared and not complete, unless a loss of messages or an election
    explains it."""
    lost = of_kind(logs.facts, kinds.UNMARKED).select("session", f.explode("items").alias("lost")).distinct()
    prepared = _last_state(logs).where(f.col("state").isin(*PREPARED) & (f.col("step") > 0))
    prepared = prepared.join(at_rest(logs), "session", "left_semi")
    unreachable = prepared.join(lost, "session").where(f.expr("array_contains(items, lost)"))
    leaders = of_kind(logs.facts, kinds.LEADER)
    led = leaders.select(*LANE, f.col("fact").alias("led"), f.col("replica").alias("leader"))
    again = prepared.join(led, LANE).where("led > fact and leader = replica")
    excused = unreachable.select("session", "fact").union(again.select("session", "fact"))
    broken = prepared.join(excused, ["session", "fact"], "left_anti")
    return breaches(broken, "name", "producer_id", "producer_epoch", "state", "items")


def undecided_left_open(logs: Logs) -> DataFrame:
    """TXC-15: at rest, no transaction is open in a partition, unless its coordinator's newest state is
    Ongoing, PrepareCommit or PrepareAbort and contains this partition."""
    held = (
        _last_state(logs)
        .where("state in ('Ongoing', 'PrepareCommit', 'PrepareAbort')")
        .select("session", "producer_id", f.explode("items").alias("partition"))
    )
    left = logs.leading.where(f.col("end_control").isNull() & (f.col("gone") == f.col("cut")))
    first = left.where(f.size("serials") > 0).join(held, ["session", "producer_id", "partition"], "left_anti")
    newest = Window.partitionBy(*LANE, "producer_id").orderBy("fact")
    broken = first.withColumn("place", f.row_number().over(newest)).where("place = 1")
    return breaches(
        broken.join(at_rest(logs), "session", "left_semi"),
        *("replica", "producer_id", "producer_epoch", "offset", "first_sequence"),
    )
