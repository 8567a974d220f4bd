"""Answers why a guarantee about transactions is broken: with the record, partition or transaction, the steps that led
to the violation, and the mechanisms that the run has switched off."""

from __future__ import annotations

from collections.abc import Iterator

from engine.judge.transaction_record import hanging
from engine.lately import STORED
from engine.middleware.middleware_states import MANUAL
from engine.switches import altered
from engine.why.fencing import decided, raised
from engine.why.happened import own_words
from engine.why.links import (
    NAMED_MAX,
    Json,
    Link,
    NotAsked,
    actor_subject,
    link,
    partition_subject,
    stored_subject,
)
from engine.why.markers import is_being_sent
from engine.why.moment import Moment
from engine.why.records import copies, quoted, record_of, record_subject
from engine.why.stable_offset import holder

GAVE_UP = ("middleware.needs_a_person", "middleware.cannot_all_be_undone")
"""Keys of the steps in which a middleware leaves a transaction to an operator."""


def _breaks_now(moment: Moment, guarantee: str, found: Json | None) -> Iterator[Link]:
    step = moment.step
    if step is not None and any(one["guarantee"] == guarantee for one in step["broken"]):
        yield own_words(step, found)


def was_found(moment: Moment, serial: int, *guarantees: str) -> bool:
    """Whether a judge found one of the guarantees broken with this serial (for ``mixed`` and ``repeated``: with this
    tid). Always True for a view without its run, which has no judges."""
    judges = moment.judges
    return judges is None or any(judges.has_found(name, serial) for name in guarantees)


def switched_off(moment: Moment) -> Iterator[Link]:
    """A link about the mechanisms that a switch turned off or changed in this run, so that the guarantee may break."""
    switches = {} if moment.simulation is None else moment.simulation.header()["switches"]
    if changed := altered(switches):
        yield link("broken.switches", "GEN-9", switches=list(changed))


def _stored_at(moment: Moment, serial: int, partition: str) -> tuple[Json, Json | None]:
    """Where a record is stored: the newest copy in the leader's log as a selection, and the batch with it. Without a
    copy: the record as a selection, and None."""
    found = copies(moment, partition, serial)
    if not found:
        return record_subject(serial), None
    return stored_subject(partition, found[-1][1]), found[-1][1]


def why_early(moment: Moment, subject: str) -> Iterator[Link]:
    """Links that say why a read_committed consumer got a record whose transaction was not committed. Raises NotAsked if
    no consumer got it."""
    serial, record, turns = record_of(moment, subject)
    if not was_found(moment, serial, "visible_early"):
        raise NotAsked("subject", f"record {serial} was not delivered early", "a record that was")
    where, batch = _stored_at(moment, serial, record["partition"])
    yield link(
        "early.record",
        "CON-5",
        subject=where,
        serial=serial,
        partition=record["partition"],
        outcome="–" if batch is None else batch.get("outcome", "–"),
    )
    for turn in [one for one in turns if one.what == STORED][-1:]:
        yield quoted(turn.said, where)
    if batch is not None:
        yield from _markers(moment, record["partition"], batch)
        yield from decided(moment, batch["producer_id"])
    yield from _breaks_now(moment, "visible_early", where)
    yield from switched_off(moment)


def _markers(moment: Moment, partition: str, batch: Json) -> Iterator[Link]:
    """A link about the first marker of the batch's producer after the batch."""
    for other in moment.batches(partition):
        mine = other["control"] is not None and other["producer_id"] == batch["producer_id"]
        if mine and other["base_offset"] > batch["last_offset"]:
            yield link(
                "torn.marker",
                "MRK-6",
                subject=stored_subject(partition, other),
                partition=partition,
                result=other["control"],
                offset=other["base_offset"],
                producer_id=other["producer_id"],
                producer_epoch=other["producer_epoch"],
                coordinator_epoch=other["coordinator_epoch"],
            )
            return


