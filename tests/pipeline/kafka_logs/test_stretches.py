"""Segments that are split at their indexes and whose headers are read in columns give the same batches as reading one
by one from the start.
"""

import shutil
from pathlib import Path

import pytest

from engine.codec.crc32c import crc32c
from engine.codec.offset_index import IndexEntry, index_entries
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from engine.codec.segment import SegmentReader
from eosviz.pipeline.kafka_logs import stretch_facts
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, batch_facts
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.directories import PartitionDirectory, find_directories
from eosviz.pipeline.kafka_logs.row_blocks import rows_in_blocks
from eosviz.pipeline.kafka_logs.stretches import mapped, read_rows
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.rotation import in_turn

DIRECTORIES = find_directories([KAFKA_LOGS])
WITH_INDEX = KAFKA_LOGS / "wire_tv0" / "wire" / "w-txnfuzz-public-0"
LOG, INDEX = f"{0:020}.log", f"{0:020}.index"


def one_by_one(directory: PartitionDirectory, reader: SegmentReader | None = None) -> list[BatchFacts]:
    """Read each segment from its start to its end, without index and columns."""
    reader = reader or segment_reader()
    return [
        batch_facts(f"{directory.name}/{segment.name}", row)
        for segment in directory.segments
        for row in reader.rows(mapped(segment), int(segment.stem))
    ]


def directory(path: Path) -> PartitionDirectory:
    (found,) = find_directories([path])
    return found


def place(found: PartitionDirectory) -> str:
    return found.path.relative_to(KAFKA_LOGS).as_posix()


@pytest.mark.parametrize(
    "found", in_turn(DIRECTORIES, 30, "engine/codec", "eosviz/pipeline", name=place), ids=place
)
@pytest.mark.parametrize("split_bytes", [400, 1 << 25])
@pytest.mark.parametrize("short_bytes_max", [0, stretch_facts.SHORT_BYTES_MAX], ids=["columns", "rows"])
def test_columns_and_stretches_are_the_batches(
    found: PartitionDirectory, split_bytes: int, short_bytes_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stretch_facts, "SHORT_BYTES_MAX", short_bytes_max)
    expected = one_by_one(found)
    assert list(found.batches(Depth.HEADERS, split_bytes)) == expected
    assert list(found.batches(Depth.DEEP, split_bytes)) == expected


@pytest.mark.parametrize("found", DIRECTORIES, ids=place)
def test_rows_in_columns_are_the_rows(found: PartitionDirectory) -> None:
    for stretch in found.stretches(400):
        assert list(rows_in_blocks(stretch, segment_reader())) == list(read_rows(stretch, segment_reader()))


def test_damaged_records_of_a_lone_batch_are_damage(tmp_path: Path) -> None:
    batch = bytearray(encode_batch([Record(0, 1, None, b"v")], base_offset=0))
    batch[61] = 1  # the length -1
    batch[17:21] = crc32c(bytes(batch[21:])).to_bytes(4, "big")
    folder = tmp_path / "__consumer_offsets-0"
    folder.mkdir()
    (folder / LOG).write_bytes(batch)
    (stretch,) = directory(folder).stretches()
    rows = list(rows_in_blocks(stretch, segment_reader()))
    assert rows == list(read_rows(stretch, segment_reader()))
    assert rows[0].damage


def test_segments_are_cut_where_their_index_names_a_batch() -> None:
    indexed = [found for found in DIRECTORIES if len(found.stretches(400)) > len(found.segments)]
    assert len(indexed) >= 5
    for found in indexed:
        starts = {stretch.start for stretch in found.stretches(400)}
        assert starts <= {facts.position for facts in one_by_one(found)}
        assert all(stretch.stop > stretch.start for stretch in found.stretches(400))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(WITH_INDEX, tmp_path / WITH_INDEX.name))


