"""Log cases: their steps change the view into lanes with exactly the batches of the files, and every sentence exists
in the catalogue.
"""

import copy
import json
import pickle
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.codec.log_case as module
from engine.codec.control_record import ControlType
from engine.codec.damage import DamageKind
from engine.codec.log_case import LogCase, NotALogError, log_case
from engine.codec.partition_folder import FileKind
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch, encode_marker
from engine.coordinator.transaction_states import TRANSACTION_STATES
from tests.engine.codec.kafka_dump import KAFKA_LOGS, dumped_segments, parse_dump

CATALOGUE = Path(__file__).resolve().parents[3] / "engine" / "explain" / "catalogue" / "log.toml"
SENTENCES = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
SEGMENT = "00000000000000000000.log"
PLACEHOLDER = re.compile(r"\{(\w+)(?::[^{}|]*\|[^{}|]*)?\}")


def folder(path: Path) -> dict[str, bytes]:
    return {
        file.relative_to(path.parent).as_posix(): file.read_bytes()
        for file in path.rglob("*")
        if file.is_file()
    }


def apply(view: dict[str, Any], changes: list[dict[str, Any]], before: str, after: str) -> None:
    """Apply changes to the view, and check what they replace. To go back, the names ``before`` and ``after`` are
    exchanged.
    """
    for change in changes:
        *parents, last = change["path"]
        target = view
        for name in parents:
            target = target.setdefault(name, {})
        assert target.get(last, "absent") == change.get(before, "absent")
        if after in change:
            target[last] = copy.deepcopy(change[after])
        else:
            del target[last]


def folded(case: LogCase) -> dict[str, Any]:
    """Apply all steps and return the last view. On the way, check that going back from each step gives the view
    before it. Pickle copies a view in a tenth of the time of `copy.deepcopy`.
    """
    view = copy.deepcopy(case.view)
    earlier = copy.deepcopy(view)
    for step in case.steps:
        apply(view, step["changes"], "before", "after")
        packed = pickle.dumps(view)
        back, later = pickle.loads(packed), pickle.loads(packed)
        apply(back, step["changes"][::-1], "after", "before")
        assert back == earlier
        assert view["time"] == step["at"]
        earlier = later
    return view


def check_shape(case: LogCase) -> dict[str, Any]:
    """Check what must hold of every log case, and return its last view."""
    assert [step["number"] for step in case.steps] == list(range(1, len(case.steps) + 1))
    times = [step["at"] for step in case.steps]
    assert times == sorted(times)
    for step in case.steps:
        assert step["kind"] == "log"
        for said in (step, *step["notes"]):
            check_sentence(said)
    json.dumps([case.header, case.view, case.steps], allow_nan=False)
    return folded(case)


def check_sentence(said: dict[str, Any]) -> None:
    texts = SENTENCES[said["key"]]
    for language in ("en", "zh-Hans"):
        assert set(PLACEHOLDER.findall(texts[language])) <= set(said["params"]), said["key"]


@pytest.mark.parametrize("scenario", ["a_plain", "b_idem", "d_abort", "e_interleave", "k_roll", "n_three"])
def test_folding_all_steps_gives_every_batch_that_kafka_dumped(scenario: str) -> None:
    case = log_case(folder(KAFKA_LOGS / scenario))
    lanes = check_shape(case)["partitions"]
    expected: dict[str, list[dict[str, str]]] = {}
    for log in dumped_segments():
        if log.is_relative_to(KAFKA_LOGS / scenario):
            expected.setdefault(log.parent.name, []).extend(batch.header for batch in parse_dump(log))
    for name, headers in expected.items():
        batches = lanes[name]["replicas"]["0"]["batches"]
        assert [
            {
                "base_offset": str(batch["base_offset"]),
                "last_offset": str(batch["last_offset"]),
                "producer_id": str(batch["producer_id"]),
                "producer_epoch": str(batch["producer_epoch"]),
                "base_sequence": str(batch["first_sequence"]),
                "last_sequence": str(batch["last_sequence"]),
                "control": str(batch["control"] is not None).lower(),
                "size": str(batch["size"]),
            }
            for batch in batches.values()
        ] == [
            {
                name: header[name]
                for name in (
                    "base_offset", "last_offset", "producer_id", "producer_epoch",
                    "base_sequence", "last_sequence", "control", "size",
                )
            }
            for header in headers
        ]  # fmt: skip
        assert lanes[name]["replicas"]["0"]["log_end"] == int(headers[-1]["last_offset"]) + 1


