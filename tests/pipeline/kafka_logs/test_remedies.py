"""What each consumer gets, and every command that would help, compared with what brokers answered."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from engine.codec.transaction_log_record import TransactionStatus
from eosviz.pipeline.kafka_logs import case as kafka_case
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.case_sentences import group_sentences
from eosviz.pipeline.kafka_logs.declared import Declared
from eosviz.pipeline.kafka_logs.printed import english, lines_of
from eosviz.pipeline.kafka_logs.ticket import LISTED_MAX, ticket_lines
from eosviz.pipeline.kafka_logs.words import as_kept
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document
from tests.pipeline.kafka_logs.test_groups import commit
from tests.pipeline.kafka_logs.test_verdicts import (
    HANGOPEN,
    INTERNAL,
    LOG,
    OPEN_SINCE,
    STATED,
    coordinator_log,
    copied,
    only,
    value,
)

INCIDENTS = KAFKA_LOGS / "incidents"
RETENTION = INCIDENTS / "retention_open"


def test_what_retention_took_holds_back_the_log_from_its_start() -> None:
    """The broker said: log start and last stable offset 6, high watermark 16; a read_committed consumer got nothing."""
    found = document(read_case([RETENTION]))
    (partition,) = [one for one in found["partitions"] if one["name"] == "ret2-0"]
    assert [partition[name] for name in ("log_start", "last_stable_offset", "high_watermark")] == [6, 6, 16]
    assert found["visible_read_committed"]["ret2-0"] == ()
    assert partition["held_by"] == {"producer_id": 7, "epoch": 0, "first_offset": 2}
    verdict = only(read_case([RETENTION]), "ret2-0")
    assert (verdict["kind"], verdict["rests_on"]) == ("evidence_deleted", "slow_but_alive")
    assert (verdict["transactional_id"], verdict["coordinator_state"]) == ("ret2-hang", "Ongoing")
    assert verdict["timeout_at"] == 1_795_384_555_084 + 900_000
    remedy = verdict["remedy"]
    assert (remedy["action"], remedy["last_stable_offset"]) == ("wait", 17)
    terminate, abort = remedy["others"]
    assert terminate["command"].endswith("forceTerminateTransaction --transactionalId ret2-hang")
    assert terminate["since"] == "4.1"
    assert abort["command"].endswith("abort --topic ret2 --partition 0 --start-offset 2")


def test_what_retention_took_of_an_unknown_producer_is_asked_of_the_cluster() -> None:
    verdict = only(read_case([RETENTION / "ret2-0", RETENTION / "__transaction_state-1"]), "ret2-0")
    assert (verdict["kind"], verdict["rests_on"]) == ("evidence_deleted", "undecided")
    assert (verdict["remedy"]["action"], verdict["remedy"]["others"]) == ("look", [])


def test_a_group_behind_what_retention_took_is_held_up(tmp_path: Path) -> None:
    place = tmp_path / "__consumer_offsets-1"
    place.mkdir()
    for offset in (2, 6):
        record = Record(0, 1000, b"\0\1\0\1g\0\x04ret2" + bytes(4),
                        b"\0\2" + offset.to_bytes(8, "big") + bytes(2) + (99).to_bytes(8, "big"))  # fmt: skip
        (place / LOG).write_bytes(encode_batch([record], base_offset=0))
        (row,) = document(read_case([RETENTION / "ret2-0", place]))["groups"]
        assert (row["held_up"], row["lag"]) == (True, 10)


def test_a_decided_commit_is_reported_and_predicted_as_one(tmp_path: Path) -> None:
    decided = coordinator_log(tmp_path, value(TransactionStatus.PREPARE_COMMIT))
    verdict = only(read_case([HANGOPEN, decided], STATED), "hangopen-0")
    remedy = verdict["remedy"]
    assert (verdict["kind"], remedy["action"], remedy["ends"]) == (
        "coordinator_owes_marker",
        "wait",
        "committed",
    )
    assert remedy["visible_read_committed"] == ((2, 4),)
    assert remedy["preconditions"][0].startswith("the leader of hangopen-0 is running")
    assert remedy["others"] == []
    printed = "\n".join(lines_of(read_case([HANGOPEN, decided], STATED)))
    assert "once it is committed, the last stable offset is 9" in printed
    assert "once it is aborted" not in printed


def test_a_marker_that_stands_here_is_not_owed_again(tmp_path: Path) -> None:
    """The decision was about the previous transaction: its marker comes before this transaction."""
    late = encode_batch(
        [Record(8, OPEN_SINCE, b"k", b"next")], base_offset=8, partition_leader_epoch=0, producer_id=1021,
        producer_epoch=0, base_sequence=3, is_transactional=True,
    )  # fmt: skip
    data = copied(HANGOPEN, tmp_path, more=late)
    before = value(TransactionStatus.PREPARE_ABORT, producer_id=1021, start_ms=OPEN_SINCE - 5000)
    found = document(read_case([data, coordinator_log(tmp_path, before)]))["verdicts"]
    (verdict,) = [one for one in found if one["producer_id"] == 1021]
    assert (verdict["kind"], verdict["remedy"]["action"]) == ("undecided", "look")


def test_an_offset_that_waits_for_a_transaction_is_reported(tmp_path: Path) -> None:
    place = tmp_path / "__consumer_offsets-1"
    place.mkdir()
    (place / LOG).write_bytes(commit(1, 0) + commit(5, 1, producer_id=7))
    (row,) = document(read_case([HANGOPEN, place]))["groups"]
    assert (row["committed_offset"], row["pending_producer_id"], row["pending_offset"]) == (1, 7, 5)
    sentences = [english(one) for one in group_sentences(row)]
    assert any("offset 5 is pending" in one and "UNSTABLE_OFFSET_COMMIT" in one for one in sentences)


def test_a_jump_that_no_cleaner_made_deserves_a_word(tmp_path: Path) -> None:
    """No checksum covers the base offset, so a batch whose base offset is 65,536 higher is valid."""
    place = copied(HANGOPEN, tmp_path)
    rows = bytearray((place / LOG).read_bytes())
    position = read_positions(place)[-1]
    rows[position : position + 8] = (7 + 65_536).to_bytes(8, "big")
    (place / LOG).write_bytes(rows)
    case = read_case([place, INTERNAL])
    (jump,) = next(one for one in document(case)["partitions"] if one["name"] == "hangopen-0")["jumps"]
    assert (jump["expected"], jump["found"]) == (7, 65_543)
    assert any("offsets 7–65542 are missing before this batch" in line for line in lines_of(case))
    cleaned = document(read_case([KAFKA_LOGS / "l_compact", INTERNAL]))["partitions"]
    assert [one["jumps"] for one in cleaned if one["name"] == "compacted-0"] == [[]]


def read_positions(place: Path) -> list[int]:
    (found,) = read_case([place]).partitions
    return [facts.position for _, facts, _ in found.directory.shown()]


def test_an_empty_segment_alone_is_not_healthy(tmp_path: Path) -> None:
    place = tmp_path / "t-0"
    place.mkdir()
    (place / LOG).touch()
    assert only(read_case([place]), "t-0")["kind"] == "undecided"
    (place / "leader-epoch-checkpoint").write_text("0\n0\n")
    assert only(read_case([place]), "t-0")["kind"] == "healthy"


def test_a_snapshot_that_is_newer_than_its_log_tells_of_a_missing_tail(tmp_path: Path) -> None:
    place = tmp_path / "hangopen-1"
    shutil.copytree(KAFKA_LOGS / "h2_open" / "hangopen-1", place)
    assert only(read_case([place, INTERNAL]), "hangopen-1")["kind"] == "healthy"
    (snapshot,) = place.glob("*.snapshot")
    snapshot.rename(place / f"{9:020}.snapshot")
    verdict = only(read_case([place, INTERNAL]), "hangopen-1")
    assert verdict["kind"] == "undecided"
    assert "once reached 9" in verdict["evidence"][0]["says"]


def test_copies_are_one_line() -> None:
    both = read_case([KAFKA_LOGS / "l_compact", INCIDENTS])
    (line,) = [line for line in lines_of(both) if "not judged" in line]
    assert line.startswith("7 more copies of the same partitions")


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [(None, "--now TIME sets another"), (Declared(now=1), "the time that was given")],
)
def test_the_moment_is_said(declared: Declared | None, sentence: str) -> None:
    assert any(sentence in line for line in lines_of(read_case([HANGOPEN, INTERNAL], declared)))


def report(language: str, **changed: Any) -> str:
    case = read_case([INCIDENTS / "live_copy_open"])
    return "\n".join(ticket_lines(kafka_case.document(case, as_kept) | changed, language))


def test_a_report_has_a_bound_and_no_name_changes_its_form() -> None:
    found = kafka_case.document(read_case([INCIDENTS / "live_copy_open"]), as_kept)
    (verdict,) = [one for one in found["verdicts"] if one["partition"] == "orders-0"]
    hostile = verdict | {"transactional_id": "a|b\n# <img> [x](y) `c`"}
    text = report("en", verdicts=[hostile] * 1000)
    assert text.count("### orders-0") == LISTED_MAX["verdicts"]
    assert "and 980 more" in text
    assert "a\\|b # \\<img\\> \\[x\\](y) \\`c\\`: producer 1" in text


def test_every_recorded_incident_has_a_report_in_both_languages() -> None:
    assert report("en") != report("zh-Hans")
    assert "[logs." not in report("en") + report("zh-Hans")
    assert "### orders-0: " in report("en")
    assert "### orders-0：" in report("zh-Hans")
    assert " (orders-0/" not in report("zh-Hans")


def test_a_transaction_that_a_newer_epoch_goes_on_with_is_not_aborted(tmp_path: Path) -> None:
    """The marker that ends the newer epoch's transaction in this partition ends the older data, too."""
    newer = value(TransactionStatus.ONGOING, epoch=3)
    verdict = only(read_case([HANGOPEN, coordinator_log(tmp_path, newer)], STATED), "hangopen-0")
    assert (verdict["kind"], verdict["remedy"]["action"]) == ("slow_but_alive", "wait")


