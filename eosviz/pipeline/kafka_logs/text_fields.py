"""Parses single lines of the output of Kafka's dump tool.

The output has changed over the years: fields were added and moved, lines of records got a bar, and the
contents of internal topics are now JSON instead of a notation of their own. So fields are found by their
names, not by position.

Source: `DumpLogSegments` of 0.11 to 4.1; `GroupMetadataManager.formatRecordKeyAndValue` up to 3.7 and
`TransactionLog.formatRecordKeyAndValue` up to 3.9, which JSON converters replaced.
"""

import json
import re
from typing import Any

from engine.codec.consumer_offsets_record import CommittedOffset, OffsetKey
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_index import AbortedTransaction
from engine.codec.transaction_log_record import STATUS_BY_NAME, TransactionLogValue, TransactionStatus
from engine.messages import LONG_MAX, NO_PRODUCER_EPOCH, NO_PRODUCER_ID

TOMBSTONES = ("null", "NULL", "<DELETE>")
"""The texts that stand for a missing value."""

# A name begins only after a character that cannot be part of a name. Otherwise a long word would be tried
# again from each of its letters.
_FIELD = re.compile(r"(?<!\w)(\w++): (OptionalLong(?:\.empty|\[-?\d+\])|\S+)")
_RECORD = re.compile(r"(?:\| )?(?=offset: \d)(?P<fields>.*?) header[Kk]eys: \[(?P<rest>.*)", re.DOTALL)
_MARKER = re.compile(r"\] endTxnMarker: (?P<type>\w+) coordinatorEpoch: (?P<epoch>-?\d+)\s*$")
_KEY, _PAYLOAD = "] key: ", " payload: "
_OPTIONAL = re.compile(r"OptionalLong\[(-?\d+)\]")
_TRANSACTION_KEY = "transaction_metadata::transactionalId="
_TRANSACTION = re.compile(
    r"producerId:(?P<producer_id>-?\d+),producerEpoch:(?P<epoch>-?\d+),state=(?P<state>\w+),"
    r"partitions=\[(?P<partitions>.*)\],txnLastUpdateTimestamp=(?P<updated>-?\d+),txnTimeoutMs=(?P<timeout>\d+)"
)
_OFFSET_KEY = "offset_commit::group="
_OFFSET = re.compile(r"offset=(?P<offset>-?\d+)(?:,metadata=(?P<metadata>.*))?", re.DOTALL)

Fields = dict[str, str]


class UnreadableError(ValueError):
    """A line of a known kind lacks a field or has an invalid field."""


def fields_of(line: str) -> Fields:
    """The pairs `name: value` in a line, as a dict. Names are in lower case."""
    return {name.lower(): value for name, value in _FIELD.findall(line)}


def number(fields: Fields, name: str, default: int | None = None) -> int:
    """The number in the field `name` (lower case); -1 for `OptionalLong.empty`. If the field is missing,
    `default`. Raises UnreadableError if it is no number, or is missing and there is no default."""
    text = fields.get(name)
    if text is None and default is not None:
        return default
    optional = _OPTIONAL.fullmatch(text or "")
    return -1 if text == "OptionalLong.empty" else whole(optional[1] if optional else text)


def whole(value: object) -> int:
    """`value` as a 64-bit integer. Raises UnreadableError if it is none."""
    try:
        read = int(value) if isinstance(value, str | int) else None
    except ValueError:
        read = None
    if read is None or not -LONG_MAX - 1 <= read <= LONG_MAX:
        raise UnreadableError(f"{str(value)[:40]!r} is no number")
    return read


def truth(fields: Fields, name: str) -> bool:
    return fields.get(name) == "true"


class RecordLine:
    """The line of one record in a deep dump."""

    __slots__ = ("coordinator_epoch", "fields", "key", "marker", "payload")

    def __init__(self, fields: Fields, rest: str) -> None:
        self.fields = fields
        marker = _MARKER.search(rest)
        self.marker: str | None = marker["type"] if marker else None
        self.coordinator_epoch = whole(marker["epoch"]) if marker else -1
        _, has_key, value = rest.partition(_KEY)
        key, has_payload, payload = value.partition(_PAYLOAD)
        is_data = bool(has_key and has_payload) and marker is None
        self.key: str | None = key if is_data else None
        self.payload: str | None = payload.rstrip("\n") if is_data else None


def record_line(line: str) -> RecordLine | None:
    """Parses a line of a record. None if the line is of another kind. Raises UnreadableError for a marker
    whose epoch needs more than 64 bits."""
    found = _RECORD.match(line)
    return RecordLine(fields_of(found["fields"]), found["rest"]) if found else None


def snapshot_line(line: str) -> ProducerEntry:
    """The producer's entry in a line of a dumped `.snapshot`. Raises UnreadableError."""
    fields = fields_of(line)
    return ProducerEntry(
        producer_id=number(fields, "producerid"),
        producer_epoch=number(fields, "producerepoch"),
        last_sequence=number(fields, "lastsequence", -1),
        last_offset=number(fields, "lastoffset", -1),
        offset_delta=number(fields, "offsetdelta", 0),
        last_timestamp=number(fields, "lasttimestamp", -1),
        coordinator_epoch=number(fields, "coordinatorepoch"),
        open_first_offset=number(fields, "currenttxnfirstoffset"),
    )


