"""What single lines of Kafka's dump tool say. Its wording changed over the years: fields came and moved, record
lines got their bar, and the internal topics went from a notation of their own to JSON. So fields are found by
name and not by place.

Source: `DumpLogSegments` of 0.11 to 4.1, `TransactionLog.formatRecordKeyAndValue` and
`GroupMetadataManager.formatRecordKeyAndValue` before 3.9, the JSON converters after them.
"""

import json
import re
from typing import Any

from engine.codec.consumer_offsets_record import CommittedOffset, OffsetKey
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_index import AbortedTransaction
from engine.codec.transaction_log_record import STATUS_BY_NAME, TransactionLogValue, TransactionStatus
from engine.messages import NO_PRODUCER_EPOCH, NO_PRODUCER_ID

TOMBSTONES = ("null", "NULL", "<DELETE>")
"""How a value that is absent was printed."""

_FIELD = re.compile(r"(\w+): (OptionalLong(?:\.empty|\[-?\d+\])|\S+)")
_RECORD = re.compile(r"(?:\| )?(?=offset: \d)(?P<fields>.*?) header[Kk]eys: \[(?P<rest>.*)", re.DOTALL)
_MARKER = re.compile(r"\] endTxnMarker: (?P<type>\w+) coordinatorEpoch: (?P<epoch>-?\d+)\s*$")
_VALUE = re.compile(r"\] key: (?P<key>.*?) payload: (?P<payload>.*)", re.DOTALL)
_OPTIONAL = re.compile(r"OptionalLong\[(-?\d+)\]")
_TRANSACTION_KEY = "transaction_metadata::transactionalId="
_TRANSACTION = re.compile(
    r"producerId:(?P<producer_id>-?\d+),producerEpoch:(?P<epoch>-?\d+),state=(?P<state>\w+),"
    r"partitions=\[(?P<partitions>.*)\],txnLastUpdateTimestamp=(?P<updated>-?\d+),txnTimeoutMs=(?P<timeout>\d+)"
)
_OFFSET_KEY = re.compile(r"offset_commit::group=(?P<group>.*),partition=(?P<topic>.+)-(?P<partition>\d+)")
_OFFSET = re.compile(r"offset=(?P<offset>-?\d+)(?:,metadata=(?P<metadata>.*))?", re.DOTALL)

Fields = dict[str, str]


class UnreadableError(ValueError):
    """A line that is of a known kind and lacks a field, or has a wrong one."""


def fields_of(line: str) -> Fields:
    """`name: value` pairs of a line, the names in small letters."""
    return {name.lower(): value for name, value in _FIELD.findall(line)}


def number(fields: Fields, name: str, default: int | None = None) -> int:
    """The number under `name` (small letters). Raises UnreadableError when it is absent without a default."""
    text = fields.get(name)
    if text is None and default is not None:
        return default
    optional = _OPTIONAL.fullmatch(text or "")
    try:
        return -1 if text == "OptionalLong.empty" else int(optional[1] if optional else text or "")
    except ValueError:
        raise UnreadableError(f"{name} is {text!r}") from None


def truth(fields: Fields, name: str) -> bool:
    return fields.get(name) == "true"


class RecordLine:
    """One record of a deep dump."""

    __slots__ = ("coordinator_epoch", "fields", "key", "marker", "payload")

    def __init__(self, fields: Fields, rest: str) -> None:
        self.fields = fields
        marker, value = _MARKER.search(rest), _VALUE.search(rest)
        self.marker: str | None = marker["type"] if marker else None
        self.coordinator_epoch = int(marker["epoch"]) if marker else -1
        self.key: str | None = value["key"] if value and not marker else None
        self.payload: str | None = value["payload"].rstrip("\n") if value and not marker else None


def record_line(line: str) -> RecordLine | None:
    """The record, or None for a line of another kind."""
    found = _RECORD.match(line)
    return RecordLine(fields_of(found["fields"]), found["rest"]) if found else None


def snapshot_line(line: str) -> ProducerEntry:
    """A producer of a `.snapshot`. Raises UnreadableError."""
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
    """An entry of a `.txnindex`. Raises UnreadableError."""
    fields = fields_of(line)
    names = ("producerid", "firstoffset", "lastoffset", "laststableoffset")
    return AbortedTransaction(*(number(fields, name) for name in names))


