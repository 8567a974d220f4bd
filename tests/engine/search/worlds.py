"""Random worlds: clusters with every kind of actor, applications that use them, and what goes wrong.

All chances come from the generator that is passed in, by ``random()`` and by nothing else, so that a seed is a
world. The mechanisms are all on and no fault does what would make a guarantee void (no unclean election, no
record deleted, no made-up request).
"""

from __future__ import annotations

from random import Random
from typing import Any

WORDS = {"en": "A random world", "zh-Hans": "随机的世界"}
STEPS_MAX = 4_000
"""Of one run; a run that needs more is stopped and says so."""
PARTICIPANTS = ("participant-1", "participant-2", "participant-3")
STRATEGIES = ("queue_retry", "scheduled_retry", "framework_retry", "log_rollback", "transaction_manager")
APIS = (
    "Metadata",
    "FindCoordinator",
    "InitProducerId",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "TxnOffsetCommit",
    "EndTxn",
    "WriteTxnMarkers",
    "OffsetFetch",
    "Produce",
    "Produce",
    "Produce",
    "Fetch",
)
UNPROTECTED = "TxnOffsetCommit"
"""Never duplicated: a copy that comes after its transaction's decision is taken for a new offset, since nothing
numbers these requests. TCP does not repeat, and a client sends the next request after the answer."""
LOG_ERRORS = ("NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS")
MIDDLEWARE_APIS = (
    "Prepare",
    "PrepareOk",
    "PrepareAck",
    "Confirm",
    "Commit",
    "CommitOk",
    "Rollback",
    "RollbackOk",
)


def below(generator: Random, bound: int) -> int:
    return int(generator.random() * bound)


def one_of(generator: Random, choices: Any) -> Any:
    return choices[below(generator, len(choices))]


def kafka(generator: Random) -> dict[str, Any]:
    """Producers of both kinds, a twin now and then, a loop and two readers on three brokers."""
    producers = [_producer("p1", generator, enable_idempotence=True)]
    transactional = ["x1"]
    producers.append(_producer("x1", generator, transactional_id="txn-1", transaction_timeout_ms=2000))
    if generator.random() < 0.4:
        transactional.append("x2")
        producers.append(_producer("x2", generator, transactional_id="txn-1", transaction_timeout_ms=2000))
    producers.append(_producer("l1", generator, transactional_id="txn-2", transaction_timeout_ms=2000))
    applications = [_sends("app-p1", "p1", generator)]
    for index, name in enumerate(transactional):
        applications.append(_transactions(f"app-{name}", name, 20 + 300 * index, generator))
    loop = {"name": "loop-1", "producer": "l1", "consumer": "c1", "output": ["out-0"], "rounds": 6}
    return {
        "id": "SEARCH-KAFKA",
        "title": WORDS,
        "profile": one_of(generator, ("k28", "k20")),
        "seed": below(generator, 1000),
        "limits": {"steps": STEPS_MAX, "time_ms": 60_000},
        "cluster": {
            "broker": {"transaction_scan_interval_ms": 1000, "transaction_state_partitions": 2},
            "latency_ms": 1 + below(generator, 6),
        },
        "topics": [
            {"name": "t", "partitions": 2, "min_isr": 2},
            {"name": "out", "partitions": 1, "min_isr": 2, "leaders": [3]},
        ],
        "producers": producers,
        "consumers": [
            {"name": "c1", "partitions": ["t-0"], "isolation": "read_committed", "group": "g"},
            {"name": "r1", "partitions": ["t-0", "t-1", "out-0"], "isolation": "read_committed"},
            {"name": "r2", "partitions": ["t-0", "t-1"], "isolation": "read_uncommitted"},
        ],
        "applications": applications,
        "loops": [{**loop, "batch": 1 + below(generator, 4), "every": below(generator, 30)}],
        "faults": [_fault(generator, transactional) for _ in range(below(generator, 5))],
    }


def _producer(name: str, generator: Random, **settings: Any) -> dict[str, Any]:
    settings |= {
        "linger_ms": below(generator, 6),
        "request_timeout_ms": 60 + below(generator, 200),
        "retry_backoff_ms": 10 + below(generator, 40),
        "max_in_flight": 1 + below(generator, 5),
    }
    if generator.random() < 0.2:
        settings["batch_expiry_ms"] = 300 + below(generator, 500)
    return {"name": name, "settings": settings}


