"""Printed text gives the same results as the files, in every format that Kafka's tools have had."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from eosviz.pipeline.kafka_logs.case import Case, read_case
from eosviz.pipeline.kafka_logs.declared import Declared
from eosviz.pipeline.kafka_logs.text_reader import Skipped
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document

INTERNAL = KAFKA_LOGS / "_internal"
DUMPED = sorted({path.parent for path in KAFKA_LOGS.rglob("*.log.dump.txt")})
LATE = ("__transaction_state", "__consumer_offsets")


def written(tmp_path: Path, text: str, name: str = "pasted.txt") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def place(folder: Path) -> str:
    return folder.relative_to(KAFKA_LOGS).as_posix()


def document_of(case: Case) -> dict[str, Any]:
    """Return the parts that the documents of a dump and of files share: a dump has no byte positions and no
    checkpoints.
    """
    whole = document(case)
    return {
        name: [{key: value for key, value in row.items() if key not in ("path", "log_start_from", "aborted_index")}
               for row in whole[name]]
        for name in ("partitions", "transactions", "producers")
    } | {name: whole[name] for name in ("visible_read_committed", "visible_read_uncommitted", "groups")}  # fmt: skip


@pytest.mark.parametrize("folder", DUMPED, ids=place)
def test_the_dump_of_a_folder_says_what_the_folder_says(folder: Path) -> None:
    from_text = read_case(sorted(folder.glob("*.dump.txt")))
    from_files = read_case([folder])
    for read in from_files.partitions:
        # DeleteRecords changes a checkpoint, which is not dumped.
        read.partition.log_start = from_text.partitions[0].partition.log_start
    assert document_of(from_text) == document_of(from_files)
    (read,) = from_text.partitions
    assert tuple(read.directory.aborted_in_files[0]) == from_files.partitions[0].directory.aborted_in_files[0]
    assert read.directory.newest_snapshot == from_files.partitions[0].directory.newest_snapshot
    assert from_text.text is not None
    assert set(from_text.text.skipped) <= {Skipped.INDEX, Skipped.CONTINUED}


def test_the_coordinators_dump_gives_the_same_verdicts() -> None:
    dumps = [*(KAFKA_LOGS / "h2_open").rglob("*.dump.txt"), *INTERNAL.rglob("*.dump.txt")]
    from_text = document(read_case(sorted(dumps)))
    from_files = document(read_case([KAFKA_LOGS / "h2_open", INTERNAL]))
    assert from_text["verdicts"] == from_files["verdicts"]
    assert from_text["coordinator"] == from_files["coordinator"]
    assert from_text["groups"] == from_files["groups"]
    assert any(one["kind"] == "slow_but_alive" for one in from_text["verdicts"])


BATCH = (
    "baseOffset: {first} lastOffset: {last} count: {count} baseSequence: 0 lastSequence: 0 producerId: 7 "
    "producerEpoch: 0 partitionLeaderEpoch: 0 isTransactional: true isControl: {control} position: 0 "
    "CreateTime: 1590000000000 size: 83 magic: 2 compresscodec: NONE crc: 1 isvalid: true\n"
)
DATA = BATCH.format(first=0, last=1, count=2, control="false")
MARKER = BATCH.format(first=2, last=2, count=1, control="true")
NO_BAR = (
    "offset: {offset} position: {position} CreateTime: 1513000000000 isvalid: true keysize: 1 valuesize: 5 magic: 2 "
    "compresscodec: NONE producerId: 7 producerEpoch: 0 sequence: {sequence} isTransactional: true headerKeys: []"
)
OLD_STATE = (
    "| offset: {offset} CreateTime: 1590000000100 keysize: 30 valuesize: 37 sequence: -1 headerKeys: [] "
    "key: transaction_metadata::transactionalId=pay, and more payload: producerId:7,producerEpoch:0,state={state},"
    "partitions=[t-0,u-1],txnLastUpdateTimestamp=1590000000090,txnTimeoutMs=60000\n"
)


def state_dump(state: str) -> str:
    plain = BATCH.format(first=0, last=0, count=1, control="false").replace("producerId: 7", "producerId: -1")
    head = "Dumping /data/__transaction_state-20/00000000000000000000.log\nStarting offset: 0\n"
    return (
        head
        + plain.replace("isTransactional: true", "isTransactional: false")
        + OLD_STATE.format(offset=0, state=state)
    )


def test_records_without_batch_lines_as_before_2_3(tmp_path: Path) -> None:
    lines = [
        "Dumping /data/t-0/00000000000000000000.log",
        "Starting offset: 0",
        NO_BAR.format(offset=0, position=0, sequence=0) + " payload: first",
        NO_BAR.format(offset=1, position=0, sequence=1) + " payload: second",
        NO_BAR.format(offset=2, position=90, sequence=2) + " payload: third",
        NO_BAR.format(offset=3, position=170, sequence=-1) + " endTxnMarker: COMMIT coordinatorEpoch: 4",
        NO_BAR.format(offset=4, position=260, sequence=3) + " payload: open",
    ]
    whole = document(read_case([written(tmp_path, "\n".join(lines))]))
    (partition,) = whole["partitions"]
    assert (partition["batches"], partition["records"], partition["last_stable_offset"]) == (4, 5, 4)
    assert [(one["first_offset"], one["last_offset"], one["result"]) for one in whole["transactions"]] == [
        (0, 2, "committed"),
        (4, 4, "open"),
    ]
    assert whole["producers"][0]["gaps"] == 0
    assert whole["visible_read_committed"] == {"t-0": ((0, 2),)}


@pytest.mark.parametrize(
    ("state", "now", "kind"),
    [
        ("Ongoing", 1590000060089, "slow_but_alive"),
        ("Ongoing", 1590000060090, "coordinator_owes_marker"),
        ("PrepareCommit", 0, "coordinator_owes_marker"),
        ("CompleteAbort", 0, "undecided"),
    ],
)
def test_the_coordinators_notation_before_json(tmp_path: Path, state: str, now: int, kind: str) -> None:
    text = "Dumping /data/t-0/00000000000000000000.log\n" + DATA + state_dump(state)
    (verdict,) = [
        one
        for one in document(read_case([written(tmp_path, text)], Declared(now=now)))["verdicts"]
        if one["first_offset"] == 0
    ]
    assert (verdict["kind"], verdict["transactional_id"], verdict["coordinator_state"]) == (
        kind,
        "pay, and more",
        state,
    )


def test_state_names_in_json_are_understood_as_numbers_are(tmp_path: Path) -> None:
    dump = (INTERNAL / "__transaction_state-3" / f"{0:020}.log.dump.txt").read_text()
    named = dump.replace('"transactionStatus":1,', '"transactionStatus":"Ongoing",')
    assert named != dump
    case = read_case([KAFKA_LOGS / "h2_open" / "hangopen-0", written(tmp_path, named)])
    (verdict,) = [one for one in document(case)["verdicts"] if one["partition"] == "hangopen-0"]
    assert (verdict["kind"], verdict["coordinator_state"]) == ("slow_but_alive", "Ongoing")


def test_a_dump_without_records_ends_transactions_and_does_not_guess_how(tmp_path: Path) -> None:
    text = "Dumping /data/t-0/00000000000000000000.log\n" + DATA + MARKER
    whole = document(read_case([written(tmp_path, text)]))
    assert [one["result"] for one in whole["transactions"]] == ["ended"]
    assert whole["partitions"][0]["last_stable_offset"] == 3
    assert whole["visible_read_committed"] == {"t-0": ()}


def test_offsets_in_the_notation_before_json(tmp_path: Path) -> None:
    head = "Dumping /data/__consumer_offsets-12/00000000000000000000.log\n"
    record = "| offset: {} CreateTime: 1 keysize: 26 valuesize: 24 sequence: 0 headerKeys: [] key: {} payload: {}\n"
    commit = "offset_commit::group=my,group,partition=in-put-0"
    text = (
        head
        + DATA
        + record.format(0, commit, "offset=5,metadata=x")
        + record.format(1, "group_metadata::group=g", "{}")
    )
    ended = (
        text
        + MARKER
        + "| offset: 2 CreateTime: 1 keysize: 4 valuesize: 6 sequence: -1 headerKeys: [] "
        + "endTxnMarker: COMMIT coordinatorEpoch: 0\n"
    )
    (row,) = document(read_case([written(tmp_path, text)]))["groups"]
    assert (row["committed_offset"], row["pending_offset"]) == (None, 5)
    (row,) = document(read_case([written(tmp_path, ended)]))["groups"]
    assert (row["group"], row["partition"], row["committed_offset"]) == ("my,group", "in-put-0", 5)


def tool(scenario: str, *words: str) -> str:
    """Return what `kafka-transactions.sh` printed when the scenario was recorded, below its command line."""
    for path in sorted((KAFKA_LOGS / scenario).glob("phase*.json")):
        for run in json.loads(path.read_text()).get("tool") or []:
            if set(words) <= set(run["cmd"]):
                return f"$ {' '.join(run['cmd'])}\n{run['stdout']}\n"
    raise LookupError(words)


def test_the_tables_of_a_running_cluster_are_enough_for_a_verdict(tmp_path: Path) -> None:
    text = tool("h_hang", "describe-producers") + tool("h_hang", "list") + tool("h_hang", "describe")
    whole = document(read_case([written(tmp_path, text)]))
    (verdict,) = whole["verdicts"]
    assert (verdict["kind"], verdict["producer_id"], verdict["first_offset"]) == ("slow_but_alive", 1004, 2)
    assert verdict["evidence"][0]["place"] == "pasted.txt: line 4"
    assert (whole["partitions"][0]["high_watermark"], whole["partitions"][0]["last_stable_offset"]) == (-1, 2)
    assert whole["text"]["skipped"] == {}
    copied = text.replace("\t", " ")
    assert document(read_case([written(tmp_path, copied)]))["verdicts"] == whole["verdicts"]


def test_a_producer_that_is_only_listed_stays_undecided_and_one_that_is_not_is_an_orphan_of_a_whole_list(
    tmp_path: Path,
) -> None:
    producers, listed = tool("h_hang", "describe-producers"), tool("h_hang", "list")
    (verdict,) = document(read_case([written(tmp_path, producers + listed)]))["verdicts"]
    assert verdict["kind"] == "undecided"
    assert "describe --transactional-id tx-hang-public" in verdict["would_change"][0]
    assert verdict["remedy"]["command"].endswith("describe --transactional-id tx-hang-public")
    (terminate,) = verdict["remedy"]["others"]
    assert terminate["command"].endswith("forceTerminateTransaction --transactionalId tx-hang-public")
    asked = (
        f"Ongoing with producer id {verdict['producer_id']}, and {verdict['partition']} among its partitions"
    )
    assert asked in terminate["preconditions"][0]
    without = "".join(line for line in listed.splitlines(keepends=True) if "tx-hang-public" not in line)
    file = written(tmp_path, producers + without)
    (verdict,) = document(read_case([file]))["verdicts"]
    assert verdict["kind"] == "undecided"
    assert any("--rest-empty" in one for one in verdict["would_change"])
    whole = Declared(rest_empty=True, one_cluster=True, copied_after=2_000_000_000_000)
    (verdict,) = document(read_case([file], whole))["verdicts"]
    assert verdict["kind"] == "orphan"


def test_find_hanging_names_its_partitions_itself(tmp_path: Path) -> None:
    columns = [
        "Topic",
        "Partition",
        "ProducerId",
        "ProducerEpoch",
        "CoordinatorEpoch",
        "StartOffset",
        "LastTimestamp",
    ]
    text = "\t".join([*columns, "Duration(min)"]) + "\nodd topic?\nt\t3\t9\t1\t-1\t44\t1590000000000\t17\n"
    whole = document(read_case([written(tmp_path, text)]))
    assert [
        (one["partition"], one["producer_id"], one["first_offset"]) for one in whole["transactions"]
    ] == []
    text = text.replace("odd topic?\n", "")
    whole = document(read_case([written(tmp_path, text)]))
    assert [(one["partition"], one["producer_id"], one["first_offset"]) for one in whole["transactions"]] == [
        ("t-3", 9, 44)
    ]


def test_every_line_is_counted_and_the_reasons_say_what_helps(tmp_path: Path) -> None:
    log = "Dumping /data/t-0/00000000000000000000.log\n"
    text = (
        "good morning\n" + DATA + log + DATA
        + "| offset: 0 CreateTime: 1 keysize: 1 valuesize: 9 sequence: 0 headerKeys: [] key: k payload: two\nlines\n\n"
        + DATA.replace("lastOffset: 1", "lastOffset: x") + log + DATA
        + tool("h_hang", "describe-producers").partition("\n")[2]
    )  # fmt: skip
    whole = document(read_case([written(tmp_path, text)]))["text"]
    assert whole["skipped"] == {
        "foreign": 1,
        "continued": 1,
        "no_file": 1,
        "no_partition": 2,
        "unreadable": 1,
        "repeated": 1,
    }
    assert whole["lines"] == whole["used"] + sum(whole["skipped"].values())
    assert whole["examples"][0] == {
        "reason": "foreign",
        "place": "pasted.txt: line 1",
        "line": "good morning",
    }


def test_a_batch_that_the_dump_calls_invalid_and_bytes_behind_the_last_are_damage(tmp_path: Path) -> None:
    text = "Dumping /data/t-0/00000000000000000000.log\n" + DATA.replace("isvalid: true", "isvalid: false")
    text += "Found 17 invalid bytes at the end of 00000000000000000000.log\n"
    whole = document(read_case([written(tmp_path, text)]))
    assert whole["partitions"][0]["corrupt"] == 2
    assert [one["kind"] for one in whole["verdicts"]] == ["undecided"]


def test_no_text_ends_in_an_error(tmp_path: Path) -> None:
    """Dumps and tables in which characters and words are exchanged, cut and doubled: every line must still be
    counted.
    """
    chance = random.Random(5)
    whole = (KAFKA_LOGS / "h2_open" / "hangopen-0" / f"{0:020}.log.dump.txt").read_text()
    whole += (KAFKA_LOGS / "h2_open" / "hangopen-0" / f"{8:020}.snapshot.dump.txt").read_text()
    whole += "".join(
        (INTERNAL / "__consumer_offsets-1" / f"{0:020}.log.dump.txt").read_text().splitlines(True)[:12]
    )
    whole += state_dump("Ongoing") + tool("h_hang", "describe-producers") + tool("h_hang", "describe")
    words = [
        " ",
        "-1",
        "9" * 40,
        "x",
        "{",
        "[" * 5000,
        "]",
        "key: ",
        "payload: ",
        "null",
        "\t",
        "\n",
        "∞",
        "true",
        ": ",
    ]
    skipped = 0
    for _ in range(200):
        text = whole
        for _ in range(chance.randint(1, 6)):
            at = int(chance.random() * len(text))
            text = (
                text[:at] + words[int(chance.random() * len(words))] + text[at + int(chance.random() * 30) :]
            )
        found = document(read_case([written(tmp_path, text)]))["text"]
        assert found["lines"] == found["used"] + sum(found["skipped"].values()) - found["skipped"].get(
            "no_records", 0
        )
        skipped += sum(found["skipped"].values())
    assert skipped > 100


def test_text_and_folders_are_one_case(tmp_path: Path) -> None:
    shutil.copytree(
        KAFKA_LOGS / "h2_open" / "hangopen-0", tmp_path / "hangopen-0", ignore=shutil.ignore_patterns("*.txt")
    )
    dumps = sorted(INTERNAL.rglob("*.log.dump.txt"))
    case = read_case([tmp_path / "hangopen-0", *dumps])
    assert [
        one.kind for read in case.partitions for one in read.verdicts if read.partition.name == "hangopen-0"
    ] == ["slow_but_alive"]


def test_a_binary_file_is_refused_in_words(tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(bytes(range(256)))
    with pytest.raises(CommandError, match="is no text: give the folder"):
        call_command("logs", str(picture))
    with pytest.raises(CommandError, match="does not exist"):
        call_command("logs", str(tmp_path / "nothing"))