def transaction_record(key: str, payload: str) -> tuple[str, TransactionLogValue | None]:
    """Transactional id and value of a record of `__transaction_state`. Raises UnreadableError."""
    if key.startswith(_TRANSACTION_KEY):
        transactional_id = key.removeprefix(_TRANSACTION_KEY)
        return transactional_id, None if payload in TOMBSTONES else _named_transaction(payload)
    document = _json(key)
    transactional_id = document["data"].get("transactionalId")
    if not isinstance(transactional_id, str):
        raise UnreadableError("no transactionalId in the key")
    return transactional_id, None if payload in TOMBSTONES else _json_transaction(_json(payload)["data"])


def _named_transaction(payload: str) -> TransactionLogValue:
    found = _TRANSACTION.fullmatch(payload.strip())
    if found is None:
        raise UnreadableError("no transaction in the payload")
    return TransactionLogValue(
        producer_id=int(found["producer_id"]),
        producer_epoch=int(found["epoch"]),
        timeout_ms=int(found["timeout"]),
        status=status_of(found["state"]),
        partitions=partitions_of(found["partitions"]),
        last_update_ms=int(found["updated"]),
        start_ms=-1,
    )


def _json_transaction(data: dict[str, Any]) -> TransactionLogValue:
    try:
        return TransactionLogValue(
            producer_id=int(data["producerId"]),
            producer_epoch=int(data["producerEpoch"]),
            timeout_ms=int(data["transactionTimeoutMs"]),
            status=status_of(data["transactionStatus"]),
            partitions=tuple(
                (str(of_topic["topic"]), int(index))
                for of_topic in data["transactionPartitions"] or ()
                for index in of_topic["partitionIds"]
            ),
            last_update_ms=int(data["transactionLastUpdateTimestampMs"]),
            start_ms=int(data["transactionStartTimestampMs"]),
            previous_producer_id=int(data.get("previousProducerId", NO_PRODUCER_ID)),
            next_producer_id=int(data.get("nextProducerId", NO_PRODUCER_ID)),
            next_producer_epoch=int(data.get("nextProducerEpoch", NO_PRODUCER_EPOCH)),
            client_transaction_version=int(data.get("clientTransactionVersion", 0)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(f"payload: {error}") from None


def status_of(text: object) -> TransactionStatus:
    """A state by its number or Kafka's name. Raises UnreadableError."""
    if text in STATUS_BY_NAME:
        return STATUS_BY_NAME[str(text)]
    try:
        return TransactionStatus(int(str(text)))
    except ValueError:
        raise UnreadableError(f"state {text!r}") from None


def partitions_of(text: str) -> tuple[tuple[str, int], ...]:
    """`t-0,t-1` as pairs. Raises UnreadableError."""
    pairs = []
    for one in filter(None, (part.strip() for part in text.split(","))):
        topic, _, index = one.rpartition("-")
        if not topic or not index.isdecimal():
            raise UnreadableError(f"partition {one!r}")
        pairs.append((topic, int(index)))
    return tuple(pairs)


def offset_record(key: str, payload: str) -> tuple[OffsetKey, CommittedOffset | None] | None:
    """A group's offset; None for a record about a group's members. Raises UnreadableError."""
    named = _OFFSET_KEY.fullmatch(key)
    if named is not None:
        value = _OFFSET.fullmatch(payload)
        if value is None and payload not in TOMBSTONES:
            raise UnreadableError("no offset in the payload")
        place = OffsetKey(named["group"], named["topic"], int(named["partition"]))
        return place, None if value is None else _committed(int(value["offset"]), value["metadata"] or "")
    if key.startswith("group_metadata::"):
        return None
    data = _json(key)["data"]
    if "topic" not in data:
        return None
    try:
        place = OffsetKey(str(data["group"]), str(data["topic"]), int(data["partition"]))
        if payload in TOMBSTONES:
            return place, None
        said = _json(payload)["data"]
        when = int(said.get("commitTimestamp", -1))
        return place, _committed(int(said["offset"]), str(said.get("metadata", "")), when)
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(f"offset: {error}") from None


def _committed(offset: int, metadata: str, commit_ms: int = -1) -> CommittedOffset:
    return CommittedOffset(
        version=-1, offset=offset, leader_epoch=-1, metadata=metadata, commit_ms=commit_ms, expire_ms=-1
    )


def _json(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("data"), dict):
        raise UnreadableError("neither JSON nor the notation before it")
    return document
