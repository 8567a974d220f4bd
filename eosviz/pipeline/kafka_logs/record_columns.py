"""Checks or reads the records of thousands of batches at once, as columns: a fast path for ordinary records.

A batch passes only if each record ends where its length says, its fields fill it, and its offset is the next
one. In such a batch `engine.codec.record.decode_records` finds no damage. All other batches go to the segment
reader, which decides whether they are damaged. Batches that write a number in more bytes than usual are among
them.

How it works: where a record ends follows only from its own length, so the records of one batch must be found
one after the other. But in all batches at once, the next record can be found in one step. Each batch is a
lane. The lanes are sorted by their number of records, and each step advances those lanes that have a record
left. When few lanes are left, they are read record by record. When all records of all lanes are found, their
fields are read in all records at once.
"""

from dataclasses import dataclass

import numpy as np

RECORDS_MAX = 1 << 16
"""At most this many records are processed together, so that the columns stay in the processor's cache. A
batch with more records does not pass."""
LANES_MIN = 32
"""If fewer lanes than this are left, they are read record by record: a step for all lanes takes as long as
reading this many records."""
HEADERS_MAX = 64
"""A batch with more headers in one record does not pass. Each header is a step for all records, so a record
with thousands of headers would slow all others down."""
_VARINT_BYTES_MAX = 4
"""A batch does not pass if one of its varints has more bytes than this. Four bytes contain 28 bits, which
suffices for lengths, offsets and counts."""
_VARLONG_BYTES_MAX = 9
_MORE = 0x80
_SEVEN_BITS = 0x7F

Column = np.ndarray


@dataclass(slots=True)
class _Records:
    """The records of several lanes. Each field is a column with one entry for each record."""

    starts: list[Column]
    """The byte at which the record begins, after its length."""
    ends: list[Column]
    lanes: list[Column]
    indexes: list[Column]
    """The record's index in its batch."""


def batches_that_hold(data: Column, starts: Column, stops: Column, counts: Column) -> Column:
    """An array with True for each batch whose records pass: `counts` records fill the bytes of `data` (uint8)
    from `starts` to before `stops`, with consecutive offsets. False if they do not or if this cannot be
    determined here."""
    holds = np.zeros(len(counts), dtype=bool)
    taken = np.flatnonzero(counts <= RECORDS_MAX)
    behind = np.cumsum(counts[taken])
    first = 0
    while first < len(taken):
        seen = behind[first - 1] if first else 0
        after = max(first + 1, int(np.searchsorted(behind, seen + RECORDS_MAX, side="right")))
        some = taken[first:after]
        holds[some] = _hold(data, starts[some], stops[some], counts[some])
        first = after
    return holds


@dataclass(slots=True)
class Fields:
    """The fields of records without headers, as columns, batch after batch: the timestamp delta, and for key
    and value the byte at which they begin and their length in bytes."""

    timestamp_deltas: Column
    keys: Column
    """The byte at which the key begins. A null key and an empty key take no bytes."""
    key_lengths: Column
    """The length of the key in bytes; -1 for null."""
    values: Column
    value_lengths: Column