def _sends(name: str, client: str, generator: Random) -> dict[str, Any]:
    calls = [
        {
            "at": 10 + 100 * index + below(generator, 100),
            "do": "send",
            "partition": one_of(generator, ("t-0", "t-1")),
            "records": 1 + below(generator, 6),
            "every": below(generator, 9),
        }
        for index in range(1 + below(generator, 6))
    ]
    return {"name": name, "client": client, "calls": calls}


def _transactions(name: str, client: str, at: int, generator: Random) -> dict[str, Any]:
    calls: list[dict[str, Any]] = [{"at": at, "do": "init_transactions"}]
    for _ in range(1 + below(generator, 4)):
        calls.append({"at": (at := at + below(generator, 60)), "do": "begin_transaction"})
        for _ in range(below(generator, 4)):
            partition = one_of(generator, ("t-0", "t-1", "out-0"))
            at += below(generator, 20)
            calls.append({"at": at, "do": "send", "partition": partition})
        if generator.random() < 0.3:
            offsets = {"t-1": below(generator, 3)}
            calls.append({"at": at, "do": "send_offsets", "group": "h", "offsets": offsets})
        ending = "abort_transaction" if generator.random() < 0.3 else "commit_transaction"
        calls.append({"at": (at := at + below(generator, 30)), "do": ending})
    return {"name": name, "client": client, "calls": calls}


def _fault(generator: Random, transactional: list[str]) -> dict[str, Any]:
    if generator.random() < 0.5:
        match = {
            "api": one_of(generator, APIS),
            "response": generator.random() < 0.5,
            "nth": 1 + below(generator, 6),
        }
        if generator.random() < 0.1:
            return {
                "match": {"api": "Produce", "nth": match["nth"]},
                "action": "inject_error",
                "error": one_of(generator, LOG_ERRORS),
            }
        action = one_of(generator, ("drop", "delay", "duplicate", "disconnect"))
        if match["api"] == UNPROTECTED and action == "duplicate":
            action = "drop"
        return {"match": match, "action": action, "by_ms": 1 + below(generator, 400)}
    at, lasts = below(generator, 1500), 20 + below(generator, 600)
    kind = one_of(generator, ("crash", "pause", "change_leader", "client"))
    if kind == "change_leader":
        partition = one_of(generator, ("t-0", "t-1", "out-0", *(f"__transaction_state-{i}" for i in (0, 1))))
        return {"at": at, "action": kind, "partition": partition, "to": 1 + below(generator, 3)}
    if kind == "client":
        actor = one_of(generator, ("p1", "l1", "c1", "r1", *transactional))
        return {
            "at": at,
            "action": one_of(generator, ("crash", "pause")),
            "actor": actor,
            "for_ms": lasts,
        }
    return {"at": at, "action": kind, "actor": f"broker-{1 + below(generator, 3)}", "for_ms": lasts}


def middleware(generator: Random) -> dict[str, Any]:
    """Two transactions over three participants; nodes are down for a while, never for good."""
    faults: list[dict[str, Any]] = []
    for _ in range(1 + below(generator, 3)):
        match = {"api": one_of(generator, MIDDLEWARE_APIS), "nth": 1 + below(generator, 3)}
        action = one_of(generator, ("drop", "delay", "duplicate"))
        faults.append({"match": match, "action": action, "by_ms": 1 + below(generator, 6000)})
    for _ in range(below(generator, 3)):
        actor = one_of(generator, ("business", "middleware", *PARTICIPANTS))
        faults.append(
            {
                "at": below(generator, 120),
                "action": "crash",
                "actor": actor,
                "for_ms": 1 + below(generator, 9000),
            }
        )
    participants = [
        {"name": name, "operation": -500 if generator.random() < 0.05 else 10} for name in PARTICIPANTS
    ]
    return {
        "id": "SEARCH-MIDDLEWARE",
        "title": WORDS,
        "seed": below(generator, 1000),
        "limits": {"steps": STEPS_MAX, "time_ms": 60_000},
        "cluster": {"brokers": 0},
        "middleware": {
            "participants": participants,
            "local_run_ms": 1 + below(generator, 60),
            "strategy": one_of(generator, STRATEGIES),
        },
        "applications": [
            {
                "name": "app-1",
                "client": "initiator",
                "calls": [{"at": at, "do": "transact"} for at in (5, 40)],
            }
        ],
        "faults": faults,
    }
