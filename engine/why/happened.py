"""Answers questions about causes and consequences of the newest step: a lost message, a stored batch, a recognised
duplicate, or a fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.broker.sequence import follows
from engine.client.ledger import PENDING
from engine.errors import Error
from engine.lately import ANSWER_LOST, SENT, STORED, Said
from engine.middleware.configuration import MIDDLEWARE
from engine.record_names import record_names
from engine.view.moral import APART_LEAST
from engine.view.openers import DROPPED
from engine.why.fencing import decided
from engine.why.links import (
    NAMED_MAX,
    Json,
    Link,
    NotAsked,
    actor_subject,
    kind_of,
    link,
    message_subject,
    named,
    partition_subject,
    stored_subject,
    transaction_subject,
    when_due,
)
from engine.why.markers import MARKERS
from engine.why.messages import coming, late_between, whereabouts
from engine.why.moment import Moment, configured
from engine.why.outcomes import DECIDED
from engine.why.records import quoted
from engine.why.replication import behind, leaderless, not_running
from engine.why.stable_offset import held_back, holder
from engine.why.states import newest_transition
from engine.why.two_phase import never_ends, node_waits
from engine.why.waiting import not_in_flight, request_is, why_nothing
from engine.why.without import REACTIONS_MAX, came_of, reactions, without

APPENDS = ("broker.appended", "broker.marker_appended")
"""Prefixes of the keys of steps that store a batch."""


def newest_of(moment: Moment) -> Json:
    if moment.step is None:
        raise NotAsked("subject", "no step was made yet", "the first step")
    return moment.step


def own_words(step: Json, subject: Json | None = None) -> Link:
    """A link with the own sentence of a step. Its subject is ``subject``, or else the step's message or actor."""
    message = step["params"].get("message")
    about = actor_subject(step["actor"]) if message is None else message_subject(str(message))
    about = about if subject is None else subject
    return Link(
        key=step["key"],
        params=step["params"],
        rules=tuple(step["rules"]),
        subject=about,
        step=step["number"],
    )


def caused(moment: Moment) -> Iterator[Link]:
    """A link about the step that sent the message which the newest step received; no link if it received none."""
    if moment.lately.cause is not None:
        yield quoted(moment.lately.cause)


# -- a lost message ----------------------------------------------------------------------------------------


def why_gone(moment: Moment, _subject: str) -> Iterator[Link]:
    """Links about the messages that were lost in the newest step, the dropped one first. Raises NotAsked if no message
    was lost."""
    step = newest_of(moment)
    lost = sorted(lost_messages(step), key=lambda one: bool(one["id"] != step["params"].get("message")))
    if not lost:
        raise NotAsked("subject", "no message was lost in this step", "a step that loses one")
    yield own_words(step)
    follows: dict[str, Link] = {}
    for message in lost[:NAMED_MAX]:
        if message["id"] != step["params"].get("message"):
            yield link(
                "gone.message",
                "GEN-5",
                subject=actor_subject(message["from"]),
                api=message["api"],
                kind=kind_of(message),
                source=message["from"],
                destination=message["to"],
            )
        yield from _was_about(moment, message)
        for found in _who_waits(moment, message):
            if found.key not in follows:
                follows[found.key] = found
                yield found
    reactions = [note for note in step["notes"] if note["key"] in _REACTIONS]
    if not reactions and not follows:
        reactions = [note for note in step["notes"] if note["key"] == "client.disconnected"]
    yield from (_reaction(note, step) for note in reactions)
    if not reactions and not follows:
        yield from _waits_on(moment, lost[0])


_REACTIONS = (
    "client.control_lost",
    "client.control_lookup",
    "client.control_retried",
    "consumer.disconnected",
    "markers.disconnected",
    "markers.sent_again",
    "broker.questions_lost",
    "broker.not_in_transaction",
    "local_transaction.undone_with_connection",
    "service.connection_lost",
    "service.in_doubt",
)
"""Keys of the notes on how components react to a loss. The links about batches to resend come from ``_who_waits``."""