def fields_of(data: Column, starts: Column, stops: Column, counts: Column) -> tuple[Column, Fields]:
    """For each batch whether it passes, as in `batches_that_hold` but without batches that have a record with
    headers; and the fields of the records in the batches that pass. There must be at most RECORDS_MAX
    records."""
    found = _Records([], [], [], [])
    order = np.argsort(-counts, kind="stable")
    good = _walk(data, starts[order], stops[order], counts[order], found)
    if not found.starts:
        return np.zeros(len(counts), dtype=bool), Fields(*(np.empty(0, np.int64) for _ in range(5)))
    lanes, first, ends, indexes = map(np.concatenate, (found.lanes, found.starts, found.ends, found.indexes))
    # A batch that did not pass in `_walk` has no fields in the result.
    whole = np.flatnonzero(good[lanes])
    whole = whole[np.lexsort((indexes[whole], order[lanes[whole]]))]
    lanes, first, ends, indexes = lanes[whole], first[whole], ends[whole], indexes[whole]
    filled = _filled(data, first, ends, indexes)
    delta, position = _varlong(data, first + 1)
    _, position, _ = _varint(data, position)
    key_raw, keys, _ = _varint(data, position)
    key_lengths = np.where(key_raw == 1, -1, key_raw >> 1)
    value_raw, values, _ = _varint(data, keys + np.maximum(key_lengths, 0))
    value_lengths = np.where(value_raw == 1, -1, value_raw >> 1)
    filled &= values + np.maximum(value_lengths, 0) + 1 == ends
    good[lanes[~filled]] = False
    holds = np.empty(len(counts), dtype=bool)
    holds[order] = good
    some = holds[order[lanes]]
    columns = (delta, keys, key_lengths, values, value_lengths)
    return holds, Fields(*(one[some] for one in columns))


def _hold(data: Column, starts: Column, stops: Column, counts: Column) -> Column:
    order = np.argsort(-counts, kind="stable")
    found = _Records([], [], [], [])
    good = _walk(data, starts[order], stops[order], counts[order], found)
    if found.starts:
        lanes = np.concatenate(found.lanes)
        filled = _filled(data, *map(np.concatenate, (found.starts, found.ends, found.indexes)))
        good[lanes[~filled]] = False
    holds = np.empty(len(counts), dtype=bool)
    holds[order] = good
    return holds


def _walk(data: Column, starts: Column, stops: Column, counts: Column, found: _Records) -> Column:
    """Find the records of all lanes, which are sorted by descending `counts`, and add them to `found`.
    Returns for each lane whether its records fill it."""
    good = np.ones(len(counts), dtype=bool)
    position = starts.astype(np.int64)
    lanes = np.arange(len(counts))
    steps = int(counts[0]) if len(counts) else 0
    rising = -counts
    step = 0
    while step < steps:
        width = int(np.searchsorted(rising, -step, side="left"))
        if width < LANES_MIN:
            break
        here = position[:width]
        raw, behind, short = _varint(data, here)
        length = raw >> 1
        end = behind + length
        right = short & (raw & 1 == 0) & (length > 0) & (end <= stops[:width])
        good[:width] &= right
        # A lane that does not pass stops here, so that no position lies outside the data.
        position[:width] = np.where(right, end, here)
        found.starts.append(behind)
        found.ends.append(end)
        found.lanes.append(lanes[:width])
        found.indexes.append(np.full(width, step))
        step += 1
    for lane in range(int(np.searchsorted(rising, -step, side="left"))):
        if good[lane]:
            position[lane] = _walk_one(data, lane, int(position[lane]), int(stops[lane]),
                                       range(step, int(counts[lane])), found)  # fmt: skip
    whole: Column = good & (position == stops)
    return whole


def _walk_one(data: Column, lane: int, position: int, stop: int, indexes: range, found: _Records) -> int:
    """Find the remaining records of one lane, and add them to `found`. Returns the byte after the last
    record; -1 if a record is damaged or ends after the lane."""
    view = data.data
    starts: list[int] = []
    ends: list[int] = []
    for _ in indexes:
        raw, shift = 0, 0
        while True:
            if position >= stop or shift >= 7 * _VARINT_BYTES_MAX:
                return -1
            byte = view[position]
            position += 1
            raw |= (byte & _SEVEN_BITS) << shift
            if byte < _MORE:
                break
            shift += 7
        end = position + (raw >> 1)
        if raw & 1 or raw == 0 or end > stop:
            return -1
        starts.append(position)
        ends.append(end)
        position = end
    found.starts.append(np.array(starts, dtype=np.int64))
    found.ends.append(np.array(ends, dtype=np.int64))
    found.lanes.append(np.full(len(starts), lane))
    found.indexes.append(np.arange(indexes.start, indexes.stop))
    return position


