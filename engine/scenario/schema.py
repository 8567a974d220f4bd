"""The fields of a scenario document, each with its type, bounds and default.

The table has three uses: the loader checks against it, the builder page makes its form from it, and error
messages take the allowed values from it. Times are in virtual milliseconds, sizes in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine import apis
from engine.database import messages as of_database
from engine.database.approaches import APPROACHES
from engine.middleware import messages
from engine.middleware.strategies import STRATEGIES
from engine.profiles import PROFILES
from engine.scenario.phrases import Phrase, allowed
from engine.tool.command import COMMANDS

NAME = r"[a-z][a-z0-9_-]{0,31}"
PARTITION = r"[a-z_][a-z0-9_.-]{0,63}-[0-9]{1,4}"
DAY_MS = 86_400_000
TIME_MAX = 30 * DAY_MS
TEXT_MAX = 4000
"""A text has at most this many characters."""
SCRIPTED_MAX = 100_000
"""All applications together make at most this many calls. A call that sends several records counts once for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The type and the bounds of one value. ``kind`` is one of these:

    - ``int``, ``bool``, ``text``, ``name``, ``partition``, ``ints``, ``names``;
    - ``number``: 0 to 1;
    - ``words``: a text in en and zh-Hans;
    - ``table``: a table as the section ``rows`` defines it; without ``rows`` its keys are free, and are checked where
      the table is used;
    - ``tables``: a list of tables;
    - ``any``: any value but a table or a list.
    """

    kind: str
    default: Any = None
    required: bool = False
    low: int | None = None
    high: int | None = None
    choices: tuple[Any, ...] = ()
    rows: str | None = None
    """The name of the section that defines the table, or each table of the list."""
    bound: int = 64
    """A list has at most this many items."""
    one_line: bool = False
    """Whether the text must be one line, because it is used in headings."""

    def allowed(self) -> Phrase:
        """The values that the field allows, as a phrase."""
        if self.choices:
            return allowed("one_of", names=[str(choice) for choice in self.choices])
        if self.kind == "int":
            if self.high is None:
                return allowed("int_from", low=self.low)
            return allowed("int_between", low=self.low, high=self.high)
        if self.kind in _LISTS:
            return allowed(self.kind, bound=self.bound)
        if self.kind == "text":
            return allowed("text", most=TEXT_MAX)
        return allowed(self.kind)


_LISTS = ("ints", "names", "tables")


def _time(default: int | None = None, *, required: bool = False) -> Field:
    return Field(kind="int", default=default, required=required, low=0, high=TIME_MAX)


def _count(default: int | None, high: int, low: int = 0) -> Field:
    return Field(kind="int", default=default, low=low, high=high)


APIS = apis.names()
MIDDLEWARE_APIS = tuple(message.api for message in messages.REQUESTS + messages.ANSWERS)
"""The APIs of two-phase commit over middleware (MW-2)."""
DATABASE_APIS = tuple(message.api for message in of_database.REQUESTS)
"""The APIs of a database beside Kafka."""
NODE_APIS = MIDDLEWARE_APIS + DATABASE_APIS
"""The APIs that no broker handles."""
ANSWERING_APIS = frozenset(message.api for message in messages.ANSWERS)
"""The APIs of the middleware whose messages are always answers."""
QUESTIONS = (
    "append",
    "state",
    "identity",
    "fetch",
    "reaction",
    "stable_offset",
    "crash",
    "insert",
    "commit",
    "group_offset",
)
"""The kinds of questions of a checkpoint (engine/predict/kinds.py)."""
LIBRARY_QUESTIONS = (
    "stored-once",
    "before-sending",
    "producer-ids",
    "sequences",
    "commit-or-abort",
    "readers-wait",
    "loop",
    "crashes",
    "zombies",
    "errors",
    "middleware",
)
"""The questions by which the library is ordered; every scenario answers one of them."""
MESSAGE_ACTIONS = ("drop", "drop_alone", "delay", "duplicate", "reorder", "disconnect", "inject_error")
ACTOR_ACTIONS = ("crash", "restart", "pause", "resume")
WORLD_ACTIONS = (
    "change_leader",
    "shrink_isr",
    "restore_isr",
    "deny",
    "allow",
    "delete_head",
    "compact",
    "seek",
    "close_consumer",
    "expire_producers",
    "competing_write",
    "lose_heartbeats",
    "find_heartbeats",
    "fail_controller",
    "craft_produce",
    "craft_request",
    "make_unavailable",
    "make_available",
    "delete_topic",
    "advance_clock",
    "set",
    "connect_slowly",
    "update_features",
    *COMMANDS,
)
CALLS = (
    "send",
    "flush",
    "close",
    "force_close",
    "init_transactions",
    "begin_transaction",
    "send_offsets",
    "commit_transaction",
    "abort_transaction",
)
MIDDLEWARE_CALLS = ("transact", "roll_back")
"""The call of the initiator's application, and the call of an operator at the middleware."""

