"""The group coordinator: which commits it refuses, what changes when a commit has been appended, and what it loads
from the log (OFS-2 to OFS-5).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.coordinator.group_coordinator import CommitAnswer, GroupCoordinator, WriteOffsets
from engine.coordinator.group_log import members_batch
from engine.coordinator.group_offsets import Group, GroupMembers
from engine.coordinator.group_states import PENDING_OFFSET
from engine.errors import Error
from engine.explain.sentences import catalogue
from engine.java_hash import partition_for
from engine.messages import (
    CommittedOffset,
    OffsetCommitRequest,
    OffsetFetchRequest,
    RecordBatch,
    TxnOffsetCommitRequest,
)
from engine.profile import Profile
from engine.profiles import K20, K28
from engine.telling.rows import row_key
from engine.watching import Watch
from tests.engine.narrowing import of

GROUP = "g"
NUMBER = partition_for(GROUP, 50)


class Stage:
    """A coordinator that leads the group's partition, and a list of the batches that it wrote."""

    def __init__(self, elected: bool = True, profile: Profile = K28) -> None:
        self.coordinator = GroupCoordinator("broker-1", profile=profile, watch=Watch())
        self.log: list[RecordBatch] = []
        if elected:
            self.coordinator.elect(NUMBER, [])

    def commit(
        self, offset: int, *, producer_id: int | None = None, partition: str = "t-0", **member: Any
    ) -> CommitAnswer | WriteOffsets:
        request: OffsetCommitRequest | TxnOffsetCommitRequest
        offsets = {partition: CommittedOffset(offset=offset)}
        if producer_id is None:
            request = OffsetCommitRequest(group_id=GROUP, offsets=offsets, **member)
        else:
            request = TxnOffsetCommitRequest(
                transactional_id="x",
                group_id=GROUP,
                producer_id=producer_id,
                producer_epoch=0,
                offsets=offsets,
                **member,
            )
        self.coordinator.commit("asker", request, 0)
        (effect,) = self.coordinator.outbox
        self.coordinator.outbox.clear()
        return effect

    def refused(self, offset: int, **named: Any) -> dict[str, Error]:
        """Return the errors of a commit to which the coordinator responds at once."""
        return of(CommitAnswer, self.commit(offset, **named)).errors

    def written(self, effect: CommitAnswer | WriteOffsets, error: Error = Error.NONE) -> Error:
        assert isinstance(effect, WriteOffsets)
        position = len(self.log)
        if error is Error.NONE:
            self.log.append(replace(effect.batch, base_offset=position))
        self.coordinator.written(effect.token, error, position)
        (answer,) = self.coordinator.outbox
        self.coordinator.outbox.clear()
        return of(CommitAnswer, answer).errors["t-0"]

    def mark(self, producer_id: int, kind: str) -> None:
        self.log.append(
            RecordBatch(
                record_count=1,
                last_offset_delta=0,
                producer_id=producer_id,
                is_transactional=True,
                is_control=True,
                control_type=kind,
                base_offset=len(self.log),
            )
        )
        self.coordinator.on_marker(NUMBER, producer_id, kind == "COMMIT")

    def fetched(self, *, stable: bool = False) -> tuple[int | None, Error, Error]:
        request = OffsetFetchRequest(group_id=GROUP, partitions=("t-0",), require_stable=stable)
        answer = self.coordinator.fetch(request)
        return answer.offsets.get("t-0"), answer.error, (answer.errors or {}).get("t-0", Error.NONE)


def test_a_plain_commit_is_visible_once_it_is_in_the_log() -> None:
    stage = Stage()
    effect = stage.commit(5)
    assert isinstance(effect, WriteOffsets)
    assert stage.fetched() == (-1, Error.NONE, Error.NONE)
    assert stage.written(effect) is Error.NONE
    assert stage.fetched() == (5, Error.NONE, Error.NONE)


def test_a_transaction_s_offset_waits_for_its_marker() -> None:
    stage = Stage()
    stage.written(stage.commit(5))
    stage.written(stage.commit(8, producer_id=1))
    assert stage.fetched() == (5, Error.NONE, Error.NONE)
    assert stage.fetched(stable=True) == (-1, Error.NONE, Error.UNSTABLE_OFFSET_COMMIT)
    stage.mark(1, "COMMIT")
    assert stage.fetched(stable=True) == (8, Error.NONE, Error.NONE)
    stage.written(stage.commit(9, producer_id=1))
    stage.mark(1, "ABORT")
    assert stage.fetched(stable=True) == (8, Error.NONE, Error.NONE)


@pytest.mark.parametrize(
    ("log_error", "answer"),
    [
        (Error.NOT_ENOUGH_REPLICAS, Error.COORDINATOR_NOT_AVAILABLE),
        (Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Error.COORDINATOR_NOT_AVAILABLE),
        (Error.NOT_LEADER_OR_FOLLOWER, Error.NOT_COORDINATOR),
        (Error.KAFKA_STORAGE_ERROR, Error.NOT_COORDINATOR),
        (Error.INVALID_PRODUCER_EPOCH, Error.INVALID_PRODUCER_EPOCH),
        (Error.REQUEST_TIMED_OUT, Error.REQUEST_TIMED_OUT),
    ],
)
@pytest.mark.parametrize("producer_id", [None, 1])
def test_a_failed_append_leaves_nothing_pending_and_says_what_it_means(
    log_error: Error, answer: Error, producer_id: int | None
) -> None:
    stage = Stage()
    assert stage.written(stage.commit(5, producer_id=producer_id), log_error) is answer
    assert stage.fetched(stable=True) == (-1, Error.NONE, Error.NONE)