def _filled(data: Column, starts: Column, ends: Column, indexes: Column) -> Column:
    """An array with True for each record whose fields end where it ends and whose offset delta is its entry
    in `indexes`."""
    position, good = _behind_varlong(data, starts + 1)
    raw, position, short = _varint(data, position)
    good &= short & (raw == 2 * indexes)
    for _ in ("key", "value"):
        position, whole = _behind_sized(data, position, null=True)
        good &= whole
    raw, position, short = _varint(data, position)
    good &= short & (raw & 1 == 0)
    # If a record did not pass, the number of its headers is meaningless.
    headers = np.where(good, raw >> 1, 0)
    good &= headers <= HEADERS_MAX
    _headers(data, position, np.where(good, headers, 0), good)
    all_whole: Column = good & (position == ends)
    return all_whole


def _headers(data: Column, position: Column, headers: Column, good: Column) -> None:
    """Move `position` of each record to the byte after its headers. `headers`: how many each record has.
    `good` becomes False for a record whose headers are incomplete."""
    left = np.flatnonzero(headers)
    number = 0
    while len(left):
        here, whole = _behind_sized(data, position[left], null=False)
        here, also = _behind_sized(data, here, null=True)
        position[left] = here
        good[left] &= whole & also
        number += 1
        left = left[(headers[left] > number) & good[left]]


def _behind_sized(data: Column, position: Column, *, null: bool) -> tuple[Column, Column]:
    """At each position a field with a length prefix begins. Returns the positions after the fields, and
    whether each length is valid. -1 (null) is valid only with `null`."""
    raw, behind, short = _varint(data, position)
    sized = raw & 1 == 0
    return behind + np.where(sized, raw >> 1, 0), short & (sized | (raw == 1) if null else sized)


def _varint(data: Column, position: Column) -> tuple[Column, Column, Column]:
    """At each position a variable-length number begins. Returns the numbers before zigzag decoding, the
    positions after them, and whether each has at most _VARINT_BYTES_MAX bytes."""
    byte = data.take(position, mode="clip")
    raw = (byte & _SEVEN_BITS).astype(np.int64)
    behind = position + 1
    more = byte >= _MORE
    for number in range(1, _VARINT_BYTES_MAX):
        if not more.any():
            break
        byte = data.take(behind, mode="clip")
        raw += np.where(more, (byte & _SEVEN_BITS).astype(np.int64) << 7 * number, 0)
        behind += more
        more &= byte >= _MORE
    return raw, behind, ~more


def _behind_varlong(data: Column, position: Column) -> tuple[Column, Column]:
    """At each position a variable-length number of 64 bits begins. Returns the positions after the numbers,
    and whether each has at most nine bytes."""
    behind = position + 1
    more = data.take(position, mode="clip") >= _MORE
    for _ in range(1, _VARLONG_BYTES_MAX):
        if not more.any():
            break
        byte = data.take(behind, mode="clip")
        behind += more
        more &= byte >= _MORE
    return behind, ~more


def _varlong(data: Column, position: Column) -> tuple[Column, Column]:
    """At each position a variable-length number of 64 bits begins. Returns the numbers, and the positions
    after them."""
    raw = np.zeros(len(position), dtype=np.uint64)
    more = np.ones(len(position), dtype=bool)
    behind = position.copy()
    for number in range(_VARLONG_BYTES_MAX):
        byte = data.take(behind, mode="clip")
        bits = (byte & _SEVEN_BITS).astype(np.uint64) << np.uint64(7 * number)
        raw |= np.where(more, bits, np.uint64(0))
        behind += more
        more &= byte >= _MORE
        if not more.any():
            break
    return (raw >> np.uint64(1)).astype(np.int64) ^ -(raw & np.uint64(1)).astype(np.int64), behind
