"""Ten times as many transactions take hardly more than ten times the work, and the printed output is bounded."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from engine.codec.consumer_offsets_record import OffsetKey
from engine.codec.control_record import ControlType
from engine.codec.record import Record
from engine.codec.record_batch import LENGTH_POSITION, encode_batch, encode_marker
from engine.codec.transaction_log_record import TransactionLogValue, TransactionStatus
from eosviz.pipeline.kafka_logs import case as kafka_case
from eosviz.pipeline.kafka_logs import notes as kafka_notes
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts
from eosviz.pipeline.kafka_logs.case import Case, ReadPartition, read_case
from eosviz.pipeline.kafka_logs.compiled import checksum
from eosviz.pipeline.kafka_logs.coordinator import Coordinator, CoordinatorEntry
from eosviz.pipeline.kafka_logs.copy_proofs import Copies
from eosviz.pipeline.kafka_logs.directories import find_directories
from eosviz.pipeline.kafka_logs.groups import GroupOffsets
from eosviz.pipeline.kafka_logs.log_lines import LoggedLines, LogLine
from eosviz.pipeline.kafka_logs.partition import fold
from eosviz.pipeline.kafka_logs.text_partition import TextPartition
from eosviz.pipeline.kafka_logs.verdicts import verdicts_of
from tests.counted_steps import steps_of
from tests.pipeline.kafka_logs.printed import document

FEW, MANY = 40, 400
TIMES_MAX = 12
"""Ten times as many transactions may take so many times the work, because sorting grows a little faster."""
LOG = f"{0:020}"


def entry(number: int, status: TransactionStatus, producer_id: int, partitions: int = 1) -> CoordinatorEntry:
    value = TransactionLogValue(
        producer_id=producer_id,
        producer_epoch=0,
        timeout_ms=1000,
        status=status,
        partitions=tuple(("t", one) for one in range(partitions)),
        last_update_ms=number * 10,
        start_ms=number * 10,
    )
    return CoordinatorEntry(f"id-{producer_id}", "__transaction_state-0", number, number * 10, value)


def of_one_id(transactions: int) -> Coordinator:
    coordinator = Coordinator()
    for number in range(transactions):
        coordinator.add(entry(2 * number, TransactionStatus.ONGOING, 7))
        coordinator.add(entry(2 * number + 1, TransactionStatus.COMPLETE_COMMIT, 7))
    return coordinator


def batches(transactions: int, *, one_id: bool, ended: str | None) -> Iterator[BatchFacts]:
    """Yield the batches of transactions: one after the other, or all begun before the first one ends. With
    ``one_id``, all are of one producer id.
    """
    ends: list[BatchFacts] = []
    offset = 0
    for number in range(transactions):
        who: dict[str, Any] = {
            "magic": 2,
            "records": 1,
            "producer_id": 7 if one_id else number,
            "producer_epoch": 0,
            "is_transactional": True,
            "max_timestamp": 20 * number + 10,
        }
        yield BatchFacts("t-0/0.log", offset, base_offset=offset, last_offset=offset,
                         offsets=((offset, offset),), **who)  # fmt: skip
        offset += 1
        if ended is not None:
            place = offset if one_id else transactions + number
            end = BatchFacts(
                "t-0/0.log", place, base_offset=place, last_offset=place, control_type=ended, **who
            )
            if one_id:
                yield end
                offset += 1
            else:
                ends.append(end)
    yield from ends


def judged(transactions: int, coordinator: Coordinator, lines: int = 0, **shape: Any) -> dict[str, Any]:
    """Return the whole document of a case with one partition."""
    partition = fold("t-0", batches(transactions, **shape))
    log_lines = [LogLine("client_fatal", f"l: line {n}", "", producer_id=n) for n in range(lines)]
    verdicts = verdicts_of(partition, Copies(coordinator), 1, log_lines=LoggedLines(log_lines))
    case = Case((), 1, coordinator=coordinator, log_lines=[])
    case.partitions.append(ReadPartition(TextPartition("t-0", Path()), partition, "", verdicts))
    return document(case)


def one_id(count: int) -> dict[str, Any]:
    return judged(count, of_one_id(count), one_id=True, ended="COMMIT")


def many_open(count: int) -> dict[str, Any]:
    coordinator = Coordinator()
    for number in range(count):
        coordinator.add(entry(number, TransactionStatus.ONGOING, number))
    return judged(count, coordinator, lines=count, one_id=False, ended=None)


def many_aborted(count: int) -> dict[str, Any]:
    return judged(count, Coordinator(), one_id=False, ended="ABORT")


def many_pending(count: int) -> None:
    groups = GroupOffsets()
    keys = [OffsetKey("g", "t", number) for number in range(count)]
    for producer_id, key in enumerate(keys):
        groups.add(producer_id, {key: None})
    assert [groups.pending_of(key) for key in keys] == list(range(count))


@pytest.mark.parametrize("work", [one_id, many_open, many_aborted, many_pending])
def test_ten_times_as_many_are_ten_times_the_work(work: Callable[[int], object]) -> None:
    work(1)  # It reads what is read only once, such as the catalogue.
    assert steps_of(lambda: work(MANY)) <= TIMES_MAX * steps_of(lambda: work(FEW))


def test_a_transaction_in_many_partitions_is_compared_with_each_once() -> None:
    def judge_each(count: int) -> None:
        coordinator = Coordinator()
        coordinator.add(entry(0, TransactionStatus.ONGOING, 0, partitions=count))
        for number in range(count):
            partition = fold(f"t-{number}", batches(1, one_id=False, ended=None))
            (verdict,) = verdicts_of(partition, Copies(coordinator), 1)
            assert verdict.entry is not None and verdict.entry.lists(f"t-{number}")

    assert steps_of(lambda: judge_each(MANY)) <= TIMES_MAX * steps_of(lambda: judge_each(FEW))


def data(offset: int) -> bytes:
    return encode_batch(
        [Record(offset, 1000 + offset, b"k", b"v")], base_offset=offset, partition_leader_epoch=0,
        producer_id=offset, producer_epoch=0, base_sequence=0, is_transactional=True, checksum=checksum,
    )  # fmt: skip


def written(folder: Path, batches: list[bytes]) -> Path:
    """Write a partition whose index names every batch but the first. Returns its folder."""
    place = folder / "t-0"
    place.mkdir(parents=True)
    index, position = bytearray(), 0
    for offset, batch in enumerate(batches):
        index += (offset.to_bytes(4, "big") + position.to_bytes(4, "big")) if position else b""
        position += len(batch)
    (place / f"{LOG}.log").write_bytes(b"".join(batches))
    (place / f"{LOG}.index").write_bytes(index)
    return place


def test_behind_each_of_many_damaged_places_the_index_is_not_read_from_its_beginning(tmp_path: Path) -> None:
    def read(count: int) -> None:
        torn = b"\xff\xff\xff\xff"
        made = [data(offset) for offset in range(count)]
        for number in range(1, count, 4):
            made[number] = made[number][:LENGTH_POSITION] + torn + made[number][LENGTH_POSITION + 4 :]
        (found,) = find_directories([written(tmp_path / str(count), made)])
        partition = fold("t-0", found.batches())
        assert (partition.corrupt, partition.batches) == (count // 4, count - count // 4)

    assert steps_of(lambda: read(MANY)) <= TIMES_MAX * steps_of(lambda: read(FEW))


@pytest.fixture
def many_open_on_disk(tmp_path: Path) -> Path:
    return written(tmp_path, [data(offset) for offset in range(FEW)])


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    call_command("logs", *arguments)
    return capsys.readouterr().out.splitlines()


def test_of_many_open_transactions_the_first_are_printed_and_the_others_counted(
    many_open_on_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, str(many_open_on_disk))
    assert lines.count("t-0: undecided") == 20
    assert lines[-1] == "and 20 more verdicts: --all prints them, --json lists them"
    assert printed(capsys, str(many_open_on_disk), "--all").count("t-0: undecided") == FEW


def test_what_the_document_does_not_list_it_counts(
    many_open_on_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = read_case([many_open_on_disk])
    monkeypatch.setattr(kafka_case, "LISTED_MAX", 15)
    found = document(case)
    assert [len(found[name]) for name in ("transactions", "producers", "verdicts")] == [15, 15, 15]
    assert [found["not_listed"][name] for name in ("transactions", "producers", "verdicts")] == [25, 25, 25]


def test_notes_have_a_bound_and_the_others_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kafka_notes, "NOTES_MAX", 25)
    made = []
    for offset in range(0, 2 * FEW, 2):
        made += [
            data(offset),
            encode_marker(
                ControlType.ABORT, 0, producer_id=offset, producer_epoch=5, timestamp=1, base_offset=offset + 1,
                partition_leader_epoch=0, checksum=checksum,
            ),
        ]  # fmt: skip
    place = written(tmp_path, made)
    found = document(read_case([place]))
    assert (len(found["verdicts"][0]["notes"]), found["not_listed"]["notes"]) == (25, FEW - 25)
    assert printed(capsys, str(place))[-3:-1] == [
        "  and 5 more of these: --all prints all of them",
        f"  and {FEW - 25} more that were not kept",
    ]
