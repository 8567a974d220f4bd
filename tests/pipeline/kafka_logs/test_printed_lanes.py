"""In the player, printed text and bundles have the same steps as the folders from which they were made."""

from pathlib import Path
from typing import Any

import pytest

from engine.codec.log_case import LogCase, log_case
from eosviz.pipeline.kafka_logs.bundle_lines import BatchLine
from eosviz.pipeline.kafka_logs.bundle_writing import save
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.printed_lanes import lane_lines, lane_of, read_lanes, row_of
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.engine.codec.test_log_case import folded

DUMPED = sorted({path.parent for path in KAFKA_LOGS.rglob("*.log.dump.txt")})
LEFT_OUT = ("log.delete_horizon",)
"""Notes whose facts are neither in the lines of a dump nor in a bundle."""


def from_files(folder: Path) -> LogCase:
    files = {f"{folder.name}/{path.name}": path.read_bytes() for path in folder.glob("*.log")}
    return log_case(files, segment_reader())


def lanes_case(paths: list[Path], most: int = 20_001) -> LogCase:
    return log_case({}, None, read_lanes(lane_lines(read_case(paths), most)))


def steps(case: LogCase) -> list[Any]:
    return [
        one | {"notes": [note for note in one["notes"] if note["key"] not in LEFT_OUT]} for one in case.steps
    ]


def lane_changes(step: Any) -> list[Any]:
    changes = [one for one in step["changes"] if one["path"][0] != "brokers"]
    for one in changes:
        if isinstance(one.get("after"), dict):
            one["after"].pop("content", None)
    return changes


@pytest.mark.parametrize("folder", DUMPED, ids=lambda path: path.relative_to(KAFKA_LOGS).as_posix())
def test_a_dump_steps_as_its_folder_does(folder: Path) -> None:
    given, printed = from_files(folder), lanes_case(sorted(folder.glob("*.dump.txt")))
    if folder.name.startswith("__"):
        # Records of Kafka's own topics are shown only for folders.
        assert [lane_changes(step) for step in printed.steps] == [lane_changes(step) for step in given.steps]
        return
    assert steps(printed) == steps(given)
    assert (printed.header, printed.view) == (given.header, given.view)


def test_a_bundle_steps_as_its_folder_does_under_another_name(tmp_path: Path) -> None:
    folder = KAFKA_LOGS / "h2_open" / "hangopen-0"
    save(read_case([folder]), tmp_path / "b")
    bundled = lanes_case([tmp_path / "b"])
    assert bundled.header["partitions"] == ["topic-1-0"]
    text = str(steps(bundled)).replace("topic-1-0", folder.name)
    assert text == str(steps(from_files(folder)))


def test_files_and_text_are_one_run(tmp_path: Path) -> None:
    one, other = (KAFKA_LOGS / "h2_open" / f"hangopen-{number}" for number in (0, 1))
    files = {f"{one.name}/{path.name}": path.read_bytes() for path in one.glob("*.log")}
    case = log_case(
        files, segment_reader(), read_lanes(lane_lines(read_case(sorted(other.glob("*.txt"))), 99))
    )
    assert case.header["partitions"] == ["hangopen-0", "hangopen-1"]
    assert len(case.steps) == 10
    twice = log_case(
        files, segment_reader(), read_lanes(lane_lines(read_case(sorted(one.glob("*.txt"))), 99))
    )
    assert twice.header["partitions"] == ["hangopen-0", "hangopen-0 (2)"]


def test_at_most_so_many_batches_are_handed_on() -> None:
    dumps = sorted((KAFKA_LOGS / "h2_open").rglob("*.dump.txt"))
    assert [len(lanes_case(dumps, most).steps) for most in (1, 8, 99)] == [2, 9, 10]


def line(**changes: Any) -> BatchLine:
    fields = {"segment": 0, "position": 0, "base_offset": 0, "last_offset": 0, "records": 1, "size": 80}
    return BatchLine(**(fields | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"producer_epoch": 1 << 20},
        {"last_offset": 1 << 40},
        {"last_offset": -5},
        {"records": -1},
        {"records": 7},
        {"base_offset": -1, "last_offset": -1},
        {"magic": 9},
        {"size": 1 << 60},
        {"leader_epoch": 1 << 40},
    ],
)
def test_numbers_that_no_header_could_hold_are_damage(changes: dict[str, Any]) -> None:
    case = log_case({}, None, [lane_of("t-0", [line(**changes), line(base_offset=5, last_offset=5)])])
    assert [one["key"] for one in case.steps] == ["log.damage.told", "log.batch_plain", "log.now_damaged"]


def test_a_marker_whose_record_is_not_listed_ends_its_transaction_and_does_not_say_how() -> None:
    own = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    lines = [
        line(base_sequence=0, last_sequence=0, **own),
        line(base_offset=1, last_offset=1, control_type="UNTOLD", **own),
        line(base_offset=2, last_offset=2, base_sequence=1, last_sequence=1, **own),
    ]
    case = log_case({}, None, [lane_of("t-0", lines)])
    assert case.steps[1]["key"] == "log.marker_untold"
    replica = folded(case)["partitions"]["t-0"]["replicas"]["0"]
    assert replica["last_stable_offset"] == 2
    batches = replica["batches"]
    assert [batches[offset].get("outcome") for offset in ("0", "1", "2")] == ["ended", None, "open"]
    assert [batches[offset]["control"] for offset in ("0", "1", "2")] == [None, "?", None]


def test_damage_and_control_batches_that_are_unreadable() -> None:
    lines = [
        line(damage="byte 0: checksum (CRC-32C)"),
        line(base_offset=1, last_offset=1, control_type="EMPTIED", records=0),
        line(base_offset=2, last_offset=2, magic=1),
        line(base_offset=3, last_offset=3, control_type="UNKNOWN_7"),
    ]
    case = log_case({}, None, [lane_of("t-0", lines)])
    assert [one["key"] for one in case.steps] == [
        "log.batch_plain",
        "log.control_unread",
        "log.legacy",
        "log.control_other",
        "log.now_damaged",
    ]
    assert "log.damage.told" in [note["key"] for note in case.steps[0]["notes"]]
    assert row_of(lines[3]).control.type_name == "UNKNOWN_7"  # type: ignore[union-attr]
