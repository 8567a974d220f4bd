"""Sentences for the controller, ZooKeeper and the metadata log."""

from __future__ import annotations

from typing import Any

from engine.happenings import controller as happened
from engine.happenings.base import Happening
from engine.telling.machines import tell_row
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes, says


def _node_read(h: happened.NodeRead, teller: Teller) -> None:
    teller.say(
        "zookeeper.read" if h.data is not None else "zookeeper.read_empty",
        ("PID-3",),
        client=h.client,
        path=h.path,
        version=h.version,
        data=h.data,
    )


def _node_written(h: happened.NodeWritten, teller: Teller) -> None:
    key = "zookeeper.written"
    if not h.written:
        key = "zookeeper.write_refused"
    elif h.expected is None:
        key = "zookeeper.written_unchecked"
    elif h.before == 0:
        key = "zookeeper.first_written"
    teller.say(
        key,
        ("PID-2", "PID-3") if h.written else ("PID-2", "PID-7"),
        client=h.client,
        path=h.path,
        version=h.version,
        expected=h.expected,
        before=h.before,
        data=h.data,
    )
    if not h.written:
        compared: list[list[Any]] = [["stat version read", h.expected], ["stat version now", h.before]]
        teller.refuse("PID-3", "BAD_VERSION", compared, "refusal.broker_reads_again")


def _topic_wanted(h: happened.TopicWanted, teller: Teller) -> None:
    key = "controller.topic_known" if h.known else "controller.topic_creation_begins"
    teller.say(key, ("FND-4",), broker=h.broker, topic=h.topic, until=h.until)


def _leader_chosen(h: happened.LeaderChosen, teller: Teller) -> None:
    key = "controller.leader_moved" if h.scripted else "controller.leader_elected"
    if h.leader is None:
        key = "controller.no_leader_left"
    teller.say(
        key,
        ("LOG-10",),
        partition=h.partition,
        leader=h.leader,
        old=h.old,
        leader_epoch=h.leader_epoch,
        isr=list(h.isr),
    )


def _followers_resumed(h: happened.FollowersResumed, teller: Teller) -> None:
    teller.say(
        "fault.isr_restored" if h.replicas else "fault.nobody_to_restore",
        ("GEN-6", "LOG-7"),
        partition=h.partition,
        replicas=list(h.replicas),
        isr=list(h.isr),
    )


def _endpoint_changed(h: happened.EndpointChanged, teller: Teller) -> None:
    key = "fault.endpoint_back" if h.available else "fault.endpoint_unavailable"
    teller.say(key, ("GEN-6",), broker=h.broker)


def _registration_moved(h: happened.RegistrationMoved, teller: Teller) -> None:
    teller.say(
        row_key(h.row),
        (h.row.spec,),
        broker=h.broker,
        broker_epoch=h.broker_epoch,
        metadata_offset=h.metadata_offset,
        log_end=h.log_end,
        session=h.session_ms,
    )
    tell_row(h.row, h.broker, teller)
    if h.row.refused:
        compared: list[list[Any]] = [["broker epoch of the session", h.broker_epoch]]
        teller.refuse(h.row.spec, h.row.reply, compared, "refusal.broker_registers_later")


def _broker_epoch_stale(h: happened.BrokerEpochStale, teller: Teller) -> None:
    teller.say("quorum.broker_epoch_stale", ("FEN-6",), broker=h.broker, said=h.said, current=h.current)
    compared: list[list[Any]] = [["broker epoch", h.said], ["current broker epoch", h.current]]
    teller.refuse("FEN-6", "STALE_BROKER_EPOCH", compared, "refusal.broker_no_longer_waits")


def _no_block_left(h: happened.NoBlockLeft, teller: Teller) -> None:
    teller.say("quorum.no_block_left", ("PID-3",), broker=h.broker, start=h.start, start_max=h.start_max)
    compared: list[list[Any]] = [["next producer id", h.start], ["highest id to start from", h.start_max]]
    teller.refuse("PID-3", "UNKNOWN_SERVER_ERROR", compared, "refusal.broker_asks_again")


def _isr_altered(h: happened.IsrAltered, teller: Teller) -> None:
    grown = len(h.isr) > len(h.before)
    teller.say(
        "quorum.isr_grown" if grown else "quorum.isr_shrunk",
        ("LOG-7",),
        partition=h.partition,
        leader=h.leader,
        before=list(h.before),
        isr=list(h.isr),
        partition_epoch=h.partition_epoch,
        min_isr=h.min_isr,
    )


def _feature_level_changed(h: happened.FeatureLevelChanged, teller: Teller) -> None:
    key = "fault.feature_level_kept"
    if h.after != h.before:
        key = "fault.feature_level_raised" if h.after > h.before else "fault.feature_level_lowered"
    teller.say(key, ("GEN-6",), before=h.before, after=h.after)


TELLINGS: dict[type[Happening], Tell] = {
    happened.NodeRead: _node_read,
    happened.NodeWritten: _node_written,
    happened.TopicWanted: _topic_wanted,
    happened.TopicTooWide: says("controller.topic_too_wide", "FND-4", "CFG-4"),
    happened.TopicCreated: says("controller.topic_created", "FND-4", "CFG-4"),
    happened.TopicDeleted: says("fault.topic_deleted", "GEN-6"),
    happened.SessionEnded: says("controller.session_ended", "LOG-10"),
    happened.LeaderChosen: _leader_chosen,
    happened.IsrShrunk: notes("controller.isr_shrunk", "LOG-7"),
    happened.IsrExpanded: says("controller.isr_expanded", "LOG-7"),
    happened.IsrChangeIgnored: says("controller.isr_change_ignored", "LOG-7"),
    happened.FollowerStopped: says("fault.isr_shrunk", "GEN-6", "LOG-7"),
    happened.FollowersResumed: _followers_resumed,
    happened.CompetingWrite: says("fault.competing_write", "GEN-6", "PID-7"),
    happened.EndpointChanged: _endpoint_changed,
    happened.FeatureLevelChanged: _feature_level_changed,
    happened.FeatureLevelRefused: says("fault.feature_level_refused", "GEN-6"),
    happened.RegistrationMoved: _registration_moved,
    happened.BrokerEpochStale: _broker_epoch_stale,
    happened.HeartbeatsLost: says("fault.heartbeats_lost", "GEN-6", "FEN-6"),
    happened.HeartbeatsBack: says("fault.heartbeats_back", "GEN-6", "FEN-6"),
    happened.ControllerFailed: says("fault.controller_failed", "GEN-6"),
    happened.ControllerElected: says("quorum.controller_elected", "LOG-10"),
    happened.BlockAllocated: says("quorum.block_allocated", "PID-1", "PID-3"),
    happened.NoBlockLeft: _no_block_left,
    happened.IsrAltered: _isr_altered,
    happened.FollowerHeld: says("fault.follower_held", "GEN-6", "LOG-7"),
}
