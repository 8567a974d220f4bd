"""A `.txnindex` file: the aborted transactions that a broker returns to read_committed consumers.

Source: Kafka's `TransactionIndex` and `AbortedTxn`. An entry has 34 bytes: the version (int16), and as int64
the producer id, the first offset, the last offset (that of the ABORT marker) and the last stable offset. The
entries are in the order of the markers.
"""

import struct
from typing import NamedTuple

from engine.codec.damage import Damage, DamageKind

VERSION = 0
_ENTRY = struct.Struct(">hqqqq")


class AbortedTransaction(NamedTuple):
    """One entry."""

    producer_id: int
    first_offset: int
    last_offset: int
    """The offset of the ABORT marker."""
    last_stable_offset: int
    """The last stable offset after the marker: the first offset of a transaction that was still open, or else
    the offset after the marker."""


def decode_transaction_index(data: bytes) -> tuple[tuple[AbortedTransaction, ...], tuple[Damage, ...]]:
    """The entries before the first damaged place, and the damage there, of which there is at most one. Never
    raises."""
    entries: list[AbortedTransaction] = []
    for position in range(0, len(data) - _ENTRY.size + 1, _ENTRY.size):
        version, *fields = _ENTRY.unpack_from(data, position)
        if version != VERSION:
            return tuple(entries), (Damage(DamageKind.VERSION, position, str(VERSION), str(version), True),)
        entries.append(AbortedTransaction(*fields))
    rest = len(data) % _ENTRY.size
    if rest:
        cut = Damage(DamageKind.FIELD_LENGTH, len(data) - rest, f"{_ENTRY.size} B", f"{rest} B", True)
        return tuple(entries), (cut,)
    return tuple(entries), ()
