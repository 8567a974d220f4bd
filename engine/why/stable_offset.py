"""Answers why the last stable offset does not advance. The chain names the offset, the producer, the transaction, the
coordinator, the marker and the consumers that wait (LOG-8)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.why.links import (
    NAMED_MAX,
    Json,
    Link,
    actor_subject,
    link,
    partition_subject,
    stored_subject,
    transaction_subject,
)
from engine.why.markers import lost_marker
from engine.why.moment import Moment
from engine.why.open_transaction import still_open
from engine.why.outcomes import decision, users
from engine.why.replication import behind, leaderless, not_running


def why_stable_offset(moment: Moment, partition: str) -> Iterator[Link]:
    replica = moment.leading(partition)
    if replica is None:
        yield from leaderless(moment, partition)
        return
    stable, high = replica["last_stable_offset"], replica["high_watermark"]
    subject = partition_subject(partition)
    yield link(
        "lso.at",
        "LOG-8",
        "CON-1",
        subject=subject,
        partition=partition,
        last_stable_offset=stable,
        high_watermark=high,
        log_end=replica["log_end"],
    )
    if stable < high:
        yield from holder(moment, partition, replica)
        yield from held_up(moment, partition, replica)
        return
    yield from _ended_now(moment, partition, stable)
    yield link("lso.free", "LOG-8", subject=subject, partition=partition, high_watermark=high)
    if high < replica["log_end"]:
        yield link(
            "lso.high_watermark_waits",
            "LOG-7",
            subject=subject,
            partition=partition,
            high_watermark=high,
            log_end=replica["log_end"],
        )
        yield from behind(moment, partition, replica["log_end"])


def _ended_now(moment: Moment, partition: str, stable: int) -> Iterator[Link]:
    """A link about the marker that let the newest step advance the last stable offset, and a link about the step that
    dropped an earlier request with it. No link if no marker did."""
    moved = [
        change["before"]
        for change in (moment.step or {"changes": ()})["changes"]
        if change["path"][:2] == ["partitions", partition]
        and change["path"][2:] == ["replicas", _leader(moment, partition), "last_stable_offset"]
    ]
    markers = [
        batch
        for batch in moment.batches(partition)
        if batch["control"] is not None and moved and moved[0] <= batch["base_offset"] < stable
    ]
    if not markers:
        return
    marker = markers[-1]
    transactional_id = moment.owner_of(marker["producer_id"])
    yield link(
        "lso.moved",
        "LOG-8",
        "CON-6",
        subject=stored_subject(partition, marker),
        partition=partition,
        result=marker["control"],
        offset=marker["base_offset"],
        before=moved[0],
        owner=transactional_id or f"PID {marker['producer_id']}",
    )
    found = None if transactional_id is None else moment.entry_of(transactional_id)
    if transactional_id is not None and found is not None:
        leader = f"broker-{_leader(moment, partition)}"
        yield from lost_marker(moment, transactional_id, found[0], leader)


def _leader(moment: Moment, partition: str) -> str:
    return str(moment.named("partitions", partition)["leader"])


def holder(moment: Moment, partition: str, replica: Json) -> Iterator[Link]:
    """Links about the open transaction that holds back the last stable offset, and about why it has not ended. Without
    an open transaction: a link that the leader is down, or those of ``_marker_not_replicated``."""
    stable = replica["last_stable_offset"]
    producer_id = open_at(replica, stable)
    if producer_id is None:
        leader = f"broker-{moment.named('partitions', partition)['leader']}"
        broker = moment.broker(leader)
        if broker is not None and not broker["alive"]:  # A broker that is down has no producer state.
            yield from not_running(moment, leader)
        else:
            yield from _marker_not_replicated(moment, partition, replica)
        return
    batch = moment.batch_at(partition, stable)
    epoch = replica["producers"][str(producer_id)]["producer_epoch"]
    records = sum(
        stored["record_count"]
        for stored in moment.batches(partition)
        if stored["producer_id"] == producer_id
        and stored["control"] is None
        and stored["transactional"]
        and stored["base_offset"] >= stable
    )
    first = replica["producers"][str(producer_id)]["transaction_first_offset"]
    yield link(
        "lso.first_offset" if first == stable else "lso.before_log_start",
        "LOG-8",
        "LOG-6",
        subject=partition_subject(partition) if batch is None else stored_subject(partition, batch),
        partition=partition,
        offset=stable,
        producer_id=producer_id,
        producer_epoch=epoch,
        records=records,
        first_offset=first,
    )
    yield from owner(moment, partition, producer_id, epoch, stable)


def open_at(replica: Json, offset: int) -> int | None:
    """The producer id of the open transaction that holds the last stable offset at ``offset``; None without one."""
    for producer_id, entry in replica["producers"].items():
        first = entry["transaction_first_offset"]
        if first is not None and (first == offset or first < offset == replica["log_start"]):
            return int(producer_id)
    return None


def owner(moment: Moment, partition: str, producer_id: int, epoch: int, first: int) -> Iterator[Link]:
    """Links about the transactional id, the clients and the coordinator of a producer id, whose transaction is open in
    the partition from the offset ``first`` on, and before them the sentence that sums this up (open_transaction.py).
    For a producer id without a known transactional id: a link that says so."""
    transactional_id = moment.owner_of(producer_id)
    if transactional_id is None:
        key = "transaction.owner_not_in_files" if not moment.part("brokers") else "transaction.nobody_owns"
        yield link(
            key, "LOG-8", subject=partition_subject(partition), producer_id=producer_id, partition=partition
        )
        return
    entry = moment.entry_of(transactional_id)
    known: list[Link] = []
    if entry is None or partition in entry[1]["partitions"]:  # A client ends only registered partitions.
        known += users(moment, transactional_id, (producer_id, epoch))
    known += decision(moment, transactional_id, partition)
    owned: Json = {
        "transactional_id": transactional_id,
        "producer_id": producer_id,
        "producer_epoch": epoch,
    }
    summary = still_open(partition, first, owned, moment, known)
    if not summary:
        subject = transaction_subject(transactional_id)
        yield link("transaction.owner", "FEN-2", subject=subject, **owned)
    yield from summary
    yield from (one for one in known if one not in summary)


def held_back(moment: Moment) -> Iterator[list[Link]]:
    """For each partition in which an open transaction holds records back: the sentence about what the transaction waits
    for and what will end it, and the links with the reason. Partitions without such a sentence are left out."""
    for partition in moment.part("partitions"):
        replica = moment.leading(partition)
        if replica is None or replica["last_stable_offset"] >= replica["high_watermark"]:
            continue
        chain = list(holder(moment, partition, replica))
        first = next((place for place, one in enumerate(chain) if one.key.startswith("why.open.")), None)
        if first is not None:
            yield chain[first:]


def _marker_not_replicated(moment: Moment, partition: str, replica: Json) -> Iterator[Link]:
    """Links about a marker that is not below the high watermark; without such a marker, a link that the replica has not
    recomputed its last stable offset yet."""
    stable = replica["last_stable_offset"]
    first = moment.batch_at(partition, stable)
    ends = [
        batch
        for batch in moment.batches(partition)
        if batch["control"] is not None
        and batch["last_offset"] >= replica["high_watermark"]
        and (first is None or batch["producer_id"] == first["producer_id"])
    ]
    if not ends:
        yield link("lso.not_recomputed", "LOG-8", subject=partition_subject(partition), partition=partition)
        return
    marker = ends[0]
    yield link(
        "lso.marker_not_replicated",
        "CON-6",
        "MRK-6",
        subject=stored_subject(partition, marker),
        partition=partition,
        producer_id=marker["producer_id"],
        result=marker["control"],
        offset=marker["base_offset"],
        high_watermark=replica["high_watermark"],
    )
    yield from behind(moment, partition, marker["last_offset"] + 1)


# -- the consumers that wait -------------------------------------------------------------------------------


def held_up(moment: Moment, partition: str, replica: Json) -> Iterator[Link]:
    """Links about the records that read_committed consumers do not get, and about these consumers with their groups."""
    stable, high = replica["last_stable_offset"], replica["high_watermark"]
    first = moment.batch_at(partition, stable)
    hidden = [batch for batch in moment.batches(partition) if stable <= batch["base_offset"] < high]
    records = [batch for batch in hidden if batch["control"] is None]
    producer = open_at(replica, stable)
    if producer is None and first is not None:
        producer = first["producer_id"]
    others = sum(batch["record_count"] for batch in records if batch["producer_id"] != producer)
    yield link(
        "held.records" if others else "held.own_records",
        "CON-5",
        subject=partition_subject(partition),
        partition=partition,
        first=stable,
        last=high - 1,
        count=sum(batch["record_count"] for batch in records),
        others=others,
    )
    readers = [
        (name, shown)
        for name, shown in moment.part("consumers").items()
        if shown["isolation"] == "read_committed" and partition in shown["positions"] and _reads(shown)
    ]
    if not readers:
        yield link("held.none", "CON-5", subject=partition_subject(partition), partition=partition)
    for name, shown in readers[:NAMED_MAX]:
        yield link(
            "held.reader",
            "CON-5",
            subject=actor_subject(name),
            consumer=name,
            partition=partition,
            position=shown["positions"][partition],
            bound=stable,
        )
        group = shown.get("group")
        if group is not None:
            yield link(
                "held.group",
                "CON-5",
                subject=actor_subject(name),
                consumer=name,
                group=group["group_id"],
                partition=partition,
                committed=moment.committed(name, partition),
            )
    if len(readers) > NAMED_MAX:
        yield link("held.more", "CON-5", count=len(readers) - NAMED_MAX)


def _reads(consumer: Json) -> bool:
    """Whether a consumer still reads: it is up, not closed, and has not left its group."""
    group = consumer.get("group") or {}
    return bool(consumer["alive"]) and not (group.get("left") or group.get("closed"))
