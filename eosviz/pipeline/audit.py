"""An audit takes the facts of runs and returns disagreements (docs/audit.md). As in the facts, a session here
is one run: a branch of a replay, or a run of a sweep.

A rule with the same meaning as a guarantee of the engine must find it broken in the same sessions as the
engine; a rule that is `at_rest` may miss a breach. Every other rule must hold, unless the session has
switched off what the rule depends on.
"""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as f

from eosviz.pipeline import audit_database, audit_middleware, audit_rules, audit_transactions
from eosviz.pipeline import facts as kinds
from eosviz.pipeline.audit_logs import of_kind
from eosviz.pipeline.audit_rules import Logs


@dataclass(frozen=True)
class Rule:
    """A rule of the audit. ``judge``: returns the breaches. ``spec``: the requirement that the rule checks.
    ``guarantee``: the engine's guarantee with the same meaning; None if there is none. ``at_rest``: whether
    the rule checks only the final state, in which an earlier breach may be repaired. ``rests_on``: switches
    of the engine; if a session has one of them off, its breaches of the rule are no disagreements."""

    name: str
    judge: Callable[[Logs], DataFrame]
    spec: str
    guarantee: str | None = None
    at_rest: bool = False
    rests_on: frozenset[str] = frozenset()


FACTS_AT_ONCE = 2_000_000
"""The number of facts, about, that are judged together. They, and everything that is derived from them, must
fit into the memory of one machine."""
DISAGREEMENTS_MAX = 1_000
SHARES_MIN = 4
"""The smallest number of Spark partitions into which facts that are judged together are divided. All facts of
a session are in one of them."""
RULES_AT_ONCE = 3
_LOOKUP = frozenset({"duplicate_lookup", "duplicate_cache_size", "sequence_check"})
_MARKERS = frozenset({"coordinator_epoch_check"})

RULES = (
    Rule("sequences", audit_rules.sequences, "SEQ-14", rests_on=frozenset({"sequence_check"})),
    Rule("cached_answers", audit_rules.cached_answers, "SEQ-11", rests_on=_LOOKUP),
    Rule("epochs", audit_rules.epochs, "SEQ-12", rests_on=frozenset({"epoch_check"})),
    Rule("fenced", audit_rules.fenced, "FEN-1", "fenced"),
    Rule("stable_offset", audit_rules.stable_offset, "CON-5"),
    Rule("stable_offset_back", audit_rules.stable_offset_back, "CON-5"),
    Rule("read_early", audit_rules.read_early, "CON-3", "visible_early"),
    Rule("read_all", audit_rules.read_all, "CON-3"),
    Rule("one_result", audit_transactions.one_result, "TXC-15", "atomic"),
    Rule("offsets_with_outputs", audit_transactions.offsets_with_outputs, "OFS-4", "atomic"),
    Rule("marker_epochs", audit_transactions.marker_epochs, "MRK-5", rests_on=_MARKERS),
    Rule("marked_as_decided", audit_transactions.marked_as_decided, "TXC-15", rests_on=_MARKERS),
    Rule("prepared_completes", audit_transactions.prepared_completes, "MRK-9", "hanging", True),
    Rule("undecided_left_open", audit_transactions.undecided_left_open, "TXC-15", "hanging", True),
    Rule("mixed", audit_middleware.mixed, "MW-12", "mixed"),
    Rule("repeated", audit_middleware.repeated, "MW-10", "repeated"),
    Rule("decision_sent", audit_middleware.decision_sent, "MW-7"),
    Rule("confirmed_last", audit_middleware.confirmed_last, "MW-8"),
    Rule("compensated_whole", audit_middleware.compensated_whole, "MW-12", "mixed", True),
    Rule("row_missing", audit_database.row_missing, "CPT-4", "row_missing", True),
    Rule("record_missing", audit_database.record_missing, "CPT-4", "record_missing", True),
    Rule("row_repeated", audit_database.row_repeated, "CPT-5", "row_repeated"),
)


def engine_results(facts: DataFrame) -> DataFrame:
    """The results of the engine's judges, for every guarantee that they judged: the columns ``session, guarantee,
    broken_at``. ``broken_at``: the step of the breach; null if the guarantee holds."""
    return of_kind(facts, kinds.GUARANTEE).select(
        "session", f.col("name").alias("guarantee"), f.col("value").alias("broken_at")
    )


