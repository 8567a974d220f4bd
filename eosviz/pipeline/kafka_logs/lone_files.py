"""Describes files that belong beside segments and were given without them: what each file is, what it shows,
and what is missing. No case can be made of them, because they contain no batches; the batches are in the
segments."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from engine.codec.checkpoint_file import decode_leader_epochs, decode_offset_checkpoint
from engine.codec.damage import DamagedError
from engine.codec.offset_index import index_entries
from engine.codec.producer_snapshot import decode_producer_snapshot
from engine.codec.time_index import time_index_entries
from engine.codec.transaction_index import decode_transaction_index
from engine.topic_partition import is_internal
from eosviz.pipeline.kafka_logs.compiled import checksum
from eosviz.pipeline.kafka_logs.words import Words, moment, words

_OFFSET = re.compile(r"(\d{20})\.\w+")

Params = dict[str, Any]


def lone_file(name: str, data: bytes) -> Words | None:
    """The sentence that describes a file by its name and content; None if files with such a name do not
    belong beside segments."""
    sentence_of = next((sentence for ending, sentence in _SENTENCES.items() if name.endswith(ending)), None)
    if sentence_of is None:
        return None
    file = {"file": name.rpartition("/")[2]}
    try:
        return sentence_of(data, file | {"base": _offset_of(name)})
    except DamagedError as error:
        return words("alone.damaged", **file, position=error.damage.position)
    except ValueError:
        return words("alone.no_checkpoint", **file)


def most_informative(files: Mapping[str, bytes]) -> Words | None:
    """The sentence that describes the most informative of the files (name → content); None if none belongs
    beside segments."""
    found = (name for ending in _SENTENCES for name in sorted(files) if name.endswith(ending))
    name = next(found, None)
    return None if name is None else lone_file(name, files[name])


def belongs_beside_segments(name: str) -> bool:
    """Whether a file with this name belongs beside segments."""
    return name.endswith(tuple(_SENTENCES))


def _offset_of(name: str) -> int:
    """The offset in the file's name: the base offset of a segment, or the log's end when a snapshot was
    taken. 0 if the name contains none."""
    match = _OFFSET.fullmatch(name.rpartition("/")[2])
    return int(match[1]) if match else 0


def _offset_index(data: bytes, file: Params) -> Words:
    entries = list(index_entries(data))
    if not entries:
        return words("alone.index_empty", **file)
    last = entries[-1]
    return words(
        "alone.index",
        **file,
        count=len(entries),
        offset=file["base"] + last.relative_offset,
        position=last.position,
    )


def _time_index(data: bytes, file: Params) -> Words:
    entries = list(time_index_entries(data))
    if not entries:
        return words("alone.time_index_empty", **file)
    last = entries[-1]
    return words(
        "alone.time_index",
        **file,
        count=len(entries),
        offset=file["base"] + last.relative_offset,
        time=moment(last.timestamp),
    )


def _transaction_index(data: bytes, file: Params) -> Words:
    entries, damage = decode_transaction_index(data)
    if damage and not entries:
        return words("alone.damaged", file=file["file"], position=damage[0].position)
    if not entries:
        return words("alone.transaction_index_empty", **file)
    last = entries[-1]
    return words(
        "alone.transaction_index",
        **file,
        count=len(entries),
        producer_id=last.producer_id,
        first=last.first_offset,
        last=last.last_offset,
    )


def _snapshot(data: bytes, file: Params) -> Words:
    entries = decode_producer_snapshot(data, checksum)
    still_open = [entry for entry in entries if entry.open_first_offset >= 0]
    if not still_open:
        return words("alone.snapshot", **file, count=len(entries))
    oldest = min(still_open, key=lambda entry: entry.open_first_offset)
    return words(
        "alone.snapshot_open",
        **file,
        count=len(entries),
        open=len(still_open),
        producer_id=oldest.producer_id,
        epoch=oldest.producer_epoch,
        offset=oldest.open_first_offset,
    )


def _leader_epochs(data: bytes, file: Params) -> Words:
    entries = decode_leader_epochs(data)
    if not entries:
        return words("alone.leader_epochs_empty", **file)
    newest = entries[-1]
    return words(
        "alone.leader_epochs",
        **file,
        count=len(entries),
        epoch=newest.epoch,
        offset=newest.start_offset,
    )


def _offset_checkpoint(data: bytes, file: Params) -> Words:
    offsets = decode_offset_checkpoint(data)
    if not offsets:
        return words("alone.checkpoint_empty", **file)
    name = min(offsets, key=lambda one: (is_internal(one), one))
    return words("alone.checkpoint", **file, count=len(offsets), partition=name, offset=offsets[name])


_SENTENCES: dict[str, Callable[[bytes, Params], Words]] = {
    ".snapshot": _snapshot,
    ".txnindex": _transaction_index,
    "leader-epoch-checkpoint": _leader_epochs,
    "-offset-checkpoint": _offset_checkpoint,
    ".timeindex": _time_index,
    ".index": _offset_index,
}
"""Dict of ending of a file's name → the function that makes its sentence. The most informative files come
first."""