def why_torn(moment: Moment, subject: str) -> Iterator[Link]:
    """Links that say why parts of a transaction have different outcomes, or another outcome than the application got.
    Raises NotAsked if the record is in no such transaction."""
    serial, record, turns = record_of(moment, subject)
    if not was_found(moment, serial, "atomic"):
        raise NotAsked(
            "subject", f"the transaction of record {serial} is atomic", "a record of one that is not"
        )
    partition, client = record["partition"], record["producer"]
    where, batch = _stored_at(moment, serial, partition)
    yield link("torn.record", "CPT-4", subject=where, serial=serial, partition=partition, client=client)
    for turn in [one for one in turns if one.what == STORED][-1:]:
        yield quoted(turn.said, where)
    for key in ("client.transaction_committed", "client.transaction_aborted"):
        said = moment.lately.said.get((key, client))
        if said is not None:
            yield quoted(said)
    if batch is not None:
        yield from _markers(moment, partition, batch)
        yield from decided(moment, batch["producer_id"])
    yield from switched_off(moment)


def why_unfenced(moment: Moment, subject: str) -> Iterator[Link]:
    """Links that say why a leader stored a record of a producer that had been replaced. Raises NotAsked if no leader
    did."""
    serial, record, _ = record_of(moment, subject)
    partition = record["partition"]
    where, batch = _stored_at(moment, serial, partition)
    if batch is None:
        raise NotAsked("subject", f"record {serial} is not stored", "a record of a fenced producer")
    transactional_id = moment.owner_of(batch["producer_id"])
    known = None if transactional_id is None else moment.entry_of(transactional_id)
    if (
        not was_found(moment, serial, "fenced")
        or known is None
        or known[1]["producer_epoch"] <= batch["producer_epoch"]
    ):
        raise NotAsked(
            "subject", f"record {serial} is of no fenced producer", "a record of a fenced producer"
        )
    yield link(
        "unfenced.record",
        "FEN-1",
        subject=where,
        serial=serial,
        partition=partition,
        client=record["producer"],
        producer_id=batch["producer_id"],
        producer_epoch=batch["producer_epoch"],
    )
    for said in raised(moment, str(transactional_id))[-2:]:
        yield quoted(said)
    yield from _breaks_now(moment, "fenced", where)
    yield from switched_off(moment)


def why_hanging(moment: Moment, partition: str) -> Iterator[Link]:
    """Links that say why a transaction hangs in a partition. Raises NotAsked for an unknown partition, and if no
    transaction hangs there."""
    moment.named("partitions", partition)
    subject = partition_subject(partition)
    replica = moment.leading(partition)
    judges = moment.judges
    if (judges is not None and not hanging(judges.outcomes, partition)) or (
        replica is not None and all(_marker_comes(moment, partition, one) for one, _ in _open(replica))
    ):
        raise NotAsked("subject", f"no transaction hangs in {partition}", "a partition where one hangs")
    point = None if replica is None else _never_ended(moment, partition, replica)
    yield point or link("hanging.partition", "LOG-8", subject=subject, partition=partition)
    yield from _stored_late(moment, partition, point)
    step = moment.step
    if step is not None and partition in (
        step["params"].get("partition"),
        *step["params"].get("partitions", ()),
    ):
        yield from _breaks_now(moment, "hanging", subject)
    if replica is not None:
        yield from holder(moment, partition, replica)
    yield from switched_off(moment)


def _marker_comes(moment: Moment, partition: str, producer_id: int) -> bool:
    """Whether a coordinator will send the marker that ends a producer's open transaction in this partition."""
    transactional_id = moment.owner_of(producer_id)
    found = None if transactional_id is None else moment.entry_of(transactional_id)
    return found is not None and is_being_sent(moment, str(transactional_id), found[0], partition)


def _never_ended(moment: Moment, partition: str, replica: Json) -> Link | None:
    """The link about the first open transaction whose coordinator has not registered this partition; None
    without one."""
    for producer_id, first in _open(replica):
        transactional_id = moment.owner_of(producer_id)
        found = None if transactional_id is None else moment.entry_of(transactional_id)
        if found is None or partition in found[1]["partitions"]:
            continue
        before = [
            batch
            for batch in moment.batches(partition)
            if batch["producer_id"] == producer_id and batch["base_offset"] < first
        ]
        batch = moment.batch_at(partition, first)
        params: Json = {
            "partition": partition,
            "offset": first,
            "coordinator": found[0],
            "transactional_id": transactional_id,
        }
        where = partition_subject(partition) if batch is None else stored_subject(partition, batch)
        if not before or before[-1]["control"] is None:
            return link("hanging.not_included", "MRK-1", subject=where, **params)
        marker = {"result": before[-1]["control"], "marker_offset": before[-1]["base_offset"]}
        return link("hanging.after_marker", "MRK-6", "MRK-1", subject=where, **params, **marker)
    return None