def _waits_on(moment: Moment, message: Json) -> Iterator[Link]:
    """Links about the component that waits in vain for a lost message: what it waits for, its next timer, or that it
    does not run or is idle."""
    name = message["to"] if message["is_response"] else message["from"]
    if moment.broker(name) is not None and message["is_response"]:
        return  # The broker's timers may be about other requests.
    yield from not_running(moment, name)
    if waits := [found for found in node_waits(moment, name) if found.step is None]:
        yield from waits  # An earlier link is about the loss itself.
        return
    ahead = (coming(moment, event) for event in moment.waiting_events(name))
    timer = next((found for found in ahead if found.key == "why.next.timer"), None)
    if timer is not None:
        yield timer
    elif moment.next_event(name) is None:
        yield link("nothing.idle", "GEN-2", subject=actor_subject(name), actor=name)


def _reaction(note: Json, step: Json) -> Link:
    names = ("client", "consumer", "coordinator", "service")
    actor = next((note["params"][name] for name in names if name in note["params"]), step["actor"])
    return Link(
        key=note["key"],
        params=note["params"],
        rules=tuple(note["rules"]),
        subject=actor_subject(actor),
        step=step["number"],
    )


def why_came(moment: Moment, subject: str) -> Iterator[Link]:
    """Links about the step of a fault and its consequences, and about the guarantees: how many are broken, that
    none is broken, or that the judged ones hold. ``subject``: the number of the step. Raises NotAsked if the step
    is no fault."""
    fault = next((one for one in moment.lately.faults if str(one.number) == subject), None)
    if fault is None:
        known = ", ".join(str(one.number) for one in moment.lately.faults) or "none"
        raise NotAsked("subject", f"step {subject!r} is no fault", f"known: {known}")
    yield quoted(fault)
    yield from map(quoted, came_of(moment, fault))
    other = without(moment, fault.number)
    if moment.is_over:
        yield from (found for found in never_ends(moment) if found.step != fault.number)
    else:
        yield from _still_waits(moment, fault)
    if other is not None:
        yield from _apart(moment, other)
    broken, anyhow = _broken(moment), _broken(other)
    shown = moment.part("guarantees").values()
    judged = sum(one["judged"] for one in shown)
    if not broken and 0 < judged < len(shown):
        yield link("came.unbroken_judged", "GEN-8", count=judged)
    elif not broken:
        yield link("came.unbroken", "GEN-8")
    elif broken <= anyhow:
        yield link("came.broken_anyhow", "GEN-8", count=len(broken))
    else:
        yield link("came.broken", "GEN-8", count=len(broken))


def _still_waits(moment: Moment, fault: Said) -> Iterator[Link]:
    """Links about what waits now for the message of a fault: where a delayed message is, which client waits for a lost
    one, and which open transactions wait for the markers of a lost request."""
    for message in moment.messages():
        if message["id"] == fault.params.get("message"):
            yield from whereabouts(moment, message)
    if fault.key not in DROPPED:
        return
    source, destination = fault.params["source"], fault.params["destination"]
    for name, other in ((source, destination), (destination, source)):
        requests = moment.part("clients").get(name, {"requests": {}})["requests"]
        for number, request in requests.items():
            is_older = request["sent_at"] <= fault.at
            if is_older and (request["api"], request["to"]) == (fault.params["api"], other):
                found = request_is(moment, name, request, int(number))
                yield from (one for one in found if one.key == "why.message.nobody_has_it")
    for chain in held_back(moment):
        if any(one.step == fault.number for one in chain):
            yield chain[0]


def _apart(moment: Moment, other: Moment) -> Iterator[Link]:
    """Links that say how long the nodes of a transaction of the middleware differed, if that was much shorter in the
    run ``other``."""
    spans, others = (one.part("middleware").get("differ") or {} for one in (moment, other))
    for tid, span in spans.items():
        before = others.get(tid, {"since": 0, "until": 0})
        if None in (span["since"], span["until"], before["since"], before["until"]):
            continue
        now, then = span["until"] - span["since"], before["until"] - before["since"]
        if now - then >= APART_LEAST:
            yield link(
                "came.apart", "MW-14", subject=actor_subject(MIDDLEWARE), tid=int(tid), now=now, before=then
            )


def _broken(moment: Moment | None) -> set[str]:
    """The names of the guarantees that a run breaks; empty for None."""
    guarantees = {} if moment is None else moment.part("guarantees")
    return {name for name, shown in guarantees.items() if shown["count"]}


