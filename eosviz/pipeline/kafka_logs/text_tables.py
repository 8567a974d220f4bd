"""Parses the tables that `kafka-transactions.sh` prints: list, describe, describe-producers and find-hanging.
Their columns are separated by tabs and padded; text that was copied from a terminal may have spaces instead.
Source: Kafka's `TransactionsCommand` (KIP-664)."""

from enum import Enum

from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_log_record import TransactionLogValue
from eosviz.pipeline.kafka_logs.text_fields import Fields, number, partitions_of, status_of


class Table(Enum):
    """The kinds of tables. The value lists columns by which the table is recognised: only it has all of them."""

    PRODUCERS = ("ProducerId", "LastSequence", "CurrentTransactionStartOffset")
    DESCRIPTION = (
        "CoordinatorId",
        "TransactionalId",
        "TransactionState",
        "TransactionTimeoutMs",
        "TopicPartitions",
    )
    LIST = ("TransactionalId", "Coordinator", "ProducerId", "TransactionState")
    HANGING = ("Topic", "Partition", "ProducerId", "StartOffset")


def partition_asked_for(line: str) -> str | None:
    """The partition `topic-N` that a describe-producers command in `line` names; None if there is no such
    command. The table that this command prints does not contain the partition."""
    asked = iter(line.partition("describe-producers ")[2].replace("=", " ").split())
    options = {word: next(asked, "") for word in asked if word in ("--topic", "--partition")}
    topic, partition = options.get("--topic"), options.get("--partition", "")
    return f"{topic}-{partition}" if topic and partition.isdecimal() else None


def head_of(line: str) -> tuple[Table, list[str]] | None:
    """The kind and the columns of the table that begins with this line; None if no table begins here."""
    columns = line.split()
    found = next((table for table in Table if set(table.value) <= set(columns)), None)
    return None if found is None else (found, columns)


def cells(columns: list[str], line: str) -> Fields | None:
    """Dict of column (in lower case) → value, for a row of a table; None if the line is no row of this
    table."""
    values = [cell.strip() for cell in line.rstrip("\n").split("\t")]
    if len(values) < len(columns):
        values = line.split()
    # The last column may be empty: a transaction may have no partitions.
    if len(values) == len(columns) - 1:
        values.append("")
    if len(values) < len(columns) or any(values[len(columns) :]):
        return None
    return {name.lower(): value for name, value in zip(columns, values, strict=False)}


def producer_row(row: Fields) -> ProducerEntry:
    """The producer in a row of the table of `describe-producers`. Raises UnreadableError."""
    return ProducerEntry(
        producer_id=number(row, "producerid"),
        producer_epoch=number(row, "producerepoch"),
        last_sequence=number(row, "lastsequence"),
        last_offset=-1,
        offset_delta=0,
        last_timestamp=number(row, "lasttimestamp"),
        coordinator_epoch=number(row, "latestcoordinatorepoch", -1),
        open_first_offset=_or_none(row, "currenttransactionstartoffset"),
    )


def hanging_row(row: Fields) -> tuple[str, ProducerEntry]:
    """(partition, producer) in a row of the table of `find-hanging`. Raises UnreadableError."""
    entry = ProducerEntry(
        producer_id=number(row, "producerid"),
        producer_epoch=number(row, "producerepoch"),
        last_sequence=-1,
        last_offset=-1,
        offset_delta=0,
        last_timestamp=number(row, "lasttimestamp", -1),
        coordinator_epoch=_or_none(row, "coordinatorepoch"),
        open_first_offset=_or_none(row, "startoffset"),
    )
    return f"{row['topic']}-{number(row, 'partition')}", entry


def description_row(row: Fields) -> tuple[str, TransactionLogValue, int]:
    """(transactional id, state, time of the answer) in a row of the table of `describe`. The time is in
    milliseconds since 1970, or -1 if it is unknown. Raises UnreadableError."""
    start_ms = _or_none(row, "currenttransactionstarttimems")
    asked_ms = start_ms + _or_none(row, "transactiondurationms") if start_ms >= 0 else -1
    value = TransactionLogValue(
        producer_id=number(row, "producerid"),
        producer_epoch=number(row, "producerepoch"),
        timeout_ms=number(row, "transactiontimeoutms"),
        status=status_of(row["transactionstate"]),
        partitions=partitions_of(row["topicpartitions"]),
        last_update_ms=start_ms,
        start_ms=start_ms,
    )
    return row["transactionalid"], value, asked_ms


def list_row(row: Fields) -> tuple[int, str, str]:
    """(producer id, transactional id, state) in a row of the table of `list`. Raises UnreadableError."""
    return number(row, "producerid"), row["transactionalid"], status_of(row["transactionstate"]).kafka_name


def _or_none(row: Fields, name: str) -> int:
    return -1 if row.get(name) in ("None", "") else number(row, name)
