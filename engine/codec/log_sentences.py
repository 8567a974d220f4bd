"""The sentences of a log case: for each row, their keys in `engine/explain/catalogue/log.toml` and their
parameters."""

from typing import Any

from engine.codec.control_record import ControlType
from engine.codec.damage import Damage
from engine.codec.lane import exact
from engine.codec.partition_folder import Segment, shown_name
from engine.codec.segment import BatchRow, LegacyRow

Json = dict[str, Any]


def sentence(key: str, *rules: str, **params: object) -> Json:
    """A sentence in the shape of a step's note (docs/frame.md)."""
    return {"key": key, "params": params, "rules": list(rules)}


def batch_sentence(partition: str, row: BatchRow) -> Json:
    """The sentence for a batch. It depends on the kind of the batch."""
    header = row.header
    params: Json = {
        "partition": partition,
        "offsets": span(header.base_offset, header.last_offset),
        "producer_id": exact(header.producer_id),
        "producer_epoch": header.producer_epoch,
    }
    if header.is_control:
        return _control_sentence(row, params)
    params["record_count"] = header.record_count
    if header.producer_id < 0:
        del params["producer_id"], params["producer_epoch"]
        return sentence("log.batch_plain", "MSG-2", **params)
    if header.record_count == 0:
        return sentence("log.batch_emptied", "MSG-2", **params)
    if header.base_sequence < 0:
        return sentence("log.batch_without_sequence", "MSG-2", **params)
    params["sequences"] = span(header.base_sequence, header.last_sequence)
    key = "log.batch_transactional" if header.is_transactional else "log.batch_idempotent"
    return sentence(key, "MSG-2", "SEQ-3", **params)


def _control_sentence(row: BatchRow, params: Json) -> Json:
    control = row.control
    if control is None:
        key = "log.marker_untold" if row.has_unknown_end else "log.control_unread"
        return sentence(key, "MSG-3", **params)
    if control.coordinator_epoch is None:
        return sentence("log.control_other", "MSG-3", control_type=control.type_name, **params)
    key = "log.marker_commit" if control.type_code == ControlType.COMMIT else "log.marker_abort"
    return sentence(key, "MSG-3", coordinator_epoch=control.coordinator_epoch, **params)


def legacy_sentence(partition: str, row: LegacyRow) -> Json:
    """The sentence for a message in a format older than record batches."""
    return sentence("log.legacy", partition=partition, offset=exact(row.base_offset), magic=row.magic)


def batch_notes(row: BatchRow, placed: bool) -> list[Json]:
    """Further notes on a batch, except those on damage. `placed`: whether the lane shows the batch."""
    notes = []
    if row.codec_not_read is not None:
        notes.append(
            sentence("log.compressed", codec=row.codec_not_read, record_count=row.header.record_count)
        )
    if row.header.delete_horizon_ms is not None:
        notes.append(sentence("log.delete_horizon", timestamp=exact(row.header.delete_horizon_ms)))
    if not placed:
        notes.append(sentence("log.not_placed"))
    return notes


def segment_note(segment: Segment) -> Json:
    """The note at the first row of a file."""
    return sentence("log.segment", file=shown_name(segment.path), size=segment.size)


def damage_note(segment: Segment, damage: Damage) -> Json:
    """The note on a damaged place."""
    return sentence(
        damage.kind.sentence_key,
        file=shown_name(segment.path),
        position=damage.position,
        expected=damage.expected,
        found=damage.found,
    )


def span(first: int, last: int) -> str:
    """A range of offsets as text: `3`, or `3–5`."""
    return str(first) if first == last else f"{first}–{last}"
