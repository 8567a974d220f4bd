"""Control records, which a broker writes into a partition and consumers read, but no application gets
(MSG-3).

Source: KIP-98, Kafka's `ControlRecordType` and `EndTransactionMarker`. The key is version int16 and type
int16. For COMMIT and ABORT the value is version int16 and coordinator epoch int32. Longer keys and values,
which a later version may write, are accepted; shorter ones are not.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum

from engine.codec.damage import DamageKind, damaged
from engine.codec.record import Record

VERSION = 0
"""The version of key and value that this module writes."""

_KEY = struct.Struct(">hh")
_MARKER = struct.Struct(">hi")


class ControlType(IntEnum):
    """The types that Kafka defines. Transactions use the first two; KRaft's metadata log uses the others."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


MARKER_TYPES = (ControlType.ABORT, ControlType.COMMIT)


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """The content of a control record."""

    version: int
    type_code: int
    coordinator_epoch: int | None
    """The coordinator's epoch in a COMMIT or ABORT; None in other control records."""

    @property
    def type_name(self) -> str:
        """Kafka's name of the type; for an unknown code such as 7, `UNKNOWN_7`."""
        try:
            return ControlType(self.type_code).name
        except ValueError:
            return f"UNKNOWN_{self.type_code}"


def encode_control_key(control_type: ControlType) -> bytes:
    """The 4 bytes of the key."""
    return _KEY.pack(VERSION, control_type)


def encode_marker_value(coordinator_epoch: int) -> bytes:
    """The 6 bytes of the value of a COMMIT or ABORT marker."""
    return _MARKER.pack(VERSION, coordinator_epoch)


def decode_control_record(record: Record, at: int = 0) -> ControlRecord:
    """Decode `record`. Raises DamagedError with position `at` if the key is null, shorter than 4 bytes, or has a
    negative version. For COMMIT and ABORT it also does so for a value that is null, shorter than 6 bytes, or has a
    negative version; it does not read the value of other types."""
    if record.key is None or len(record.key) < _KEY.size:
        raise damaged(DamageKind.CONTROL_KEY, at, f"≥ {_KEY.size} B", _length(record.key))
    version, type_code = _KEY.unpack_from(record.key)
    if version < 0:
        raise damaged(DamageKind.CONTROL_VERSION, at, "≥ 0", version)
    if type_code not in MARKER_TYPES:
        return ControlRecord(version, type_code, None)
    if record.value is None or len(record.value) < _MARKER.size:
        raise damaged(DamageKind.CONTROL_VALUE, at, f"≥ {_MARKER.size} B", _length(record.value))
    value_version, coordinator_epoch = _MARKER.unpack_from(record.value)
    if value_version < 0:
        raise damaged(DamageKind.CONTROL_VERSION, at, "≥ 0", value_version)
    return ControlRecord(version, type_code, coordinator_epoch)


def _length(field: bytes | None) -> str:
    return "null" if field is None else f"{len(field)} B"
