"""No verdict may depend on what the copies lack: files that are missing, cut, too old or from another cluster."""

import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from eosviz.pipeline.kafka_logs.bundle_writing import save
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.declared import ContradictedError, Declared, moment_of
from eosviz.pipeline.kafka_logs.remedies import quoted
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.orphans import LAST_COPIED_MS, orphan_batch
from tests.pipeline.kafka_logs.printed import document
from tests.rotation import in_turn

INCIDENTS = KAFKA_LOGS / "incidents"
LIVE, RETENTION = INCIDENTS / "live_copy_open", INCIDENTS / "retention_open"
LOG = f"{0:020}.log"
STATE = "__transaction_state"
COUNTED = Declared(transaction_partitions=4, one_cluster=True)
"""What the person who copied these files can declare without knowing times."""
LATER = LAST_COPIED_MS + 600_000
"""Ten minutes after the newest record of the live copy."""
WHOLE = replace(COUNTED, rest_empty=True, copied_after=LATER)


def verdicts(paths: list[Path], declared: Declared | None = None) -> list[dict[str, Any]]:
    found = document(read_case(paths, declared))["verdicts"]
    return [one for one in found if one["kind"] != "healthy"]


def commands(verdict: dict[str, Any]) -> str:
    remedy = verdict["remedy"] or {"command": "", "others": []}
    return " | ".join([remedy["command"], *(one["command"] for one in remedy["others"])])


def asked_for(verdict: dict[str, Any]) -> str:
    return " | ".join(verdict["would_change"])


def copied(source: Path, folder: Path, *, end: int | None = None) -> Path:
    """Copy a partition's folder into `folder` and cut its log to `end` bytes; a negative `end` is the number of bytes
    to cut off. Returns the copy.
    """
    place = folder / source.name
    shutil.copytree(source, place)
    (place / LOG).write_bytes((place / LOG).read_bytes()[:end])
    return place


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("declared", [None, COUNTED, replace(WHOLE, rest_empty=False)])
def test_a_part_of_the_coordinators_topic_makes_no_orphan(number: int, declared: Declared | None) -> None:
    (verdict,) = verdicts([LIVE / "orders-0", LIVE / f"{STATE}-{number}"], declared)
    assert (verdict["kind"], verdict["remedy"]["action"]) == ("undecided", "look")
    if declared is None:
        assert "--transaction-partitions" in asked_for(verdict)
    else:
        assert f"{STATE}-0" in asked_for(verdict) and "--rest-empty" in asked_for(verdict)


def test_the_one_partition_that_holds_the_id_is_enough() -> None:
    (verdict,) = verdicts([LIVE / "orders-0", LIVE / f"{STATE}-0"])
    assert (verdict["kind"], verdict["transactional_id"]) == ("slow_but_alive", "checkout-7")


@pytest.mark.parametrize("declared", [None, COUNTED, WHOLE])
def test_behind_a_torn_tail_nothing_is_late(tmp_path: Path, declared: Declared | None) -> None:
    """The batch that was cut is the COMMIT marker of the second transaction, so no transaction may count as late."""
    torn = copied(LIVE / "orders-0", tmp_path, end=-40)
    alive, cut = verdicts([torn, *LIVE.glob(f"{STATE}-*")], declared)
    assert (alive["first_offset"], alive["kind"]) == (4, "slow_but_alive")
    assert (cut["first_offset"], cut["kind"], cut["coordinator_state"]) == (12, "undecided", "CompleteCommit")
    assert "after offset 12" in asked_for(cut)
    assert " abort " not in commands(cut)
    assert "forceTerminateTransaction" in commands(alive) and "force" not in commands(cut)


def test_what_the_coordinator_has_is_owed_or_stands_in_what_is_missing(tmp_path: Path) -> None:
    torn = copied(LIVE / "orders-0", tmp_path, end=-40)
    overdue, _ = verdicts([torn, *LIVE.glob(f"{STATE}-*")], Declared(now=LATER + 3_600_000))
    assert (overdue["kind"], overdue["remedy"]["action"]) == ("undecided", "look")
    assert overdue["alternatives"] == ["healthy", "coordinator_owes_marker"]
    (terminate,) = overdue["remedy"]["others"]
    assert terminate["command"].endswith("forceTerminateTransaction --transactionalId checkout-7")
    assert terminate["preconditions"][0].startswith("describe still shows Ongoing with producer id 1 ")


