"""Answers why a transaction does not end. The chain leads from its transactional id to its client, to its
coordinator's state, and to the missing marker and the reason why it is missing (TXC-3, TXC-17..20,
MRK-1..MRK-10)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.client.client_states import READY
from engine.coordinator.transaction_states import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    DEAD,
    EMPTY,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
)
from engine.topic_partition import topic_partition
from engine.why.links import (
    NAMED_MAX,
    Json,
    Link,
    NotAsked,
    actor_subject,
    link,
    named,
    partition_subject,
    transaction_subject,
)
from engine.why.markers import completion_waits, missing_marker
from engine.why.moment import Moment, configured
from engine.why.replication import behind, leaderless, not_running

DECIDED = (PREPARE_COMMIT, PREPARE_ABORT)
OVER = (EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT, DEAD)


def why_unended(moment: Moment, transactional_id: str) -> Iterator[Link]:
    """Links that say why the transaction of an id does not end, or that it has ended. Raises NotAsked for an unknown
    id."""
    found = moment.entry_of(transactional_id)
    clients = moment.clients_of(transactional_id)
    if found is None and not clients:
        known = sorted({name for _, name, _ in moment.coordinated()})
        raise NotAsked(
            "subject",
            f"nobody here knows the transactional id {transactional_id!r}",
            f"known: {', '.join(known) or 'none'}",
        )
    if found is not None and found[1]["state"] in OVER and found[1]["pending_state"] is None:
        yield _over(*found, transactional_id)
        yield in_force(moment, transactional_id, *found)
        yield from newest_at_coordinator(moment, transactional_id)
        yield from users(moment, transactional_id, None)
        return
    epoch = None if found is None else (found[1]["producer_id"], found[1]["producer_epoch"])
    yield from users(moment, transactional_id, epoch)
    yield from decision(moment, transactional_id, None)


def _over(coordinator: str, entry: Json, transactional_id: str) -> Link:
    return link(
        "transaction.never_began" if entry["state"] == EMPTY else "transaction.ended",
        "TXC-3",
        subject=transaction_subject(transactional_id),
        coordinator=coordinator,
        transactional_id=transactional_id,
    )


def in_force(moment: Moment, transactional_id: str, coordinator: str, entry: Json) -> Link:
    """A link about the state of the id that is in force. If the run shows it, the link says since which step."""
    standing = moment.lately.standings.get(transactional_id)
    known = None if standing is None or standing.state != entry["state"] else standing
    return link(
        "coordinator.state" if known is None else "coordinator.in_force",
        "TXC-3",
        "TXC-5",
        subject=actor_subject(coordinator),
        step=None if known is None else known.number,
        coordinator=coordinator,
        transactional_id=transactional_id,
        state=entry["state"],
        coordinator_epoch=entry["coordinator_epoch"],
        **({} if known is None else {"number": known.number, "at": known.at}),
    )


def newest_at_coordinator(moment: Moment, transactional_id: str) -> Iterator[Link]:
    """A link about the newest transition of the id at the coordinator, or about an event that left its state unchanged.
    The state to which a transition leads is in force once it is written."""
    taken = moment.lately.transitions.get(("transaction_states", transactional_id))
    if taken is None:
        return
    step, transition = taken
    yield link(
        "coordinator.stayed" if transition["from"] == transition["to"] else "coordinator.since",
        "TXC-4",
        subject=transaction_subject(transactional_id),
        step=step.number,
        transactional_id=transactional_id,
        source=transition["from"],
        target=transition["to"],
        on=transition["on"],
        number=step.number,
        at=step.at,
    )


# -- the clients of the transaction ------------------------------------------------------------------------


def users(moment: Moment, transactional_id: str, identity: tuple[int, int] | None) -> Iterator[Link]:
    """A link for each client of an id, for at most NAMED_MAX of them, and links about its requests and applications.
    ``identity``: producer id and epoch of the transaction, or None."""
    clients = moment.clients_of(transactional_id)
    if not clients:
        yield link(
            "client.none",
            "TXC-20",
            subject=transaction_subject(transactional_id),
            transactional_id=transactional_id,
        )
    for name, client in clients[:NAMED_MAX]:
        manager = client["transaction_manager"]
        own = (manager["producer_id"], manager["producer_epoch"])
        params: Json = {"client": name, "transactional_id": transactional_id, "state": manager["state"]}
        subject = actor_subject(name)
        if not client["alive"]:
            yield link("client.down", "TXC-20", subject=subject, **params)
        elif client["paused"]:
            yield link("client.paused", "GEN-6", subject=subject, **params)
        elif (
            identity is not None
            and identity[1] >= 0  # Before a new id is written, no transaction has its epoch.
            and own[0] is not None
            and own != identity
            and not asks_for_identity(client)
            and not raised_by_end(moment, transactional_id, own[1], identity[1])
            and not continued_by(moment, transactional_id, own, identity)
        ):
            yield link(
                "client.other_epoch",
                "FEN-1",
                subject=subject,
                **params,
                own_id=own[0],
                own_epoch=own[1],
                producer_id=identity[0],
                producer_epoch=identity[1],
            )
        else:
            yield link("client.uses", "TXM-3", subject=subject, **params)
        if client["alive"]:
            yield from _asks_next(moment, name, client)
            if manager["state"] != READY:  # A client in READY has no transaction to end.
                yield from applications_of(moment, name)


def continued_by(
    moment: Moment, transactional_id: str, own: tuple[int, int], identity: tuple[int, int]
) -> bool:
    """Whether the end of the transaction used up the epochs of its producer id, and the producer continues
    with ``own`` (KIP-890, part 2)."""
    said = moment.lately.said.get(("coordinator.last_epoch_decided", transactional_id))
    return said is not None and (
        own == (said.params["next_producer_id"], 0)
        and identity[0] == said.params["producer_id"]
        and identity[1] in (said.params["producer_epoch"], said.params["new_epoch"])
    )


def raised_by_end(moment: Moment, transactional_id: str, one: int, other: int) -> bool:
    """Whether the newest decision about the id raised its epoch from one of these epochs to the other
    (KIP-890, part 2)."""
    said = moment.lately.said.get(("coordinator.epoch_rises_with_decision", transactional_id))
    return said is not None and sorted((one, other)) == [
        said.params["producer_epoch"],
        said.params["new_epoch"],
    ]


def asks_for_identity(client: Json) -> bool:
    return bool(client["transaction_manager"]["in_flight_request"] == "InitProducerId")


def _asks_next(moment: Moment, name: str, client: Json) -> Iterator[Link]:
    """Links about the control request whose response the client awaits or which it will send next, and about its
    error."""
    manager = client["transaction_manager"]
    api = manager["in_flight_request"]
    subject = actor_subject(name)
    if api is not None:
        yield link("client.asks", "TXM-9", subject=subject, client=name, api=api)
    elif manager["requests"]:
        yield link(
            "client.will_ask", "TXM-9", subject=subject, client=name, api=manager["requests"][0]["api"]
        )
    if manager["last_error"] is not None and "ERROR" in manager["state"]:
        yield link(
            "client.error",
            "TXM-3",
            subject=subject,
            client=name,
            error=manager["last_error"],
            state=manager["state"],
        )


def applications_of(moment: Moment, client: str) -> Iterator[Link]:
    """A link about each application of a client: that the client is down, the call that has not returned, the next
    call, or that the application has ended."""
    for name, shown in moment.part("applications").items():
        if shown["client"] != client:
            continue
        params: Json = {"application": name, "client": client}
        subject = actor_subject(name)
        if shown["blocked_by"] == "client_down":
            yield link("application.client_down", "GEN-6", subject=subject, **params)
        elif shown["blocked_by"] is not None:
            yield link("application.blocked", "TXM-5", subject=subject, **params, call=shown["blocked_by"])
        elif shown["finished"]:
            used = moment.part("clients").get(client, {})
            in_transactions = bool(used) and configured(used, "transactional_id") is not None
            key = "application.silent" if in_transactions else "application.done"
            yield link(key, "TXM-6", subject=subject, **params, calls=shown["calls"])
        elif not moment.part("clients").get(client, {}).get("alive", True):
            yield link("application.client_down", "GEN-6", subject=subject, **params)
        elif shown["next_at"] is not None:
            left = shown["next_at"] - moment.now
            if left < 0:
                yield link("application.due", "TXM-6", subject=subject, **params)
            else:
                yield link(
                    "application.next", "TXM-6", subject=subject, **params, at=shown["next_at"], left=left
                )


# -- the coordinator ---------------------------------------------------------------------------------------


def decision(moment: Moment, transactional_id: str, partition: str | None) -> Iterator[Link]:
    """Links about the state of an id at its coordinator, and about what its transaction waits for. ``partition``: only
    the marker of this partition counts; None: all markers count."""
    found = moment.entry_of(transactional_id)
    if found is None:
        yield from _no_coordinator(moment, transactional_id)
        return
    coordinator, entry = found
    state = entry["state"]
    yield in_force(moment, transactional_id, coordinator, entry)
    yield from newest_at_coordinator(moment, transactional_id)
    yield from not_running(moment, coordinator)
    if waits_for_markers(moment, transactional_id, coordinator, entry):
        yield from missing_marker(moment, transactional_id, coordinator, partition)
    elif entry["pending_state"] is not None:
        yield from being_written(moment, transactional_id, coordinator, entry)
    elif state == ONGOING and partition is not None and partition not in entry["partitions"]:
        yield link(
            "coordinator.not_included",
            "MRK-1",
            subject=transaction_subject(transactional_id),
            coordinator=coordinator,
            transactional_id=transactional_id,
            partition=partition,
            partitions=named(sorted(entry["partitions"])),
        )
    elif state == ONGOING:
        yield from _undecided(moment, transactional_id, coordinator, entry)
    elif state in DECIDED:
        yield from missing_marker(moment, transactional_id, coordinator, partition)
    elif partition is not None:
        yield link(
            "coordinator.over_elsewhere",
            "LOG-8",
            subject=transaction_subject(transactional_id),
            coordinator=coordinator,
            transactional_id=transactional_id,
            state=state,
            partition=partition,
        )


def waits_for_markers(moment: Moment, transactional_id: str, coordinator: str, entry: Json) -> bool:
    """Whether the transaction is decided, and its completion is not being written yet, although it is already pending
    (TXC-16)."""
    board = (moment.broker(coordinator) or {}).get("markers") or {}
    on_board = entry["state"] in DECIDED and transactional_id in (board.get("waiting") or {})
    return on_board or completion_waits(moment, transactional_id, coordinator)


def _undecided(moment: Moment, transactional_id: str, coordinator: str, entry: Json) -> Iterator[Link]:
    subject = transaction_subject(transactional_id)
    yield link(
        "coordinator.undecided",
        "TXC-14",
        subject=subject,
        coordinator=coordinator,
        transactional_id=transactional_id,
        partitions=named(sorted(entry["partitions"])),
        started_at=entry["started_at"],
    )
    until = entry["times_out_at"]
    if until is None:
        return
    left = until - moment.now
    yield link(
        "coordinator.times_out" if left > 0 else "coordinator.times_out_at_scan",
        "TXC-20",
        subject=subject,
        coordinator=coordinator,
        transactional_id=transactional_id,
        timeout=entry["timeout_ms"],
        until=until,
        left=max(left, 0),
    )


def being_written(moment: Moment, transactional_id: str, coordinator: str, entry: Json) -> Iterator[Link]:
    """Links that say why the pending state has not taken effect (TXC-5, MRK-9). There are none without a pending state,
    or if it waits for markers."""
    if entry["pending_state"] is None or waits_for_markers(moment, transactional_id, coordinator, entry):
        return
    log = moment.log_partition(transactional_id) or ""
    replica = moment.leading(log) if log in moment.part("partitions") else None
    written = replica is not None and replica["high_watermark"] >= replica["log_end"]
    # A coordinator that was elected again cancelled the completion (MRK-9).
    stalled = entry["state"] in DECIDED and written
    yield link(
        "coordinator.stalled" if stalled else "coordinator.writes",
        "MRK-9" if stalled else "TXC-5",
        subject=partition_subject(log),
        coordinator=coordinator,
        transactional_id=transactional_id,
        state=entry["state"],
        pending_state=entry["pending_state"],
        partition=log,
    )
    if log in moment.part("partitions") and not stalled:
        yield from behind(moment, log, 0 if replica is None else replica["log_end"])


def _no_coordinator(moment: Moment, transactional_id: str) -> Iterator[Link]:
    log = moment.log_partition(transactional_id)
    subject = transaction_subject(transactional_id)
    shown = None if log is None else moment.part("partitions").get(log)
    if log is None or shown is None:
        yield link("coordinator.unknown", "FND-7", subject=subject, transactional_id=transactional_id)
        return
    leader = shown["leader"]
    if leader is None:
        yield link(
            "coordinator.none", "FND-7", subject=subject, transactional_id=transactional_id, partition=log
        )
        yield from leaderless(moment, log)
        return
    coordinator = f"broker-{leader}"
    loading = (moment.part("brokers")[str(leader)].get("coordinator") or {}).get("loading") or {}
    until = loading.get(str(topic_partition(log).number))
    if until is None:
        yield link(
            "coordinator.knows_nothing",
            "TXC-22",
            subject=actor_subject(coordinator),
            coordinator=coordinator,
            transactional_id=transactional_id,
            partition=log,
        )
        yield from not_running(moment, coordinator)
        return
    yield link(
        "coordinator.loads",
        "TXC-22",
        subject=actor_subject(coordinator),
        coordinator=coordinator,
        transactional_id=transactional_id,
        partition=log,
        until=until,
        left=max(until - moment.now, 0),
    )
