"""Answers why nothing happens, and why a batch is not sent: with what each actor waits for, and the virtual time that
is left.

The accumulator and the transaction manager decide whether a batch may be sent (ACC-8..ACC-12, ORD-5). This
module calls them and repeats none of their rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from engine.client.batch_states import IN_FLIGHT, LIVE
from engine.client.producer_client import ProducerClient
from engine.errors import EngineError
from engine.record_names import record_names
from engine.telling.sender import WAITS_AT_STOP
from engine.topic_partition import topic_of
from engine.why.links import (
    NAMED_MAX,
    Json,
    Link,
    NotAsked,
    actor_subject,
    batch_subject,
    link,
    partition_subject,
)
from engine.why.messages import coming, whereabouts
from engine.why.moment import Moment
from engine.why.outcomes import applications_of
from engine.why.readers import reading_waits
from engine.why.replication import behind, not_running
from engine.why.stable_offset import held_back
from engine.why.two_phase import never_ends, node_waits

RUN = "run"
"""The subject that stands for the whole run."""


# -- a batch -----------------------------------------------------------------------------------------------


def why_unsent(moment: Moment, client: str, name: str) -> Iterator[Link]:
    """Links that say why a batch of a client is not sent, where its request is, or that the batch is complete. Raises
    NotAsked if the client has no such batch."""
    shown = moment.named("clients", client)
    batch = shown["batches"].get(name)
    if batch is None:
        known = ", ".join(shown["batches"]) or "none"
        raise NotAsked("subject", f"{client} has no batch {name!r}", f"known: {known}")
    subject = batch_subject(client, name, batch)
    params: Json = {
        "client": client,
        "records": record_names(batch["serials"]),
        "partition": batch["partition"],
    }
    if batch["state"] not in LIVE:
        error = batch["error"] or "–"
        yield link("batch.over", "ACC-7", subject=subject, **params, state=batch["state"], error=error)
        return
    if batch["state"] == IN_FLIGHT:
        yield from _in_flight(moment, client, shown, name, subject)
        return
    queue = shown["queues"][batch["partition"]]["batches"]
    place = queue.index(name) if name in queue else 0
    yield link("batch.queued", "ACC-1", subject=subject, **params, place=place + 1, count=len(queue))
    if place > 0:
        head = shown["batches"][queue[0]]
        behind_it = batch_subject(client, queue[0], head)
        yield link("batch.behind", "ACC-1", subject=behind_it, **params, head=record_names(head["serials"]))
    stopped = list(not_running(moment, client))
    yield from stopped or _head_waits(moment, client, shown, batch["partition"])


def _in_flight(moment: Moment, client: str, shown: Json, name: str, subject: Json) -> Iterator[Link]:
    for number, request in shown["requests"].items():
        if name not in request["batches"]:
            continue
        yield link(
            "batch.in_flight",
            "ORD-4",
            subject=subject,
            client=client,
            records=record_names(shown["batches"][name]["serials"]),
            broker=request["to"],
            sent_at=request["sent_at"],
            until=request["deadline"],
            left=request["deadline"] - moment.now,
        )
        yield from request_is(moment, client, request, int(number))
        return
    key = "batch.drained" if moment.simulation is None or moment.in_pass == client else "batch.stranded"
    records = record_names(shown["batches"][name]["serials"])
    yield link(key, "ACC-16", subject=subject, client=client, records=records)


def request_is(moment: Moment, client: str, request: Json, number: int) -> Iterator[Link]:
    """Links that say where a client's request is: in transit as a request or response, at the leader, where it waits
    for replicas, at the broker, or nowhere."""
    for message in moment.messages():
        ends = (message["from"], message["to"])
        if message["correlation_id"] == number and client in ends and request["to"] in ends:
            yield from whereabouts(moment, message)
            return
    for partition in _partitions_of(moment, client, request):
        replica = moment.leading(partition)
        for waiting in [] if replica is None else replica["waiting"]:
            if waiting["client"] == client and waiting["until_offset"] in _ends(
                moment, client, request, partition
            ):
                yield link(
                    "message.waits_for_replicas",
                    "LOG-2",
                    subject=partition_subject(partition),
                    client=client,
                    broker=request["to"],
                    partition=partition,
                    offset=waiting["until_offset"],
                )
                yield from behind(moment, partition, waiting["until_offset"])
                return
    handled = moment.handled(client, request["to"])
    if handled is None:
        return
    if number in (one.correlation_id for one in handled):
        params: Json = {"client": client, "broker": request["to"], "api": request["api"]}
        yield link("message.at_broker", "GEN-11", subject=actor_subject(request["to"]), **params)
        yield from not_running(moment, request["to"])
        return
    yield from not_in_flight(moment, client, request)


def not_in_flight(moment: Moment, client: str, request: Json) -> Iterator[Link]:
    """Links for a request of which no message is in flight, neither the request itself nor its response: when the
    client notices that, and whether the receiver runs."""
    yield link(
        "message.nobody_has_it",
        "SND-7",
        subject=actor_subject(client),
        client=client,
        broker=request["to"],
        api=request["api"],
        until=request["deadline"],
        left=request["deadline"] - moment.now,
    )
    yield from not_running(moment, request["to"])


def _ends(moment: Moment, client: str, request: Json, partition: str) -> list[int]:
    """For each stored batch of a request in the partition, the log end offset that followers must reach: the offset
    after the batch's last record."""
    batches = moment.part("clients")[client]["batches"]
    sent = [batches[name]["serials"] for name in request["batches"] if name in batches]
    return [one["last_offset"] + 1 for one in moment.batches(partition) if one["serials"] in sent]


