"""The summary of a partition's log is compared with what consumers got from it and with the files that the broker
kept beside it.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, Range
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.directories import (
    PartitionDirectory,
    find_directories,
    log_start_checkpoints,
)
from eosviz.pipeline.kafka_logs.partition import Partition, fold
from eosviz.pipeline.kafka_logs.stretches import LogsError
from tests.engine.codec.kafka_dump import KAFKA_LOGS

DIRECTORIES = find_directories([KAFKA_LOGS])
LATER_MARKER = ("h3_admin_abort", "after admin abort")
"""The only last view after which a marker was written."""


def directory(path: Path) -> PartitionDirectory:
    (found,) = find_directories([path])
    return found


def folded(path: Path, cut: int | None = None) -> Partition:
    found = directory(path)
    start, _ = found.log_start
    return fold(found.name, found.batches(), log_start=start, log_end=found.log_end_min, cut=cut)


def offsets(ranges: tuple[Range, ...]) -> list[int]:
    return [offset for first, last in ranges for offset in range(first, last + 1)]


def views() -> Iterator[tuple[Path, str, dict[str, Any], bool]]:
    """Yield (folder, label, what the consumers got, whether it is the partition's last view)."""
    documents: dict[Path, list[dict[str, Any]]] = {}
    for path in sorted(KAFKA_LOGS.rglob("phase*.json")):
        documents.setdefault(path.parent, []).append(json.loads(path.read_text()))
    for scenario, phases in documents.items():
        seen = [
            (view["label"], *item)
            for phase in phases
            for view in phase["views"]
            for item in view["partitions"].items()
        ]
        last = {name: index for index, (_, name, _) in enumerate(seen)}
        for index, (label, name, view) in enumerate(seen):
            yield scenario / name, label, view, last[name] == index


def view_id(value: object) -> str | None:
    if isinstance(value, Path):
        return value.relative_to(KAFKA_LOGS).as_posix()
    return value if isinstance(value, str) else None


VIEWS = list(views())


def agrees(partition: Partition, view: dict[str, Any]) -> None:
    assert partition.high_watermark == view["high_watermark"]
    assert partition.last_stable_offset() == view["last_stable_offset"]
    assert partition.log_start == view["log_start"]
    assert offsets(partition.visible_uncommitted()) == [one["offset"] for one in view["read_uncommitted"]]
    assert offsets(partition.visible_committed()) == view["read_committed_offsets"]


@pytest.mark.parametrize(("path", "label", "view", "is_last"), VIEWS, ids=view_id)
def test_what_consumers_saw(path: Path, label: str, view: dict[str, Any], is_last: bool) -> None:
    if is_last and (path.parent.name, label) != LATER_MARKER:
        agrees(folded(path), view)
        return
    earlier = path.parent / "before" / path.name
    if earlier.is_dir():
        path = earlier
    if directory(path).log_start[0] == view["log_start"]:
        agrees(folded(path, cut=view["high_watermark"]), view)
    else:
        # Records were deleted later, so only what both views still have in common is compared.
        assert folded(path, cut=view["high_watermark"]).last_stable_offset() == view["last_stable_offset"]


def test_the_views_cover_what_they_claim() -> None:
    assert len(VIEWS) > 50
    assert sum(view["last_stable_offset"] < view["high_watermark"] for _, _, view, _ in VIEWS) >= 5
    assert sum(not is_last for *_, is_last in VIEWS) >= 5


@pytest.mark.parametrize("found", DIRECTORIES, ids=lambda found: view_id(found.path))
def test_the_aborted_index_and_the_producers_are_those_of_the_broker(found: PartitionDirectory) -> None:
    partition = folded(found.path)
    entries, damage = found.aborted_in_files
    assert (partition.corrupt, partition.legacy, damage) == (0, 0, ())
    if partition.has_holes:
        # The cleaner removes aborted records but keeps the entries of the index.
        assert set(partition.aborted_index) <= set(entries)
        return
    assert tuple(partition.aborted_index) == entries
    newest = found.newest_snapshot
    if newest is None or int(newest[0].split(".")[0]) != partition.log_end:
        return
    for entry in newest[1]:
        producer = partition.producers[entry.producer_id]
        open_first = -1 if producer.open is None else producer.open.first_offset
        assert (producer.epoch, producer.last_sequence, producer.last_offset, producer.last_timestamp) == (
            entry.producer_epoch,
            entry.last_sequence,
            entry.last_offset,
            entry.last_timestamp,
        )
        assert (producer.coordinator_epoch, open_first) == (entry.coordinator_epoch, entry.open_first_offset)
    assert len(newest[1]) == len(partition.producers)


def test_segments_are_read_as_one_log() -> None:
    found = directory(KAFKA_LOGS / "k_roll" / "roll-0")
    assert len(found.segments) > 1
    whole = folded(found.path)
    crossing = [
        one
        for one in whole.transactions
        if one.marker is not None and one.place.split(":")[0] != one.marker.place.split(":")[0]
    ]
    assert crossing, "a transaction that begins in one segment and ends in another"


def test_a_marker_of_a_newer_epoch_closes_the_transaction() -> None:
    partition = folded(KAFKA_LOGS / "h_hang" / "hang-0")
    (closed,) = [one for one in partition.transactions if one.marker and one.marker.epoch > one.epoch]
    assert (closed.producer_id, closed.first_offset, closed.last_offset, closed.result) == (
        1004,
        2,
        3,
        "aborted",
    )
    assert closed.marker is not None
    assert (closed.marker.offset, closed.marker.epoch) == (7, 1)


def test_what_readers_would_see_once_the_open_transaction_is_aborted() -> None:
    partition = folded(KAFKA_LOGS / "h2_open" / "hangopen-0")
    assert partition.visible_committed() == ()
    assert partition.last_stable_offset(without=[1022]) == 8
    assert partition.visible_committed(aborting=[1022]) == ((4, 4),)


def test_a_damaged_batch_is_counted_and_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    source = KAFKA_LOGS / "c_commit" / "txcommit-0"
    log = f"{0:020}.log"
    whole = list(directory(source).batches())
    data = bytearray((source / log).read_bytes())
    data[whole[0].position + 40] ^= 1
    folder = tmp_path / "txcommit-0"
    folder.mkdir()
    (folder / log).write_bytes(data)
    partition = folded(folder)
    assert (partition.corrupt, partition.batches) == (1, len(whole) - 1)
    assert partition.damage[0].startswith(f"txcommit-0/{log}: byte {whole[0].position + 17}: checksum")


def test_sequences_that_skip_or_repeat_are_found() -> None:
    first = BatchFacts("p-0/log", 0, 2, 0, 4, 5, ((0, 4),), 7, 0, 2**31 - 5, 2**31 - 1)
    second = replace_facts(first, base_offset=5, last_offset=6, base_sequence=0, last_sequence=1)
    gap = replace_facts(first, base_offset=7, last_offset=7, base_sequence=3, last_sequence=3)
    repeated = replace_facts(first, base_offset=8, last_offset=8, base_sequence=3, last_sequence=3)
    producer = fold("p-0", [first, second, gap, repeated]).producers[7]
    assert [(one.offset, one.expected, one.found, one.is_duplicate) for one in producer.breaks] == [
        (7, 2, 3, False),
        (8, 4, 3, True),
    ]
    assert (producer.gap_count, producer.duplicate_count) == (1, 1)


def replace_facts(
    facts: BatchFacts, base_offset: int, last_offset: int, base_sequence: int, last_sequence: int
) -> BatchFacts:
    return facts._replace(
        base_offset=base_offset,
        last_offset=last_offset,
        records=last_offset - base_offset + 1,
        offsets=((base_offset, last_offset),),
        base_sequence=base_sequence,
        last_sequence=last_sequence,
    )


def test_checkpoints_of_a_log_directory_say_the_start() -> None:
    assert log_start_checkpoints([KAFKA_LOGS / "_internal"]) == {"trim-0": 3}


def test_a_path_without_logs_says_what_helps(tmp_path: Path) -> None:
    with pytest.raises(LogsError, match="does not exist: give partition folders"):
        find_directories([tmp_path / "nowhere"])
    with pytest.raises(LogsError, match="no segment"):
        find_directories([tmp_path])


def test_single_segments_are_their_folder_with_those_alone() -> None:
    first, *_, last = sorted((KAFKA_LOGS / "k_roll" / "roll-0").glob("*.log"))
    (whole,) = find_directories([first.parent])
    (one,) = find_directories([last])
    assert (one.name, one.segments) == ("roll-0", (last,))
    (both,) = find_directories([last, first, first])
    assert both.segments == (first, last)
    (again,) = find_directories([last, first.parent])
    assert again.segments == whole.segments


def test_folders_that_the_broker_renamed_are_copies_or_left_out(tmp_path: Path) -> None:
    source, some = KAFKA_LOGS / "c_commit" / "txcommit-0", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"
    names = (
        "txcommit-0",
        f"txcommit-0.{some}-future",
        f"txcommit-0.{some}-delete",
        f"txcommit-0.{some}-stray",
    )
    for name in names:
        shutil.copytree(source, tmp_path / name)
    case = read_case([tmp_path])
    assert [read.directory.path.name for read in case.partitions] == ["txcommit-0"]
    assert [read.partition.name for read in case.copies] == ["txcommit-0"]
    assert sorted(path.name for path in case.left_out) == sorted(names[2:])
    with pytest.raises(LogsError, match="has set it aside"):
        find_directories([tmp_path / names[2]])


def test_links_to_folders_are_followed_and_never_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "disk").symlink_to(KAFKA_LOGS / "c_commit")
    (tmp_path / "again").symlink_to(tmp_path)
    found = find_directories([tmp_path])
    assert [one.name for one in found] == ["txcommit-0", "txcommit-1", "txcommit-2"]