def lost_messages(step: Json) -> list[Json]:
    """The messages that a step dropped, or lost with their connection."""
    ids = {one["id"] for one in step["messages"] if one["event"] in ("dropped", "lost")}
    gone = [
        one for one in step["changes"] if one["path"][:2] == ["network", "messages"] and "after" not in one
    ]
    return [one["before"] for one in gone if len(one["path"]) == 3 and one["before"]["id"] in ids]


def _was_about(moment: Moment, message: Json) -> Iterator[Link]:
    for partition, serials in list(moment.lately.carried.get(message["id"], {}).items())[:NAMED_MAX]:
        if not message["is_response"]:
            yield link(
                "gone.request",
                "GEN-5",
                subject=actor_subject(message["from"]),
                count=len(serials),
                records=record_names(list(serials)),
                partition=partition,
                broker=message["to"],
            )
            continue
        stored = [
            (turn.offset, turn)
            for turn in moment.lately.turns.get(serials[0], [])
            if turn.what == STORED and turn.offset is not None
        ]
        if stored and partition in moment.part("partitions"):
            offset = stored[-1][0]
            batch = moment.batch_at(partition, offset or 0)
            yield link(
                "gone.answer",
                "GEN-5",
                subject=partition_subject(partition) if batch is None else stored_subject(partition, batch),
                count=len(serials),
                records=record_names(list(serials)),
                partition=partition,
                client=message["to"],
                offset=offset,
            )


def _who_waits(moment: Moment, message: Json) -> Iterator[Link]:
    """Links about the next action of the client that sent a lost request, or that waits for a lost response."""
    name = message["to"] if message["is_response"] else message["from"]
    client = moment.part("clients").get(name)
    if client is None:
        yield from _held_by(moment, message)
        return
    request = client["requests"].get(str(message["correlation_id"]))
    if message["api"] == "Produce" and configured(client, "acks") == 0:
        yield link("lost.not_sent_again", "SND-8", subject=actor_subject(name), client=name)
        return
    if any(_is_same_exchange(one, message) for one in moment.messages()):
        return  # A copy of the message is in transit, because a fault duplicated it.
    if request is not None:
        yield from not_in_flight(moment, name, request)
    if message["api"] == "Produce" and client["alive"] and _has_unfinished_records(moment, message):
        retries = configured(client, "retries") or 0
        numbered = configured(client, "enable_idempotence") is True
        key = "gone.no_retry" if retries == 0 else "gone.again_numbered" if numbered else "gone.again_plain"
        yield link(key, "SND-9", subject=actor_subject(name), client=name)


def _held_by(moment: Moment, message: Json) -> Iterator[Link]:
    """Links about the open transactions that wait for the markers of a lost request; none for other messages."""
    board = (moment.broker(message["from"]) or {}).get("markers") or {}
    sent = board.get("in_flight", {}).get(message["to"].removeprefix("broker-"), ())
    lost = sent if message["api"] == MARKERS and not message["is_response"] else ()
    for partition in dict.fromkeys(name for marker in lost for name in marker["partitions"]):
        replica = moment.leading(partition)
        if replica is not None:
            held = holder(moment, partition, replica)
            yield from (one for one in held if one.key.startswith("why.open."))


def _is_same_exchange(message: Json, lost: Json) -> bool:
    """Whether a message is a copy of the lost one, or belongs to the same request."""
    return message["correlation_id"] == lost["correlation_id"] and {message["from"], message["to"]} == {
        lost["from"],
        lost["to"],
    }


def _has_unfinished_records(moment: Moment, message: Json) -> bool:
    """Whether the lost message carries a record that has no result yet, or that fails now because of this loss."""
    records = moment.part("records")
    carried = moment.lately.carried.get(message["id"], {}).values()
    found = [records[str(serial)] for serials in carried for serial in serials if str(serial) in records]
    return any(
        record["status"] == PENDING
        or (record["error"] == Error.NETWORK_EXCEPTION.name and record["finished_at"] == moment.now)
        for record in found
    )


# -- a stored batch, or a recognised duplicate -------------------------------------------------------------


