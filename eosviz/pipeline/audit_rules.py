"""The audit's rules for facts of Kafka's logs. Each rule is a function that takes `Logs` and returns breaches.

The rules follow only from the requirements of the protocol; they do not read how the engine decides. A breach
consists of a session, a step, a partition, and the columns that prove it, as JSON.
"""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from eosviz.pipeline import facts as kinds
from eosviz.pipeline.audit_logs import COPY, LANE, NEVER, appends, cuts, of_kind, with_ends

SEQUENCE_MAX = 2**31 - 1
CACHED_BATCHES = 5


@dataclass(frozen=True)
class Logs:
    """Facts, and the frames derived from them that several rules need. Each frame is computed once."""

    facts: DataFrame
    appends: DataFrame
    leading: DataFrame
    """The transactional data batches that a leader stored, each with the marker that ended its transaction in
    that partition (`with_ends`)."""

    @classmethod
    def of(cls, facts: DataFrame) -> "Logs":
        stored = appends(facts).cache()
        return cls(facts, stored, with_ends(stored.where("leading"), LANE).cache())

    def forget(self) -> None:
        """Free the cached frames. To be called after all rules have judged."""
        self.appends.unpersist()
        self.leading.unpersist()


def breaches(broken: DataFrame, *shown: str) -> DataFrame:
    """Makes a rule's result of the rows that break it: the columns ``session, step, partition, rows``.
    ``shown``: the columns that prove a breach; ``rows`` has them as a JSON object."""
    return broken.select(
        "session",
        "step",
        f.col("partition"),
        f.to_json(f.struct(*shown), {"ignoreNullFields": "false"}).alias("rows"),
    )


def _data() -> Column:
    return f.col("control").isNull() & (f.col("producer_id") >= 0)


def _from_clients() -> Column:
    """The condition that a batch came from a Produce request of an idempotent producer (SEQ-9)."""
    return _data() & (f.col("first_sequence") >= 0) & ~f.col("partition").startswith("__")


def with_lives(logs: Logs) -> DataFrame:
    """The appended batches with a producer id, and the column ``life``: how many times the replica had
    dropped its state of the producer before."""
    forgotten = of_kind(logs.facts, kinds.FORGOTTEN)
    rows = logs.appends.where("producer_id >= 0").unionByName(forgotten, allowMissingColumns=True)
    so_far = Window.partitionBy(*COPY, "producer_id").orderBy("fact")
    life = f.sum((f.col("kind") == kinds.FORGOTTEN).cast("int")).over(so_far)
    return rows.withColumn("life", life).where(f.col("kind") == kinds.APPEND)


def with_newest_sending(batches: DataFrame, sendings: DataFrame) -> DataFrame:
    """Each of ``batches``, with the columns of the newest row of ``sendings`` (``session, serial, sent, …``)
    that sent the batch's first record before the batch was appended. Without such a row, ``sent`` is null."""
    first = f.when(f.size("serials") > 0, f.element_at("serials", 1))
    met = batches.withColumn("serial", first).join(sendings, ["session", "serial"], "left")
    before = f.when(f.col("sent") < f.col("fact"), f.col("sent"))
    newest = Window.partitionBy("session", "fact").orderBy(f.desc_nulls_last("sent"))
    return (
        met.withColumn("sent", before)
        .withColumn("place", f.row_number().over(newest))
        .where("place = 1")
        .drop("place", "serial")
    )


# -- numbers ---------------------------------------------------------------------------------------------


def sequences(logs: Logs) -> DataFrame:
    """SEQ-14: a leader stores a batch of a producer id and epoch only if its first sequence follows the last
    one that is stored."""
    data = with_lives(logs).where(_from_clients())
    before = Window.partitionBy(*COPY, "producer_id", "producer_epoch", "life").orderBy("fact")
    judged = (
        data.withColumn("known_last", f.lag("last_sequence").over(before))
        .withColumn("known_gone", f.lag("gone").over(before))
        .withColumn("known_offset", f.lag("offset").over(before))
    )
    expected = f.when(f.col("known_last") == SEQUENCE_MAX, f.lit(0)).otherwise(f.col("known_last") + 1)
    broken = judged.where(
        f.col("leading")
        & f.col("known_last").isNotNull()
        & (f.col("known_gone") > f.col("fact"))
        & (f.col("first_sequence") != expected)
    )
    return breaches(
        broken,
        *("replica", "producer_id", "producer_epoch", "known_offset", "known_last"),
        *("offset", "first_sequence", "last_sequence"),
    )


