"""The versions of the engine's brokers that play a recording of Kafka 4.1, and the fields that a recording does not
determine.

Each recording is played in ``k41`` at its own level of ``transaction.version``. Recordings at level 0, where
3.9 has the same protocol, are also played in ``k39``. The first difference is reported with the fields of the
profile that cause it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace

from engine.profile import Profile
from engine.profiles import K39, K41


@dataclass(frozen=True, slots=True)
class Generation:
    """A broker that plays a recording: its version, and its cluster's level of ``transaction.version``."""

    profile: Profile
    level: int

    @property
    def name(self) -> str:
        return f"{self.profile.version} at transaction.version {self.level}"


def recorded(level: int) -> Generation:
    """The broker that plays recordings of this level: Kafka 4.1, with which they were made. Raises ValueError
    for a level that 4.1 does not know."""
    if not 0 <= level <= K41.transaction_version:
        raise ValueError(f"transaction_version {level}; Kafka 4.1 knows 0 to {K41.transaction_version}")
    return Generation(K41, level)


def others(level: int) -> tuple[Generation, ...]:
    """The brokers of other versions that also play recordings of this level."""
    return (Generation(K39, level),) if level <= K39.transaction_version else ()


ROWS = tuple(field.name for field in fields(Profile) if field.name not in ("name", "version"))


def differing_rows(one: Profile, other: Profile) -> tuple[str, ...]:
    """The names of the profile's fields in which two versions differ."""
    return tuple(row for row in ROWS if getattr(one, row) != getattr(other, row))


def with_row(profile: Profile, row: str, other: Profile) -> Profile:
    """``profile``, in which the field named ``row`` has its value from ``other``."""
    return replace(profile, **{row: getattr(other, row)})


@dataclass(frozen=True, slots=True)
class Given:
    """A value that the engine's broker takes from a recording before the first step. ``reason``: why the engine cannot
    compute it. ``here``: how the replay of the recording uses it."""

    name: str
    reason: str
    here: str


GIVEN = (
    Given(
        "first producer id",
        "the recorded cluster had handed out ids before, in blocks of its controller (KIP-730)",
        "the block of the engine's broker starts at the first id of the recording; the later ones are its own",
    ),
    Given(
        "level of transaction.version",
        "it is a setting of the cluster (KIP-1022)",
        "the controller announces the recording's",
    ),
)


@dataclass(frozen=True, slots=True)
class OpenField:
    """A field that a recording does not determine. The player uses the recorded value, and counts how often
    the engine's value differs from it."""

    name: str
    reason: str


THROTTLE_TIME = OpenField("throttle_time", "it depends on how busy the recorded broker was (quotas)")
LOG_APPEND_TIME = OpenField(
    "log_append_time", "the broker's own clock, where a topic has message.timestamp.type=LogAppendTime"
)
MARKER_TIME = OpenField(
    "timestamp of a marker", "the broker's own clock; the batch is compared whole, its checksum included"
)
OFFSETS_PARTITION = OpenField(
    "partition of __consumer_offsets", "a recording does not say how many partitions the topic has"
)
OPEN = (THROTTLE_TIME, LOG_APPEND_TIME, MARKER_TIME, OFFSETS_PARTITION)
"""All open fields. None of them is an error, an epoch, an id, a sequence or an offset."""

Taken = Counter[str]
"""Dict of name of an open field → how often its value was taken from a recording."""