def altered(folder: Path, at: int, value: bytes) -> None:
    data = bytearray((folder / LOG).read_bytes())
    data[at : at + len(value)] = value
    (folder / LOG).write_bytes(data)


@pytest.mark.parametrize("split_bytes", [200, 1 << 25])
@pytest.mark.parametrize("depth", list(Depth))
def test_reading_goes_on_at_the_next_indexed_batch_behind_a_length_that_cannot_be_true(
    copy: Path, split_bytes: int, depth: Depth
) -> None:
    whole = one_by_one(directory(copy))
    entries = [entry.position for entry in index_entries((copy / INDEX).read_bytes())]
    torn = next(facts for facts in whole if 0 < facts.position < entries[0])
    altered(copy, torn.position + 8, (2**31 - 1).to_bytes(4, "big"))
    read = list(directory(copy).batches(depth, split_bytes))
    damaged = [facts for facts in read if facts.damage]
    assert [facts.position for facts in damaged] == [torn.position]
    assert read[-1] == whole[-1]
    behind = [facts for facts in whole if facts.position >= entries[0]]
    assert [facts for facts in read if facts.position > torn.position] == behind


def test_without_an_index_the_rest_of_the_file_is_lost_and_said_so(copy: Path) -> None:
    (copy / INDEX).unlink()
    whole = one_by_one(directory(copy))
    altered(copy, whole[1].position + 8, (2**31 - 1).to_bytes(4, "big"))
    read = list(directory(copy).batches())
    assert read[:1] == whole[:1]
    assert len(read) == 2
    assert "rest of the file cannot be read" in (read[1].damage or "")


@pytest.mark.parametrize("depth", list(Depth))
def test_an_index_of_another_file_is_not_believed(copy: Path, depth: Depth) -> None:
    """The second batch is cut out, so that every place in the index is inside a batch or at the batch of another
    offset.
    """
    data = (copy / LOG).read_bytes()
    whole = one_by_one(directory(copy))
    (copy / LOG).write_bytes(data[: whole[1].position] + data[whole[2].position :])
    found = directory(copy)
    assert list(found.batches(depth, 100)) == one_by_one(found)
    assert not any(facts.damage for facts in found.batches(depth, 100))


@pytest.mark.parametrize("depth", list(Depth))
def test_every_bit_of_a_header_that_turns_is_said_alike_by_columns_and_reader(
    copy: Path, depth: Depth
) -> None:
    (copy / INDEX).unlink()
    data = (copy / LOG).read_bytes()
    whole = one_by_one(directory(copy))
    at = whole[2].position
    for byte in range(61):
        changed = bytearray(data)
        changed[at + byte] ^= 0x81
        (copy / LOG).write_bytes(changed)
        found = directory(copy)
        expected = one_by_one(found)
        if byte >= 16:
            # The checksum does not cover the bytes before 16, and a wrong leader epoch contradicts nothing.
            assert any(facts.damage for facts in expected), byte
        assert list(found.batches(depth)) == expected, byte


def test_thousands_of_batches_come_in_blocks(tmp_path: Path) -> None:
    folder = tmp_path / "many-0"
    folder.mkdir()
    batches = [
        encode_batch(
            [Record(offset, 5, b"k", b"v")], base_offset=offset, producer_id=3, producer_epoch=0,
            base_sequence=(2**31 - 2_000 + offset) % 2**31, partition_leader_epoch=0,
        )
        for offset in range(6_000)
    ]  # fmt: skip
    (folder / LOG).write_bytes(b"".join(batches))
    found = directory(folder)
    assert list(found.batches()) == one_by_one(found)


def test_index_entries_end_where_they_no_longer_rise() -> None:
    entry = (5).to_bytes(4, "big") + (900).to_bytes(4, "big")
    assert list(index_entries(entry + bytes(16))) == [IndexEntry(5, 900)]
    assert list(index_entries(entry + entry)) == [IndexEntry(5, 900)]
    assert list(index_entries(entry[:5])) == []