def cached_answers(logs: Logs) -> DataFrame:
    """SEQ-10, SEQ-11, LOG-3: a batch in the cache of recent batches is not stored again, and a success
    response has the offset at which its batch is stored."""
    before = Window.partitionBy(*COPY, "producer_id", "producer_epoch", "life").orderBy("fact")
    same = f.lit(False)
    for back in range(1, CACHED_BATCHES + 1):
        same |= (
            (f.lag("first_sequence", back).over(before) == f.col("first_sequence"))
            & (f.lag("last_sequence", back).over(before) == f.col("last_sequence"))
            & (f.lag("gone", back).over(before) > f.col("fact"))
        )
    data = with_lives(logs).where(_from_clients()).withColumn("again", f.coalesce(same, f.lit(False)))
    twice = data.where("leading and again")
    numbers = ["producer_id", "producer_epoch", "first_sequence", "last_sequence"]
    answered = of_kind(logs.facts, kinds.ANSWER).where("state = 'NONE' and producer_id >= 0 and offset >= 0")
    stored = logs.appends.where(_data()).select(*COPY, "offset", *numbers).distinct()
    elsewhere = answered.join(stored, [*COPY, "offset", *numbers], "left_anti")
    return breaches(twice, "replica", "offset", *numbers).unionByName(
        breaches(elsewhere, "replica", "subject", "state", "offset", *numbers)
    )


