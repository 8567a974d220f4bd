"""Answers why a stored batch is not replicated yet: with the in-sync replicas that do not have it (LOG-7)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.why.links import NAMED_MAX, Json, Link, actor_subject, link, partition_subject, when_due
from engine.why.moment import Moment


def leaderless(moment: Moment, partition: str) -> Iterator[Link]:
    """Links that say why a partition has no leader: it was deleted, or its in-sync replicas do not run."""
    shown = moment.named("partitions", partition)
    replicas = [f"broker-{replica}" for replica in shown["replica_order"]]
    if shown["deleted"]:
        yield link("partition_deleted", "MRK-2", subject=partition_subject(partition), partition=partition)
        return
    isr = [f"broker-{replica}" for replica in shown["isr"]]
    yield link(
        "no_leader",
        "LOG-10",
        subject=partition_subject(partition),
        partition=partition,
        brokers=replicas,
        in_sync=isr,
    )
    for name in isr[:NAMED_MAX]:
        yield from not_running(moment, name)


def not_running(moment: Moment, actor: str) -> Iterator[Link]:
    """A link if a client, a consumer, a broker or a participant is down, paused or starting; otherwise none."""
    shown = moment.actor(actor) or moment.participant(actor)
    if shown is None:
        return
    subject = actor_subject(actor)
    if not shown["alive"]:
        number = actor.removeprefix("broker-")
        session = (moment.part("zookeeper").get("sessions") or {}).get(number)
        registration = (moment.part("quorum").get("brokers") or {}).get(number)
        known = session or registration
        until = None if known is None else known["expires_at"]
        if until is not None and until > moment.now:
            left = until - moment.now
            kind = "broker_down_session" if registration is None else "broker_down_registered"
            yield link(kind, "FEN-6", subject=subject, actor=actor, until=until, left=left)
        else:
            yield link("actor_down", "GEN-6", subject=subject, actor=actor)
    elif shown["paused"]:
        yield link("actor_paused", "GEN-6", subject=subject, actor=actor)
    elif shown.get("starting"):
        kind = "broker_registers" if "lifecycle" in shown else "broker_starting"
        yield link(kind, "PID-6" if kind == "broker_starting" else "FEN-6", subject=subject, actor=actor)


def behind(moment: Moment, partition: str, offset: int) -> Iterator[Link]:
    """Links about the in-sync replicas that lack records below ``offset``. If no replica lacks them: a link that the
    leader does not know that yet."""
    shown = moment.named("partitions", partition)
    if moment.leading(partition) is None:
        yield from leaderless(moment, partition)
        return
    replicas: Json = shown["replicas"]
    late = [
        replica
        for replica in shown["isr"]
        if replica != shown["leader"] and replicas.get(str(replica), {}).get("log_end", 0) < offset
    ]
    yield from short_of_replicas(moment, partition)
    for replica in late[:NAMED_MAX]:
        actor = f"broker-{replica}"
        end = replicas.get(str(replica), {}).get("log_end", 0)
        yield link(
            "follower_behind",
            "LOG-7",
            subject=actor_subject(actor),
            actor=actor,
            partition=partition,
            log_end=end,
            offset=offset,
        )
        yield from not_running(moment, actor)
    # While too few replicas are in sync, the leader may know it: since 3.7 its high watermark then stays.
    is_short = len(shown["isr"]) < shown["min_isr"]
    if not late and not is_short and _high_watermark(moment, partition) < offset:
        leader = f"broker-{shown['leader']}"
        learns = link(
            "leader_learns_later",
            "LOG-7",
            subject=partition_subject(partition),
            partition=partition,
            leader=leader,
            offset=offset,
        )
        yield from list(not_running(moment, leader)) or [learns]
    fetch = _next_fetch(moment, partition)
    if fetch is not None:
        yield _fetch_comes(moment, fetch, partition)


def short_of_replicas(moment: Moment, partition: str) -> Iterator[Link]:
    """A link if too few replicas are in sync, so that an append with acks=all fails."""
    shown = moment.named("partitions", partition)
    if len(shown["isr"]) < shown["min_isr"]:
        yield link(
            "too_few_in_sync",
            "LOG-2",
            subject=partition_subject(partition),
            partition=partition,
            in_sync=len(shown["isr"]),
            needed=shown["min_isr"],
        )


def _high_watermark(moment: Moment, partition: str) -> int:
    replica = moment.leading(partition)
    return 0 if replica is None else int(replica["high_watermark"])


def _fetch_comes(moment: Moment, fetch: Json, partition: str) -> Link:
    left = fetch["at"] - moment.now
    actor = fetch["actor"]
    subject = actor_subject(actor)
    return link(
        "next.fetch",
        "LOG-7",
        subject=subject,
        actor=actor,
        partition=partition,
        at=fetch["at"],
        when=when_due(left),
    )


def _next_fetch(moment: Moment, partition: str) -> Json | None:
    for event in moment.waiting_events():
        if event["what"] == f"fetch {partition}":
            return event
    return None