def test_another_broker_s_group_and_one_that_is_being_read_are_sent_away() -> None:
    stage = Stage(elected=False)
    assert stage.commit(5) == CommitAnswer(to="asker", errors={"t-0": Error.NOT_COORDINATOR})
    assert stage.fetched()[1] is Error.NOT_COORDINATOR
    stage.coordinator.begin_loading(NUMBER)
    assert stage.refused(5) == {"t-0": Error.COORDINATOR_LOAD_IN_PROGRESS}
    assert stage.fetched()[1] is Error.COORDINATOR_LOAD_IN_PROGRESS


@pytest.mark.parametrize("producer_id", [None, 1])
def test_members_and_generations_are_compared_when_they_are_named(producer_id: int | None) -> None:
    stage = Stage()
    group = stage.coordinator.group(GROUP)
    group.generation, group.members = 3, {"m-2": "instance", "m-1": None}
    named: dict[str, Any] = {"producer_id": producer_id}
    assert stage.refused(5, member_id="m-9", **named) == {"t-0": Error.UNKNOWN_MEMBER_ID}
    assert stage.refused(5, member_id="m-1", generation_id=2, **named) == {"t-0": Error.ILLEGAL_GENERATION}
    assert isinstance(stage.commit(5, member_id="m-1", generation_id=3, **named), WriteOffsets)


def test_a_replaced_static_member_is_fenced_and_a_nameless_commit_needs_a_transaction() -> None:
    stage = Stage()
    stage.coordinator.group(GROUP).members = {"m-2": "instance"}
    refused = stage.refused(5, producer_id=1, member_id="m-1", group_instance_id="instance")
    assert refused == {"t-0": Error.FENCED_INSTANCE_ID}
    assert isinstance(stage.commit(5, producer_id=1), WriteOffsets)
    assert stage.refused(5) == {"t-0": Error.UNKNOWN_MEMBER_ID}


def test_before_kip_447_a_transaction_is_not_asked_who_commits() -> None:
    stage = Stage(profile=K20)
    stage.coordinator.group(GROUP).members = {"m-1": None}
    assert isinstance(stage.commit(5, producer_id=1, member_id="m-9", generation_id=7), WriteOffsets)
    assert stage.refused(5, member_id="m-9") == {"t-0": Error.UNKNOWN_MEMBER_ID}


def test_a_group_without_members_merely_keeps_offsets() -> None:
    stage = Stage()
    assert isinstance(stage.commit(5, member_id="m-9"), WriteOffsets)
    assert stage.refused(6, member_id="m-9", generation_id=0) == {"t-0": Error.UNKNOWN_MEMBER_ID}


def test_a_member_commits_outside_a_transaction_only_with_its_generation() -> None:
    stage = Stage()
    group = stage.coordinator.group(GROUP)
    group.generation, group.members = 3, {"m-1": None}
    assert stage.refused(5, member_id="m-1") == {"t-0": Error.ILLEGAL_GENERATION}
    assert isinstance(stage.commit(5, member_id="m-1", generation_id=3), WriteOffsets)


def test_a_successor_knows_the_members_from_the_log() -> None:
    stage = Stage()
    found = GroupMembers(3, {"m-1": "host-1"})
    (group,) = stage.coordinator.elect(NUMBER, [members_batch(GROUP, found)])
    assert (group.generation, group.members) == (3, {"m-1": "host-1"})


def test_a_successor_knows_from_the_log_what_is_visible_and_what_is_pending() -> None:
    stage = Stage()
    stage.written(stage.commit(5))
    stage.written(stage.commit(7, producer_id=1))
    stage.written(stage.commit(9, producer_id=2))
    stage.mark(2, "ABORT")
    successor = Stage(elected=False)
    successor.coordinator.elect(NUMBER, stage.log)
    old, new = stage.coordinator.groups[GROUP], successor.coordinator.groups[GROUP]
    assert (new.visible, new.pending) == (old.visible, old.pending)
    successor.log = list(stage.log)
    successor.mark(1, "COMMIT")
    assert successor.fetched(stable=True) == (7, Error.NONE, Error.NONE)


def test_an_append_that_ends_after_the_group_moved_away_is_not_counted() -> None:
    stage = Stage()
    effect = stage.commit(5)
    stage.coordinator.resign(NUMBER)
    assert stage.written(effect) is Error.NOT_COORDINATOR
    assert stage.coordinator.groups == {}


def test_a_marker_of_another_partition_decides_nothing() -> None:
    stage = Stage()
    stage.written(stage.commit(5, producer_id=1))
    assert stage.coordinator.on_marker(NUMBER + 1, 1, True) == []
    assert stage.fetched(stable=True)[2] is Error.UNSTABLE_OFFSET_COMMIT


def test_every_row_says_why_in_both_languages() -> None:
    for row in PENDING_OFFSET.rows:
        assert catalogue()[row_key(row)].text("zh-Hans"), row


def test_a_record_that_no_staged_commit_waits_for_changes_nothing() -> None:
    """The partition's commit was replaced and answered before (``GroupMetadata.onOffsetCommitAppend``)."""
    group = Group("g")
    first, second = CommittedOffset(offset=5), CommittedOffset(offset=6)
    group.stage({"t-0": first})
    group.stage({"t-0": second})
    group.placed("t-0", second, 10)
    assert (group.committed("t-0"), group.staged) == (6, {})
    group.placed("t-0", first, 11)
    assert group.committed("t-0") == 6