def test_the_partitions_are_merged_by_time_and_each_keeps_its_order() -> None:
    case = log_case(folder(KAFKA_LOGS / "b_idem"))
    assert case.header["partitions"] == ["idem-0", "idem-1", "idem-2"]
    steps = case.steps[:-1]
    actors = [step["actor"] for step in steps]
    assert actors != sorted(actors), "the partitions are not interleaved"
    for name in case.header["partitions"]:
        offsets = [int(step["params"]["offsets"].split("–")[0]) for step in steps if step["actor"] == name]
        assert offsets == sorted(offsets)


def test_markers_say_what_they_decided_and_are_where_a_reader_stops() -> None:
    case = log_case(folder(KAFKA_LOGS / "d_abort"))
    markers = [step for step in case.steps if step["key"] in ("log.marker_commit", "log.marker_abort")]
    assert {step["key"] for step in markers} == {"log.marker_commit", "log.marker_abort"}
    assert all(step["interesting"] and "MSG-3" in step["rules"] for step in markers)
    *others, now = (step for step in case.steps if step not in markers)
    assert not any(step["interesting"] for step in others)
    assert (now["key"], now["changes"]) == ("log.now_free", [])
    controls = {
        batch["control"]
        for lane in folded(case)["partitions"].values()
        for batch in lane["replicas"]["0"]["batches"].values()
    }
    assert controls == {None, "COMMIT", "ABORT"}


def last_views(scenario: str) -> dict[str, dict[str, Any]]:
    """Return, for each partition, what a consumer saw last of the files in this state."""
    *_, phase = sorted((KAFKA_LOGS / scenario).glob("phase*.json"))
    found: dict[str, dict[str, Any]] = json.loads(phase.read_text(encoding="utf-8"))["views"][-1][
        "partitions"
    ]
    return found


@pytest.mark.parametrize(
    "scenario",
    ["a_plain", "b_idem", "c_commit", "d_abort", "e_interleave", "f_ctp", "g_zombie", "h_hang", "h2_open",
     "i_compression", "j_java_client", "k_roll", "m_trim"],
)  # fmt: skip
def test_the_last_stable_offset_is_the_brokers(scenario: str) -> None:
    lanes = folded(log_case(folder(KAFKA_LOGS / scenario)))["partitions"]
    for name, seen in last_views(scenario).items():
        if name.startswith("__"):
            continue
        replica = lanes[name]["replicas"]["0"]
        assert replica["log_end"] == replica["high_watermark"] == seen["high_watermark"]
        assert replica["last_stable_offset"] == seen["last_stable_offset"]


def test_an_open_transaction_holds_the_last_stable_offset_and_its_batches_are_open() -> None:
    lanes = folded(log_case(folder(KAFKA_LOGS / "h2_open")))["partitions"]
    replica = lanes["hangopen-0"]["replicas"]["0"]
    assert (replica["last_stable_offset"], replica["high_watermark"]) == (2, 8)
    holder = [
        (producer_id, producer["transaction_first_offset"])
        for producer_id, producer in replica["producers"].items()
        if producer["transaction_first_offset"] is not None
    ]
    assert holder, "nobody holds the last stable offset"
    assert min(first for _, first in holder) == 2
    outcomes = {batch.get("outcome") for batch in replica["batches"].values()}
    assert "open" in outcomes


@pytest.mark.parametrize(
    "scenario", ["c_commit", "d_abort", "e_interleave", "f_ctp", "j_java_client", "k_roll"]
)
def test_outcomes_are_what_a_read_committed_consumer_saw(scenario: str) -> None:
    lanes = folded(log_case(folder(KAFKA_LOGS / scenario)))["partitions"]
    compared = 0
    for name, seen in last_views(scenario).items():
        if name.startswith("__"):
            continue
        visible = set(seen["read_committed_offsets"])
        for batch in lanes[name]["replicas"]["0"]["batches"].values():
            offsets = set(range(batch["base_offset"], batch["last_offset"] + 1))
            if batch["control"] is not None or batch["damaged"]:
                continue
            compared += 1
            hidden = batch.get("outcome") == "aborted"
            assert (offsets & visible == set()) if hidden else offsets <= visible
    assert compared > 4