def why_stored(moment: Moment, _subject: str) -> Iterator[Link]:
    """Links about the append of the newest step: its sender, its checks, and the replicas for which its response waits.
    Raises NotAsked if the step stored nothing."""
    step = newest_of(moment)
    partition = step["params"].get("partition")
    if partition not in moment.part("partitions") or not step["key"].startswith(APPENDS):
        raise NotAsked("subject", "nothing was stored in this step", "a step that stores a batch")
    offset = step["params"].get("offset", step["params"].get("base_offset"))
    batch = None if offset is None else moment.batch_at(partition, offset)
    where = partition_subject(partition) if batch is None else stored_subject(partition, batch)
    yield own_words(step, where)
    for note in step["notes"]:
        if note["key"] in ("broker.no_marker_due", "broker.epoch_unassigned"):
            yield Link(key=note["key"], params=note["params"], rules=tuple(note["rules"]), subject=where)
    yield from caused(moment)
    decision = step["decision"]
    rows = [] if decision is None else decision["rows"]
    if decision is not None:
        yield from _accepted(step["actor"], partition, decision, where)
    if rows:
        passed = sum(row["outcome"] == "passed" for row in rows)
        yield link("stored.checks", *_rules(rows), subject=where, count=passed, broker=step["actor"])
    if batch is not None and batch["control"] is not None:
        yield from decided(moment, batch["producer_id"])
    elif batch is not None and batch["producer_id"] < 0:
        yield link("stored.no_number", "LOG-1", subject=where)
    if offset is not None:
        yield from _awaited(moment, partition, offset)


def _accepted(broker: str, partition: str, decision: Json, where: Json) -> Iterator[Link]:
    """A link that says how the sequence numbers of a batch follow those that the leader knew of its producer."""
    arrived, stored = decision["arrived"], decision["stored"] or {}
    checks = [
        row for row in decision["rows"] if row["rule"].startswith("SEQ-") and row["outcome"] == "passed"
    ]
    first = arrived.get("first_sequence")
    if not checks or first is None or first < 0:
        return
    last, epoch = stored.get("last_sequence"), stored.get("producer_epoch")
    if epoch is None:
        key = "stored.first" if first == 0 else "stored.any_first"
    elif epoch != arrived["producer_epoch"]:
        key = "stored.new_epoch"
    elif last is not None and follows(last, first):
        key = "stored.next"
    else:
        return
    yield link(
        key,
        *_rules(checks),
        subject=where,
        broker=broker,
        partition=partition,
        producer_id=arrived["producer_id"],
        producer_epoch=arrived["producer_epoch"],
        first_sequence=first,
        last_sequence=last,
        stored_epoch=epoch,
    )


def _rules(rows: list[Json]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["rule"] for row in rows if row["outcome"] != "off"))


def _awaited(moment: Moment, partition: str, offset: int) -> Iterator[Link]:
    """Links about the replicas that must fetch the batch before the response is sent."""
    replica = moment.leading(partition)
    for waiting in [] if replica is None else replica["waiting"]:
        if waiting["until_offset"] > offset:
            yield link(
                "stored.answered_later",
                "LOG-2",
                subject=partition_subject(partition),
                offset=waiting["until_offset"],
            )
            yield from behind(moment, partition, waiting["until_offset"])
            return


def why_again(moment: Moment, _subject: str) -> Iterator[Link]:
    """Links that say why the leader recognised a duplicate. Raises NotAsked for a step without a duplicate."""
    step = newest_of(moment)
    decision = step["decision"]
    if decision is None or not is_repeat(step):
        raise NotAsked("subject", "no repeat was found in this step", "a step that finds a duplicate")
    partition, arrived = decision["subject"], decision["arrived"]
    names = ("producer_id", "producer_epoch", "first_sequence", "last_sequence")
    same = [
        one
        for one in moment.batches(partition)
        if one["control"] is None and all(one[name] == arrived[name] for name in names)
    ]
    batch = same[-1] if same else None
    where = partition_subject(partition) if batch is None else stored_subject(partition, batch)
    yield own_words(step, where)
    serial = None if batch is None or not batch["serials"] else batch["serials"][0]
    turns = [] if serial is None else moment.lately.turns.get(serial, [])
    for turn in [one for one in turns if one.what == STORED][:1]:
        yield quoted(turn.said, where)
    for turn in [one for one in turns if one.what == ANSWER_LOST][-1:]:
        yield quoted(turn.said)
    for turn in [one for one in turns if one.what == SENT][1:][-1:]:
        yield quoted(turn.said)
    if batch is not None:
        yield link(
            "again.same_numbers",
            "SEQ-11",
            "LOG-3",
            subject=where,
            broker=step["actor"],
            partition=partition,
            offset=batch["base_offset"],
            producer_id=batch["producer_id"],
            producer_epoch=batch["producer_epoch"],
            first_sequence=batch["first_sequence"],
            last_sequence=batch["last_sequence"],
        )


