"""Answers why a record is lost, stored twice, or out of order: with the events of the record, and the cause (GEN-8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.lately import ACCEPTED, ANSWER_LOST, ARRIVED, CUT, LOST, REPORTED, SENT, STORED, Said, Turn
from engine.record_names import record_names
from engine.why.links import (
    Json,
    Link,
    NotAsked,
    actor_subject,
    link,
    message_subject,
    partition_subject,
    stored_subject,
)
from engine.why.moment import Moment, configured

TURNS_SHOWN = 8
"""``decisive`` keeps at most this many events of a record, the newest ones."""


def record_of(moment: Moment, subject: str) -> tuple[int, Json, list[Turn]]:
    """A record that was sent: its serial, its view, and its events, as far as the run keeps them."""
    record = moment.named("records", subject)
    return int(subject), record, moment.lately.turns.get(int(subject), [])


def record_subject(serial: int) -> Json:
    return {"kind": "record", "id": str(serial)}


_IN_SHORT = {
    "client.transactional_sent": "why.sent",
    "client.transactional_sent_others_wait": "why.sent",
}
"""Dict of key of a step's sentence → the key of the first half of this sentence. The second half, that only one
request is in flight at a time, is no reason."""


def quoted(said: Said, subject: Json | None = None) -> Link:
    """A link with the sentence of an earlier step, or only with the half of it that is a reason (``_IN_SHORT``).
    ``subject``: the subject of the link; None: the step's actor."""
    about = actor_subject(said.actor) if subject is None else subject
    key = _IN_SHORT.get(said.key, said.key)
    return Link(key=key, params=said.params, rules=tuple(said.rules), subject=about, step=said.number)


def decisive(turns: list[Turn]) -> list[Turn]:
    """The newest events that decided a record's fate, at most one for each step."""
    seen: set[str] = set()
    steps: dict[int, Turn] = {}
    for turn in turns:
        again = turn.what in seen
        seen.add(turn.what)
        shown = (
            turn.what in (LOST, ANSWER_LOST, CUT, STORED)
            or (turn.what == ARRIVED and not any(_same_step(turn, other) for other in turns))
            or (turn.what in (SENT, ACCEPTED) and again)
        )
        if shown:
            steps.setdefault(turn.said.number, turn)
    return list(steps.values())[-TURNS_SHOWN:]


def _same_step(turn: Turn, other: Turn) -> bool:
    return other.what == STORED and other.said.number == turn.said.number


def reported(moment: Moment, serial: int, record: Json, turns: list[Turn]) -> Iterator[Link]:
    """A link about the step at which the application got success, and about what success means with the producer's
    acks."""
    found = [turn for turn in turns if turn.what == REPORTED and turn.error is None]
    if not found:
        return
    client = record["producer"]
    acks = _acks(moment, client)
    yield link(
        f"reported.acks_{acks}",
        "SND-8" if acks == "none" else "LOG-2",
        subject=actor_subject(client),
        step=found[-1].said.number,
        client=client,
        serial=serial,
        number=found[-1].said.number,
    )


def _acks(moment: Moment, client: str) -> str:
    shown = moment.part("clients").get(client)
    value = None if shown is None else configured(shown, "acks")
    return {0: "none", 1: "one"}.get(value, "all") if isinstance(value, int) else "all"


def deltas_of(batch: Json) -> Iterable[int]:
    """The offset deltas of a batch's records. After compaction they have gaps."""
    return (batch.get("content") or {}).get("offset_deltas") or range(len(batch["serials"]))


def copies(moment: Moment, partition: str, serial: int) -> list[tuple[int, Json]]:
    """(offset, batch) of each copy in the leader's log."""
    found = []
    for batch in moment.batches(partition) if partition in moment.part("partitions") else ():
        for delta, one in zip(deltas_of(batch), batch["serials"], strict=False):
            if one == serial:
                found.append((batch["base_offset"] + delta, batch))
    return found


# -- lost --------------------------------------------------------------------------------------------------


def is_lost(moment: Moment, serial: int) -> bool:
    """Whether the application got success for this record, and its partition's log does not have it. A record
    that was deleted on purpose is not lost."""
    record = moment.part("records")[str(serial)]
    judge = None if moment.judges is None else moment.judges.records.get(record["partition"])
    is_missed = judge is None or serial in judge.lost
    return record["status"] == "ok" and is_missed and not copies(moment, record["partition"], serial)