def epochs(logs: Logs) -> DataFrame:
    """SEQ-12: in a partition a producer's epoch never decreases while the replica keeps its state of the
    producer. Kafka 2.0 does not check this in `__consumer_offsets` (SEQ-9), so the rule does not, either."""
    earlier = (
        Window.partitionBy(*COPY, "producer_id", "life")
        .orderBy("fact")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    judged = with_lives(logs).withColumn(
        "highest", f.max(f.when(f.col("cut") == NEVER, f.col("producer_epoch"))).over(earlier)
    )
    unchecked = of_kind(logs.facts, kinds.SESSION).where("detail = 'k20'").select("session")
    broken = judged.where("leading and producer_epoch < highest")
    offsets = broken.where("partition like '\\_\\_consumer\\_offsets-%'").join(
        unchecked, "session", "left_semi"
    )
    broken = broken.join(offsets.select("session", "fact"), ["session", "fact"], "left_anti")
    return breaches(broken, "replica", "producer_id", "producer_epoch", "highest", "offset", "control")


def fenced(logs: Logs) -> DataFrame:
    """FEN-1: after a coordinator has given a higher epoch to a successor, no leader stores data with a lower
    one."""
    given = of_kind(logs.facts, kinds.LOGGED).where("state = 'Empty'")
    data = logs.appends.where(_data() & f.col("leading"))
    rows = data.unionByName(given.drop("partition"), allowMissingColumns=True)
    earlier = (
        Window.partitionBy("session", "producer_id")
        .orderBy("fact")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    judged = rows.withColumn(
        "given", f.max(f.when(f.col("kind") == kinds.LOGGED, f.col("producer_epoch"))).over(earlier)
    )
    broken = judged.where((f.col("kind") == kinds.APPEND) & (f.col("producer_epoch") < f.col("given")))
    return breaches(broken, "replica", "producer_id", "producer_epoch", "given", "offset")


# -- readers ---------------------------------------------------------------------------------------------


def stable_offset(logs: Logs) -> DataFrame:
    """CON-5: a leader's last stable offset is the first offset of a transaction that is open or whose marker is
    not below the high watermark; without such a transaction, it is the high watermark. It is never below the log
    start offset."""
    seen = of_kind(logs.facts, kinds.POINTERS).where("leading and last_stable_offset is not null")
    data = with_ends(logs.appends, COPY).select(
        *COPY,
        f.col("fact").alias("stored"),
        f.col("offset").alias("first"),
        "gone",
        "end",
        "end_offset",
    )
    at = seen.select("session", "fact", *COPY[1:], "high_watermark").join(data, COPY)
    open_then = at.where(
        (f.col("stored") < f.col("fact"))
        & (f.col("gone") > f.col("fact"))
        & ((f.col("end") > f.col("fact")) | (f.col("end_offset") >= f.col("high_watermark")))
    )
    held = open_then.groupBy("session", "fact").agg(f.min("first").alias("first_open"))
    judged = seen.join(held, ["session", "fact"], "left").withColumn(
        "expected", f.greatest(f.least("high_watermark", "first_open"), "log_start")
    )
    broken = judged.where("last_stable_offset <> expected")
    return breaches(broken, "replica", "high_watermark", "last_stable_offset", "first_open", "expected")


def stable_offset_back(logs: Logs) -> DataFrame:
    """CON-5: while a replica leads, its last stable offset never decreases, except after a truncation."""
    cut = cuts(logs.facts).select(*COPY, f.col("cut").alias("fact")).withColumn("kind", f.lit("cut"))
    seen = of_kind(logs.facts, kinds.POINTERS)
    rows = seen.unionByName(cut.distinct(), allowMissingColumns=True)
    so_far = Window.partitionBy(*COPY).orderBy("fact")
    rows = rows.withColumn("cuts", f.sum((f.col("kind") == "cut").cast("int")).over(so_far))
    before = Window.partitionBy(*COPY, "cuts").orderBy("fact")
    judged = (
        rows.where(f.col("kind") == kinds.POINTERS)
        .withColumn("known", f.lag("last_stable_offset").over(before))
        .withColumn("led", f.lag("leading").over(before))
    )
    broken = judged.where("leading and led and last_stable_offset < known")
    return breaches(broken, "replica", "known", "last_stable_offset", "high_watermark")


def _passed(logs: Logs) -> DataFrame:
    """The transactional batches whose offsets read_committed consumers have passed, by delivering or skipping
    them."""
    passed = (
        of_kind(logs.facts, kinds.PASSED)
        .where("detail = 'read_committed'")
        .select(
            "session",
            "partition",
            "step",
            f.col("fact").alias("passing"),
            f.col("name").alias("consumer"),
            f.col("state").alias("fate"),
            f.col("offset").alias("from"),
            f.col("last_offset").alias("to"),
        )
    )
    stored = logs.leading.drop("step", "at", "kind", "name", "state", "detail")
    met = passed.join(stored, LANE).where(
        "offset <= to and last_offset >= from and fact < passing and cut > passing"
    )
    newest = Window.partitionBy("session", "passing", "offset").orderBy(f.desc("fact"))
    return met.withColumn("place", f.row_number().over(newest)).where("place = 1")


def _decisions(logs: Logs) -> DataFrame:
    """For each batch of `Logs.leading`, the columns ``session, fact, decision, decided_for, decision_at``: the first
    decision about its producer that the coordinator logged after the batch's records were sent, the epoch of
    the data to which the decision applies (KIP-890), and the number of the decision's fact. They are null
    without a decision."""
    of_producer = ["session", "producer_id"]
    decided = (
        of_kind(logs.facts, kinds.LOGGED)
        .where("state like 'Prepare%'")
        .withColumn("decided_for", f.expr("producer_epoch - if(coalesce(value, 0) >= 2, 1, 0)"))
        .select(*of_producer, f.col("fact").alias("since"), f.col("fact").alias("at"), "state", "decided_for")
    )
    sent = of_kind(logs.facts, kinds.SENT).select(
        "session", f.col("fact").alias("sent"), f.explode("serials").alias("serial")
    )
    sent_at = with_newest_sending(logs.leading, sent).select(*of_producer, "fact", "sent")
    rows = sent_at.withColumn("since", f.coalesce("sent", "fact")).unionByName(
        decided, allowMissingColumns=True
    )
    later = Window.partitionBy(*of_producer).orderBy("since").rowsBetween(1, Window.unboundedFollowing)

    def first(column: str) -> Column:
        return f.first(f.when(f.col("state").isNotNull(), f.col(column)), ignorenulls=True).over(later)

    return (
        rows.withColumn("decision", first("state"))
        .withColumn("next_for", first("decided_for"))
        .withColumn("decision_at", first("at"))
        .where(f.col("fact").isNotNull())
        .select("session", "fact", "decision", f.col("next_for").alias("decided_for"), "decision_at")
    )


def read_early(logs: Logs) -> DataFrame:
    """CON-3: a read_committed consumer gets records of a transaction only after its COMMIT marker and the
    decision to commit."""
    undecided = (
        (f.coalesce("decision_at", f.lit(NEVER)) > f.col("passing"))
        | (f.col("decision") != "PrepareCommit")
        | (f.col("decided_for") != f.col("producer_epoch"))
    )
    broken = (
        _passed(logs)
        .join(_decisions(logs), ["session", "fact"])
        .where(
            (f.col("fate") == "delivered")
            & ((f.col("end") > f.col("passing")) | (f.col("end_control") != "COMMIT") | undecided)
        )
    )
    shown = (
        "producer_id",
        "producer_epoch",
        "offset",
        "end_control",
        "end_offset",
        "decision",
        "decided_for",
    )
    return breaches(broken, "consumer", "from", "to", *shown)


def read_all(logs: Logs) -> DataFrame:
    """CON-3, CON-4: data that a read_committed consumer skips as aborted has an ABORT marker, and what it
    skips as a marker is no data."""
    unmarked = (f.col("end") > f.col("passing")) | (f.col("end_control") != "ABORT")
    broken = _passed(logs).where(((f.col("fate") == "aborted") & unmarked) | (f.col("fate") == "control"))
    shown = ("fate", "producer_id", "offset", "end_control", "end_offset")
    return breaches(broken, "consumer", "from", "to", *shown)
