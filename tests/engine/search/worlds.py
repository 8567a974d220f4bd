"""Random worlds: clusters with every kind of actor, applications that use them, and faults.

All random choices use the ``random()`` of the given generator, so that a seed determines a world. There are four
kinds (:data:`KINDS`): in an *honest* world every component follows the protocol, and all properties must hold; in a
*plain* world producers have neither ids nor transactions; in a *hostile* world anything is sent and forgotten, and
only the properties must hold that depend on the engine alone; the fourth kind is two-phase commit over middleware.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from engine.middleware.configuration import BUSINESS, INITIATOR, MANAGER, MIDDLEWARE
from engine.middleware.strategies import STRATEGIES
from engine.profile import QUORUM
from engine.profiles import PROFILES
from engine.scenario.kept_by import keeper
from engine.scenario.schema import ACTOR_ACTIONS, WORLD_ACTIONS
from tests.engine.search.chances import below, one_of, perhaps
from tests.engine.search.faults import HONEST_ACTIONS, ON_NODES, Names, matched, meant, timed

WORDS = {"en": "A random world", "zh-Hans": "随机的世界"}
STEPS_MAX = 6_000
"""The limit of steps of one run; a run that needs more is stopped, and outside hostile worlds that is a find."""
TIME_MAX = 600_000
PARTICIPANTS = ("participant-1", "participant-2", "participant-3")
PARTITIONS = ("t-0", "t-1", "out-0")
INTERNAL = ("__transaction_state-0", "__transaction_state-1", "__consumer_offsets-0", "__consumer_offsets-1")
READERS = [
    {"name": "r1", "partitions": list(PARTITIONS), "isolation": "read_committed"},
    {"name": "r2", "partitions": list(PARTITIONS), "isolation": "read_uncommitted"},
]
OWN_ACTIONS = {QUORUM: ("lose_heartbeats", "fail_controller", "shrink_isr", "change_leader")}
"""How the controller's decisions are stored → actions that are tried more often in such a cluster, so that they
coincide.
"""
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """The versions of the clusters in a search. ``profile``: all have this one; None: each world chooses its own at
    random. ``level``: the same for ``transaction.version``.
    """

    profile: str | None = None
    level: int | None = None


ANY = Version()


def honest(generator: Random, version: Version = ANY) -> Document:
    """Producers of all kinds, sometimes a second one with the same transactional id, a loop and three consumers, on
    three brokers.
    """
    document = _kafka(generator, version)
    names = names_of(document)
    document["faults"] = [
        timed(generator, names, HONEST_ACTIONS + 3 * ACTOR_ACTIONS[::2] + OWN_ACTIONS.get(names.kept_by, ()))
        if perhaps(generator, 0.5)
        else matched(generator, names, honest=True)
        for _ in range(below(generator, 6))
    ]
    if perhaps(generator, 0.05):
        at, lasts = below(generator, 1500), 350 + below(generator, 1000)
        document["faults"] += [
            {"at": at + below(generator, 30), "action": "crash", "actor": name, "for_ms": lasts}
            for name in names.brokers
        ]
    return {**document, "id": "SEARCH-HONEST"}


def hostile(generator: Random, version: Version = ANY) -> Document:
    """The same world with false errors, lost memory and crafted requests."""
    document = _kafka(generator, version)
    names = names_of(document)
    document["faults"] = [
        timed(generator, names, WORLD_ACTIONS + ACTOR_ACTIONS)
        if perhaps(generator, 0.7)
        else matched(generator, names, honest=False)
        for _ in range(2 + below(generator, 12))
    ]
    # Without a topic, or without the permission to write, clients retry for ever.
    document["limits"]["steps"] = 2_500
    return {**document, "id": "SEARCH-HOSTILE"}


def plain(generator: Random, version: Version = ANY) -> Document:
    """Producers without ids, as all were before 0.11, with the same cluster, consumers and faults."""
    document = _cluster(generator, version, ("k010", "k010", "k20", "k28", "k41"))
    document["consumers"] = [*READERS]
    document["producers"], document["applications"] = [], []
    for name in ("n1", "n2"):
        settings = {"acks": one_of(generator, (-1, -1, 1, 0)), "retries": below(generator, 6)}
        settings |= _without_id(document)
        document["producers"].append(_producer(name, generator, **settings))
        document["applications"].append(_sends(f"app-{name}", name, generator))
    names = names_of(document)
    document["faults"] = [
        timed(generator, names, HONEST_ACTIONS + 3 * ACTOR_ACTIONS[::2])
        if perhaps(generator, 0.5)
        else matched(generator, names, honest=True)
        for _ in range(below(generator, 6))
    ]
    return {**document, "id": "SEARCH-PLAIN"}


def _without_id(document: Document) -> dict[str, Any]:
    """Since 3.0, a producer without an id must say so in its settings."""
    return {"enable_idempotence": False} if PROFILES[document["profile"]].idempotent_by_default else {}


def _cluster(generator: Random, version: Version, among: tuple[str, ...]) -> Document:
    """Three brokers with an application topic of two partitions and one of one partition. ``among``: the versions
    from which a search of all versions chooses.
    """
    drawn = one_of(generator, among)
    profile = version.profile or drawn
    highest = PROFILES[profile].transaction_version
    level = below(generator, highest + 1) if version.level is None else version.level
    broker = {
        "transaction_scan_interval_ms": 1000,
        "transaction_state_partitions": 2,
        "offsets_partitions": 2,
        "loading_ms": 1 + below(generator, 60),
        "marker_request_timeout_ms": 100 + below(generator, 400),
    }
    if perhaps(generator, 0.2):
        broker |= {"session_timeout_ms": 60 + below(generator, 500)}
    if perhaps(generator, 0.1):
        broker |= {"transactional_id_expiration_ms": 3000, "transactional_id_scan_interval_ms": 1500}
    if perhaps(generator, 0.15):
        broker |= {"replica_fetch_batches_max": 1, "consumer_fetch_batches_max": 1}
    if keeper(profile) == QUORUM:
        # With Kafka's own seconds, the cluster would be idle during most of a run.
        broker |= {
            "session_timeout_ms": 60 + below(generator, 900),
            "controller_failover_ms": 50 + below(generator, 400),
        }
        if perhaps(generator, 0.3):
            broker |= {"producer_id_block_size": 2 + below(generator, 9)}
    segments = {"segment_records": 1 + below(generator, 8)} if perhaps(generator, 0.3) else {}
    return {
        "title": WORDS,
        "profile": profile,
        "seed": below(generator, 1000),
        "limits": {"steps": STEPS_MAX, "time_ms": TIME_MAX},
        "cluster": {
            "broker": broker,
            "latency_ms": 1 + below(generator, 6),
            "start_brokers": perhaps(generator, 0.2),
            "connected": perhaps(generator, 0.7),
            "internal_topics": perhaps(generator, 0.9),
            **({"transaction_version": level} if highest else {}),
        },
        "topics": [
            {"name": "t", "partitions": 2, "min_isr": 2, **segments},
            {"name": "out", "partitions": 1, "min_isr": 2, "leaders": [3]},
        ],
    }


def _kafka(generator: Random, version: Version) -> Document:
    document = _cluster(generator, version, ("k28", "k28", "k20", "k39", "k41", "k41"))
    producers = [_producer("p1", generator, enable_idempotence=True)]
    applications = [_sends("app-p1", "p1", generator)]
    transactional = ["x1"] + (["x2"] if perhaps(generator, 0.4) else [])
    for index, name in enumerate(transactional):
        producers.append(_producer(name, generator, transactional_id="txn-1", transaction_timeout_ms=2000))
        applications.append(_transactions(f"app-{name}", name, 20 + 300 * index, generator))
    producers.append(_producer("l1", generator, transactional_id="txn-2", transaction_timeout_ms=2000))
    older = [name for name in ("k20", "k28", "k39") if name < document["profile"]]
    for producer in producers:
        if older and perhaps(generator, 0.2):
            producer["profile"] = one_of(generator, tuple(older))
    if perhaps(generator, 0.3):
        producers.append(_producer("n1", generator, acks=-1, retries=100, **_without_id(document)))
        applications.append(_sends("app-n1", "n1", generator))
    loop = {"name": "loop-1", "producer": "l1", "consumer": "c1", "output": ["out-0"], "rounds": 6}
    loop |= {"batch": 1 + below(generator, 4), "every": below(generator, 30)}
    loop |= {"before_end_ms": below(generator, 20), "abort_rounds": [2] if perhaps(generator, 0.3) else []}
    reader = {"name": "c1", "partitions": ["t-0"], "isolation": "read_committed", "group": "g"}
    return {
        **document,
        "producers": producers,
        "consumers": [reader, *READERS],
        "applications": applications,
        "loops": [loop],
    }


def _producer(name: str, generator: Random, **settings: Any) -> dict[str, Any]:
    settings |= {
        "linger_ms": below(generator, 6),
        "request_timeout_ms": 60 + below(generator, 200),
        "retry_backoff_ms": 10 + below(generator, 40),
        "max_in_flight": 1 + below(generator, 5),
        "batch_expiry_ms": 300 + below(generator, 500 if perhaps(generator, 0.2) else 8000),
    }
    if perhaps(generator, 0.1):
        settings |= {"batch_size": 200, "buffer_memory": 400 + below(generator, 2000)}
    if perhaps(generator, 0.1):
        settings["max_block_ms"] = 50 + below(generator, 400)
    return {"name": name, "settings": settings}


def _sends(name: str, client: str, generator: Random) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    for index in range(1 + below(generator, 6)):
        at = 10 + 100 * index + below(generator, 100)
        call = {
            "at": at,
            "do": "send",
            "partition": one_of(generator, ("t-0", "t-1")),
            "records": 1 + below(generator, 6),
            "every": below(generator, 9),
        }
        calls.append({**call, "key": one_of(generator, ("k1", "k2"))} if perhaps(generator, 0.3) else call)
    if perhaps(generator, 0.3):
        ending = one_of(generator, ("flush", "close", "force_close"))
        calls.append({"at": 700 + below(generator, 300), "do": ending})
    return {"name": name, "client": client, "calls": calls}


def _transactions(name: str, client: str, at: int, generator: Random) -> dict[str, Any]:
    calls: list[dict[str, Any]] = [{"at": at, "do": "init_transactions"}]
    for _ in range(1 + below(generator, 4)):
        calls.append({"at": (at := at + below(generator, 60)), "do": "begin_transaction"})
        for _ in range(below(generator, 4)):
            partition = one_of(generator, PARTITIONS)
            at += below(generator, 20)
            call = {"at": at, "do": "send", "partition": partition}
            calls.append({**call, "key": "k1"} if perhaps(generator, 0.3) else call)
        if perhaps(generator, 0.3):
            offsets = {"t-1": below(generator, 3)}
            calls.append({"at": at, "do": "send_offsets", "group": "h", "offsets": offsets})
        if perhaps(generator, 0.1):
            calls.append({"at": at, "do": "flush"})
        if perhaps(generator, 0.1):
            at += 2500  # longer than the transaction may last
        ending = "abort_transaction" if perhaps(generator, 0.3) else "commit_transaction"
        calls.append({"at": (at := at + below(generator, 30)), "do": ending})
    if perhaps(generator, 0.1):
        calls.append({"at": at + below(generator, 100), "do": "close"})
    return {"name": name, "client": client, "calls": calls}


def middleware(generator: Random, version: Version = ANY) -> Document:
    """Two transactions with three participants; nodes are down for a while, but none for good. No Kafka takes part,
    whatever the version.
    """
    participants = [
        {
            "name": name,
            "operation": -500 if perhaps(generator, 0.05) else 10,
            "can_roll_back": not perhaps(generator, 0.1),
            "keeps_log": not perhaps(generator, 0.1),
        }
        for name in PARTICIPANTS
    ]
    one_node = perhaps(generator, 0.2)
    calls: list[dict[str, Any]] = [{"at": at, "do": "transact"} for at in (5, 40)]
    document: Document = {
        "id": "SEARCH-MIDDLEWARE",
        "title": WORDS,
        "seed": below(generator, 1000),
        "limits": {"steps": STEPS_MAX, "time_ms": TIME_MAX},
        "cluster": {"brokers": 0},
        "middleware": {
            "participants": participants,
            "local_run_ms": 1 + below(generator, 60),
            "strategy": one_of(generator, tuple(STRATEGIES)),
            "one_node": one_node,
            "local_succeeds": not perhaps(generator, 0.1),
        },
        "applications": [{"name": "app-1", "client": BUSINESS if one_node else INITIATOR, "calls": calls}],
    }
    if perhaps(generator, 0.2):
        operator = {"at": 2000 + below(generator, 8000), "do": "roll_back", "tid": 1 + below(generator, 2)}
        nodes = [name for name in PARTICIPANTS if perhaps(generator, 0.4)]
        calls = [{**operator, "nodes": nodes or list(PARTICIPANTS[:1])}]
        document["applications"].append({"name": "operator", "client": MIDDLEWARE, "calls": calls})
    names = names_of(document)
    faults = [matched(generator, names, honest=True) for _ in range(1 + below(generator, 3))]
    for _ in range(below(generator, 3)):
        fault = timed(generator, names, ("crash", "crash", *ON_NODES[:-1]))
        faults.append(meant({**fault, "at": below(generator, 120), "for_ms": 1 + below(generator, 9000)}))
    document["faults"] = faults
    return document


def names_of(document: Document) -> Names:
    """Return the names in a world that faults can use."""
    if document.get("middleware"):
        initiators = () if document["middleware"]["one_node"] else (INITIATOR,)
        return Names(nodes=(*initiators, BUSINESS, MIDDLEWARE, MANAGER, *PARTICIPANTS))
    profile = PROFILES[document["profile"]]
    return Names(
        partitions=PARTITIONS,
        internal=() if document["profile"] == "k010" else INTERNAL,
        producers=tuple(row["name"] for row in document["producers"]),
        consumers=tuple(row["name"] for row in document["consumers"]),
        brokers=("broker-1", "broker-2", "broker-3"),
        errors=tuple(error.name for error in profile.errors),
        transaction_version=profile.transaction_version,
        takes_epoch_bumps=profile.takes_epoch_bumps,
        kept_by=keeper(document["profile"]),
    )


class Kind(Protocol):
    def __call__(self, generator: Random, version: Version = ..., /) -> Document: ...


KINDS: dict[str, Kind] = {
    "honest": honest,
    "plain": plain,
    "hostile": hostile,
    "middleware": middleware,
}
OF_TEN = ("honest",) * 6 + ("plain", "hostile", "hostile", "middleware")
"""The kinds of the worlds of ten consecutive seeds."""


def world(seed: int, version: Version = ANY) -> tuple[Document, Random]:
    """Return the world of a seed, and the generator, which then chooses the interventions."""
    generator = Random(seed)
    kind = OF_TEN[seed % len(OF_TEN)]
    if version.profile is not None:
        if not PROFILES[version.profile].idempotence:
            kind = "plain"
        elif kind == "middleware":
            kind = "honest"
    return KINDS[kind](generator, version), generator
