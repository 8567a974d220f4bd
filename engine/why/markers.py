"""Answers where the missing markers of a decided transaction are, and what each of them waits for (MRK-1..MRK-10)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.apis import connection_of
from engine.messages import FOR_MARKERS
from engine.view.openers import DROPPED
from engine.why.links import (
    NAMED_MAX,
    Json,
    Link,
    actor_subject,
    link,
    message_subject,
    named,
    partition_subject,
    transaction_subject,
)
from engine.why.messages import late_between, whereabouts
from engine.why.moment import Moment
from engine.why.records import quoted
from engine.why.replication import behind, leaderless, not_running, short_of_replicas

MARKERS = "WriteTxnMarkers"


def missing_marker(
    moment: Moment, transactional_id: str, coordinator: str, partition: str | None
) -> Iterator[Link]:
    """Links about the missing markers of a decided transaction; with ``partition``, only about the marker of this
    partition. If no marker is missing: why the coordinator sends none."""
    shown = moment.broker(coordinator) or {}
    board: Json = shown.get("markers") or {}
    waiting = (board.get("waiting") or {}).get(transactional_id)
    subject = transaction_subject(transactional_id)
    missing = [] if waiting is None else waiting["remaining"]
    if partition is not None and partition in missing:
        missing = [partition]
    if waiting is None or (partition is not None and partition not in missing):
        yield from _not_being_sent(moment, transactional_id, coordinator, partition, waiting)
        return
    yield link(
        "marker.missing",
        "MRK-1",
        "TXC-17",
        subject=subject,
        transactional_id=transactional_id,
        result=waiting["result"],
        partitions=named(missing),
    )
    if waiting["retries"]:
        yield link("marker.retried", "MRK-10", subject=subject, retries=waiting["retries"])
    passed_over = [name for name in waiting["passed_over"] if name in missing]
    if passed_over:
        yield link(
            "marker.passed_over",
            "MRK-8",
            subject=actor_subject(coordinator),
            coordinator=coordinator,
            partitions=named(passed_over),
        )
        missing = [name for name in missing if name not in passed_over]
    for name in missing[:NAMED_MAX]:
        yield from _where(moment, transactional_id, coordinator, board, name)


def _not_being_sent(
    moment: Moment, transactional_id: str, coordinator: str, partition: str | None, waiting: Json | None
) -> Iterator[Link]:
    """Links that say why the coordinator does not send a marker. ``waiting``: the id's entry in the table of the
    coordinator's missing markers; None if it has none."""
    params: Json = {"transactional_id": transactional_id, "coordinator": coordinator}
    subject = transaction_subject(transactional_id)
    if waiting is not None:
        yield link("marker.none_left", "MRK-8", subject=subject, **params, partition=partition)
    elif completion_waits(moment, transactional_id, coordinator):
        yield link("marker.none_waits", "TXC-18", subject=subject, **params)
        log = moment.log_partition(transactional_id)
        if log in moment.part("partitions"):
            yield from short_of_replicas(moment, str(log))
        yield from _next_pass(moment, coordinator)
    else:
        yield link("marker.given_up", "MRK-12", subject=subject, **params)


def completion_waits(moment: Moment, transactional_id: str, coordinator: str) -> bool:
    """Whether all markers are written, but the completion could not be written and waits for the next attempt
    (TXC-18). False without the run."""
    if moment.simulation is None:
        return False
    host = moment.simulation.world.brokers[coordinator].transactions
    return host is not None and transactional_id in host.coordinator.completions_to_retry


def is_being_sent(moment: Moment, transactional_id: str, coordinator: str, partition: str) -> bool:
    """Whether the coordinator has a marker for the partition in flight or in a queue, including the queue for unknown
    leaders."""
    board = (moment.broker(coordinator) or {}).get("markers")
    if board is None:
        return False
    waiting = [*board["queues"].values(), *board["in_flight"].values(), board["unknown_broker"]]
    return any(_holds(markers, transactional_id, partition) for markers in waiting)


def _holds(markers: list[Json], transactional_id: str, partition: str) -> bool:
    return any(
        marker["transactional_id"] == transactional_id and partition in marker["partitions"]
        for marker in markers
    )


