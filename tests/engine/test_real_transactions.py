"""What real clients did at a real Kafka 4.1 is repeated in the engine and compared (``kafka-logs/*/phaseN.json``)."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import Neighbours, main
from engine.codec.control_record import ControlType
from engine.codec.record_batch import encode_marker
from engine.codec.segment import BatchRow, SegmentReader
from engine.vectors import logs
from engine.vectors.log_actions import in_order_of_offsets, java_actions, read
from engine.vectors.logs import Compared
from engine.vectors.outcome import Failure, Skip
from tests.engine.narrowing import present
from tests.engine.wire.recorded import LOGS

PHASES = sorted(
    str(file.relative_to(LOGS)) for file in LOGS.rglob("phase*.json") if "incidents" not in file.parts
)


def phase(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((LOGS / name).read_text(encoding="utf-8"))
    return found


Change = Callable[[dict[str, Any]], None]


class Changed(Neighbours):
    """The files of a folder, one of them replaced by other bytes."""

    def __init__(self, folder: Path, path: str, data: bytes) -> None:
        super().__init__(folder)
        self.path, self.data = path, data

    def read(self, path: str) -> bytes | None:
        return self.data if path == self.path else super().read(path)


def played(
    name: str,
    document: dict[str, Any] | None = None,
    beside: Neighbours | None = None,
    level: int | None = None,
) -> Compared:
    file = LOGS / name
    wanted = logs.level_of(name) if level is None else level
    return logs.play(document or phase(name), wanted, beside or Neighbours(file.parent))


@pytest.mark.parametrize("name", PHASES)
def test_the_same_actions_give_the_same_logs_and_the_same_views(name: str) -> None:
    result = played(name)
    assert result.failure is None
    assert result.missing == ()
    assert result.counts["views"]
    assert result.counts["log records"]
    if "a_plain" not in name and "b_idem" not in name:
        assert result.counts["markers"]
        assert result.counts["values of __transaction_state"]


def test_every_folder_is_played() -> None:
    assert len(PHASES) == 22
    assert {logs.level_of(name) for name in PHASES} == {0, 2}


def changed(name: str, change: Change) -> Failure | None:
    document = copy.deepcopy(phase(name))
    change(document)
    return played(name, document).failure


def in_view(field: str, value: int | list[int]) -> Change:
    def change(document: dict[str, Any]) -> None:
        document["views"][0]["partitions"]["inter-0"][field] = value

    return change


def of_record(document: dict[str, Any]) -> None:
    document["views"][0]["partitions"]["inter-0"]["read_uncommitted"][2]["value"] = "other"


def of_call(document: dict[str, Any]) -> None:
    document["actions"][22]["ok"] = False


def of_offset(document: dict[str, Any]) -> None:
    *_, last = (found for found in document["actions"] if found["action"] == "produce")
    last["offset"] += 1


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (in_view("high_watermark", 7), "three open: inter-0: high_watermark"),
        (in_view("last_stable_offset", 1), "three open: inter-0: last_stable_offset"),
        (in_view("log_start", 1), "three open: inter-0: log_start"),
        (in_view("read_committed_offsets", [0]), "three open: inter-0: read_committed"),
        (of_record, "three open: inter-0: record at 2"),
        (of_call, "commit_transaction of p2"),
    ],
)
def test_a_wrong_view_or_call_is_noticed(change: Change, place: str) -> None:
    failure = changed("e_interleave/phase1.json", change)
    assert failure is not None
    assert failure.step.startswith(place)


def test_a_wrong_offset_of_a_client_is_noticed() -> None:
    failure = changed("e_interleave/phase1.json", of_offset)
    assert failure is not None


def with_other_epoch(data: bytes) -> tuple[bytes, int]:
    """Return the log with another epoch in its last batch, which is a marker, and a valid checksum; and the new
    epoch.
    """
    *_, last = (row for row in SegmentReader().rows(data) if isinstance(row, BatchRow))
    header = last.header
    assert header.is_control
    made = encode_marker(
        ControlType[present(last.control).type_name],
        present(present(last.control).coordinator_epoch),
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch + 1,
        timestamp=header.max_timestamp,
        base_offset=header.base_offset,
        partition_leader_epoch=header.partition_leader_epoch,
    )
    return data[: last.position] + made, header.base_offset


@pytest.mark.parametrize("name", ["_transaction_version_0/c_commit/phase1.json", "c_commit/phase1.json"])
def test_a_wrong_marker_is_noticed(name: str) -> None:
    folder, path = (LOGS / name).parent, "txcommit-0/00000000000000000000.log"
    data, offset = with_other_epoch((folder / path).read_bytes())
    failure = played(name, beside=Changed(folder, path, data)).failure
    assert failure is not None
    assert failure.step == f"log of txcommit-0 at {offset}: epoch"


def test_a_folder_without_its_logs_says_so() -> None:
    name = "c_commit/phase1.json"
    result = played(name, beside=Neighbours(LOGS))
    assert result.missing == ("txcommit-0", "txcommit-1", "txcommit-2")


@pytest.mark.parametrize(
    ("name", "level", "place"),
    [
        ("c_commit/phase1.json", 0, "__transaction_state: value 0 of tx-commit-public"),
        (
            "_transaction_version_0/c_commit/phase1.json",
            2,
            "__transaction_state: value 0 of tx-commit-public",
        ),
        ("h_hang/phase2.json", 1, "__transaction_state: value 2 of tx-hang-public"),
        (
            "j_java_client/phase1.json",
            1,
            "kafka-transactions.sh describe --transactional-id tx-java-public",
        ),
    ],
)
def test_at_another_level_a_folder_would_be_another_one(name: str, level: int, place: str) -> None:
    failure = played(name, level=level).failure
    assert failure is not None
    assert failure.step == place


def test_an_action_without_a_call_is_skipped_by_its_name() -> None:
    document = phase("c_commit/phase1.json")
    document["actions"][5]["action"] = "levitate"
    with pytest.raises(Skip, match="the engine has no action 'levitate'"):
        read([document], restarts=False)
    document = phase("j_java_client/phase1.json")
    document["java_stdout"].append("levitate")
    with pytest.raises(Skip, match="no action for the line 'levitate'"):
        java_actions(document)


def an_action(producer: str, kind: str, offset: int | None = None) -> dict[str, Any]:
    found = {"producer": producer, "action": kind, "ok": True}
    if kind == "new_producer":
        found["config"] = {"transactional.id": producer}
    if kind == "produce":
        found |= {"topic": "t", "partition": 0, "offset": offset}
    return found


def shown(actions: list[dict[str, Any]]) -> list[tuple[str, str | int]]:
    return [
        (found["producer"], found.get("offset", found["action"]))
        for found in in_order_of_offsets(actions)
        if found["action"] != "new_producer"
    ]


def test_a_record_that_passed_a_marker_comes_before_its_end() -> None:
    actions = [
        an_action("a", "new_producer"),
        an_action("a", "produce", 0),
        an_action("a", "commit_transaction"),
        an_action("b", "begin_transaction"),
        an_action("b", "produce", 1),
    ]
    assert shown(actions) == [
        ("a", 0),
        ("b", "begin_transaction"),
        ("b", 1),
        ("a", "commit_transaction"),
    ]
    actions[-1]["offset"] = 2
    assert [name for name, _ in shown(actions)] == ["a", "a", "b", "b"]


def test_records_of_two_clients_stand_as_their_offsets_say() -> None:
    actions = [an_action("a", "produce", 1), an_action("b", "produce", 0), an_action("a", "produce", 2)]
    assert shown(actions) == [("b", 0), ("a", 1), ("a", 2)]


def test_what_the_actions_leave_open_is_a_closed_list() -> None:
    assert [name for name, _ in logs.open_fields()] == [
        "producer ids",
        "batches",
        "clocks",
        "other folders",
        "partitions of internal topics",
        "AddPartitionsToTxn",
        "leader epochs",
        "segments",
        "races of two clients",
        "members of groups",
        "abort of a fenced producer",
        "leaders",
    ]


def test_the_command_plays_a_folder_and_says_what_was_compared() -> None:
    out = StringIO()
    assert main(["vectors", str(LOGS / "_transaction_version_0" / "d_abort")], out) == 0
    *opened, compared, steps, last = out.getvalue().splitlines()
    assert len(opened) == len(logs.OPEN)
    assert compared == (
        "compared of 1 folder: 11 calls, 34 log records, 12 markers, 34 offsets of clients, 34 records, "
        "13 values of __transaction_state, 3 views"
    )
    assert steps == "steps: 0 passed, 0 failed, 0 skipped"
    assert last == "1 passed, 0 failed, 0 skipped"