def test_the_step_that_begins_what_never_ends_says_so_and_the_last_one_says_what_is_now() -> None:
    case = log_case({**folder(KAFKA_LOGS / "h2_open" / "hangopen-0"), **folder(KAFKA_LOGS / "_internal")})
    check_shape(case)
    (begins,) = (
        step for step in case.steps if any(note["key"] == "log.never_ends_by" for note in step["notes"])
    )
    assert (begins["actor"], begins["params"]["offsets"], begins["interesting"]) == (
        "hangopen-0",
        "2–3",
        True,
    )
    now = case.steps[-1]
    assert now["key"] == "log.now_held_by"
    shown = {name: now["params"][name] for name in ("transactional_id", "producer_id", "offset", "waiting")}
    assert shown == {"transactional_id": "tx-open-public", "producer_id": 1022, "offset": 2, "waiting": 6}
    (known,) = (note for note in now["notes"] if note["key"] == "log.now_known")
    assert known["params"]["state"] == "Ongoing"
    assert case.steps[known["params"]["step"] - 1]["params"]["transactional_id"] == "tx-open-public"


def test_a_transaction_that_held_back_others_records_and_then_ended_says_for_how_long_at_most() -> None:
    case = log_case(folder(KAFKA_LOGS / "h_hang" / "hang-0"))
    check_shape(case)
    ((begins, note),) = (
        (step, note) for step in case.steps for note in step["notes"] if note["key"] == "log.holds"
    )
    check_sentence(note)
    assert (begins["params"]["offsets"], begins["interesting"]) == ("2–3", True)
    assert note["params"] == {
        "producer_id": 1004, "producer_epoch": 0, "partition": "hang-0", "offset": 2, "end": 7, "lasted": 14_882,
        "waiting": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scenario", "why"), [("c_commit", "no other records came"), ("l_compact", "shortly")]
)
def test_no_note_is_made_of_a_transaction_that_readers_did_not_notice(scenario: str, why: str) -> None:
    for path in (KAFKA_LOGS / scenario).glob("*-?"):
        case = log_case(folder(path))
        assert [note for step in case.steps for note in step["notes"] if note["key"] == "log.holds"] == [], (
            why
        )


def test_without_the_coordinators_log_the_last_step_says_what_is_not_in_the_files() -> None:
    case = log_case(folder(KAFKA_LOGS / "h2_open" / "hangopen-0"))
    now = case.steps[-1]
    assert now["key"] == "log.now_held"
    assert [note["key"] for note in now["notes"]] == ["log.now_no_coordinator", "log.written.unknown"]


def test_records_of_the_coordinator_name_the_row_that_leads_to_them() -> None:
    case = log_case(folder(KAFKA_LOGS / "_internal"))
    brokers = check_shape(case)["brokers"]
    shown = [step for step in case.steps if step["key"].startswith("log.coordinator.")]
    assert len(shown) > 50
    assert not any(
        step["key"].startswith("log.batch")
        for step in case.steps
        if step["actor"].startswith("__transaction")
    )
    rows = TRANSACTION_STATES.rows
    taken = [step["transition"] for step in shown if step["transition"] is not None]
    assert {(one["from"], one["to"]) for one in taken} > {
        ("Empty", "Ongoing"), ("Ongoing", "PrepareCommit"), ("PrepareCommit", "CompleteCommit"),
    }  # fmt: skip
    assert all(
        (rows[one["row"]].source, rows[one["row"]].target) == (one["from"], one["to"]) for one in taken
    )
    assert brokers["0"]["transactions"]["tx-open-public"]["state"] == "Ongoing"


@pytest.mark.parametrize(
    ("name", "event"), [("wire_tv0", "end_commit"), ("wire_tv2", "end_commit_raising_epoch")]
)
def test_a_decision_names_the_row_of_the_version_that_made_it(name: str, event: str) -> None:
    """With transaction version 2 a commit raises the epoch, which has a row of its own in the table."""
    case = log_case(folder(KAFKA_LOGS / name / "_internal"))
    taken = [step["transition"] for step in case.steps if step.get("transition")]
    assert {one["on"] for one in taken if one["to"] == "PrepareCommit"} == {event}