def test_a_record_that_is_older_than_the_datas_epoch_decides_nothing(tmp_path: Path) -> None:
    data = copied(HANGOPEN, tmp_path)
    older = value(TransactionStatus.COMPLETE_ABORT, epoch=-1, partitions=())
    verdict = only(read_case([data, coordinator_log(tmp_path, older)], STATED), "hangopen-0")
    assert verdict["kind"] == "undecided"
    assert any("already has epoch 0" in one for one in verdict["would_change"])


def test_a_coordinators_log_that_lost_something_is_not_whole(tmp_path: Path) -> None:
    others = value(TransactionStatus.ONGOING, producer_id=5)
    coordinator_log(tmp_path, others, others, others)
    assert only(read_case([HANGOPEN, tmp_path], STATED), "hangopen-0")["kind"] == "orphan"
    place = tmp_path / "__transaction_state-0"
    strict = replace(STATED, rest_empty=False)
    for number in (2, 3):
        (tmp_path / f"__transaction_state-{number}").mkdir()
        (tmp_path / f"__transaction_state-{number}" / LOG).touch()
        (tmp_path / f"__transaction_state-{number}" / "partition.metadata").write_text("version: 0\n")
    assert only(read_case([HANGOPEN, tmp_path], strict), "hangopen-0")["kind"] == "orphan"
    whole = (place / LOG).read_bytes()
    size = len(whole) // 3
    (place / LOG).write_bytes(whole[:size] + whole[2 * size :])
    gap = only(read_case([HANGOPEN, tmp_path], strict), "hangopen-0")
    assert (gap["kind"], "gaps in its offsets" in " ".join(gap["would_change"])) == ("undecided", True)
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\n__transaction_state 0 3\n")
    assert only(read_case([HANGOPEN, tmp_path], strict), "hangopen-0")["kind"] == "orphan"
    (place / LOG).rename(place / f"{1:020}.log")
    (place / f"{1:020}.log").write_bytes(whole[size:])
    assert only(read_case([HANGOPEN, tmp_path], strict), "hangopen-0")["kind"] == "undecided"