def is_repeat(step: Json) -> bool:
    return step["key"] == "broker.duplicate_found" or any(
        note["key"] == "broker.duplicate_found" for note in step["notes"]
    )


# -- a fault -----------------------------------------------------------------------------------------------


def why_fault(moment: Moment, actor: str) -> Iterator[Link]:
    """Links about the consequences of a fault for the actor that it concerns, and about the actor's next fault."""
    step = newest_of(moment)
    yield own_words(step, actor_subject(actor))
    yield from _coordinated(moment, step, actor)
    yield from not_running(moment, actor)
    yield from _new_leaders(moment, step)
    if moment.broker(actor) is not None:
        yield from _led_by(moment, actor)
    client = moment.part("clients").get(actor)
    if client is not None:
        open_records = [
            int(serial)
            for serial, record in moment.part("records").items()
            if record["producer"] == actor and record["status"] in ("pending", "unknown")
        ]
        if open_records:
            yield link(
                "fault.records_open",
                "GEN-6",
                subject=actor_subject(actor),
                client=actor,
                count=len(open_records),
                records=record_names(open_records),
            )
    event = moment.next_event(actor, "fault")
    if event is not None:
        yield link(
            "next.fault",
            "GEN-2",
            subject=actor_subject(actor),
            actor=actor,
            at=event["at"],
            when=when_due(event["at"] - moment.now),
        )


def _new_leaders(moment: Moment, step: Json) -> Iterator[Link]:
    for change in step["changes"]:
        path = change["path"]
        if (
            len(path) == 3
            and path[0] == "partitions"
            and path[2] == "leader"
            and change.get("after") is not None
        ):
            yield link(
                "fault.leader_now",
                "LOG-10",
                subject=partition_subject(path[1]),
                partition=path[1],
                leader=f"broker-{change['after']}",
            )


def _coordinated(moment: Moment, step: Json, actor: str) -> Iterator[Link]:
    """Links about what becomes of the entries that a coordinator lost from its memory in this step."""
    for change in step["changes"]:
        path = change["path"]
        if path[0] != "brokers" or path[2:3] != ["transactions"] or len(path) != 4 or "after" in change:
            continue
        entry = change["before"]
        params = {"coordinator": actor, "transactional_id": path[3], "state": entry["state"]}
        subject = transaction_subject(path[3])
        if entry["state"] in DECIDED and entry["partitions"]:
            written, missing = _marked(moment, entry)
            key = "markers_some" if written and missing else "markers_all" if written else "markers_none"
            yield link(
                f"fault.{key}",
                "TXC-22",
                subject=subject,
                **params,
                written=named(written),
                missing=named(missing),
            )
        elif entry["pending_state"] is not None:
            partition = moment.log_partition(path[3]) or ""
            holders = _have_change(moment, partition, path[3], entry["pending_state"], actor)
            if holders is None:
                continue
            yield link(
                "fault.change_copied" if holders else "fault.change_alone",
                "TXC-5",
                subject=subject,
                **params,
                pending_state=entry["pending_state"],
                partition=partition,
                brokers=named(holders),
            )


def _marked(moment: Moment, entry: Json) -> tuple[list[str], list[str]]:
    """(the partitions in which the leader has stored the transaction's marker, the other partitions)."""
    written: list[str] = []
    missing: list[str] = []
    for partition in sorted(entry["partitions"]):
        own = [one for one in moment.batches(partition) if one["producer_id"] == entry["producer_id"]]
        ended = (
            own and own[-1]["control"] is not None and own[-1]["appended_at"] >= (entry["started_at"] or 0)
        )
        (written if ended else missing).append(partition)
    return written, missing


