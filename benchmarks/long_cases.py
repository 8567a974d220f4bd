"""Benchmark `long-cases`: `manage.py logs`, started from the command line, on cases with many transactions. In one
case all transactions have the same transactional id, in the other all are open; both cases contain the data and the
coordinator's log. A tenth of each case is read as well: ten times as many transactions may take twelve times as long.

`python -m benchmarks long-cases`
"""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from benchmarks.generated_logs import STARTED_MS, Log, Shape, patterns_of, placed
from benchmarks.logs_cold import MEGABYTE, report_rates, report_tool
from benchmarks.report import remark
from benchmarks.started_commands import clock, kafkas_tool, our_logs, processor, starts
from benchmarks.turns import in_turns, ratios, report_rounds
from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from engine.codec.transaction_log_record import (
    TransactionLogValue,
    TransactionStatus,
    encode_key,
    encode_value,
)
from eosviz.pipeline.kafka_logs.compiled import checksum

GOAL = 16
"""In MB a second."""
OF_TOOL = 3.0
GROWTH_GOAL = 12.0
ONE_PRODUCER = 1000
_SHAPE = Shape((10, 10), (100, 100), 1)
_ENDED = (TransactionStatus.ONGOING, TransactionStatus.PREPARE_COMMIT, TransactionStatus.COMPLETE_COMMIT)
_OPEN = (TransactionStatus.ONGOING,)


def one_id(place: Path, transactions: int) -> int:
    """Write transactions of one transactional id, one after the other and all committed. Returns the number of bytes
    written.
    """
    return _write(place, transactions, _ENDED, lambda number: ONE_PRODUCER)


def many_open(place: Path, transactions: int) -> int:
    """Write open transactions, each of a transactional id of its own. Returns the number of bytes written."""
    return _write(place, transactions, _OPEN, lambda number: ONE_PRODUCER + number)


CASES: Mapping[str, tuple[Callable[[Path, int], int], int]] = MappingProxyType(
    {"one_id": (one_id, 100_000), "open": (many_open, 60_000)}
)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-long-cases-") as folder:
        for name, (make, transactions) in CASES.items():
            whole, tenth = Path(folder) / name, Path(folder) / f"{name}-tenth"
            megabytes = make(whole, transactions) / MEGABYTE
            make(tenth, transactions // 10)
            remark(f"{name}: {transactions} transactions, {megabytes:.0f} MB")
            commands = {"whole": our_logs(str(whole)), "tenth": our_logs(str(tenth))}
            tool = kafkas_tool(whole, deep=False)
            if tool is not None:
                commands["tool"] = tool
            costs = in_turns(starts(commands))
            report_rates(f"long_cases_{name}", megabytes, clock(costs["whole"]), GOAL)
            report_rates(f"long_cases_{name}_processor", megabytes, processor(costs["whole"]))
            growth = ratios(processor(costs["whole"]), processor(costs["tenth"]))
            report_rounds(f"long_cases_{name}_growth", growth, "times", GROWTH_GOAL)
            if tool is not None:
                report_tool(f"long_cases_{name}", costs["whole"], costs["tool"], megabytes, OF_TOOL)


def _write(
    place: Path, transactions: int, says: tuple[TransactionStatus, ...], producer_of: Callable[[int], int]
) -> int:
    data, coordinator = Log(place / "made-0"), Log(place / "__transaction_state-0")
    ((records, pattern), *_) = patterns_of(_SHAPE)
    for number in range(transactions):
        producer_id = producer_of(number)
        sequence = number * records if producer_of(0) == producer_id else 0
        data.append(placed(pattern, data.offset, producer_id, sequence), records)
        for status in says:
            batch = _said(coordinator.offset, producer_id, status, STARTED_MS + 10 * number)
            coordinator.append(batch, 1)
        if says is _ENDED:
            data.mark(ControlType.COMMIT, producer_id, STARTED_MS + 10 * number)
    data.roll()
    coordinator.roll()
    return data.written + coordinator.written


def _said(offset: int, producer_id: int, status: TransactionStatus, time_ms: int) -> bytes:
    value = TransactionLogValue(
        producer_id=producer_id,
        producer_epoch=0,
        timeout_ms=60_000_000,
        status=status,
        partitions=(("made", 0),),
        last_update_ms=time_ms,
        start_ms=time_ms,
    )
    record = Record(offset, time_ms, encode_key(f"id-{producer_id}"), encode_value(value))
    return encode_batch([record], base_offset=offset, partition_leader_epoch=0, checksum=checksum)
