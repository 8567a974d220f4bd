"""The group coordinator of one broker, limited to offsets (section 14 of the specification).

Owns the groups whose ``__consumer_offsets`` partitions this broker leads, the checks of a commit, and every
change of a group's offsets. It knows no connections and no logs: ``outbox`` holds its responses and the
batches to write, and its host calls ``written`` and ``on_marker`` with the results.

Joining is not simulated: the members and the generation of a group are initial state, and the group's log
partition contains them. When a member leaves, the others are in the next generation at once; Kafka waits until
they have joined again (``onCompleteJoin``). The checks of a commit are those of ``GroupCoordinator.doCommitOffsets``
and ``doTxnCommitOffsets``. Before KIP-447 a TxnOffsetCommit names no member, and no member is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from engine.coordinator.group_log import batch_of, loaded_groups, members_batch
from engine.coordinator.group_offsets import Group, GroupMembers, Moved
from engine.coordinator.log_owner import LogOwner
from engine.errors import Error
from engine.events import OffsetsEnded, OffsetsPending, PlaceKept
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.groups import (
    CommitArrived,
    MemberLeft,
    MemberWasGone,
    OffsetMoved,
    OffsetsReturned,
    OffsetsUnstable,
    OffsetsVisible,
    SentAway,
    TransactionCommitArrived,
)
from engine.happenings.requests import RequestRefused
from engine.messages import (
    NO_OFFSET,
    NO_PRODUCER_ID,
    CommittedOffset,
    LeaveGroupRequest,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetFetchResponse,
    RecordBatch,
    TxnOffsetCommitRequest,
)
from engine.profile import Profile
from engine.rules import Rule, refusal
from engine.value import value
from engine.watching import Watch

Commit = TxnOffsetCommitRequest | OffsetCommitRequest


@value
class CommitAnswer:
    """Effect: respond to a commit, with an error (or NONE) for each of its partitions. ``to``: the object with
    which the host identifies the request."""

    to: object
    errors: dict[str, Error]


@value
class WriteOffsets:
    """Effect: append this batch to the group's log partition. When the append has ended, the host calls
    ``written(token, error, base_offset)``."""

    token: int
    group_id: str
    batch: RecordBatch


@dataclass(slots=True)
class _Writing:
    """An append that has not ended. ``offsets``: the offsets of the commit that is appended; empty: the
    group's members are appended."""

    to: object
    group: Group
    offsets: dict[str, CommittedOffset]
    producer_id: int
    producer_epoch: int


class Committing(NamedTuple):
    """A commit and its group: the values that the rules about the commit read (OFS-2)."""

    group: Group
    request: Commit


def instance_replaced(committing: Committing) -> bool:
    """The request comes from a static member that another member has replaced."""
    group, request = committing
    instance = request.group_instance_id
    if instance is None or instance not in group.members.values():
        return False
    return group.members.get(request.member_id) != instance


def member_unknown(committing: Committing) -> bool:
    """The commit names a member that the group does not have. A TxnOffsetCommit may leave the member out."""
    group, request = committing
    if isinstance(request, OffsetCommitRequest):
        return not _merely_keeps_offsets(group, request) and request.member_id not in group.members
    return bool(request.member_id) and request.member_id not in group.members


def generation_differs(committing: Committing) -> bool:
    group, request = committing
    if isinstance(request, OffsetCommitRequest):
        return not _merely_keeps_offsets(group, request) and request.generation_id != group.generation
    return request.generation_id >= 0 and request.generation_id != group.generation


def _merely_keeps_offsets(group: Group, request: OffsetCommitRequest) -> bool:
    return request.generation_id < 0 and not group.members


def _member_rule(when: Callable[[Committing], bool], answer: Error, why: Reason) -> Rule[Committing]:
    return Rule(
        when=when,
        answer=answer,
        spec="OFS-2",
        why=why,
        then=Next.GROUP_IS_REFUSED,
        says=("broker", "group", "member", "generation", "current", "error"),
        compares=(
            (Compared.MEMBER, "member"),
            (Compared.MEMBERS, "members"),
            (Compared.GENERATION, "generation"),
            (Compared.CURRENT_GENERATION, "current"),
        ),
    )


MEMBER_RULES = (
    _member_rule(instance_replaced, Error.FENCED_INSTANCE_ID, Reason.INSTANCE_REPLACED),
    _member_rule(member_unknown, Error.UNKNOWN_MEMBER_ID, Reason.MEMBER_UNKNOWN),
    _member_rule(generation_differs, Error.ILLEGAL_GENERATION, Reason.GENERATION_DIFFERS),
)