def test_a_tail_that_is_cut_between_two_batches_is_an_older_copy(tmp_path: Path) -> None:
    """No batch is torn, but the coordinator's record of the commit is newer than all remaining data."""
    size = (LIVE / "orders-0" / LOG).stat().st_size
    cut = copied(LIVE / "orders-0", tmp_path, end=size - 78)
    late = verdicts([cut, *LIVE.glob(f"{STATE}-*")], COUNTED)[-1]
    assert (late["first_offset"], late["kind"]) == (12, "undecided")
    assert "a copy of orders-0 taken after" in asked_for(late)


def test_a_coordinator_copied_before_the_data_proves_nothing(tmp_path: Path) -> None:
    """The coordinator's last two records, with the commit, were not written yet when its log was copied; the data was
    copied later.
    """
    rows = (LIVE / f"{STATE}-1" / LOG).read_bytes()
    before = copied(LIVE / f"{STATE}-1", tmp_path, end=len(rows) - 2 * (len(rows) // 13))
    data = copied(LIVE / "orders-0", tmp_path, end=-78)
    others = [LIVE / f"{STATE}-{number}" for number in (0, 2, 3)]
    for declared in (None, COUNTED):
        found = verdicts([data, before, *others], declared)
        assert {one["kind"] for one in found} <= {"slow_but_alive", "undecided", "coordinator_owes_marker"}


def test_the_time_that_is_asked_for_is_enough_as_it_is_printed() -> None:
    """The real time has milliseconds, so the sentence names the next full second."""
    paths, declared = [LIVE / "orders-0", LIVE / f"{STATE}-1"], replace(WHOLE, copied_after=None)
    (verdict,) = verdicts(paths, declared)
    (need,) = verdict["would_change"]
    asked = need.partition(" taken after ")[2].partition(", or --copied-after")[0]
    assert asked.endswith(" UTC")
    (judged,) = verdicts(paths, replace(declared, copied_after=moment_of(asked)))
    assert (verdict["kind"], judged["kind"]) == ("undecided", "orphan")


def test_two_clusters_are_refused_and_an_unnamed_one_is_no_proof(tmp_path: Path) -> None:
    other = KAFKA_LOGS / "_internal"
    with pytest.raises(ContradictedError) as refused:
        read_case([other, KAFKA_LOGS / "wire_tv0"])
    assert refused.value.sentence.key == "logs.refused.two_clusters"
    # Producer ids are per cluster: in the other cluster, that of the live copy's open transaction belongs to another
    # producer or to none. So that cluster's coordinator log proves nothing about it.
    mixed = copied(LIVE / "orders-0", tmp_path)
    found = verdicts([mixed, other], replace(WHOLE, one_cluster=False, transaction_partitions=4))
    assert {one["kind"] for one in found} == {"undecided"}
    assert "meta.properties" in asked_for(found[0])


def test_topic_ids_that_differ_are_two_clusters_whatever_is_said(tmp_path: Path) -> None:
    state = copied(LIVE / f"{STATE}-1", tmp_path)
    (state / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA\n")
    found = verdicts([LIVE / "orders-0", state, LIVE / f"{STATE}-2"], WHOLE)
    assert {one["kind"] for one in found} == {"undecided"}
    assert "topic ids" in asked_for(found[0])


@pytest.mark.parametrize(
    ("declared", "key"),
    [
        (Declared(transaction_partitions=2), "refused.more"),
        (Declared(transaction_partitions=50), "refused.other_count"),
    ],
)
def test_a_number_of_partitions_that_the_files_contradict_is_refused(declared: Declared, key: str) -> None:
    with pytest.raises(ContradictedError) as refused:
        read_case([LIVE], declared)
    assert refused.value.sentence.key == f"logs.{key}"


@pytest.fixture
def orphaned(tmp_path: Path) -> list[Path]:
    """The live copy, with an open transaction in orders-0 of a producer id that the coordinator never had."""
    place = copied(LIVE / "orders-0", tmp_path)
    with (place / LOG).open("ab") as file:
        file.write(orphan_batch())
    return [place, *LIVE.glob(f"{STATE}-*")]


def of_99(paths: list[Path], declared: Declared | None) -> dict[str, Any]:
    (found,) = [one for one in verdicts(paths, declared) if one["producer_id"] == 99]
    return found


ENOUGH = replace(WHOLE, rest_empty=False)
NOT_STATED = {
    "transaction_partitions": "all partitions of __transaction_state",
    "one_cluster": "meta.properties",
    "copied_after": "--copied-after",
}


def test_an_orphan_is_one_where_everything_is_proved(orphaned: list[Path]) -> None:
    found = of_99(orphaned, ENOUGH)
    assert (found["kind"], found["remedy"]["action"]) == ("orphan", "abort")


@pytest.mark.parametrize("name", NOT_STATED)
def test_what_is_not_said_is_asked_for(orphaned: list[Path], name: str) -> None:
    found = of_99(orphaned, replace(ENOUGH, **{name: getattr(Declared(), name)}))
    assert (found["kind"], found["remedy"]["action"]) == ("undecided", "look")
    (asked,) = found["would_change"]
    assert NOT_STATED[name] in asked


def test_files_prove_what_need_not_be_said(orphaned: list[Path], tmp_path: Path) -> None:
    """Files of the log directory itself show its cluster and the number of partitions, and the records show times."""
    home = tmp_path / "kafka"
    for path in orphaned:
        shutil.copytree(path, home / path.name)
    (home / "meta.properties").write_text("version=1\ncluster.id=AAAAAAAAAAAAAAAAAAAAAA\n")
    metadata = home / "__cluster_metadata-0"
    metadata.mkdir()
    (metadata / LOG).write_bytes(metadata_log(STATE, 4))
    assert of_99([home], Declared(copied_after=LATER))["kind"] == "orphan"
    (home / f"{STATE}-2").rename(tmp_path / "elsewhere")
    found = of_99([home], Declared(copied_after=LATER))
    assert found["kind"] == "undecided"
    assert f"{STATE}-2" in asked_for(found)
    assert of_99([home], Declared(copied_after=LATER, rest_empty=True))["kind"] == "orphan"


def test_a_bundle_carries_what_was_said_and_lends_it_to_no_other_file(
    orphaned: list[Path], tmp_path: Path
) -> None:
    said, unsaid = tmp_path / "said.gz", tmp_path / "unsaid.gz"
    save(read_case(orphaned, ENOUGH), said)
    save(read_case(orphaned), unsaid)
    assert of_99([said], None)["kind"] == "orphan"
    assert of_99([unsaid], None)["kind"] == "undecided"
    assert of_99([unsaid], ENOUGH)["kind"] == "orphan"
    other = KAFKA_LOGS / "h2_open"
    assert of_99([said, other], None)["kind"] == "undecided"


def test_the_names_that_two_bundles_give_are_not_one_cluster(orphaned: list[Path], tmp_path: Path) -> None:
    homes = []
    for number, paths in enumerate((orphaned[:1], orphaned[1:])):
        home = tmp_path / str(number)
        for path in paths:
            shutil.copytree(path, home / path.name)
        (home / "meta.properties").write_text(f"version=1\ncluster.id={number}AAAAAAAAAAAAAAAAAAAAA\n")
        save(read_case([home]), tmp_path / f"{number}.gz")
        homes.append(tmp_path / f"{number}.gz")
    found = of_99(homes, replace(ENOUGH, one_cluster=False))
    assert found["kind"] == "undecided"
    assert "one bundle of all of them" in asked_for(found)


def metadata_log(topic: str, count: int) -> bytes:
    """Return TopicRecord and PartitionRecords as MetadataRecordSerde writes them, with only the fields that are
    read.
    """
    uuid = bytes(range(16))
    name = topic.encode()
    values = [b"\x01\x02\x00" + bytes([len(name) + 1]) + name + uuid + b"\x00"]
    values += [b"\x01\x03\x02" + number.to_bytes(4, "big") + uuid + bytes(20) for number in range(count)]
    records = [Record(offset, LATER, None, value) for offset, value in enumerate(values)]
    return encode_batch(records, base_offset=0, partition_leader_epoch=1)


def with_coordinator_log(folder: Path) -> list[Path]:
    """Return the folder and the coordinator's log that the README names for it."""
    if any(folder.rglob(f"{STATE}-*")):
        return [folder]
    return [
        folder,
        next(one for one in (folder.parent / "_internal", KAFKA_LOGS / "_internal") if one.is_dir()),
    ]


def place(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


FOLDERS = sorted(
    path
    for path in (
        *KAFKA_LOGS.iterdir(),
        *(KAFKA_LOGS / "_transaction_version_0").iterdir(),
        *INCIDENTS.iterdir(),
    )
    if path.is_dir() and path.name not in ("_internal", "_transaction_version_0", "incidents")
)
OPEN = {
    "h2_open": {("hangopen-0", 2, "slow_but_alive")},
    "wire_tv0": {("w-txn-public-0", 6, "slow_but_alive"), ("w-txnfuzz-public-0", 39, "slow_but_alive")},
    "wire_tv2": {("w-txn-public-0", 8, "slow_but_alive"), ("w-txnfuzz-public-0", 109, "slow_but_alive")},
    "live_copy_open": {("orders-0", 4, "slow_but_alive"), ("orders-1", 4, "slow_but_alive")},
    "retention_open": {("ret2-0", 2, "evidence_deleted")},
}
"""Folder → the verdicts that are not healthy, for all recorded folders with their coordinator's log."""


@pytest.mark.parametrize("declared", [None, replace(COUNTED, rest_empty=True)], ids=["as it is", "declared"])
@pytest.mark.parametrize("folder", FOLDERS, ids=place)
def test_every_recorded_folder_has_its_verdicts(folder: Path, declared: Declared | None) -> None:
    found = verdicts(with_coordinator_log(folder), declared)
    mine = [one for one in found if not one["partition"].startswith("__")]
    assert {(one["partition"], one["first_offset"], one["kind"]) for one in mine} == OPEN.get(
        folder.name, set()
    )
    assert mine == found


def variants(source: Path, folder: Path, seed: int, count: int) -> Iterator[Path]:
    """Yield `count` copies of a folder, each without something: whole folders, ends or pieces of logs, files beside
    them.
    """
    chance = random.Random(seed)
    for number in range(count):
        place = folder / f"{seed}-{number}"
        shutil.copytree(source, place, ignore=shutil.ignore_patterns("*.dump.txt", "*.json"))
        places = sorted({path.parent for path in place.rglob("*.log")})
        for _ in range(chance.randint(1, 3)):
            chosen = chance.choice(places)
            logs = sorted(chosen.glob("*.log")) if chosen.is_dir() else []
            if not logs:
                continue
            log = chance.choice(logs)
            size = log.stat().st_size
            match chance.randrange(5):
                case 0:
                    shutil.rmtree(chosen)
                case 1:
                    log.unlink()
                case 2:
                    log.write_bytes(log.read_bytes()[: chance.randint(0, size)])
                case 3:
                    start = chance.randint(0, size)
                    log.write_bytes(
                        log.read_bytes()[:start] + log.read_bytes()[start + chance.randint(1, 200) :]
                    )
                case _:
                    for beside in chosen.iterdir():
                        if beside.suffix != ".log":
                            beside.unlink()
        if any(place.rglob("*.log")):
            yield place


@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "folder", in_turn(FOLDERS, 8, "engine/codec", "eosviz/pipeline", name=place), ids=place
)
def test_nothing_that_is_taken_away_makes_an_abort(folder: Path, count: int, tmp_path: Path) -> None:
    """None of these transactions is orphan. What is declared concerns the cluster, not the copies."""
    whole = tmp_path / "whole"
    for path in with_coordinator_log(folder):
        shutil.copytree(path, whole / path.name)
    for place in variants(whole, tmp_path, len(folder.name), count):
        for declared in (None, Declared(one_cluster=True), replace(COUNTED, rest_empty=False)):
            for verdict in verdicts([place], declared):
                assert verdict["kind"] not in ("orphan", "fenced_writer", "late_write_after_marker")
                assert verdict["remedy"] is None or verdict["remedy"]["action"] != "abort"


def test_a_name_is_one_word_of_the_command() -> None:
    assert quoted("orders") == "orders"
    assert quoted("a b; rm -rf ~") == "'a b; rm -rf ~'"
    assert quoted("a'\nb") == r"$'a\'\nb'"