SECTIONS: dict[str, dict[str, Field]] = {
    "scenario": {
        "id": Field(kind="text", required=True, one_line=True),
        "title": Field(kind="words", required=True, one_line=True),
        "summary": Field(kind="words"),
        "watch_for": Field(kind="words"),
        "lesson": Field(kind="words"),
        "signs": Field(kind="tables", rows="sign", bound=12),
        "question": Field(kind="name", choices=LIBRARY_QUESTIONS),
        "sources": Field(kind="names", default=()),
        "covers": Field(kind="names", default=(), bound=64),
        "profile": Field(kind="name", default="k28", choices=tuple(PROFILES)),
        "variants_only": Field(kind="bool", default=False),
        "opens_on": Field(kind="name", choices=("stage", "lanes", "spacetime")),
        "seed": _count(0, 2**53),
        "limits": Field(kind="table", rows="limits"),
        "cluster": Field(kind="table", rows="cluster"),
        "middleware": Field(kind="table", rows="middleware"),
        "topics": Field(kind="tables", rows="topic", bound=16),
        "producers": Field(kind="tables", rows="producer", bound=16),
        "consumers": Field(kind="tables", rows="consumer", bound=16),
        "applications": Field(kind="tables", rows="application", bound=16),
        "loops": Field(kind="tables", rows="loop", bound=4),
        "services": Field(kind="tables", rows="service", bound=4),
        "database": Field(kind="table", rows="database"),
        "faults": Field(kind="tables", rows="fault", bound=200),
        "overrides": Field(kind="tables", rows="override", bound=64),
        "switches": Field(kind="table"),
        "expect": Field(kind="table", rows="expect"),
        "checkpoints": Field(kind="tables", rows="checkpoint", bound=32),
        "beats": Field(kind="tables", rows="beat", bound=32),
        "variants": Field(kind="tables", rows="variant", bound=64),
    },
    "limits": {"steps": _count(20_000, 1_000_000, 1), "time_ms": _time(TIME_MAX)},
    "cluster": {
        "brokers": _count(3, 9, 0),
        "latency_ms": _time(5),
        "latencies": Field(kind="tables", rows="latency"),
        "broker": Field(kind="table"),
        "start_brokers": Field(kind="bool", default=False),
        "connected": Field(kind="bool", default=True),
        "internal_topics": Field(kind="bool", default=True),
        "transaction_version": _count(None, 2),
    },
    "latency": {
        "between": Field(kind="names", required=True, bound=2),
        "ms": _time(required=True),
    },
    "middleware": {
        "participants": Field(kind="tables", rows="participant", bound=9),
        "strategy": Field(kind="name", default="queue_retry", choices=tuple(STRATEGIES)),
        "prepare_timeout_ms": _time(3000),
        "answer_timeout_ms": _time(5000),
        "check_after_ms": _time(4000),
        "max_checks": _count(15, 1000),
        "max_retries": _count(3, 1000),
        "scan_ms": Field(kind="int", default=2000, low=1, high=TIME_MAX),
        "framework_retries": _count(5, 1000),
        "framework_interval_ms": _time(1000),
        "resend_ms": Field(kind="int", default=1000, low=1, high=TIME_MAX),
        "manager": Field(kind="bool", default=True),
        "one_node": Field(kind="bool", default=False),
        "local_run_ms": _time(10),
        "confirm_after_ms": _time(0),
        "local_succeeds": Field(kind="bool", default=True),
    },
    "participant": {
        "name": Field(kind="name", required=True),
        "value": Field(kind="int", default=100, low=0, high=10**9),
        "operation": Field(kind="int", default=10, low=-(10**9), high=10**9),
        "can_roll_back": Field(kind="bool", default=True),
        "keeps_log": Field(kind="bool", default=True),
    },
    "topic": {
        "name": Field(kind="text", required=True),
        "partitions": _count(2, 64, 1),
        "replication": _count(3, 9, 1),
        "min_isr": _count(1, 9, 1),
        "leaders": Field(kind="ints", bound=64),
        "segment_records": _count(1000, 1_000_000, 1),
        "record_version": _count(2, 2, 0),
    },
    "producer": {
        "name": Field(kind="name", required=True),
        "profile": Field(kind="name", choices=tuple(PROFILES)),
        "settings": Field(kind="table"),
    },
    "consumer": {
        "name": Field(kind="name", required=True),
        "profile": Field(kind="name", choices=tuple(PROFILES)),
        "partitions": Field(kind="names", bound=64),
        "isolation": Field(
            kind="text", default="read_uncommitted", choices=("read_uncommitted", "read_committed")
        ),
        "remember_keys": Field(kind="bool", default=False),
        "group": Field(kind="name"),
        "member": Field(kind="table", rows="member"),
        "max_poll_interval_ms": Field(kind="int", low=1, high=TIME_MAX),
        "auto_offset_reset": Field(kind="text", default="earliest", choices=("earliest", "latest")),
    },
    "member": {
        "id": Field(kind="name"),
        "generation": Field(kind="int", default=-1, low=-1, high=2**31 - 1),
        "instance": Field(kind="name"),
    },
    "application": {
        "name": Field(kind="name", required=True),
        "client": Field(kind="name", required=True),
        "calls": Field(kind="tables", rows="call", bound=2000),
    },
    "loop": {
        "name": Field(kind="name", required=True),
        "producer": Field(kind="name", required=True),
        "consumer": Field(kind="name", required=True),
        "output": Field(kind="names", required=True, bound=16),
        "at": _time(0),
        "every": _time(0),
        "batch": _count(10, 1000, 1),
        "rounds": _count(100, 10_000, 1),
        "size": _count(100, 100_000_000, 1),
        "before_end_ms": _time(0),
        "commits": Field(kind="text", default="next", choices=("next", "last")),
        "abort_rounds": Field(kind="ints", default=(), bound=64),
    },
    "service": {
        "name": Field(kind="name", required=True),
        "approach": Field(kind="name", required=True, choices=tuple(APPROACHES)),
        "producer": Field(kind="name"),
        "consumer": Field(kind="name"),
        "output": Field(kind="names", default=(), bound=16),
        "at": _time(0),
        "every": _time(0),
        "batch": _count(10, 1000, 1),
        "rounds": _count(1, 1000, 1),
        "size": _count(100, 100_000_000, 1),
        "timeout_ms": Field(kind="int", default=1000, low=1, high=TIME_MAX),
        "retry_ms": Field(kind="int", default=100, low=1, high=TIME_MAX),
        "threads": _count(1, 16, 1),
        "work_ms": Field(kind="ints", default=(), bound=64),
        "waits": Field(kind="bool", default=False),
    },
    "database": {"unique_key": Field(kind="bool", default=True)},
    "call": {
        "at": _time(required=True),
        "do": Field(kind="name", required=True, choices=CALLS + MIDDLEWARE_CALLS),
        "partition": Field(kind="partition"),
        "records": _count(1, 10_000, 1),
        "size": _count(100, 100_000_000, 1),
        "every": _time(0),
        "again": Field(kind="int", low=1),
        "if_failed": Field(kind="bool", default=False),
        "key": Field(kind="text"),
        "group": Field(kind="name"),
        "offsets": Field(kind="table"),
        "member": Field(kind="table", rows="member"),
        "tid": _count(1, 10_000, 1),
        "nodes": Field(kind="names", default=(), bound=16),
    },
    "fault": {
        "at": _time(),
        "match": Field(kind="table", rows="match"),
        "action": Field(kind="name", required=True, choices=MESSAGE_ACTIONS + ACTOR_ACTIONS + WORLD_ACTIONS),
        "actor": Field(kind="text"),
        "after_ms": _time(0),
        "taken": _count(0, 1000),
        "by_ms": _time(),
        "for_ms": _time(),
        "error": Field(kind="text"),
        "stored": Field(kind="bool", default=False),
        "partition": Field(kind="partition"),
        "broker": _count(None, 9, 1),
        "to": Field(kind="int", low=0),
        "operation": Field(kind="text"),
        "resource": Field(kind="text"),
        "topic": Field(kind="text"),
        "path": Field(kind="text"),
        "value": Field(kind="any"),
        "clean": Field(kind="bool", default=False),
        "message": Field(kind="table"),
        "transactional_id": Field(kind="text"),
        "duration_ms": _time(),
        "timeout_minutes": _count(None, TIME_MAX // 60_000),
        "start_offset": Field(kind="int", low=0),
        "producer_id": Field(kind="int", low=0),
        "producer_epoch": _count(None, 2**15 - 1),
        "coordinator_epoch": Field(kind="int", low=-1, high=2**31 - 1),
    },
    "match": {
        "api": Field(kind="text", choices=APIS + NODE_APIS),
        "response": Field(kind="bool", default=False),
        "from": Field(kind="text"),
        "to": Field(kind="text"),
        "partition": Field(kind="partition"),
        "transactional_id": Field(kind="text"),
        "first_sequence": Field(kind="int", low=-1),
        "serial": Field(kind="int", low=1),
        "nth": _count(1, 100_000, 1),
        "times": _count(1, 1_000_000, 1),
        "rate": Field(kind="number"),
    },
    "override": {
        "set": Field(
            kind="name",
            required=True,
            choices=("client", "broker_entry", "zookeeper", "log_start", "leader", "transaction", "group"),
        ),
        "group": Field(kind="name"),
        "generation": Field(kind="int", low=0, high=2**31 - 1),
        "members": Field(kind="tables", rows="member", bound=64),
        "client": Field(kind="name"),
        "partition": Field(kind="partition"),
        "next_sequence": Field(kind="int", low=0, high=2147483647),
        "producer_id": Field(kind="int", low=-(2**63), high=2**63 - 1),
        "producer_epoch": Field(kind="int", low=-1, high=32767),
        "last_sequence": Field(kind="int", low=-1, high=2147483647),
        "last_offset": Field(kind="int", low=-1),
        "block_start": Field(kind="int", low=0, high=2**63 - 1),
        "block_end": Field(kind="int", low=0, high=2**63 - 1),
        "broker": _count(None, 9, 0),
        "next_id": Field(kind="int", low=0, high=2**63 - 1),
        "offset": Field(kind="int", low=0),
        "no_leader": Field(kind="bool", default=False),
        "transactional_id": Field(kind="text"),
        "state": Field(
            kind="text",
            choices=(
                "Empty",
                "Ongoing",
                "PrepareCommit",
                "PrepareAbort",
                "CompleteCommit",
                "CompleteAbort",
                "Dead",
                "PrepareEpochFence",
            ),
        ),
        "partitions": Field(kind="names", bound=64),
        "timeout_ms": _time(),
    },
    "expect": {
        "verdicts": Field(kind="tables", rows="verdict"),
        "transactions": Field(kind="tables", rows="transaction_verdict"),
        "database": Field(kind="table", rows="database_verdict"),
        "finished": Field(kind="name", choices=("complete", "step_limit", "time_limit")),
        "says": Field(kind="names", bound=40),
        "errors": Field(kind="names", bound=40),
        "broken": Field(kind="names", bound=10),
    },
    "verdict": {
        "partition": Field(kind="partition", required=True),
        "stored": _count(None, 10**9),
        "duplicates": _count(0, 10**9),
        "lost": _count(0, 10**9),
        "failed": _count(0, 10**9),
        "reordered": _count(0, 10**9),
    },
    "transaction_verdict": {
        "tid": _count(1, 10_000, 1),
        "state": Field(kind="text"),
        "applied": _count(None, 16),
        "repeated": _count(0, 16),
        "reserved": _count(0, 16),
        "mixed": Field(kind="bool", default=False),
    },
    "database_verdict": {
        "rows": _count(None, 10**9),
        "row_missing": _count(None, 10**9),
        "record_missing": _count(None, 10**9),
        "row_repeated": _count(None, 10**9),
    },
    "checkpoint": {
        "ask": Field(kind="name", required=True, choices=QUESTIONS),
        "actor": Field(kind="text"),
        "api": Field(kind="text", choices=APIS + NODE_APIS),
        "source": Field(kind="text"),
        "partition": Field(kind="partition"),
        "machine": Field(kind="name"),
        "of": Field(kind="text"),
        "record": _count(None, 10**9, 1),
        "nth": _count(1, 10_000, 1),
    },
    "sign": {
        "see": Field(kind="words", required=True),
        "means": Field(kind="words", required=True),
    },
    "beat": {
        "kind": Field(kind="name", required=True),
        "nth": _count(1, 1_000, 1),
        "title": Field(kind="words", required=True, one_line=True),
    },
    "variant": {
        "name": Field(kind="name", required=True),
        "title": Field(kind="words", required=True, one_line=True),
        "watch_for": Field(kind="words"),
        "lesson": Field(kind="words"),
        "set": Field(kind="table"),
        "expect": Field(kind="table", rows="expect"),
        "expect_refused": Field(kind="text"),
    },
}