def _partitions_of(moment: Moment, client: str, request: Json) -> list[str]:
    batches = moment.part("clients")[client]["batches"]
    return [batches[name]["partition"] for name in request["batches"] if name in batches]


def _producer(moment: Moment, client: str) -> ProducerClient | None:
    """The producer client with this name; None if there is none, and for a view without its run."""
    if moment.simulation is None:
        return None
    return moment.simulation.world.clients.get(client)


def _head_waits(moment: Moment, client: str, shown: Json, partition: str) -> Iterator[Link]:
    producer = _producer(moment, client)
    if producer is None:
        yield link("batch.no_engine", subject=actor_subject(client), client=client)
        return
    found = [
        *_sender_waits(moment, client, shown, producer),
        *_accumulator_waits(moment, client, producer, partition),
        *_connection_waits(moment, client, shown, partition),
    ]
    yield from found
    if any(one.key in _WAIT_FOR_ANSWERS for one in found):
        yield from _answers_awaited(moment, client, shown, partition)
    if not found:
        due = producer.pass_due()
        left = 0 if due is None else max(due - moment.now, 0)
        yield link(
            "batch.leaves_next",
            "ACC-10",
            subject=actor_subject(client),
            client=client,
            partition=partition,
            left=left,
        )


_WAIT_FOR_ANSWERS = {
    "client.waits_muted",
    "client.waits_in_flight_full",
    *(WAITS_AT_STOP[reason] for reason in ("older_epoch_in_flight", "unresolved", "earlier_in_flight")),
}
"""Keys of the waits that end with the response to a request in flight."""


def _answers_awaited(moment: Moment, client: str, shown: Json, partition: str) -> Iterator[Link]:
    """Links about the requests in flight with batches of this partition, and about where they are."""
    for number, request in shown["requests"].items():
        if partition in _partitions_of(moment, client, request):
            yield _awaited(moment, client, request)
            yield from request_is(moment, client, request, int(number))


