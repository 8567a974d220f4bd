"""`python -m engine decode PATH` with real paths: what the command prints, and its exit codes."""

import io
import json
from pathlib import Path

import pytest

from engine.__main__ import main
from tests.engine.codec.kafka_dump import KAFKA_LOGS, parse_dump

SEGMENT = "00000000000000000000.log"


def decode(*arguments: str) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main(["decode", *arguments], out, err)
    return code, out.getvalue() + err.getvalue()


@pytest.mark.parametrize(
    "partition", ["a_plain/plain-0", "a_plain/plain-1", "b_idem/idem-0", "b_idem/idem-2"]
)
@pytest.mark.parametrize("name", ["", SEGMENT], ids=["folder", "segment"])
def test_a_folder_or_a_segment_is_printed_batch_for_batch(partition: str, name: str) -> None:
    path = KAFKA_LOGS / partition
    dumped = [batch.header for batch in parse_dump(path / SEGMENT)]
    code, text = decode(str(path / name))
    assert code == 0
    places = [line.rpartition(" position ")[2] for line in text.splitlines() if line.startswith("offset ")]
    assert places == [f"{header['position']} size {header['size']}" for header in dumped]
    code, text = decode(str(path / name), "--jsonl")
    assert code == 0
    batches = [item for line in text.splitlines() if (item := json.loads(line))["kind"] == "batch"]
    assert [str(batch["crc"]) for batch in batches] == [header["crc"] for header in dumped]


def test_a_cut_segment_ends_with_3_and_names_the_byte(tmp_path: Path) -> None:
    data = (KAFKA_LOGS / "b_idem" / "idem-0" / SEGMENT).read_bytes()
    (tmp_path / SEGMENT).write_bytes(data[:200])
    code, text = decode(str(tmp_path / SEGMENT))
    assert code == 3
    assert "byte 155: file ends inside a batch: expected 146 B, found 45 B" in text


def test_what_is_no_log_ends_with_2_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing that Kafka wrote")
    for path in (tmp_path / "notes.txt", tmp_path / "absent.log", tmp_path):
        code, text = decode(str(path))
        assert code == 2
        assert len(text.splitlines()) == 1
