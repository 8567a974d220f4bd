"""What is said about replication: the step of a fetch, and notes beside other steps (LOG-7, LOG-10)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.broker.replica import Replica
from engine.broker.replication import Taken
from engine.watching import Watch


def say_taken(watch: Watch, broker: str, replica: Replica, taken: Taken, log_end_before: int) -> None:
    """One sentence for each thing that an answer of the leader did at a follower."""
    if not watch.recording:
        if watch.said is None:
            watch.said = _main_key(taken)
        return
    log = replica.log
    known = {"broker": broker, "partition": replica.partition, "leader": f"broker-{replica.leader}"}
    say = watch.say
    if taken.cut_to is not None:
        epoch = replica.leader_epoch
        say(
            "broker.replica_truncated",
            ("LOG-10",),
            to=taken.cut_to,
            log_end=log_end_before,
            leader_epoch=epoch,
            **known,
        )
    if taken.started_over_at is not None:
        say("broker.replica_started_over", ("LOG-11",), offset=taken.started_over_at, **known)
    if taken.copied:
        say(
            "broker.replica_fetched",
            ("LOG-7",),
            batch_count=taken.copied,
            first_offset=log_end_before if taken.started_over_at is None else log.log_start,
            log_end=log.log_end,
            high_watermark=log.high_watermark,
            **known,
        )
    if taken.log_start_raised:
        say("broker.log_start_follows", ("LOG-11",), log_start=log.log_start, **known)
    if taken.producers_forgotten:
        key = "broker.producers_deleted_with_head"
        say_forgotten(watch, broker, key, replica, taken.producers_forgotten, ("LOG-11",))
    if taken.high_watermark_moved and not taken.copied:
        say(
            "broker.replica_learned_high_watermark",
            ("LOG-7",),
            high_watermark=log.high_watermark,
            **known,
        )


def _main_key(taken: Taken) -> str | None:
    """The step's sentence when nobody reads the numbers."""
    if taken.cut_to is not None:
        return "broker.replica_truncated"
    if taken.started_over_at is not None:
        return "broker.replica_started_over"
    if taken.copied:
        return "broker.replica_fetched"
    if taken.log_start_raised:
        return "broker.log_start_follows"
    return "broker.replica_learned_high_watermark" if taken.high_watermark_moved else None


def say_forgotten(
    watch: Watch, broker: str, key: str, replica: Replica, gone: Sequence[int], rules: tuple[str, ...]
) -> None:
    watch.say(key, rules, broker=broker, partition=replica.partition, producer_ids=sorted(gone))


def say_high_watermark(watch: Watch, broker: str, replica: Replica, follower: int) -> None:
    if watch.recording:
        watch.say(
            "broker.high_watermark_advanced",
            ("LOG-7",),
            broker=broker,
            partition=replica.partition,
            replica=f"broker-{follower}",
            high_watermark=replica.log.high_watermark,
            log_end=replica.log.log_end,
        )
    elif watch.said is None:
        watch.said = "broker.high_watermark_advanced"


def note_high_watermark(watch: Watch, broker: str, replica: Replica) -> None:
    watch.note(
        "broker.high_watermark_follows_isr",
        ("LOG-7",),
        broker=broker,
        partition=replica.partition,
        high_watermark=replica.log.high_watermark,
        in_sync=len(replica.isr),
    )