def _have_change(
    moment: Moment, partition: str, transactional_id: str, state: str, coordinator: str
) -> list[str] | None:
    """The other brokers whose replica has the record of a change that was being written. None if the
    coordinator's own log does not have it."""
    replicas = (moment.part("partitions").get(partition) or {}).get("replicas") or {}
    own = replicas.get(coordinator.removeprefix("broker-")) or {}
    records = [
        (batch["base_offset"], value["state"])
        for batch in (own.get("batches") or {}).values()
        for key, value in zip(batch["content"]["keys"], batch["content"]["values"], strict=True)
        if key == transactional_id and value is not None
    ]
    offset, newest = max(records, default=(-1, ""))
    if newest != state or offset < own["high_watermark"]:
        return None
    holders = {f"broker-{number}" for number, replica in replicas.items() if replica["log_end"] > offset}
    return sorted(holders - {coordinator})


def _led_by(moment: Moment, actor: str) -> Iterator[Link]:
    """Links about the partitions that a broker leads, and about the partitions without a leader of which it has a
    replica."""
    number = int(actor.removeprefix("broker-"))
    led = [name for name, shown in moment.part("partitions").items() if shown["leader"] == number]
    if led:
        running = not list(not_running(moment, actor))
        key = "fault.leads" if running else "fault.led_and_serves_nobody"
        yield link(key, "LOG-10", subject=actor_subject(actor), broker=actor, partitions=named(sorted(led)))
    without = [
        name
        for name, shown in moment.part("partitions").items()
        if shown["leader"] is None and number in shown["replica_order"]
    ]
    for name in without[:NAMED_MAX]:
        yield from leaderless(moment, name)


# -- any other step ----------------------------------------------------------------------------------------


def why_here(moment: Moment, _subject: str) -> Iterator[Link]:
    """Links about the cause of the newest step, and about what its actor waits for now. If a fault led to the step, the
    fault and the reactions to it come first."""
    step = newest_of(moment)
    links = [own_words(step), *_led_to(moment, step)]
    if from_fault := list(_from_its_fault(moment, step)):
        links = _since(from_fault[0].step or 0, [*from_fault, *links])
    if step["actor"] in moment.actors():
        links += why_nothing(moment, step["actor"])
    seen: list[tuple[str, Json]] = []
    for one in links:
        idle = one.key == "why.nothing.idle" and len(seen) > 1
        if (one.key, one.params) not in seen and not idle:
            seen.append((one.key, one.params))
            yield one


def asked_fault(moment: Moment) -> int | None:
    """The number of the step of the newest intervention, or else of the first fault; None: the run had no fault."""
    faults = [fault.number for fault in moment.lately.faults]
    by_hand = [number for number in faults if number - 1 in moment.intervened_after]
    return max(by_hand, default=min(faults, default=None))


def _since(start: int, links: Sequence[Link]) -> list[Link]:
    """The links in the order of their steps from step ``start`` on, then those with earlier steps, and then those
    without a step."""
    return sorted(links, key=lambda one: (2, 0) if one.step is None else (one.step < start, one.step))


def _from_its_fault(moment: Moment, step: Json) -> Iterator[Link]:
    """Links about the fault of the run and the reactions to it, if the step is such a reaction, or if its message came
    from one. To find out, the run is made again without the fault."""
    number = asked_fault(moment)
    fault = next((one for one in moment.lately.faults if one.number == number), None)
    if fault is None or fault.number >= step["number"]:
        return
    behind = {step["number"]}
    cause = moment.lately.cause
    while cause is not None:
        behind.add(cause.number)
        cause = cause.cause
    if behind.isdisjoint(one.number for one in reactions(moment, fault, None)):
        return
    came = came_of(moment, fault)
    led = [one for one in came if fault.number < one.number < step["number"]]
    if not behind.isdisjoint(one.number for one in came):
        yield quoted(fault)
        yield from map(quoted, led[:REACTIONS_MAX])


def _led_to(moment: Moment, step: Json) -> Iterator[Link]:
    yield from caused(moment)
    transition = step["transition"]
    if transition is not None:
        before = moment.lately.before.get((transition["machine"], transition["of"]))
        if step["kind"] == "timer" and before is not None:
            unheard = step["params"].get("silent", ())
            lost = [one for one in late_between(moment, step["actor"], unheard) if one.number > before.number]
            yield from map(quoted, lost[:NAMED_MAX])
            for name in unheard[:NAMED_MAX]:
                yield from not_running(moment, name)
            yield quoted(before)
        yield from newest_transition(moment, transition["machine"], transition["of"])
