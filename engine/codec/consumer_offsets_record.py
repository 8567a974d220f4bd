"""A record of `__consumer_offsets`: an offset that a group committed, or the group's members.

Source: Kafka's `OffsetCommitKey`, `OffsetCommitValue` (versions 0 to 4), `GroupMetadataKey` and
`GroupMetadataValue` (versions 0 to 4). The first int16 of the key is the kind of the record: 0 and 1 mean an
offset, 2 a group's metadata. Higher numbers mean records of newer group protocols (KIP-848, KIP-932,
KIP-1071), which are recognised but not read.
"""

from dataclasses import dataclass
from typing import NamedTuple

from engine.codec.damage import DamageKind, damaged
from engine.codec.field_cursor import FieldCursor

OFFSET_KEY_MAX = 1
GROUP_KEY = 2
VALUE_VERSION_MAX = 4
_FIRST_COMPACT = 4
_EXPIRING = 1
"""The only version of an offset that has an expiry time."""


class OffsetKey(NamedTuple):
    """The key of a committed offset: group and topic-partition."""

    group: str
    topic: str
    partition: int


class GroupKey(NamedTuple):
    """The key of a group's metadata."""

    group: str


class OtherKey(NamedTuple):
    """A key of a newer group protocol."""

    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedOffset:
    """A committed offset. Times are milliseconds since 1970."""

    version: int
    offset: int
    leader_epoch: int
    """The leader epoch of the last consumed record; -1 when none was given."""
    metadata: str
    commit_ms: int
    expire_ms: int
    """The time at which the offset expires; -1 when the broker's own retention applies."""


class Member(NamedTuple):
    """One member of a group. Its subscription and assignment are in the client's own format, which is not read."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    subscription: bytes | None
    assignment: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMetadata:
    """A group of the classic protocol."""

    version: int
    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    state_ms: int
    """The time at which the group entered its state, in milliseconds since 1970; -1 when the record has
    none."""
    members: tuple[Member, ...]


def decode_key(data: bytes) -> OffsetKey | GroupKey | OtherKey:
    """Decode the key of a record. Raises DamagedError."""
    cursor = FieldCursor(data)
    version = cursor.int16()
    if version < 0:
        raise damaged(DamageKind.VERSION, 0, "≥ 0", version)
    if version > GROUP_KEY:
        return OtherKey(version)
    key: OffsetKey | GroupKey
    if version == GROUP_KEY:
        key = GroupKey(cursor.text())
    else:
        key = OffsetKey(cursor.text(), cursor.text(), cursor.int32())
    cursor.end()
    return key


def decode_offset(data: bytes) -> CommittedOffset:
    """Decode the value of a record whose key is an OffsetKey. Raises DamagedError."""
    cursor, version, compact = _begin(data)
    offset = cursor.int64()
    leader_epoch = cursor.int32() if version >= 3 else -1
    metadata = cursor.text(compact=compact)
    commit_ms = cursor.int64()
    expire_ms = cursor.int64() if version == _EXPIRING else -1
    _end(cursor, compact=compact)
    return CommittedOffset(
        version=version,
        offset=offset,
        leader_epoch=leader_epoch,
        metadata=metadata,
        commit_ms=commit_ms,
        expire_ms=expire_ms,
    )


def decode_group(data: bytes) -> GroupMetadata:
    """Decode the value of a record whose key is a GroupKey. Raises DamagedError."""
    cursor, version, compact = _begin(data)
    protocol_type, generation = cursor.text(compact=compact), cursor.int32()
    protocol, leader = cursor.optional_text(compact=compact), cursor.optional_text(compact=compact)
    state_ms = cursor.int64() if version >= 2 else -1
    members = tuple(_member(cursor, version, compact=compact) for _ in range(cursor.count(compact=compact)))
    _end(cursor, compact=compact)
    return GroupMetadata(
        version=version,
        protocol_type=protocol_type,
        generation=generation,
        protocol=protocol,
        leader=leader,
        state_ms=state_ms,
        members=members,
    )


def _member(cursor: FieldCursor, version: int, *, compact: bool) -> Member:
    member_id = cursor.text(compact=compact)
    instance_id = cursor.optional_text(compact=compact) if version >= 3 else None
    client_id, client_host = cursor.text(compact=compact), cursor.text(compact=compact)
    rebalance_timeout_ms = cursor.int32() if version >= 1 else -1
    session_timeout_ms = cursor.int32()
    subscription = cursor.optional_bytes(compact=compact)
    assignment = cursor.optional_bytes(compact=compact)
    if compact:
        cursor.tagged_fields()
    timeouts = (rebalance_timeout_ms, session_timeout_ms)
    return Member(member_id, instance_id, client_id, client_host, *timeouts, subscription, assignment)


def _begin(data: bytes) -> tuple[FieldCursor, int, bool]:
    cursor = FieldCursor(data)
    version = cursor.int16()
    if not 0 <= version <= VALUE_VERSION_MAX:
        raise damaged(DamageKind.VERSION, 0, f"0..{VALUE_VERSION_MAX}", version)
    return cursor, version, version >= _FIRST_COMPACT


def _end(cursor: FieldCursor, *, compact: bool) -> None:
    if compact:
        cursor.tagged_fields()
    cursor.end()