class GroupCoordinator(LogOwner[_Writing]):
    """The group coordinator of one broker. ``partition_count``: the number of partitions of
    ``__consumer_offsets``. Times are virtual ms."""

    def __init__(self, name: str, *, profile: Profile, watch: Watch, partition_count: int = 50) -> None:
        super().__init__(partition_count)
        self.name = name
        self.asks_members_always = profile.offsets_name_member
        """Whether a TxnOffsetCommit names its member, too, so that the member is checked (KIP-447)."""
        self.watch = watch
        self.groups: dict[str, Group] = {}
        self.outbox: list[CommitAnswer | WriteOffsets] = []

    # -- the groups of this coordinator ----------------------------------------------------------------

    def forget(self, partition: int) -> None:
        """Forget the groups of this partition, because another broker coordinates them or their log will be
        read anew."""
        for group_id in [name for name in self.groups if self.partition_of(name) == partition]:
            del self.groups[group_id]

    def elect(
        self, partition: int, batches: Iterable[RecordBatch], coordinator_epoch: int = 0
    ) -> list[Group]:
        """Serve a partition whose log was read: set the visible and the pending offsets of every group from
        it (OFS-5). Returns the groups."""
        self.own(partition, coordinator_epoch)
        found = loaded_groups(batches)
        self.groups.update(found)
        return list(found.values())

    def group(self, group_id: str) -> Group:
        """The group; an empty one is created on first use."""
        found = self.groups.get(group_id)
        if found is None:
            found = self.groups[group_id] = Group(group_id)
        return found

    # -- commits ---------------------------------------------------------------------------------------

    def commit(self, to: object, request: Commit, now: int) -> None:
        """Handle OffsetCommit or TxnOffsetCommit. The offsets of a TxnOffsetCommit wait for the marker of its
        transaction (OFS-3). ``to``: the object with which the host identifies the request; the
        :class:`CommitAnswer` carries it."""
        error = self.lookup(request.group_id)
        if error is not Error.NONE:
            self._sent_away(request, error)
            self._answer(to, request.offsets, error)
            return
        group = self.group(request.group_id)
        plain = isinstance(request, OffsetCommitRequest)
        if plain or self.asks_members_always:
            rule = refusal(MEMBER_RULES, Committing(group, request))
            if rule is not None:
                self._emit_refused(group, request, rule)
                self._answer(to, request.offsets, rule.answer)
                return
        producer_id, epoch = NO_PRODUCER_ID, -1
        if isinstance(request, TxnOffsetCommitRequest):
            producer_id, epoch = request.producer_id, request.producer_epoch
        self._emit_arrived(request, producer_id, epoch)
        if producer_id == NO_PRODUCER_ID:
            group.stage(request.offsets)
        else:
            self._emit_moves(group, producer_id, group.stage_pending(producer_id, request.offsets))
        token = self.begin_write(_Writing(to, group, dict(request.offsets), producer_id, epoch))
        batch = batch_of(request.group_id, request.offsets, now, producer_id, epoch)
        self.outbox.append(WriteOffsets(token=token, group_id=request.group_id, batch=batch))

    def written(self, token: int, error: Error, base_offset: int) -> None:
        """Handle the end of an append: apply the commit's offsets or drop them, and respond. If a group's
        members were appended, nothing happens. ``base_offset``: the offset of the batch in the log
        (OFS-3)."""
        writing, answer = self.end_write(token, error)
        if not writing.offsets:
            return
        group, offsets, producer_id = writing.group, writing.offsets, writing.producer_id
        if self.groups.get(group.name) is not group:
            # Another coordinator, or this one after a new election, reads the group from the log.
            answer = Error.NOT_COORDINATOR if answer is Error.NONE else answer
        elif answer is Error.NONE:
            self._placed(group, offsets, producer_id, writing.producer_epoch, base_offset)
        elif producer_id != NO_PRODUCER_ID:
            self._emit_moves(group, producer_id, group.fail_pending(producer_id, offsets))
        else:
            for partition, offset in offsets.items():
                group.failed(partition, offset)
        self._answer(writing.to, offsets, answer)

    def _placed(
        self,
        group: Group,
        offsets: dict[str, CommittedOffset],
        producer_id: int,
        producer_epoch: int,
        base_offset: int,
    ) -> None:
        if producer_id != NO_PRODUCER_ID:
            self._emit_moves(group, producer_id, group.place_pending(producer_id, offsets, base_offset))
            self._emit_pending(group, offsets, producer_id, producer_epoch)
            return
        for partition, offset in offsets.items():
            group.placed(partition, offset, base_offset)
            self.watch.emit(
                PlaceKept, keeper=f"group {group.name}", partition=partition, offset=offset.offset
            )
        self.watch.emit(OffsetsVisible, self.name, group.name, tuple(offsets))

    def _emit_pending(
        self, group: Group, offsets: dict[str, CommittedOffset], producer_id: int, producer_epoch: int
    ) -> None:
        for partition, offset in offsets.items():
            self.watch.emit(
                OffsetsPending,
                group=group.name,
                partition=partition,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                offset=offset.offset,
            )

    def _emit_ended(self, group: Group, producer_id: int, moves: list[Moved], committed: bool) -> None:
        for moved in moves:
            self.watch.emit(
                OffsetsEnded,
                group=group.name,
                partition=moved.partition,
                producer_id=producer_id,
                offset=moved.offset,
                visible=committed and not moved.failed,
            )

    def on_marker(self, partition: int, producer_id: int, committed: bool) -> list[Group]:
        """Commit or drop the pending offsets of a transaction whose marker was written to a partition of the
        offsets log (OFS-4, MRK-7). Returns the groups whose pending offsets it decided."""
        if partition not in self.owned:
            return []
        decided = []
        for group in self.groups.values():
            if producer_id in group.pending and self.partition_of(group.name) == partition:
                moves = group.end(producer_id, committed)
                self._emit_moves(group, producer_id, moves)
                self._emit_ended(group, producer_id, moves, committed)
                decided.append(group)
        return decided

    # -- members ---------------------------------------------------------------------------------------

    def leave(self, request: LeaveGroupRequest) -> Error:
        """Remove a member. The generation rises, so commits of the former generation are refused (OFS-2)."""
        error = self.lookup(request.group_id)
        if error is not Error.NONE:
            self._sent_away(request, error)
            return error
        group = self.group(request.group_id)
        member = request.member_id
        if member not in group.members:
            self.watch.emit(MemberWasGone, self.name, group.name, member)
            return Error.UNKNOWN_MEMBER_ID
        del group.members[member]
        group.generation += 1
        self.watch.emit(MemberLeft, self.name, group.name, member, group.generation, tuple(group.members))
        token = self.begin_write(_Writing(None, group, {}, NO_PRODUCER_ID, -1))
        batch = members_batch(group.name, GroupMembers(group.generation, dict(group.members)))
        self.outbox.append(WriteOffsets(token=token, group_id=group.name, batch=batch))
        return Error.NONE

    # -- asking ----------------------------------------------------------------------------------------

    def fetch(self, request: OffsetFetchRequest) -> OffsetFetchResponse:
        """Respond to OffsetFetch with the visible offsets (CON-9). With ``require_stable``, an offset that a
        pending commit may change gets UNSTABLE_OFFSET_COMMIT."""
        error = self.lookup(request.group_id)
        if error is not Error.NONE:
            self._sent_away(request, error)
            return OffsetFetchResponse(error=error, offsets={})
        group = self.groups.get(request.group_id) or Group(request.group_id)
        unstable = {
            partition: Error.UNSTABLE_OFFSET_COMMIT
            for partition in request.partitions
            if request.require_stable and group.is_unstable(partition)
        }
        offsets = {partition: group.committed(partition) for partition in request.partitions}
        if unstable:
            offsets.update(dict.fromkeys(unstable, -1))
            producers = tuple(sorted(group.pending))
            self.watch.emit(OffsetsUnstable, tuple(unstable), self.name, request.group_id, producers)
        else:
            self.watch.emit(OffsetsReturned, tuple(offsets.items()), self.name, request.group_id)
        known = {
            partition: group.visible[partition].offset
            for partition in request.partitions
            if partition in group.visible and partition not in unstable
        }
        return OffsetFetchResponse(
            error=Error.NONE, offsets=offsets, errors=unstable or None, committed=known
        )

    # -- answering ------------------------------------------------------------------------------------

    def _answer(self, to: object, partitions: Iterable[str], error: Error) -> None:
        self.outbox.append(CommitAnswer(to=to, errors=dict.fromkeys(partitions, error)))

    def _emit_arrived(self, request: Commit, producer_id: int, producer_epoch: int) -> None:
        offsets = tuple((name, offset.offset) for name, offset in request.offsets.items())
        if producer_id == NO_PRODUCER_ID:
            self.watch.emit(CommitArrived, self.name, request.group_id, offsets)
        else:
            self.watch.emit(
                TransactionCommitArrived, producer_id, producer_epoch, self.name, request.group_id, offsets
            )

    def _emit_moves(self, group: Group, producer_id: int, moves: list[Moved]) -> None:
        if not self.watch.hears(OffsetMoved):
            return
        for moved in moves:
            visible = group.committed(moved.partition)
            self.watch.emit(
                OffsetMoved,
                self.name,
                group.name,
                moved.partition,
                producer_id,
                moved.offset,
                moved.position,
                None if visible == NO_OFFSET else visible,
                moved.row,
            )

    def _sent_away(self, request: Commit | OffsetFetchRequest | LeaveGroupRequest, error: Error) -> None:
        number = self.partition_of(request.group_id)
        self.watch.emit(SentAway, self.name, request.group_id, request.api, error, number)

    def _emit_refused(self, group: Group, request: Commit, rule: Rule[Committing]) -> None:
        facts = {
            "broker": self.name,
            "group": group.name,
            "member": request.member_id or None,
            "members": ", ".join(group.members) or None,
            "generation": request.generation_id,
            "current": group.generation,
            "error": rule.answer.name,
        }
        self.watch.emit(RequestRefused, rule, facts)