def _where(
    moment: Moment, transactional_id: str, coordinator: str, board: Json, partition: str
) -> Iterator[Link]:
    for broker, markers in board["queues"].items():
        if _holds(markers, transactional_id, partition):
            yield from _queued(moment, coordinator, board, partition, f"broker-{broker}")
            return
    for broker, markers in board["in_flight"].items():
        if _holds(markers, transactional_id, partition):
            yield from _under_way(moment, transactional_id, coordinator, partition, f"broker-{broker}")
            return
    if not _holds(board["unknown_broker"], transactional_id, partition):
        params: Json = {"transactional_id": transactional_id, "coordinator": coordinator}
        yield link("marker.given_up", "MRK-12", subject=partition_subject(partition), **params)
        return
    yield link(
        "marker.leader_unreachable",
        "MRK-2",
        subject=partition_subject(partition),
        coordinator=coordinator,
        partition=partition,
    )
    leader = moment.named("partitions", partition)["leader"]
    if leader is None:
        yield from leaderless(moment, partition)
    else:
        yield from not_running(moment, f"broker-{leader}")
    yield from _next_pass(moment, coordinator)


def _queued(moment: Moment, coordinator: str, board: Json, partition: str, leader: str) -> Iterator[Link]:
    """Links that say why a queued marker was not sent yet."""
    params: Json = {"coordinator": coordinator, "leader": leader, "partition": partition}
    yield link("marker.queued", "MRK-1", subject=partition_subject(partition), **params)
    connecting = f"connection to {leader}"
    for event in moment.waiting_events(coordinator):
        if event["what"] == connecting:
            yield link(
                "marker.connects",
                "MRK-3",
                subject=actor_subject(leader),
                **params,
                left=event["at"] - moment.now,
            )
            return
    if leader.removeprefix("broker-") in board["in_flight"]:
        yield link("marker.behind_request", "MRK-3", subject=actor_subject(leader), **params)
        return
    yield from _next_pass(moment, coordinator, leader)


def _next_pass(moment: Moment, coordinator: str, leader: str | None = None) -> Iterator[Link]:
    """A link that says when the marker sender's next pass is due (MRK-3), and whether it has to connect to the leader
    ``leader``. A view without its run gives no link."""
    if moment.simulation is None:
        return
    host = moment.simulation.world.brokers[coordinator].transactions
    at = None if host is None else host.pass_at
    subject = actor_subject(coordinator)
    if at is None:
        yield link("marker.waits_for_news", "MRK-3", subject=subject, coordinator=coordinator)
        return
    params: Json = {"coordinator": coordinator, "at": at, "left": max(at - moment.now, 0)}
    if host is None or leader is None or int(leader.removeprefix("broker-")) in host.connected:
        yield link("marker.next_pass", "MRK-3", subject=subject, **params)
    else:
        yield link("marker.next_pass_connects", "MRK-3", subject=subject, **params, leader=leader)


def _under_way(
    moment: Moment, transactional_id: str, coordinator: str, partition: str, leader: str
) -> Iterator[Link]:
    params: Json = {"coordinator": coordinator, "leader": leader, "partition": partition}
    request = moment.message_between(coordinator, leader, MARKERS)
    if request is not None:
        yield link(
            "marker.on_the_way",
            "MRK-3",
            subject=message_subject(str(request["id"])),
            **params,
        )
        yield from whereabouts(moment, request)
        return
    answer = moment.message_between(leader, coordinator, MARKERS, is_response=True)
    if answer is not None:
        yield link(
            "marker.answer_on_the_way",
            "MRK-8",
            subject=message_subject(str(answer["id"])),
            **params,
        )
        yield from whereabouts(moment, answer)
        return
    replica = moment.leading(partition)
    waiting = [] if replica is None else replica["waiting"]
    own = [one for one in waiting if one["client"] in (coordinator, leader)]
    if own:
        yield link(
            "marker.waits_for_replicas",
            "MRK-4",
            subject=partition_subject(partition),
            **params,
            until=own[0]["deadline"],
            left=own[0]["deadline"] - moment.now,
        )
        yield from behind(moment, partition, own[0]["until_offset"])
        return
    handled = moment.handled(coordinator, leader)
    if handled is not None:
        is_there = any(connection_of(one.body) == FOR_MARKERS for one in handled)
        key, rule = ("marker.at_leader", "MRK-4") if is_there else ("marker.unanswered", "MRK-9")
        yield link(key, rule, subject=actor_subject(leader), **params)
        if not is_there:
            yield from lost_marker(moment, transactional_id, coordinator, leader)
    yield from not_running(moment, leader)


def lost_marker(moment: Moment, transactional_id: str, coordinator: str, leader: str) -> Iterator[Link]:
    """A link about the newest step that dropped the request with a marker from the coordinator to the leader, since
    the id's present state is in force; no link if no step did."""
    standing = moment.lately.standings.get(transactional_id)
    lost = [
        quoted(fault)
        for fault in late_between(moment, coordinator, (leader,))
        if fault.key in DROPPED
        and fault.params["api"] == MARKERS
        and standing is not None
        and fault.number > standing.number
    ]
    yield from lost[-1:]