def _sender_waits(moment: Moment, client: str, shown: Json, producer: ProducerClient) -> Iterator[Link]:
    """Links about what the Sender itself waits for (TXM-9)."""
    poll = producer.memory.poll
    manager = shown["transaction_manager"]
    subject = actor_subject(client)
    if manager is not None and manager["in_flight_request"] is not None:
        api = manager["in_flight_request"]
        yield Link(
            key="client.waits_control",
            params={"client": client, "api": api},
            rules=("TXM-9",),
            subject=subject,
        )
        for number, request in shown["requests"].items():
            if request["api"] == api:
                yield from request_is(moment, client, request, int(number))
    elif producer.memory.channel is not None and producer.memory.channel.held is not None:
        request_held = producer.memory.channel.held.request
        yield link("client.looks_for", "SND-5", subject=subject, client=client, api=request_held.api)
    if poll.sleeps_until is not None and poll.sleeps_until > moment.now:
        yield link(
            "client.sleeps",
            "SND-5",
            subject=subject,
            client=client,
            until=poll.sleeps_until,
            left=poll.sleeps_until - moment.now,
        )


def _accumulator_waits(
    moment: Moment, client: str, producer: ProducerClient, partition: str
) -> Iterator[Link]:
    """Links that say why the accumulator or the transaction manager does not let the first batch of the queue be sent
    (ACC-8..ACC-11, ACC-19, ORD-5)."""
    memory = producer.memory
    queue = memory.accumulator.queues[partition]
    if not queue.batches:
        raise EngineError(f"{client}: the queue of {partition} is empty, though a batch of it waits")
    head = queue.batches[0]
    subject = partition_subject(partition)
    if memory.metadata.leaders.get(partition) is None:
        topic = topic_of(partition)
        yield Link(
            key="client.waits_no_leader",
            params={"client": client, "topics": [topic]},
            rules=("ACC-8",),
            subject=subject,
        )
    elif queue.muted:
        yield Link(
            key="client.waits_muted",
            params={"client": client, "partitions": [partition]},
            rules=("ACC-19",),
            subject=subject,
        )
    else:
        only = {partition: memory.metadata.leaders[partition]}
        waits = _waits_of(memory.accumulator.ready(only, moment.now).waits, partition)
        if waits is not None:
            kind, until = waits
            again = "_again" if kind == "linger" and head.attempts else ""
            yield Link(
                key=f"client.waits_{kind}{again}",
                params={
                    "client": client,
                    "partition": partition,
                    "until": until,
                    "wait": until - moment.now,
                },
                rules=("ACC-9", "ACC-11"),
                subject=subject,
            )
    reason = None if memory.transactions is None else memory.transactions.stop_reason(head)
    if reason is not None:
        yield Link(
            key=WAITS_AT_STOP[reason],
            params={"client": client, "partition": partition},
            rules=("ORD-5",),
            subject=subject,
        )


def _waits_of(waits: tuple[str, str, int] | None, partition: str) -> tuple[str, int] | None:
    return None if waits is None or waits[0] != partition else waits[1:]


def _connection_waits(moment: Moment, client: str, shown: Json, partition: str) -> Iterator[Link]:
    leader = shown["metadata"]["leaders"].get(partition)
    connection = None if leader is None else shown["connections"].get(str(leader))
    if connection is None:
        return
    broker = f"broker-{leader}"
    params = {"client": client, "broker": broker, "limit": connection["limit"]}
    if connection["state"] != "connected":
        yield Link(
            key="client.waits_not_connected", params=params, rules=("SND-7",), subject=actor_subject(broker)
        )
        yield from not_running(moment, broker)
    elif len(connection["in_flight"]) >= connection["limit"]:
        yield Link(
            key="client.waits_in_flight_full", params=params, rules=("SND-7",), subject=actor_subject(broker)
        )


# -- an actor ----------------------------------------------------------------------------------------------


def why_nothing(moment: Moment, subject: str) -> Iterator[Link]:
    """Links that say why an actor does nothing now. For the subject RUN: links about the next events."""
    if subject == RUN:
        yield from _next_of_run(moment)
    elif subject in moment.part("clients"):
        yield from _client_waits(moment, subject)
    elif subject in moment.part("consumers"):
        yield from _idle_if_silent(moment, subject, list(reading_waits(moment, subject, None)))
    elif subject in moment.part("applications"):
        client = moment.part("applications")[subject]["client"]
        found = list(applications_of(moment, client))
        if client in moment.part("clients"):
            found += _client_waits(moment, client)
        yield from _idle_if_silent(moment, subject, found, client)
    elif subject in moment.actors():
        found = list(not_running(moment, subject)) or list(node_waits(moment, subject))
        yield from _idle_if_silent(moment, subject, found)
    else:
        known = ", ".join([RUN, *moment.actors()])
        raise NotAsked("subject", f"{subject!r} is no actor here", f"known: {known}")


