"""Kafka's checkpoint files, which are text: `leader-epoch-checkpoint` beside a partition's segments, and
`replication-offset-checkpoint` and similar files for a whole log directory.

Source: Kafka's `CheckpointFile`. The first line is the version 0, the second the number of entries. Then each
entry is a line of fields separated by spaces.
"""

from typing import NamedTuple

from engine.topic_partition import partition_name

VERSION = "0"


class LeaderEpoch(NamedTuple):
    """A leader epoch, and the first offset of the batches that have it."""

    epoch: int
    start_offset: int


def decode_leader_epochs(data: bytes) -> tuple[LeaderEpoch, ...]:
    """The entries of a `leader-epoch-checkpoint` file, in their order. Raises ValueError, with the line, when
    the file is not such a checkpoint."""
    return tuple(
        LeaderEpoch(*(_number(field, line) for field in fields)) for line, fields in _entries(data, 2)
    )


def decode_offset_checkpoint(data: bytes) -> dict[str, int]:
    """Dict of `topic-partition` → offset. Raises ValueError, with the line, when the file is not such a
    checkpoint."""
    return {
        partition_name(fields[0], _number(fields[1], line)): _number(fields[2], line)
        for line, fields in _entries(data, 3)
    }


def _entries(data: bytes, width: int) -> list[tuple[int, list[str]]]:
    """(number of the line, fields) of each entry. Raises ValueError for a malformed file."""
    lines = data.decode("utf-8", errors="replace").splitlines()
    if len(lines) < 2 or lines[0].strip() != VERSION:
        raise ValueError(
            f"line 1: expected version {VERSION}, found {lines[0][:20] if lines else 'nothing'!r}"
        )
    count = _number(lines[1], 2)
    entries = [(number, line.split()) for number, line in enumerate(lines[2:], 3)]
    for number, fields in entries:
        if len(fields) != width:
            raise ValueError(f"line {number}: expected {width} fields, found {len(fields)}")
    if count != len(entries):
        raise ValueError(f"line 2: expected {len(entries)}, the number of entries, found {count}")
    return entries


def _number(field: str, line: int) -> int:
    try:
        return int(field)
    except ValueError:
        raise ValueError(f"line {line}: expected a number, found {field[:20]!r}") from None
