"""Cases in which Kafka itself violates a property: one row each, with the reason.

A row excuses a property in a world that has all of its features. Most features are what the document and the
interventions name (:func:`features`), so a shrunk world is excused exactly as the original one; a few come from facts
of the run (``Hunt.happened``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.client.configuration import SETTINGS


@dataclass(frozen=True, slots=True)
class Exception_:
    """In worlds with all of ``features``, the ``properties`` need not hold."""

    properties: tuple[str, ...]
    features: tuple[str, ...]
    reason: str


OF_DATA = (
    *("lost", "stored_twice", "sequence", "unread", "exactly_once"),
    *(
        f"{name} {of}"
        for name in ("duplicated", "reordered")
        for of in ("plain", "idempotent", "transactional")
    ),
)
OF_TRANSACTIONS = (
    "atomic",
    "visible_early",
    "fenced",
    "hanging",
    "hanging of offsets",
    "decision",
    "undecided",
    "exactly_once",
)
OF_EPOCHS = ("epoch_back of data", "epoch_back of offsets", "coordinator_epoch", "identity_back")

EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        (*OF_DATA, *OF_TRANSACTIONS, *OF_EPOCHS, "unanswered", "endless"),
        ("hostile",),
        "brokers' answers lie, memory is thrown away and strangers write under others' ids",
    ),
    Exception_(
        ("lost",), ("acks 0",), "no broker confirms, so the producer reports success before a batch is stored"
    ),
    Exception_(("lost",), ("acks 1",), "the leader alone confirms, and crashes"),
    Exception_(
        ("reordered plain",),
        ("several in flight",),
        "without idempotence a retry goes behind (known case 12)",
    ),
    Exception_(
        ("reordered plain",),
        ("has plain producers", "set max_in_flight"),
        "the same where several were allowed meanwhile",
    ),
    Exception_(
        ("reordered idempotent", "reordered transactional"),
        ("k28",),
        "2.8 takes any first sequence of an unknown producer, so the second batch can be the first (SEQ-15)",
    ),
    *(
        Exception_(
            ("reordered idempotent",),
            (version,),
            "the same without a transaction to verify (``ProducerAppendInfo.checkSequence``)",
        )
        for version in ("k39", "k41")
    ),
    Exception_(
        ("open",),
        ("hostile", "expire_producers"),
        "producers with an open transaction are forgotten, which no broker does (``isProducerExpired``), and a log "
        "that is cut back to a snapshot of then misses them",
    ),
    Exception_(
        ("open_forgotten",),
        ("k20",),
        "2.0 loads no producer whose newest entry is a marker (``isProducerRetained``), and does not read a log again "
        "that is cut while it knows no producer (``Log.loadProducerState``): a transaction that is open below the cut "
        "is forgotten",
    ),
    Exception_(
        ("duplicated idempotent",),
        (),
        "the broker cannot recognize what a producer sends again under a new id or epoch (SC-08, TXM-17)",
    ),
    Exception_(
        ("reordered remade",),
        (),
        "a record that a loop makes again keeps its number, whatever it made meanwhile",
    ),
    Exception_(("duplicated plain",), (), "the broker cannot recognize a repeat of a producer without an id"),
    Exception_(
        ("sequence", "stored_twice", "duplicated transactional"),
        ("delete_head", "k20"),
        "2.0 forgets producers whose records are deleted, and takes what they send again from sequence 0 for new "
        "records (LOG-11, KAFKA-7190)",
    ),
    Exception_(
        ("epoch_back of offsets", "hanging of offsets"),
        ("k20",),
        "2.0 checks nothing of what its own coordinators append (SEQ-9, ``isFromClient``)",
    ),
    Exception_(
        ("duplicated transactional", "exactly_once"),
        ("k20", "offsets read before their marker"),
        "2.0 answers a consumer that starts with the offsets that are visible, though a transaction that is decided "
        "may still change them: its input is taken twice (``GroupMetadataManager.getOffsets``; closed by KIP-447)",
    ),
    Exception_(
        ("duplicated transactional", "exactly_once"),
        ("offsets read from a former coordinator",),
        "a group coordinator that was paused while another was elected answers OffsetFetch from its cache, which no "
        "log append confirms: the input is taken twice (``GroupMetadataManager.getOffsets``, "
        "``GroupCoordinatorService.fetchOffsets``)",
    ),
    Exception_(
        ("aborted_index_thinned", "aborted_index"),
        ("compact",),
        "the cleaner leaves lines out, and moves their beginnings, with the records that go (LOG-13)",
    ),
    Exception_(
        ("undecided", "hanging", "hanging of offsets", "unread", "endless", "atomic", "exactly_once"),
        ("deny ClusterAction",),
        "a coordinator throws an exception at CLUSTER_AUTHORIZATION_FAILED and sends these markers no more (MRK-8): "
        "the markers that came before stay alone until another coordinator is elected",
    ),
    Exception_(
        ("endless",),
        ("deny",),
        "a client without the right asks again for ever, or starts the same round again",
    ),
    *(
        Exception_(
            ("endless",),
            (f"set {name}",),
            "a client with too little time, or memory, fails and starts the round again",
        )
        for name in (
            "batch_expiry_ms",
            "request_timeout_ms",
            "transaction_timeout_ms",
            "max_block_ms",
            "batch_size",
        )
    ),
    Exception_(
        (
            "hanging",
            "atomic",
            "visible_early",
            "fenced",
            "exactly_once",
            "duplicated transactional",
            "unread",
        ),
        ("k28", "a batch after its marker"),
        "a batch given up in flight came after its transaction's marker: it opens one that never ends, or that the "
        "next one's marker ends; where its producer raised its epoch meanwhile, the leader has not heard of that yet "
        "(KIP-890)",
    ),
    *(
        Exception_(
            (
                *("hanging", "hanging of offsets", "atomic", "visible_early", "exactly_once"),
                *("duplicated transactional", "unread"),
            ),
            (version, "an EndTxn after its transaction"),
            "a starting broker keeps the requests of connections that have ended in the meantime; an EndTxn among them "
            "ends the next transaction of the same epoch, as the coordinator compares nothing else "
            "(``SocketServer.startProcessors``, ``TransactionCoordinator.endTransaction``; KIP-890)",
        )
        for version in ("k20", "k28")
    ),
    Exception_(
        ("hanging of offsets", "exactly_once"),
        ("k28", "offsets outside their transaction"),
        "offsets of a fenced producer reach a group coordinator that got no marker, because __consumer_offsets did not "
        "exist when the transaction was aborted: without verification they open a transaction that nothing ends "
        "(``TransactionMarkerChannelManager.addTxnMarkersToBrokerQueue``; KIP-890)",
    ),
    Exception_(
        ("lost", "exactly_once"),
        ("k28", "numbers taken back in doubt"),
        "a batch given up in flight may be stored, and the next one with its numbers passes for its duplicate "
        "(KAFKA-14397; SC-78, variant given-up-but-stored)",
    ),
    Exception_(
        ("hanging", "hanging of offsets", "undecided", "unread", "endless", "exactly_once"),
        ("k28", "a late failure thrown"),
        "a commit that is to raise the epoch leaves its partitions registered with the client only, so the next "
        "transaction is written without its coordinator's knowledge (KAFKA-14830; SC-78, variant late-failure)",
    ),
    Exception_(
        ("undecided", "endless", "exactly_once"),
        ("a completion forgotten",),
        "a coordinator that was elected again meets the answer to an older marker and waits for none of the id's "
        "markers any more; offsets of the transaction stay pending (KAFKA-16352; SC-58, variant elected-again)",
    ),
    Exception_(
        ("endless",),
        ("k20", "a resend that cannot help"),
        "a batch whose answer was lost on a connection that stays up (GEN-6) fell out of the broker's five, and 2.0 "
        "sends it again as often as retries allow (SND-11; SC-08, variant k20)",
    ),
    Exception_(
        ("endless",), ("shrink_isr",), "where too few replicas stay in sync, writers ask again for ever"
    ),
    Exception_(
        ("mixed",),
        ("pause",),
        "a source that is silent for all its checks is taken for one that never committed (MW-13)",
    ),
    Exception_(
        ("mixed",),
        ("an operator undoes",),
        "an operator undoes the nodes that the call names; the others keep what they have (MW-11, MW-12)",
    ),
    Exception_(("unread",), ("seek",), "the application itself went elsewhere"),
    Exception_(("unread",), ("close_consumer",), "the application itself reads no more"),
    Exception_(("unread",), ("delete_head",), "what is deleted cannot be read"),
    Exception_(
        ("exactly_once", "duplicated transactional"),
        ("seek",),
        "the application itself reads again, or leaves out",
    ),
    Exception_(("exactly_once",), ("delete_head",), "inputs went before they were read"),
    Exception_(("exactly_once",), ("compact",), "inputs went before they were read again"),
)


def features(document: dict[str, Any], interventions: Iterable[dict[str, Any]]) -> frozenset[str]:
    found = {document["id"].removeprefix("SEARCH-").lower(), document.get("profile", "")}
    for producer in document.get("producers", ()):
        found |= {producer.get("profile") or "", *_of_producer(producer["settings"])}
    for entry in document.get("faults", ()):
        found.add(entry["action"])
        if "operation" in entry:
            found.add(f"{entry['action']} {entry['operation']}")
        if "match" in entry:
            found.add(f"{entry['action']} {entry['match']['api']}")
            if "error" in entry:
                found.add(f"{entry['action']} {entry['error']}")
        if "path" in entry:
            found.add(f"set {entry['path'].rpartition('.')[2]}")
    for application in document.get("applications", ()):
        if any(call["do"] == "roll_back" for call in application["calls"]):
            found.add("an operator undoes")
    for made in interventions:
        found.add(made["action"])
        if "path" in made:
            found.add(f"set {made['path'].rpartition('.')[2]}")
    return frozenset(found)


def _of_producer(settings: dict[str, Any]) -> set[str]:
    if settings.get("enable_idempotence") or settings.get("transactional_id"):
        return set()
    found = {f"acks {settings.get('acks', SETTINGS['acks'].default)}"}
    if settings.get("max_in_flight", SETTINGS["max_in_flight"].default) > 1:
        found.add("several in flight")
    return found | {"has plain producers"}


def excused(name: str, found: frozenset[str]) -> Exception_ | None:
    """Return the first row that excuses this property in a world with these features; None if there is none."""
    for row in EXCEPTIONS:
        if name in row.properties and found.issuperset(row.features):
            return row
    return None