def _next_of_run(moment: Moment) -> Iterator[Link]:
    """Links about the next event, about the open transactions that hold records back, and the reasons why batches wait,
    for at most NAMED_MAX partitions and clients."""
    events = moment.waiting_events()
    passing = moment.in_pass
    if passing is not None:
        yield _next_phase(passing)
    elif not events:
        yield link("nothing.run_over", "GEN-2", at=moment.now)
        yield from never_ends(moment)
        return
    else:
        yield coming(moment, events.pop(0))
    if events:
        yield link("nothing.others", "GEN-2", count=len(events), at=events[0]["at"])
    yield from islice((found for chain in held_back(moment) for found in chain[:1]), NAMED_MAX)
    waits = (found for client in moment.part("clients") for found in _first_wait(moment, client))
    yield from islice(waits, NAMED_MAX)


def _first_wait(moment: Moment, client: str) -> Iterator[Link]:
    """A link with the first reason why a client does not send its queued batches; no link if none is queued."""
    shown = moment.part("clients")[client]
    if any(queue["batches"] for queue in shown["queues"].values()):
        for found in _client_waits(moment, client):
            yield found
            return


def _client_waits(moment: Moment, client: str) -> Iterator[Link]:
    shown = moment.part("clients")[client]
    subject = actor_subject(client)
    stopped = list(not_running(moment, client))
    if stopped:
        yield from stopped
        return
    found = [
        link(
            "client.memory",
            "ACC-5",
            subject=subject,
            client=client,
            serial=waiter["serial"],
            size=waiter["size"],
            free=shown["pool"]["free"],
            until=waiter["until"],
            left=waiter["until"] - moment.now,
        )
        for waiter in shown["pool"]["waiters"][:NAMED_MAX]
    ]
    waiting = [name for name, queue in shown["queues"].items() if queue["batches"]]
    for partition in waiting[:NAMED_MAX]:
        found += _head_waits(moment, client, shown, partition)
    if not waiting:
        for number, request in list(shown["requests"].items())[:NAMED_MAX]:
            found.append(_awaited(moment, client, request))
            found += request_is(moment, client, request, int(number))
        found += applications_of(moment, client)
    yield from _idle_if_silent(moment, client, found)


def _next_phase(client: str) -> Link:
    return link("next.phase", "SND-1", subject=actor_subject(client), actor=client)


def _idle_if_silent(
    moment: Moment, actor: str, found: list[Link], client: str | None = None
) -> Iterator[Link]:
    """The links in ``found``, each once, and a link about the actor's next event; without any, a link that the actor is
    idle. ``client``: the client of an application, which makes no calls while its client is down or paused."""
    reasons: list[Link] = []
    for one in found:
        if one not in reasons:
            reasons.append(one)
    yield from reasons
    if actor == moment.in_pass:
        yield _next_phase(actor)
        return
    # The timers and fetches of an actor that is down or paused have no effect before the next fault.
    stopped = next(not_running(moment, client or actor), None)
    stands = stopped is not None and stopped.key in _STANDSTILLS
    event = moment.next_event(actor, *(("fault",) if stands else ()))
    if event is not None:
        yield coming(moment, event)
    elif not reasons:
        yield link("nothing.idle", "GEN-2", subject=actor_subject(actor), actor=actor)


_STANDSTILLS = (
    "why.actor_down",
    "why.actor_paused",
    "why.broker_down_session",
    "why.broker_down_registered",
)


def _awaited(moment: Moment, client: str, request: Json) -> Link:
    return link(
        "client.awaits",
        "SND-7",
        subject=actor_subject(client),
        client=client,
        api=request["api"],
        broker=request["to"],
        until=request["deadline"],
        left=request["deadline"] - moment.now,
    )