def why_lost(moment: Moment, subject: str) -> Iterator[Link]:
    """Links that say why a record is not in the leader's log although its application got success. Raises NotAsked if
    it is not lost."""
    serial, record, turns = record_of(moment, subject)
    partition, client = record["partition"], record["producer"]
    if not is_lost(moment, serial):
        raise NotAsked("subject", f"record {serial} is not lost", "lost: reported as stored, and in no log")
    yield link(
        "lost.record",
        "GEN-8",
        subject=record_subject(serial),
        serial=serial,
        partition=partition,
        client=client,
    )
    ways = sorted([*_last_success(turns), *decisive(turns)], key=_number)
    for turn in ways:
        if turn.what == REPORTED:
            yield from reported(moment, serial, record, turns)
        else:
            yield quoted(turn.said, _place(moment, turn))
    yield from _lost_because(moment, serial, record, turns)


def _last_success(turns: list[Turn]) -> list[Turn]:
    return [turn for turn in turns if turn.what == REPORTED and turn.error is None][-1:]


def _number(turn: Turn) -> int:
    return turn.said.number


def _place(moment: Moment, turn: Turn) -> Json:
    """The object that an event of a record is about: a batch, message, partition or actor."""
    batch = None
    if turn.offset is not None and turn.partition in moment.part("partitions"):
        batch = moment.batch_at(turn.partition, turn.offset)
    if batch is not None:
        return stored_subject(turn.partition, batch)
    message = turn.said.params.get("message")
    if message is not None and moment.step is not None and turn.said.number == moment.step["number"]:
        return message_subject(str(message))
    return partition_subject(turn.partition) if turn.what == CUT else actor_subject(turn.said.actor)


def _lost_because(moment: Moment, serial: int, record: Json, turns: list[Turn]) -> Iterator[Link]:
    partition, client = record["partition"], record["producer"]
    acks = _acks(moment, client)
    where = [turn for turn in turns if turn.what == STORED]
    if where:
        yield from _only_there(moment, where[-1], acks)
        return
    offset = record["offset"]
    batch = None if offset is None else moment.batch_at(partition, offset)
    if batch is not None:
        yield link(
            "lost.mistaken",
            "SEQ-11",
            subject=stored_subject(partition, batch),
            serial=serial,
            partition=partition,
            offset=offset,
            others=record_names(batch["serials"]) or None,
        )
    elif acks == "none":
        yield link("lost.not_sent_again", "SND-8", subject=actor_subject(client), client=client)


def _only_there(moment: Moment, turn: Turn, acks: str) -> Iterator[Link]:
    """Links that say that the only copy of the record was in the log of a former leader."""
    shown = moment.named("partitions", turn.partition)
    broker = f"broker-{turn.replica}"
    crashed = moment.lately.said.get(("fault.crashed", broker))
    if crashed is not None and crashed.number > turn.said.number:
        yield quoted(crashed)
    leads = shown["leader"]
    replica = moment.leading(turn.partition)
    if leads is None or leads == turn.replica or replica is None:
        return
    yield link(
        "lost.only_on_old_leader",
        "LOG-10",
        subject=partition_subject(turn.partition),
        partition=turn.partition,
        broker=broker,
        offset=turn.offset,
        leader=f"broker-{leads}",
        log_end=replica["log_end"],
    )
    if acks == "one":
        yield link("lost.leader_alone", "LOG-2", subject=partition_subject(turn.partition), broker=broker)


# -- twice -------------------------------------------------------------------------------------------------


def why_twice(moment: Moment, subject: str) -> Iterator[Link]:
    """Links that say why a record is stored more than once in a log. Raises NotAsked if it is not."""
    serial, record, turns = record_of(moment, subject)
    partition = record["partition"]
    stored = copies(moment, partition, serial)
    if len(stored) < 2:
        raise NotAsked("subject", f"record {serial} is not stored twice", "a record with several copies")
    (_, first), (_, second) = stored[-2:]
    yield link(
        "twice.record",
        "GEN-8",
        subject=stored_subject(partition, second),
        serial=serial,
        partition=partition,
        offsets=[offset for offset, _ in stored],
        count=len(stored),
    )
    links = [quoted(turn.said, _place(moment, turn)) for turn in decisive(turns)]
    links += _new_epoch(moment, record["producer"], partition, (first, second), turns)
    yield from sorted(links, key=_step)
    yield _let_in(partition, first, second)


