"""The tables of `kafka-transactions.sh`: list, describe, describe-producers, find-hanging. Columns are separated
by tabs and padded; text copied from a terminal may have spaces instead. Source: Kafka's `TransactionsCommand`
(KIP-664)."""

from enum import Enum

from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_log_record import TransactionLogValue
from eosviz.pipeline.kafka_logs.text_fields import Fields, number, partitions_of, status_of


class Table(Enum):
    """A table, identified by these columns, which no other table has together."""

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
    """The `topic-N` that a describe-producers command in `line` names; None without one. The command's table
    does not name the partition."""
    asked = iter(line.partition("describe-producers ")[2].replace("=", " ").split())
    options = {word: next(asked, "") for word in asked if word in ("--topic", "--partition")}
    topic, partition = options.get("--topic"), options.get("--partition", "")
    return f"{topic}-{partition}" if topic and partition.isdecimal() else None


def head_of(line: str) -> tuple[Table, list[str]] | None:
    """The table that begins with this line, and its columns; None if no table begins."""
    columns = line.split()
    found = next((table for table in Table if set(table.value) <= set(columns)), None)
    return None if found is None else (found, columns)


def cells(columns: list[str], line: str) -> Fields | None:
    """The values of a row by column, with names in lower case. None for a line that is no row of this table."""
    values = [cell.strip() for cell in line.rstrip("\n").split("\t")]
    if len(values) < len(columns):
        values = line.split()
    # The last column may be empty, for a transaction without partitions.
    if len(values) == len(columns) - 1:
        values.append("")
    if len(values) < len(columns) or any(values[len(columns) :]):
        return None
    return {name.lower(): value for name, value in zip(columns, values, strict=False)}


def producer_row(row: Fields) -> ProducerEntry:
    """A row of the table of `describe-producers`. Raises UnreadableError."""
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
    """A row of the table of `find-hanging`: the partition and the producer. Raises UnreadableError."""
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
    """A row of the table of `describe`: transactional id, state, and the time of the answer in milliseconds since
    1970 (-1 if unknown). Raises UnreadableError."""
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
    """A row of the table of `list`: producer id, transactional id, state. Raises UnreadableError."""
    return number(row, "producerid"), row["transactionalid"], status_of(row["transactionstate"]).kafka_name


def _or_none(row: Fields, name: str) -> int:
    return -1 if row.get(name) in ("None", "") else number(row, name)
