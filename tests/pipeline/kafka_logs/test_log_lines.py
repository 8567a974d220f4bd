"""Lines from the logs of brokers and clients are evidence with its place, but never a verdict."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from eosviz.catalogue import interface_words, say
from eosviz.pipeline.kafka_logs.bundle_writing import save
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.log_lines import KINDS, OF_A_LOG, line_sentence, log_line
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document

AT = "[2026-11-21 09:18:54,084] INFO "
COORDINATOR = AT + "[TransactionCoordinator id=1] "
MARKER = (
    AT
    + "[Transaction Marker Request Completion Handler 2]: Sending pay's transaction marker for partition t-0 has "
)
APPEND = "org.apache.kafka.common.errors."
CLIENT = "[Producer clientId=producer-pay, transactionalId=pay] "

LINES = {
    "loaded": AT + "Completed load of Log(dir=/data/t-0, topicId=WV18z8nWQ8yekl_6282UEQ, topic=t, partition=0, "
    "highWatermark=8, lastStableOffset=2, logStartOffset=0, logEndOffset=9) with 1 segments, "
    "local-log-start-offset 0 "
    "and log-end-offset 9 in 105ms (1/1 completed in /data) (kafka.log.LogManager)",
    "producer_state_loaded": AT + "[LogLoader partition=t-0, dir=/data] Loading producer state till offset 7 with "
    "message format version 2 (kafka.log.UnifiedLog$)",
    "snapshot_written": AT + "[ProducerStateManager partition=t-0] Wrote producer snapshot at offset 8 "
    "with 2 producer "
    "ids in 1 ms. (org.apache.kafka.storage.internals.log.ProducerStateManager)",
    "start_moved": AT + "[UnifiedLog partition=t-0, dir=/data] Incremented log start offset to 14 due "
    "to segment deletion",
    "initialized": COORDINATOR + "Initialized transactionalId pay with producerId 1022 and producer "
    "epoch 0 on partition "
    "__transaction_state-3 (kafka.coordinator.transaction.TransactionCoordinator)",
    "timed_out": COORDINATOR + "Completed rollback of ongoing transaction for transactionalId pay due "
    "to timeout (k.T)",
    "rollback_failed": COORDINATOR + "Rollback of ongoing transaction for transactionalId pay failed due to error "
    "COORDINATOR_NOT_AVAILABLE",
    "marker_tried_again": MARKER + "failed with error org.apache.kafka.common.errors.NotLeaderOrFollowerException, "
    "retrying with current coordinator epoch 4",
    "marker_given_up": MARKER + "permanently failed with error org.apache.kafka.common.errors."
    "InvalidProducerEpochException with the current coordinator epoch 4; cancel sending any more transaction markers "
    "TxnMarkerEntry{producerId=1022} to the brokers",
    "write_of_old_epoch": APPEND + "InvalidProducerEpochException: Epoch of producer 1022 at offset 6 "
    "in t-0 is 0, which "
    "is smaller than the last seen epoch 1",
    "sequence_refused": APPEND + "OutOfOrderSequenceException: Out of order sequence number for "
    "producer 1022 at offset 6 "
    "in partition t-0: 9 (incoming seq. number), 3 (current end sequence number)",
    "producer_unknown": APPEND + "UnknownProducerIdException: Found no record of producerId=1022 on the "
    "broker at offset "
    "57in partition t-0. It is possible that the last message with the producerId=1022 has been removed.",
    "old_coordinator": APPEND + "TransactionCoordinatorFencedException: Invalid coordinator epoch for "
    "producerId 1022 at "
    "offset 6 in partition t-0: 3 (zombie), 4 (current)",
    "client_producer": "2026-11-21T09:18:54.152Z  INFO 1 --- [ad | producer-pay] "
    "o.a.k.c.p.internals.TransactionManager : "
    + CLIENT + "ProducerId set to 1022 with epoch 0",
    "client_state": "21:03:47.386 [main] DEBUG o.a.k.c.p.i.TransactionManager - " + CLIENT + "Transition from state "
    "UNINITIALIZED to INITIALIZING",
    "client_fatal": CLIENT + "Transiting to fatal error state due to org.apache.kafka.common.errors."
    "ProducerFencedException: There is a newer producer",
    "client_abortable": CLIENT + "Transiting to abortable error state due to org.apache.kafka.common.errors."
    "TimeoutException: Expiring 1 record(s)",
    "rdkafka_state": "%7|1795252734.084|TXNSTATE|rdkafka#producer-1| [thrd:main]: Transaction state change Ready -> "
    "InTransaction",
    "rdkafka_idempotence": "%7|1795252734.084|IDEMPSTATE|rdkafka#producer-1| [thrd:main]: Idempotent producer state "
    "change RequestPID -> WaitPID",
    "rdkafka_producer": "%7|1795252734.084|GETPID|rdkafka#producer-1| [thrd:main]: Acquired PID{Id:1022,Epoch:0}",
    "rdkafka_failed": "%3|1795252734.084|TXNERR|rdkafka#producer-1| [thrd:main]: Current transaction failed in state "
    "InTransaction: 1 message(s) failed (see DR report) (_INCONSISTENT, requires epoch bump)",
}  # fmt: skip


def case_of(tmp_path: Path, *lines: str, beside: tuple[Path, ...] = ()) -> dict[str, Any]:
    text = tmp_path / "server.log"
    text.write_text("\n".join(lines) + "\n")
    return document(read_case([*beside, text]))


@pytest.mark.parametrize("kind", KINDS)
def test_each_message_is_known_and_said_in_both_languages(kind: str) -> None:
    line = LINES[kind]
    assert OF_A_LOG.search(line)
    found = log_line(line, "server.log: line 3")
    assert found is not None
    assert (found.kind, found.place) == (kind, "server.log: line 3")
    assert found.partition in (None, "t-0")
    assert found.producer_id in (None, 1022)
    assert found.transactional_id in (None, "pay")
    sentence = line_sentence(found)
    # The sentence has a value for every parameter, in both languages.
    for language in ("en", "zh-Hans"):
        assert sentence.key in interface_words()
        assert "{" not in say(sentence.key, language, sentence.params)


def test_lines_alone_leave_alternatives_and_say_what_would_decide(tmp_path: Path) -> None:
    whole = case_of(tmp_path, LINES["initialized"], LINES["marker_given_up"])
    (verdict,) = whole["verdicts"]
    assert (verdict["kind"], verdict["partition"]) == ("undecided", "t-0")
    assert "orphan" in verdict["alternatives"]
    assert "slow_but_alive" not in verdict["alternatives"]
    assert verdict["evidence"][0]["place"] == "server.log: line 2"
    assert "a dump of t-0, or its folder" in verdict["would_change"]
    assert [one["kind"] for one in whole["log_lines"]] == ["initialized", "marker_given_up"]


def test_the_newest_line_decides_what_is_left(tmp_path: Path) -> None:
    (verdict,) = case_of(tmp_path, LINES["marker_given_up"], LINES["marker_tried_again"])["verdicts"]
    assert verdict["alternatives"] == ["healthy", "coordinator_owes_marker"]
    (verdict,) = case_of(tmp_path, LINES["loaded"])["verdicts"]
    assert "healthy" not in verdict["alternatives"]


def test_a_start_that_found_nothing_open_makes_no_case_of_its_partitions(tmp_path: Path) -> None:
    whole = case_of(tmp_path, LINES["loaded"].replace("lastStableOffset=2", "lastStableOffset=8"))
    assert (whole["partitions"], whole["verdicts"], len(whole["log_lines"])) == ([], [], 1)


def test_lines_are_evidence_beside_a_verdict_and_change_nothing(tmp_path: Path) -> None:
    folders = (KAFKA_LOGS / "h2_open", KAFKA_LOGS / "_internal")
    line = LINES["initialized"].replace(" pay ", " tx-open-public ")
    with_lines = case_of(tmp_path, line, LINES["timed_out"], beside=folders)
    without = document(read_case(folders))
    for one, other in zip(with_lines["verdicts"], without["verdicts"], strict=True):
        assert one["kind"] == other["kind"]
        assert one["evidence"][: len(other["evidence"])] == other["evidence"]
    (verdict,) = [one for one in with_lines["verdicts"] if one["kind"] != "healthy"]
    assert [one["place"] for one in verdict["evidence"]][-1] == "server.log: line 1"


def test_other_lines_are_counted_separately_and_values_of_records_are_no_log(tmp_path: Path) -> None:
    dump = (KAFKA_LOGS / "h2_open" / "hangopen-0" / f"{0:020}.log.dump.txt").read_text()
    whole = case_of(
        tmp_path,
        AT + "[GroupCoordinator 3]: Stabilized group g generation 1",
        "\tat kafka.log.UnifiedLog.append(UnifiedLog.scala:700)",
        "good morning",
        dump[: dump.index("\n", dump.rindex("payload: "))],
        LINES["timed_out"],
    )
    assert whole["text"]["skipped"]["other_log"] == 2
    assert whole["text"]["skipped"]["foreign"] == 1
    assert (whole["log_lines"], whole["text"]["skipped"]["continued"]) == ([], 1)


def test_numbers_that_no_file_holds_and_strange_lines_are_left_out(tmp_path: Path) -> None:
    whole = case_of(
        tmp_path,
        LINES["initialized"].replace("1022", "9" * 19),
        LINES["loaded"].replace("Completed", "x" * 100_000),
        MARKER * 200,
    )
    assert whole["log_lines"] == []
    assert whole["text"]["skipped"] == {"unreadable": 1, "other_log": 2}


def test_a_bundle_has_the_lines_under_other_names(tmp_path: Path) -> None:
    text = tmp_path / "host-of-mine.log"
    text.write_text("\n".join(LINES.values()))
    case = read_case([text])
    save(case, tmp_path / "b")
    again = document(read_case([tmp_path / "b"]))
    before = document(case)
    assert [one["kind"] for one in again["log_lines"]] == [one["kind"] for one in before["log_lines"]]
    assert [one["alternatives"] for one in again["verdicts"]] == [
        one["alternatives"] for one in before["verdicts"]
    ]
    assert again["log_lines"][4]["place"] == "text-1: line 5"
    for name in ("pay", "host-of-mine", "/data"):
        assert name not in json.dumps(again["log_lines"])


def test_the_command_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "server.log").write_text(LINES["marker_tried_again"] + "\n")
    call_command("logs", str(tmp_path / "server.log"))
    text = capsys.readouterr().out
    assert "server.log: line 1: 2026-11-21 09:18:54,084: writing the marker for pay to t-0 failed" in text
    assert "possible: healthy, coordinator_owes_marker" in text