def _open(replica: Json) -> list[tuple[int, int]]:
    """(producer id, first offset) of each open transaction in a log, ordered by offset."""
    firsts = [
        (entry["transaction_first_offset"], int(producer_id))
        for producer_id, entry in replica["producers"].items()
        if entry["transaction_first_offset"] is not None
    ]
    return [(producer_id, first) for first, producer_id in sorted(firsts)]


def _stored_late(moment: Moment, partition: str, point: Link | None) -> Iterator[Link]:
    """A link about the step that stored the first batch of the hanging transaction, if the link ``point`` names a
    marker before this batch; no link otherwise."""
    batch = None if point is None else moment.batch_at(partition, point.params["offset"])
    if point is None or batch is None or not batch["serials"] or "marker_offset" not in point.params:
        return
    turns = moment.lately.turns.get(batch["serials"][0], [])
    for turn in [one for one in turns if one.what == STORED][-1:]:
        yield quoted(turn.said, point.subject)


# -- middleware --------------------------------------------------------------------------------------------


def why_mixed(moment: Moment, tid: str) -> Iterator[Link]:
    """Links that say why a transaction over middleware ended in a mixed state, or why a node carried out its part more
    than once. Raises NotAsked for any other transaction."""
    shown = moment.part("middleware")
    participants: Json = shown.get("participants") or {}
    if not participants or not any(tid in one["transactions"] for one in participants.values()):
        raise NotAsked(
            "subject", f"no transaction {tid!r} of a middleware is known", "a transaction's number"
        )
    if not was_found(moment, int(tid), "mixed", "repeated"):
        raise NotAsked(
            "subject", f"transaction {tid} is neither mixed nor repeated", "a transaction that is one of them"
        )
    transaction = (shown.get("transactions") or {}).get(tid)
    if transaction is None:
        yield link("mixed.forgotten", "MW-14", subject=actor_subject("middleware"), tid=tid)
    else:
        decided_so = transaction["decision"] or "–"
        yield link("mixed.transaction", "MW-12", tid=tid, state=transaction["state"], decision=decided_so)
    yield from _breaks_now(moment, "mixed", None)
    yield from _breaks_now(moment, "repeated", None)
    yield from _given_up(moment, tid, transaction)
    for name, node in list(participants.items())[:NAMED_MAX]:
        own = (node["transactions"] or {}).get(tid)
        if own is None:
            continue
        heard = None if transaction is None else transaction["votes"].get(name)
        yield link(
            "mixed.participant" if heard is None else "mixed.participant_heard",
            "MW-9",
            subject=actor_subject(name),
            name=name,
            state=own["state"],
            applied=own["applied"],
            **({} if heard is None else {"heard": heard}),
        )
        if not node["alive"]:
            yield link("actor_down", "GEN-6", subject=actor_subject(name), actor=name)
    business = ((shown.get("business") or {}).get("transactions") or {}).get(tid)
    if business is not None:
        yield link(
            "mixed.business",
            "MW-9",
            subject=actor_subject("business"),
            state=business["state"],
            undone="yes" if business["undone"] else "no",
        )
    for name in [*participants, "middleware", "business"]:
        said = moment.lately.said.get(("fault.message_dropped", name))
        if said is not None:
            yield quoted(said)
    yield from switched_off(moment)


def _given_up(moment: Moment, tid: str, transaction: Json | None) -> Iterator[Link]:
    if transaction is None or transaction["state"] != MANUAL:
        return
    now = None if moment.step is None else moment.step["number"]
    for key in GAVE_UP:
        said = moment.lately.said.get((key, tid))
        if said is not None and said.number != now:
            yield quoted(said)
    yield link("mixed.waits_for_operator", "MW-11", subject=actor_subject("middleware"), tid=tid)