@dataclass(frozen=True)
class Disagreement:
    """A breach that only one side found, the audit or the engine. ``rule``: the rule that found it; None if
    only the engine did. ``step``: the step of the breach. ``guarantee``: the guarantee that the engine found
    broken, or that of the rule; None if the rule has none. ``rows``: the evidence, as a JSON object; None
    without a rule."""

    session: str
    step: int
    rule: str | None
    guarantee: str | None
    partition: str | None
    rows: str | None


@dataclass(frozen=True)
class Outcome:
    """The result of an audit. ``broken``: rule → number of its breaches that are no disagreements, because
    the engine found them, too, or a switch explains them. ``disagreements``: the first ``DISAGREEMENTS_MAX``
    disagreements, by session and step. ``found``: the number of all disagreements."""

    sessions: int
    facts: int
    broken: dict[str, int]
    disagreements: tuple[Disagreement, ...]
    found: int


def audit(facts: DataFrame, rules: tuple[Rule, ...] = RULES, facts_at_once: int = FACTS_AT_ONCE) -> Outcome:
    """Judge every session of ``facts`` and compare the breaches with the engine's results. Sessions are
    judged in groups of about ``facts_at_once`` facts."""
    total = facts.count()
    parts = max(1, -(-total // facts_at_once))
    cores = facts.sparkSession.sparkContext.defaultParallelism
    sessions, broken, found = 0, Counter[str](), _First()
    for part in range(parts):
        own = facts if parts == 1 else facts.where(f.pmod(f.xxhash64("session"), f.lit(parts)) == part)
        # The rules read these facts many times. They are partitioned by session once, so that joins in the
        # rules need no shuffle.
        own = own.repartition(max(SHARES_MIN, cores), "session").cache()
        sessions += _judge(own, rules, broken, found)
        own.unpersist()
    return Outcome(sessions, total, dict(sorted(broken.items())), found.shown(), found.count)


class _First:
    """Collects disagreements: keeps the first ones, by session and step, and counts all."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[Disagreement] = []

    def add(self, one: Disagreement) -> None:
        self.count += 1
        self._kept.append(one)
        if len(self._kept) >= 2 * DISAGREEMENTS_MAX:
            self._kept = list(self.shown())

    def shown(self) -> tuple[Disagreement, ...]:
        in_order = sorted(self._kept, key=lambda one: (one.session, one.step, one.rule or ""))
        return tuple(in_order[:DISAGREEMENTS_MAX])


def _judge(facts: DataFrame, rules: tuple[Rule, ...], broken: Counter[str], found: _First) -> int:
    """Judge the sessions of ``facts``, and add the results to ``broken`` and ``found``. Returns the number of
    sessions."""
    sessions = of_kind(facts, kinds.SESSION).select("session", "items").collect()
    switches = {row["session"]: frozenset(row["items"] or ()) for row in sessions}
    results = engine_results(facts).where("broken_at is not null").collect()
    engine: dict[tuple[str, str], int] = {
        (row["session"], row["guarantee"]): row["broken_at"] for row in results
    }
    logs = Logs.of(facts)
    confirmed: set[tuple[str, str]] = set()
    taking = threading.Lock()

    def take(rule: Rule, row: Row) -> None:
        guarantee = rule.guarantee
        if guarantee is not None and (row["session"], guarantee) in engine:
            confirmed.add((row["session"], guarantee))
            broken[rule.name] += 1
        elif rule.rests_on & switches.get(row["session"], frozenset()):
            broken[rule.name] += 1
        else:
            found.add(
                Disagreement(row["session"], row["step"], rule.name, guarantee, row["partition"], row["rows"])
            )

    def judge(rule: Rule) -> None:
        for row in rule.judge(logs).toLocalIterator():
            with taking:
                take(rule, row)

    # Each rule is a query of its own, because planning all rules as one query would take longer than
    # running them. While one rule is planned, or its last rows are fetched, others run.
    with ThreadPoolExecutor(RULES_AT_ONCE, "rule") as pool:
        for ended in [pool.submit(judge, rule) for rule in rules]:
            ended.result()
    logs.forget()
    always = {rule.guarantee for rule in rules if rule.guarantee is not None and not rule.at_rest}
    for (session, guarantee), broken_at in engine.items():
        if guarantee in always and (session, guarantee) not in confirmed:
            found.add(Disagreement(session, broken_at, None, guarantee, None, None))
    return len(sessions)
