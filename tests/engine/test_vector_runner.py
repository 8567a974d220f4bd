"""The runner of vectors reports each case that it does not know, and runs the others."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import main
from engine.codec.transaction_log_record import TransactionLogValue, TransactionStatus, encode_value
from engine.vectors.run import TOPICS, UNPLAYED_NAMED_MAX, Report, run_files
from engine.vectors.wire_versions import OPEN

VECTORS = Path(__file__).parents[1] / "oracles" / "vectors"
WITH_OPERATIONS = ("producer_state", "coordinator_scenarios", "sender", "accumulator", "group_txn_offsets")


def first_case(topic: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VECTORS / f"{topic}.json").read_text())["vectors"][0]
    return found


def report_of(*cases: object) -> Report:
    return run_files([("cases.json", {"vectors": list(cases)})])


@pytest.mark.parametrize("topic", WITH_OPERATIONS)
def test_an_unknown_operation_is_skipped_by_name(topic: str) -> None:
    case = first_case(topic)
    case["ops"][0]["op"] = "levitate"
    report = report_of(case)
    assert report.skipped == [(case["id"], "the engine has no operation 'levitate'")]


@pytest.mark.parametrize("topic", WITH_OPERATIONS)
def test_a_case_that_leaves_out_what_it_needs_fails_alone(topic: str) -> None:
    broken, whole = first_case(topic), first_case(topic)
    broken["id"] = "broken"
    del broken["ops"]
    report = report_of(broken, whole)
    assert {case for case, _, _ in report.failures} == {"broken"}
    assert "KeyError: 'ops'" in str(report.failures[0][2].got)
    assert report.passed == [whole["id"]]


def test_sizes_that_a_case_of_the_accumulator_leaves_out_are_the_documented_ones() -> None:
    cases = json.loads((VECTORS / "accumulator.json").read_text())["vectors"]
    case = next(found for found in cases if found["id"] == "accumulator/fill_69_records")
    for operation in case["ops"]:
        for field, value in (("key_bytes", 3), ("value_bytes", 5)):
            assert operation.pop(field, value) == value
    del case["config"]["batch_size"]
    assert report_of(case).passed == [case["id"]]


def test_every_topic_has_a_module() -> None:
    known = {path.stem for path in VECTORS.glob("*.json")}
    assert known <= set(TOPICS)


def test_the_order_of_partitions_in_a_transaction_log_record_says_nothing() -> None:
    case = json.loads((VECTORS / "txn_log_record.json").read_text())["vectors"][0]
    partitions = ("b-1", "a-0", "b-0")
    value = encode_value(
        TransactionLogValue(
            producer_id=case["input"]["pid"],
            producer_epoch=case["input"]["epoch"],
            timeout_ms=case["input"]["timeout_ms"],
            status=TransactionStatus.ONGOING,
            partitions=tuple((name[0], int(name[2])) for name in partitions),
            last_update_ms=case["input"]["update_ms"],
            start_ms=case["input"]["start_ms"],
        )
    )
    case["expected"]["value_hex"] = value.hex()
    case["input"]["partitions"] = sorted(partitions)
    assert report_of(case).failures == []
    case["input"]["partitions"] = ["a-0", "b-0", "b-2"]
    assert [failure.step for _, _, failure in report_of(case).failures] == ["decode value"] * 2


def test_an_answer_that_was_cut_is_read_without_the_log_behind_it() -> None:
    cases = json.loads((VECTORS / "read_committed.json").read_text())["vectors"]
    case = next(found for found in cases if len(found["input"]["response_batches"]) > 1)
    case["input"]["response_batches"] = case["input"]["response_batches"][:0]
    at = {"offsets": [], "next_fetch_offset": case["input"]["fetch_offset"]}
    case["expected"] = {"read_committed": at, "read_uncommitted": at}
    assert report_of(case).passed == [case["id"]]


def test_a_field_that_the_engine_does_not_know_is_reported_with_its_place() -> None:
    case = first_case("coordinator_scenarios")
    case["ops"][1]["authorized"] = False
    case["config"]["verbosity"] = 3
    case["expected"][0]["results"][1]["throttle_ms"] = 0
    report = report_of(case)
    assert report.passed == [case["id"]], "the case is played all the same"
    places = ["config.verbosity", "ops[1].authorized", "expected[0].results[1].throttle_ms"]
    assert report.unread == [(case["id"], place) for place in places]
    assert f"UNREAD {case['id']}: ops[1].authorized is nothing that the engine knows" in list(report.lines())


def test_every_field_of_the_recorded_cases_is_read() -> None:
    documents = [(file.name, json.loads(file.read_text())) for file in sorted(VECTORS.glob("*.json"))]
    report = run_files(documents)
    assert (report.failures, report.unread) == ([], [])


def test_a_result_that_the_engine_cannot_tell_fails_by_its_name() -> None:
    for topic in ("producer_state", "accumulator", "group_txn_offsets"):
        case = first_case(topic)
        results = case["expected"][0].get("results", case["expected"])
        results[0]["throttle_ms"] = 0
        assert {failure.step.rpartition(" ")[2] for _, _, failure in report_of(case).failures} == {
            "throttle_ms"
        }


@pytest.mark.parametrize(
    "case", [None, [], {"id": 7, "topic": "sender"}, {"id": "a"}, {"id": "a", "topic": ["sender"]}]
)
def test_what_is_no_case_fails_by_its_number(case: object) -> None:
    report = report_of(first_case("sender"), case)
    assert [name for name, _, _ in report.failures] == ["cases.json: case 1"]
    assert len(report.passed) == 1


def test_a_case_without_versions_is_skipped_and_says_so() -> None:
    case = first_case("sequence_math")
    case["versions"] = None
    assert report_of(case).skipped == [(case["id"], "it names no version")]


def test_other_files_in_a_folder_of_vectors_are_reported_and_stop_no_case(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"vectors": [first_case("sequence_math")]}))
    (tmp_path / "b.json").write_text('{"vectors": [')
    (tmp_path / "c.json").write_text('["not", "vectors"]')
    (tmp_path / "d.json").write_bytes(b"\xff\xfe")
    (tmp_path / "e.json").mkdir()
    (tmp_path / "README.md").write_text("words")
    out = StringIO()
    assert main(["vectors", str(tmp_path)], out) == 1, "a broken file may have held cases"
    *lines, steps, last = out.getvalue().splitlines()
    assert last == "1 passed, 2 failed, 0 skipped"
    assert steps == "steps: 0 passed, 0 failed, 0 skipped"
    assert [line.split(" ")[0] for line in lines] == ["FAILED", "FAILED", "UNPLAYED"]
    assert [line.split("/")[-1].split(":")[0] for line in lines] == ["b.json", "d.json", "c.json"]
    for name in ("b", "c", "d"):
        assert main(["vectors", str(tmp_path / f"{name}.json")], out, StringIO()) == 2, (
            "named alone, it is a mistake"
        )


def test_a_recording_is_found_beside_its_logs() -> None:
    out = StringIO()
    assert main(["vectors", str(VECTORS.parent / "kafka-logs" / "wire_tv0")], out) == 0
    unplayed, *opened, also, steps, last = out.getvalue().splitlines()
    assert unplayed.startswith("UNPLAYED ")
    assert "/_internal/dump-commands.json: no list 'vectors'" in unplayed
    assert [line.split(",")[0] for line in opened] == [f"OPEN {found.name}" for found in OPEN]
    assert also == "also in 3.9 at transaction.version 0: 317 passed, 0 failed, 0 skipped"
    assert steps == "steps: 317 passed, 0 failed, 0 skipped"
    assert last == "5 passed, 0 failed, 0 skipped"


def test_of_many_cases_that_are_skipped_for_one_reason_some_are_named() -> None:
    cases = [{**first_case("sequence_math"), "id": f"c{number}", "versions": ["9.9"]} for number in range(11)]
    line, _, last = report_of(*cases).lines()
    assert line == "SKIPPED 11, for 9.9 only: c0, c1, c2, c3, c4, c5, c6, c7 and 3 more"
    assert last == "0 passed, 0 failed, 11 skipped"


def test_a_folder_without_cases_says_where_they_were_looked_for(tmp_path: Path) -> None:
    err = StringIO()
    assert main(["vectors", str(tmp_path)], StringIO(), err) == 2
    assert "no .json file at any depth" in err.getvalue()


def test_cases_are_found_at_any_depth_and_of_files_without_cases_some_are_named(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "cases.json").write_text(json.dumps({"vectors": [first_case("sequence_math")]}))
    for number in range(UNPLAYED_NAMED_MAX + 3):
        (tmp_path / f"{number}.json").write_text("{}")
    out = StringIO()
    assert main(["vectors", str(tmp_path)], out) == 0
    lines = out.getvalue().splitlines()
    assert len(lines) == UNPLAYED_NAMED_MAX + 3
    assert lines[-3:] == [
        "UNPLAYED 3 more files; --json names them",
        "steps: 0 passed, 0 failed, 0 skipped",
        "1 passed, 0 failed, 0 skipped",
    ]


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.__main__.FILES_MAX", 2)
    for number in range(3):
        (tmp_path / f"{number}.json").write_text("{}")
    err = StringIO()
    assert main(["vectors", str(tmp_path)], StringIO(), err) == 2
    assert "more than 2 .json files; name a smaller folder" in err.getvalue()


def test_an_error_that_the_engine_does_not_know_is_skipped_by_name() -> None:
    case = next(
        found
        for found in json.loads((VECTORS / "sender.json").read_text())["vectors"]
        if any("error" in operation for operation in found["ops"])
    )
    for operation in case["ops"]:
        if "error" in operation:
            operation["error"] = "THROTTLING_QUOTA_EXCEEDED"
    assert report_of(case).skipped == [(case["id"], "the engine has no error THROTTLING_QUOTA_EXCEEDED")]


def test_an_error_s_earlier_name_is_known() -> None:
    """Until 2.5, the error with code 6 was called NOT_LEADER_FOR_PARTITION."""
    cases = json.loads((VECTORS / "sender.json").read_text())["vectors"]
    case = next(found for found in cases if found["id"] == "sender/expiry_then_future_fails_bumps_epoch")
    for operation in case["ops"]:
        if operation.get("error") == "NOT_LEADER_OR_FOLLOWER":
            operation["error"] = "NOT_LEADER_FOR_PARTITION"
    assert report_of(case).passed == [case["id"]]
