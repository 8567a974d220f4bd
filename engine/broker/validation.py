"""How strictly an append is validated. This depends on its origin, and in 2.0 also on the topic (SEQ-9)."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from engine.broker.append_rules import Level
from engine.profile import Profile

CONSUMER_OFFSETS_TOPIC = "__consumer_offsets"


class Origin(Enum):
    """The source of an append's batches: a client, a coordinator of this broker, or the leader."""

    CLIENT = "client"
    COORDINATOR = "coordinator"
    REPLICATION = "replication"

    __hash__ = object.__hash__
    """The identity hash, because every append looks a member up as a key, and ``Enum.__hash__`` is slow."""


def data_level(profile: Profile, origin: Origin, topic: str) -> Level:
    """The level of validation of a data batch (SEQ-9, CTR-49)."""
    if profile.validates_by_origin:
        if origin is Origin.CLIENT:
            return Level.FULL
        return Level.EPOCH_ONLY if origin is Origin.COORDINATOR else Level.LOGGED
    if origin is not Origin.CLIENT:
        return Level.NONE
    return Level.EPOCH_ONLY if topic == CONSUMER_OFFSETS_TOPIC else Level.FULL


def marker_level(profile: Profile, origin: Origin) -> Level:
    """The level of validation of a marker. Markers are always checked, but since 2.8 followers only log a
    failed check (SEQ-9, CTR-26)."""
    if profile.validates_by_origin and origin is Origin.REPLICATION:
        return Level.LOGGED
    return Level.EPOCH_ONLY


@lru_cache(maxsize=1024)
def levels(profile: Profile, topic: str) -> tuple[dict[Origin, Level], dict[Origin, Level]]:
    """Two dicts of origin → level of validation: for data, and for markers. All partitions of the topic have
    the same levels."""
    return (
        {origin: data_level(profile, origin, topic) for origin in Origin},
        {origin: marker_level(profile, origin) for origin in Origin},
    )
