"""Audits: facts in, disagreements out (docs/audit.md).

A rule that says what one of the engine's guarantees says has to come to the same end: broken in the same sessions, or
in none. A rule that has no such counterpart has to hold, but where the session switched off what it rests on.
"""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as f

from eosviz.pipeline import audit_middleware, audit_rules, audit_transactions
from eosviz.pipeline import facts as kinds
from eosviz.pipeline.audit_logs import of_kind
from eosviz.pipeline.audit_rules import Logs


@dataclass(frozen=True)
class Rule:
    """``guarantee``: the one of the engine that says the same; ``at_rest``: this rule looks at the end alone, where
    what the engine saw broken may be whole again; ``rests_on``: switches without which it need not hold."""

    name: str
    judge: Callable[[Logs], DataFrame]
    spec: str
    guarantee: str | None = None
    at_rest: bool = False
    rests_on: frozenset[str] = frozenset()


FACTS_AT_ONCE = 2_000_000
"""Judged in one go: what they and what is derived from them fit the memory of one machine."""
DISAGREEMENTS_MAX = 1_000
SHARES_MIN = 4
"""Of the facts that are judged in one go, whole sessions each."""
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
    Rule("nobodys_transaction", audit_transactions.nobodys_transaction, "TXC-15", "hanging", True),
    Rule("mixed", audit_middleware.mixed, "MW-12", "mixed"),
    Rule("repeated", audit_middleware.repeated, "MW-10", "repeated"),
    Rule("everybody_told", audit_middleware.everybody_told, "MW-7"),
    Rule("confirmed_last", audit_middleware.confirmed_last, "MW-8"),
    Rule("compensated_whole", audit_middleware.compensated_whole, "MW-12", "mixed", True),
)


def said_by_engine(facts: DataFrame) -> DataFrame:
    """``session, guarantee, broken_at``: what the engine's judges came to, for every guarantee that they judged."""
    return of_kind(facts, kinds.GUARANTEE).select(
        "session", f.col("name").alias("guarantee"), f.col("value").alias("broken_at")
    )


@dataclass(frozen=True)
class Disagreement:
    """``rule``: whose word it is; None: the engine's alone. ``rows``: what shows it, as a JSON object."""

    session: str
    step: int
    rule: str | None
    guarantee: str | None
    partition: str | None
    rows: str | None


@dataclass(frozen=True)
class Outcome:
    """``broken``: how many breaches the engine's judges had found as well, or a switch explains, by rule;
    ``disagreements``: the first ``DISAGREEMENTS_MAX`` of all others, by session and step; ``found``: how many there
    are."""

    sessions: int
    facts: int
    broken: dict[str, int]
    disagreements: tuple[Disagreement, ...]
    found: int


def audit(facts: DataFrame, rules: tuple[Rule, ...] = RULES, facts_at_once: int = FACTS_AT_ONCE) -> Outcome:
    """Judge every session of ``facts`` and compare with what the engine said of it.

    Sessions are judged some at a time: every rule looks at one session by itself, and what a rule derives is a
    multiple of what it reads.
    """
    total = facts.count()
    parts = max(1, -(-total // facts_at_once))
    cores = facts.sparkSession.sparkContext.defaultParallelism
    sessions, broken, found = 0, Counter[str](), _First()
    for part in range(parts):
        own = facts if parts == 1 else facts.where(f.pmod(f.xxhash64("session"), f.lit(parts)) == part)
        # The rules look at these some forty times, and at no others. Each session stands in one place from here on,
        # so that what a rule brings together need not be sent about.
        own = own.repartition(max(SHARES_MIN, cores), "session").cache()
        sessions += _judge(own, rules, broken, found)
        own.unpersist()
    return Outcome(sessions, total, dict(sorted(broken.items())), found.shown(), found.count)


class _First:
    """The first disagreements by session and step, and the number of all."""

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
    """Judge these sessions; returns how many they are."""
    sessions = of_kind(facts, kinds.SESSION).select("session", "items").collect()
    switches = {row["session"]: frozenset(row["items"] or ()) for row in sessions}
    said = said_by_engine(facts).where("broken_at is not null").collect()
    engine: dict[tuple[str, str], int] = {
        (row["session"], row["guarantee"]): row["broken_at"] for row in said
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

    # One job a rule: all of them in one would be a plan that takes longer to make than to carry out. While one is
    # planned, or its last rows are fetched share by share, others are carried out.
    with ThreadPoolExecutor(RULES_AT_ONCE, "rule") as pool:
        for ended in [pool.submit(judge, rule) for rule in rules]:
            ended.result()
    logs.forget()
    always = {rule.guarantee for rule in rules if rule.guarantee is not None and not rule.at_rest}
    for (session, guarantee), broken_at in engine.items():
        if guarantee in always and (session, guarantee) not in confirmed:
            found.add(Disagreement(session, broken_at, None, guarantee, None, None))
    return len(sessions)