def aborted_line(line: str) -> AbortedTransaction:
    """The entry in a line of a dumped `.txnindex`. Raises UnreadableError."""
    fields = fields_of(line)
    names = ("producerid", "firstoffset", "lastoffset", "laststableoffset")
    return AbortedTransaction(*(number(fields, name) for name in names))


def transaction_record(key: str, payload: str) -> tuple[str, TransactionLogValue | None]:
    """The transactional id and the value of a record of `__transaction_state`. The value is None for a
    tombstone. Raises UnreadableError."""
    if key.startswith(_TRANSACTION_KEY):
        transactional_id = key.removeprefix(_TRANSACTION_KEY)
        return transactional_id, None if payload in TOMBSTONES else _named_transaction(payload)
    document = _json(key)
    transactional_id = document["data"].get("transactionalId")
    if not isinstance(transactional_id, str):
        raise UnreadableError("no transactionalId in the key")
    if payload in TOMBSTONES:
        return transactional_id, None
    value = _json(payload)
    return transactional_id, _json_transaction(value["data"], whole(value.get("version", -1)))


def _named_transaction(payload: str) -> TransactionLogValue:
    found = _TRANSACTION.fullmatch(payload.strip())
    if found is None:
        raise UnreadableError("no transaction in the payload")
    return TransactionLogValue(
        producer_id=whole(found["producer_id"]),
        producer_epoch=whole(found["epoch"]),
        timeout_ms=whole(found["timeout"]),
        status=status_of(found["state"]),
        partitions=partitions_of(found["partitions"]),
        last_update_ms=whole(found["updated"]),
        start_ms=-1,
    )


def _json_transaction(data: dict[str, Any], version: int) -> TransactionLogValue:
    try:
        return TransactionLogValue(
            producer_id=whole(data["producerId"]),
            producer_epoch=whole(data["producerEpoch"]),
            timeout_ms=whole(data["transactionTimeoutMs"]),
            status=status_of(data["transactionStatus"]),
            partitions=tuple(
                (str(of_topic["topic"]), whole(index))
                for of_topic in data["transactionPartitions"] or ()
                for index in of_topic["partitionIds"]
            ),
            last_update_ms=whole(data["transactionLastUpdateTimestampMs"]),
            start_ms=whole(data["transactionStartTimestampMs"]),
            previous_producer_id=whole(data.get("previousProducerId", NO_PRODUCER_ID)),
            next_producer_id=whole(data.get("nextProducerId", NO_PRODUCER_ID)),
            next_producer_epoch=whole(data.get("nextProducerEpoch", NO_PRODUCER_EPOCH)),
            client_transaction_version=whole(data.get("clientTransactionVersion", 0)),
            version=version,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(f"payload: {error}") from None


def status_of(text: object) -> TransactionStatus:
    """The state of a transaction, from its number or Kafka's name of it. Raises UnreadableError."""
    if text in STATUS_BY_NAME:
        return STATUS_BY_NAME[str(text)]
    try:
        return TransactionStatus(whole(text))
    except ValueError:
        raise UnreadableError(f"state {text!r}") from None


def partitions_of(text: str) -> tuple[tuple[str, int], ...]:
    """The partitions in a text like `t-0,t-1`, as pairs of topic and number. Raises UnreadableError."""
    pairs = []
    for one in filter(None, (part.strip() for part in text.split(","))):
        topic, _, index = one.rpartition("-")
        if not topic or not index.isdecimal():
            raise UnreadableError(f"partition {one!r}")
        pairs.append((topic, whole(index)))
    return tuple(pairs)


def offset_record(key: str, payload: str) -> tuple[OffsetKey, CommittedOffset | None] | None:
    """The key and the committed offset of a record of `__consumer_offsets`. The offset is None for a
    tombstone. Returns None for a record about a group's members. Raises UnreadableError."""
    if key.startswith(_OFFSET_KEY):
        value = _OFFSET.fullmatch(payload)
        if value is None and payload not in TOMBSTONES:
            raise UnreadableError("no offset in the payload")
        group, _, partition = key.removeprefix(_OFFSET_KEY).rpartition(",partition=")
        topic, _, index = partition.rpartition("-")
        place = OffsetKey(group, topic, whole(index))
        return place, None if value is None else _committed(whole(value["offset"]), value["metadata"] or "")
    if key.startswith("group_metadata::"):
        return None
    data = _json(key)["data"]
    if "topic" not in data:
        return None
    try:
        place = OffsetKey(str(data["group"]), str(data["topic"]), whole(data["partition"]))
        if payload in TOMBSTONES:
            return place, None
        value_data = _json(payload)["data"]
        when = whole(value_data.get("commitTimestamp", -1))
        return place, _committed(whole(value_data["offset"]), str(value_data.get("metadata", "")), when)
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(f"offset: {error}") from None


def _committed(offset: int, metadata: str, commit_ms: int = -1) -> CommittedOffset:
    return CommittedOffset(
        version=-1, offset=offset, leader_epoch=-1, metadata=metadata, commit_ms=commit_ms, expire_ms=-1
    )


def _json(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("data"), dict):
        raise UnreadableError("neither JSON nor the notation before it")
    return document