def _step(one: Link) -> int:
    return one.step or 0


RAISED = ("client.epoch_bumped", "client.epoch_bumped_alone")
"""Keys of the sentences in which a producer raises its own epoch."""
LOADED = ("broker.log_loaded_from_snapshot", "broker.log_replayed")
"""Keys of the sentences in which a restarted broker reads its producer state."""


def _new_epoch(
    moment: Moment, client: str, partition: str, stored: tuple[Json, Json], turns: list[Turn]
) -> list[Link]:
    """Links about the steps that explain why the second copy has a higher epoch than the first."""
    first, second = stored
    if second["producer_id"] != first["producer_id"]:
        return []
    raised = [moment.lately.said.get((key, client)) for key in RAISED]
    found = [said for said in raised if said and said.params["after"] == second["producer_epoch"]]
    times = [turn.said.number for turn in turns if turn.what == STORED]
    loaded = [moment.lately.said.get((key, partition)) for key in LOADED] if found else []
    found += [said for said in loaded if said and times and times[0] < said.number < times[-1]]
    return [quoted(said) for said in found]


def _let_in(partition: str, first: Json, second: Json) -> Link:
    subject = stored_subject(partition, second)
    params: Json = {
        "producer_id": second["producer_id"],
        "producer_epoch": second["producer_epoch"],
        "first_sequence": second["first_sequence"],
        "last_sequence": second["last_sequence"],
        "other_id": first["producer_id"],
        "other_epoch": first["producer_epoch"],
        "other_sequence": first["first_sequence"],
    }
    if second["producer_id"] < 0:
        return link("twice.no_number", "SEQ-1", subject=subject, **params)
    if second["producer_id"] != first["producer_id"]:
        return link("twice.other_identity", "PID-1", subject=subject, **params)
    if second["producer_epoch"] != first["producer_epoch"]:
        return link("twice.other_epoch", "SEQ-12", subject=subject, **params)
    if second["first_sequence"] != first["first_sequence"]:
        return link("twice.other_numbers", "SEQ-11", subject=subject, **params)
    return link("twice.same_numbers", "SEQ-10", "SEQ-11", subject=subject, **params)


# -- out of order ------------------------------------------------------------------------------------------


def why_reordered(moment: Moment, subject: str) -> Iterator[Link]:
    """Links that say why a record is stored after a later record of its producer. Raises NotAsked if it is not."""
    serial, record, turns = record_of(moment, subject)
    partition, client = record["partition"], record["producer"]
    stored = copies(moment, partition, serial)
    before = {one: offset for offset, one in _serials(moment, partition)}
    later = [
        one
        for one, offset in before.items()
        if stored and one > serial and offset < stored[0][0] and _producer(moment, one) == client
    ]
    if not later:
        raise NotAsked("subject", f"record {serial} stands in its order", "a record behind a later one")
    yield link(
        "order.record",
        "GEN-8",
        subject=stored_subject(partition, stored[0][1]),
        serial=serial,
        partition=partition,
        offset=stored[0][0],
        later=min(later),
        later_offset=before[min(later)],
    )
    for turn in decisive(turns):
        yield quoted(turn.said, _place(moment, turn))
    numbered = stored[0][1]["producer_id"] >= 0
    shown = moment.part("clients").get(client)
    limit = None if shown is None else configured(shown, "max_in_flight")
    yield link(
        "order.unchecked" if numbered else "order.no_number",
        "ORD-1" if not numbered else "SEQ-15",
        subject=actor_subject(client),
        client=client,
        limit="–" if limit is None else limit,
    )


def _serials(moment: Moment, partition: str) -> Iterator[tuple[int, int]]:
    """(offset, serial) of each stored record, the newest batch first, so that a dict by serial keeps the
    oldest copy."""
    for batch in reversed(moment.batches(partition)):
        for delta, serial in zip(deltas_of(batch), batch["serials"], strict=False):
            yield batch["base_offset"] + delta, serial


def _producer(moment: Moment, serial: int) -> str | None:
    record = moment.part("records").get(str(serial))
    return None if record is None else str(record["producer"])
