"""A file that belongs to segments is opened without them: the command says what the file contains, and that it is no
case.
"""

import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from engine.codec.time_index import time_index_entries
from eosviz.bounded.refusing import Refused
from eosviz.pipeline.kafka_logs.case import document, read_case
from eosviz.pipeline.kafka_logs.lone_files import lone_file
from eosviz.pipeline.kafka_logs.text_files import LoneFileError
from tests.replays.opened import open_log

LOGS = Path(__file__).parents[2] / "oracles" / "kafka-logs"
FOLDER = LOGS / "h2_open" / "hangopen-0"
EMPTY = "00000000000000000000"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "00000000000000000008.snapshot",
            "reached offset 8: 2 producers, 1 open transaction. The oldest open transaction begins at offset 2"
            " (producer id 1022, epoch 0)",
        ),
        (
            f"{EMPTY}.txnindex",
            "2. The last one belongs to producer id 1021: it begins at offset 6, and its marker is at 7",
        ),
        (f"{EMPTY}.timeindex", "1 entry, the last 2026-11-21 09:18:54 UTC at offset 7"),
        (f"{EMPTY}.index", "maps offsets of one segment to positions, but has no entries"),
        ("leader-epoch-checkpoint", "1 leader epoch. The newest, 0, begins at offset 0"),
    ],
)
def test_the_command_says_what_a_file_tells_and_what_is_missing(name: str, sentence: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("logs", str(FOLDER / name))
    assert str(refused.value).startswith(f"{name} ") and sentence in str(refused.value)
    remedy = (
        r"pen (its partition folder, with|the partition folder that it comes from, including) the segments"
    )
    assert re.search(remedy, str(refused.value))


def test_each_of_several_is_reported(tmp_path: Path) -> None:
    checkpoint = tmp_path / "log-start-offset-checkpoint"
    checkpoint.write_text("0\n2\n__consumer_offsets 3 0\nt 0 17\n")
    with pytest.raises(LoneFileError) as refused:
        read_case([checkpoint, FOLDER / f"{EMPTY}.txnindex"])
    first, second = refused.value.sentences
    assert first.key == "logs.alone.checkpoint"
    assert first.params.items() >= {"count": 2, "partition": "t-0", "offset": 17}.items()
    assert second.key == "logs.alone.transaction_index"


def test_all_files_of_a_folder_are_the_folder() -> None:
    files = [path for path in sorted(FOLDER.iterdir()) if not path.name.endswith(".txt")]
    given, folder = (document(read_case(paths), str) for paths in (files, [FOLDER]))
    assert given | {"paths": []} == folder | {"paths": []}


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("1.snapshot", b"\0\1cut", "logs.alone.damaged"),
        ("1.txnindex", b"\0\1" * 17, "logs.alone.damaged"),
        ("leader-epoch-checkpoint", b"1\n0\n", "logs.alone.no_checkpoint"),
    ],
)
def test_a_damaged_one_says_so(name: str, content: bytes, key: str) -> None:
    sentence = lone_file(name, content)
    assert sentence is not None and sentence.key == key


@pytest.mark.django_db
def test_the_page_says_the_same() -> None:
    files = {
        f"hangopen-0/{path.name}": path.read_bytes()
        for path in FOLDER.iterdir()
        if path.suffix in (".index", ".timeindex", ".snapshot")
    }
    with pytest.raises(Refused) as refused:
        open_log(files, owner="")
    assert refused.value.key == "logs.alone.snapshot_open"
    assert refused.value.params["producer_id"] == 1022


def test_time_indexes_read_as_kafka_dumps_them() -> None:
    dumps = sorted(LOGS.rglob("*.timeindex.dump.txt"))
    entries = 0
    for dump in dumps:
        base = int(dump.name[:20])
        sentences = [
            (int(time), int(offset))
            for time, offset in re.findall(r"timestamp: (\d+) offset: (\d+)", dump.read_text())
        ]
        read = time_index_entries(dump.with_name(dump.name.removesuffix(".dump.txt")).read_bytes())
        found = [(entry.timestamp, base + entry.relative_offset) for entry in read]
        assert found == [one for one in sentences if one[0] > 0], dump
        entries += len(found)
    assert entries > 20
