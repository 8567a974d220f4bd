"""The report that the decode command prints, and its exit code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.codec.decode_report import EXIT_DAMAGED, EXIT_NOT_A_LOG, EXIT_OK, decode_command
from engine.codec.record import Header, Record
from engine.codec.record_batch import encode_batch
from tests.engine.codec.kafka_dump import KAFKA_LOGS, parse_dump

SEGMENT = "00000000000000000000.log"
COMMITTED = KAFKA_LOGS / "c_commit" / "txcommit-0"


def folder(path: Path) -> dict[str, bytes]:
    return {
        file.relative_to(path.parent).as_posix(): file.read_bytes()
        for file in path.rglob("*")
        if file.is_file()
    }


def text(files: dict[str, bytes]) -> tuple[int, list[str]]:
    lines: list[str] = []
    code = decode_command(files, False, lines.append)
    assert not any("\n" in line for line in lines)
    return code, lines


def objects(files: dict[str, bytes]) -> tuple[int, list[dict[str, Any]]]:
    lines: list[str] = []
    code = decode_command(files, True, lines.append)
    return code, [json.loads(line) for line in lines]


def test_a_line_for_each_batch_with_all_that_was_asked() -> None:
    code, lines = text(folder(COMMITTED))
    assert code == EXIT_OK
    dumped = parse_dump(COMMITTED / SEGMENT)
    shown = [line for line in lines if line.startswith("offset ")]
    assert len(shown) == len(dumped)
    for line, batch in zip(shown, dumped, strict=True):
        header = batch.header
        control = ""
        if header["control"] == "true":
            marker = re.fullmatch(r" endTxnMarker: (\w+) coordinatorEpoch: (\d+)", batch.records[0].rest)
            assert marker
            control = f" control {marker[1]} coordinator epoch {marker[2]}"
        assert line == (
            f"offset {header['base_offset']}..{header['last_offset']}"
            f" pid {header['producer_id']} epoch {header['producer_epoch']}"
            f" sequence {header['base_sequence']}..{header['last_sequence']}"
            f" {'transactional' if header['transactional'] == 'true' else 'not transactional'}"
            f"{control} records {header['count']} crc ok"
            f" position {header['position']} size {header['size']}"
        )


def test_the_last_line_counts_and_every_file_is_accounted_for() -> None:
    files = folder(COMMITTED)
    _, lines = text(files)
    dumped = parse_dump(COMMITTED / SEGMENT)
    records = sum(len(batch.records) for batch in dumped)
    unread = len(files) - 1
    assert lines[-1] == (
        f"{len(dumped)} batches, {records} records, 1 segment, {unread} files not read, 0 damaged places"
    )
    named = {line.split(" ")[1].rstrip(":") for line in lines if line.startswith(("segment ", "file "))}
    assert named == set(files)


def test_compressed_batches_show_their_header_and_say_so() -> None:
    code, lines = text(folder(KAFKA_LOGS / "i_compression" / "comp-lz4-0"))
    assert code == EXIT_OK
    assert sum("codec lz4 not read yet crc ok" in line for line in lines) == 4
    assert "4 compressed batches not read yet" in lines[-1]


def test_records_in_json_lines() -> None:
    records = [
        Record(7, 1000, "ключ".encode(), b"\xff\x00", (Header(b"h", b"\x80"), Header(b"h", None))),
        Record(8, 1001, None, b"two\nlines"),
    ]
    batch = encode_batch(records, base_offset=7, producer_id=3, producer_epoch=1, base_sequence=2**31 - 1)
    code, (segment, shown, totals) = objects({SEGMENT: batch})
    assert code == EXIT_OK
    assert segment == {"kind": "segment", "path": SEGMENT, "base_offset": 0, "size": len(batch)}
    assert shown["records"] == [
        {
            "offset": 7,
            "timestamp": 1000,
            "key": {"text": "ключ"},
            "value": {"hex": "ff00"},
            "headers": [[{"text": "h"}, {"hex": "80"}], [{"text": "h"}, None]],
        },
        {"offset": 8, "timestamp": 1001, "key": None, "value": {"text": "two\nlines"}, "headers": []},
    ]
    assert (shown["base_sequence"], shown["last_sequence"]) == (2**31 - 1, 0)
    assert (shown["crc_ok"], shown["control_type"], shown["damage"]) == (True, None, [])
    assert totals["kind"] == "totals"
    assert (totals["batches"], totals["records"], totals["damaged_places"]) == (1, 2, 0)


@pytest.mark.parametrize("log", ["a_plain", "b_idem", "k_roll", "l_compact"])
def test_json_lines_and_text_tell_the_same(log: str) -> None:
    files = folder(KAFKA_LOGS / log)
    (_, lines), (_, shown) = text(files), objects(files)
    batches = [item for item in shown if item["kind"] == "batch"]
    assert [line.split(" ")[1] for line in lines if line.startswith("offset ")] == [
        f"{batch['base_offset']}..{batch['last_offset']}" for batch in batches
    ]
    assert sum(len(batch["records"]) for batch in batches) == shown[-1]["records"]


def test_segments_come_in_the_order_of_their_offsets_not_of_their_listing() -> None:
    files = folder(KAFKA_LOGS / "k_roll" / "roll-0")
    _, shown = objects(dict(reversed(files.items())))
    assert [item["base_offset"] for item in shown if item["kind"] == "segment"] == [0, 7, 21, 30, 43]
    offsets = [item["base_offset"] for item in shown if item["kind"] == "batch"]
    assert offsets == sorted(offsets)


def test_a_cut_file_names_the_byte_and_prints_the_rest() -> None:
    data = (COMMITTED / SEGMENT).read_bytes()
    last = int(parse_dump(COMMITTED / SEGMENT)[-1].header["position"])
    code, lines = text({SEGMENT: data[:-1]})
    assert code == EXIT_DAMAGED
    assert sum(line.startswith("offset ") for line in lines) == len(parse_dump(COMMITTED / SEGMENT)) - 1
    (damaged,) = [line for line in lines if line.startswith("damaged")]
    assert damaged.startswith(
        f"damaged {SEGMENT}: byte {last}: file ends inside a batch: expected 78 B, found 77 B"
    )
    assert lines[-1].endswith("1 damaged place")


def test_a_changed_byte_is_damage_and_the_batch_is_still_printed() -> None:
    data = bytearray((COMMITTED / SEGMENT).read_bytes())
    data[50] ^= 1
    code, lines = text({SEGMENT: bytes(data)})
    assert code == EXIT_DAMAGED
    assert "crc bad" in lines[1]
    assert lines[2].startswith(f"damaged {SEGMENT}: byte 17: checksum (CRC-32C): expected 0x")
    code, shown = objects({SEGMENT: bytes(data)})
    assert code == EXIT_DAMAGED
    assert shown[1]["crc_ok"] is False
    (damage,) = shown[1]["damage"]
    assert (damage["kind"], damage["position"], damage["ends_file"]) == ("crc", 17, False)


def test_a_damaged_segment_does_not_stop_the_next_one() -> None:
    files = folder(KAFKA_LOGS / "k_roll" / "roll-0")
    first = f"roll-0/{SEGMENT}"
    _, before = objects(files)
    files[first] = files[first][:100]
    code, after = objects(files)
    assert code == EXIT_DAMAGED
    others = [item for item in before if item["kind"] == "batch" and item["path"] != first]
    assert [item for item in after if item["kind"] == "batch" and item["path"] != first] == others


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "no file was given"),
        ({"notes.txt": b"nothing of Kafka's, but long enough to look at"}, "notes.txt: byte 8: batch length"),
        ({"notes.txt": b""}, "notes.txt: not a segment"),
        ({"t-0/00000000000000000000.index": bytes(16)}, "not a log"),
        ({"a.txt": b"one", "b.txt": b"two"}, "none of the 2 files is a segment"),
        ({"bell\x07\n.txt": b"x"}, r"'bell\x07\n.txt'"),
    ],
)
def test_what_is_no_log_is_one_line_with_the_remedy(files: dict[str, bytes], said: str) -> None:
    code, lines = text(files)
    assert code == EXIT_NOT_A_LOG
    (line,) = lines
    assert said in line
    assert "give a Kafka segment" in line


def test_a_renamed_segment_is_read_and_an_empty_one_is_a_log() -> None:
    data = (COMMITTED / SEGMENT).read_bytes()
    assert text({"backup.bin": data})[0] == EXIT_OK
    assert text({SEGMENT: b""}) == (
        EXIT_OK,
        [f"segment {SEGMENT} size 0", "0 batches, 0 records, 1 segment, 0 damaged places"],
    )