def test_offsets_of_a_transaction_count_with_its_marker() -> None:
    case = log_case(folder(KAFKA_LOGS / "_internal" / "__consumer_offsets-1"))
    brokers = check_shape(case)["brokers"]
    pending = [step for step in case.steps if step["key"] == "log.group.pending"]
    assert pending
    committed = brokers["0"]["groups"][pending[0]["params"]["group"]]["committed"]
    assert committed[pending[0]["params"]["topic_partition"]]["offset"] >= pending[0]["params"]["offset"]


SNAPSHOT = re.compile(
    r"producerId: (\d+) producerEpoch: (-?\d+) coordinatorEpoch: (-?\d+)"
    r" currentTxnFirstOffset: Optional\S*?(?:\.empty|\[(\d+)\]) lastTimestamp: -?\d+"
    r"(?: firstSequence: (-?\d+) lastSequence: (-?\d+) lastOffset: (-?\d+))?"
)


def snapshots_at_the_end() -> list[tuple[Path, Path]]:
    """Return each partition folder with the dump of the snapshot that the broker wrote when it stopped cleanly."""
    found = []
    for log in dumped_segments():
        end = parse_dump(log)[-1].header["last_offset"] if dump_has_batches(log) else "-1"
        dump = log.with_name(f"{int(end) + 1:020}.snapshot.dump.txt")
        whole = len(list(log.parent.glob("*.log"))) == 1
        if dump.exists() and whole:
            found.append((log.parent, dump))
    return found


def dump_has_batches(log: Path) -> bool:
    return bool(parse_dump(log))


@pytest.mark.parametrize(
    ("partition", "dump"), snapshots_at_the_end(), ids=lambda path: path.relative_to(KAFKA_LOGS).as_posix()
)
def test_producers_are_those_of_the_brokers_own_snapshot(partition: Path, dump: Path) -> None:
    (lane,) = folded(log_case(folder(partition)))["partitions"].values()
    producers = lane["replicas"]["0"]["producers"]
    text = dump.read_text(encoding="utf-8")
    saved = {match[1]: match for match in SNAPSHOT.finditer(text)}
    assert len(saved) == text.count("producerId:")
    for producer_id, match in saved.items():
        mine = producers[producer_id]
        assert str(mine["producer_epoch"]) == match[2]
        assert str(mine["coordinator_epoch"]) == match[3]
        assert mine["transaction_first_offset"] == (None if match[4] is None else int(match[4]))
        newest = mine["batches"][-1] if mine["batches"] else None
        if match[5] not in (None, "-1"):
            assert newest is not None
            assert [str(newest[0]), str(newest[1]), str(newest[3])] == [match[5], match[6], match[7]]
        else:
            assert newest is None


def test_what_a_file_does_not_tell_is_not_judged() -> None:
    view = folded(log_case(folder(KAFKA_LOGS / "c_commit")))
    assert set(view) == {"time", "partitions", "guarantees"}
    assert all(guarantee == {"judged": False} for guarantee in view["guarantees"].values())


def at(offset: int, timestamp: int = 5) -> bytes:
    return encode_batch([Record(offset, timestamp, b"k", b"v")], base_offset=offset)


def keys(case: LogCase) -> list[str]:
    return [step["key"] for step in case.steps]


def test_each_kind_of_batch_has_its_sentence() -> None:
    data = b"".join(
        [
            at(0),
            encode_batch(
                [Record(1, 5, None, b"v")], base_offset=1, producer_id=4, producer_epoch=0, base_sequence=0
            ),
            encode_batch([Record(2, 5, None, b"v")], base_offset=2, producer_id=4, producer_epoch=0),
            encode_batch([], base_offset=3, producer_id=4, producer_epoch=0, base_sequence=2),
            encode_batch(
                [Record(4, 5, None, b"v")],
                base_offset=4,
                producer_id=2**60,
                producer_epoch=0,
                base_sequence=9,
                is_transactional=True,
            ),
            encode_marker(ControlType.COMMIT, 2, producer_id=4, producer_epoch=0, timestamp=5, base_offset=5),
            encode_marker(
                ControlType.LEADER_CHANGE, 2, producer_id=4, producer_epoch=0, timestamp=5, base_offset=6
            ),
            encode_batch([], base_offset=7, producer_id=4, producer_epoch=0, is_control=True),
        ]
    )
    case = log_case({f"t-0/{SEGMENT}": data})
    check_shape(case)
    assert keys(case) == [
        "log.batch_plain",
        "log.batch_idempotent",
        "log.batch_without_sequence",
        "log.batch_emptied",
        "log.batch_transactional",
        "log.marker_commit",
        "log.control_other",
        "log.control_unread",
        "log.now_held",
    ]
    assert case.steps[4]["params"]["producer_id"] == str(2**60), "a browser would round it"
    assert case.steps[0]["notes"][0]["key"] == "log.segment"


def test_damage_is_reported_and_a_batch_that_fits_no_lane_is_not_drawn() -> None:
    broken = bytearray(at(9))
    broken[-1] ^= 1
    data = at(7) + at(3) + bytes(broken) + at(10)[:-3]
    case = log_case({f"t-0/{SEGMENT}": data})
    check_shape(case)
    assert keys(case) == ["log.batch_plain"] * 3 + ["log.damage.truncated_batch", "log.now_damaged"]
    notes = [[note["key"] for note in step["notes"]] for step in case.steps]
    assert notes[1] == ["log.not_placed", "log.damage.base_offset"]
    assert notes[2][0] == "log.damage.crc"
    assert [step["interesting"] for step in case.steps] == [False, True, True, True, True]
    batches = folded(case)["partitions"]["t-0"]["replicas"]["0"]["batches"]
    assert [(offset, batch["damaged"]) for offset, batch in batches.items()] == [("7", False), ("9", True)]


def test_a_timestamp_that_goes_back_or_makes_no_sense_does_not_move_time_back() -> None:
    data = at(0, 1000) + at(1, 400) + at(2, 2**62) + at(3, 1500)
    case = log_case({f"t-0/{SEGMENT}": data})
    check_shape(case)
    assert [step["at"] for step in case.steps] == [0, 0, 0, 500, 500]
    assert case.header["time_origin"] == 1000


def test_more_than_fits_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEPS_MAX", 3)
    files = {f"t-0/{SEGMENT}": b"".join(at(offset) for offset in range(5))}
    case = log_case(files)
    check_shape(case)
    assert case.shortened
    assert keys(case) == ["log.batch_plain"] * 3 + ["log.cut"]
    monkeypatch.setattr(module, "STEPS_MAX", 5)
    case = log_case(files)
    assert (case.shortened, len(case.steps)) == (False, 6)


def test_folders_are_distinguished_whatever_they_are_called() -> None:
    files = {
        f"before/t-0/{SEGMENT}": at(0),
        f"after/t-0/{SEGMENT}": at(0),
        f"__proto__/{SEGMENT}": at(0),
        SEGMENT: at(0),
    }
    case = log_case(files)
    check_shape(case)
    assert sorted(case.header["partitions"]) == ["log 1", "log 2", "t-0", "t-0 (4)"]
    assert sorted(case.view["partitions"]) == sorted(case.header["partitions"])


def test_what_cannot_be_opened_is_one_sentence_of_the_catalogue() -> None:
    for files in ({}, {"a.txt": b"text"}, {f"t-{number}/{SEGMENT}": b"" for number in range(201)}):
        with pytest.raises(NotALogError) as raised:
            log_case(files)
        check_sentence({"key": raised.value.key, "params": raised.value.params})


def test_an_empty_segment_is_an_empty_lane() -> None:
    case = log_case({f"t-0/{SEGMENT}": b"", "t-0/leader-epoch-checkpoint": b""})
    assert case.steps == []
    assert list(case.view["partitions"]) == ["t-0"]
    assert [unread.kind for unread in case.not_read] == [FileKind.LEADER_EPOCHS]


def test_every_kind_has_its_sentence_in_both_languages() -> None:
    needed = {kind.sentence_key for kind in DamageKind}
    assert {key for key in SENTENCES if key.startswith("log.damage.")} == needed
    for key, texts in SENTENCES.items():
        placeholders = [sorted(PLACEHOLDER.findall(texts[language])) for language in ("en", "zh-Hans")]
        assert placeholders[0] == placeholders[1], key


@settings(max_examples=100)
@given(st.data())
def test_any_wounded_log_is_a_case(data: st.DataObject) -> None:
    partition = data.draw(
        st.sampled_from(["c_commit/txcommit-0", "e_interleave/inter-0", "j_java_client/java-0"])
    )
    segment = bytearray((KAFKA_LOGS / partition / SEGMENT).read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        segment[data.draw(st.integers(0, len(segment) - 1))] = data.draw(st.integers(0, 255))
    check_shape(log_case({f"t-0/{SEGMENT}": bytes(segment)}))
