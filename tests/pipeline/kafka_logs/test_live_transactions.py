"""No verdict says that a live or committed transaction must be ended, however its files were copied.

In each case, an engineer on call has a copy of the coordinator's log from one moment, and one of the data from
another. Each test also has a control: the same evidence in a case in which it does prove the verdict.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.codec.control_record import ControlType
from engine.codec.producer_snapshot import ProducerEntry
from engine.codec.transaction_log_record import TransactionStatus as Status
from eosviz.pipeline.kafka_logs.bundle_writing import save
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.coordinator import partition_of
from eosviz.pipeline.kafka_logs.declared import ContradictedError, Declared
from tests.pipeline.kafka_logs.clusters import (
    DAY,
    LOG,
    MINUTE,
    NOON,
    PARTITIONS,
    SECOND,
    coordinator,
    data,
    log,
    marker,
    named,
    said,
    snapshot,
    write,
)
from tests.pipeline.kafka_logs.printed import document

ORDERS = (("orders", 0),)
ABORTING = ("orphan", "fenced_writer", "late_write_after_marker")


def all_open(
    paths: Sequence[Path], declared: Declared | None = None, name: str = "orders-0"
) -> list[dict[str, Any]]:
    return [one for one in document(read_case(paths, declared))["verdicts"] if one["partition"] == name]


def open_in(
    paths: Sequence[Path], declared: Declared | None = None, name: str = "orders-0"
) -> dict[str, Any]:
    (one,) = [one for one in all_open(paths, declared, name) if one["producer_id"] == 7]
    return one


def is_left_alone(paths: Sequence[Path], declared: Declared | None = None, name: str = "orders-0") -> bool:
    one = open_in(paths, declared, name)
    kinds = {one["kind"], one["rests_on"]}
    return not kinds & set(ABORTING) and one["remedy"]["action"] != "abort"


def between_two_transactions(home: Path, *, version: int, stamped: int, follows: bool = False) -> Path:
    """Write a folder of files. The coordinator's log was copied at noon, when producer 7 had committed one
    transaction. The producer then began its next transaction, and after that the data was copied.
    """
    epoch = 4 if version == 2 else 3
    over = said(
        "tx", NOON - MINUTE, Status.COMPLETE_COMMIT, 7, epoch, start=NOON - 2 * MINUTE, version=version
    )
    coordinator(home, [over], others_at=NOON)
    rows = [data(7, 3, NOON - 2 * MINUTE), marker(7, epoch, NOON - MINUTE)]
    rows += [data(8, 0, NOON - MINUTE), marker(8, 1, NOON - 30 * SECOND), data(7, epoch, stamped)]
    if follows:
        rows += [data(8, 1, NOON - 25 * SECOND), marker(8, 2, NOON - 20 * SECOND)]
    write(home / "orders-0" / LOG, log(rows))
    return named(home)


@pytest.mark.parametrize("version", [0, 2])
def test_records_that_carry_the_times_of_events_do_not_say_when_a_transaction_began(
    tmp_path: Path, version: int
) -> None:
    """The timestamps of records need not be times of writing: a stream that processes yesterday's events again writes
    yesterday's timestamps.
    """
    home = between_two_transactions(tmp_path / "a", version=version, stamped=NOON - DAY)
    assert is_left_alone([home])
    assert is_left_alone([home], Declared(copied_after=NOON - 10 * SECOND))
    marked = between_two_transactions(tmp_path / "b", version=version, stamped=NOON - DAY, follows=True)
    assert open_in([marked])["kind"] == "late_write_after_marker"


def on_a_quiet_partition(home: Path, *rows: Any) -> Path:
    """Write a case in which producer 6 has held back consumers since yesterday and no marker was written since, so
    its transaction is an orphan.
    """
    coordinator(home, [], others_at=NOON)
    write(home / "orders-0" / LOG, log([data(6, 0, NOON - DAY), *rows]))
    return named(home)


def test_what_began_behind_the_transaction_that_readers_wait_for_may_be_younger_than_the_copies(
    tmp_path: Path,
) -> None:
    """The coordinator's log was copied at noon. A second later, producer 7 began a transaction with yesterday's
    timestamps; then the data was copied. That consumers waited before proves nothing about producer 7 until a marker
    follows.
    """
    waited = Declared(copied_after=NOON - MINUTE)
    home = on_a_quiet_partition(tmp_path / "a", data(7, 0, NOON - DAY + SECOND))
    assert is_left_alone([home], waited)
    first, second = all_open([home], waited)
    assert (first["producer_id"], first["kind"]) == (6, "orphan")
    assert (
        "as you stated (no file shows it): read_committed consumers of orders-0 were already waiting at"
        in " ".join(one["says"] for one in first["evidence"])
    )
    assert "first end the open transaction at offset 0" in " ".join(second["would_change"])
    ended = marker(6, 0, NOON - 5 * MINUTE, ControlType.ABORT)
    again = on_a_quiet_partition(tmp_path / "b", data(7, 0, NOON - DAY + SECOND), ended)
    assert open_in([again], waited)["kind"] == "orphan"


def test_a_marker_since_then_may_have_ended_what_the_readers_waited_for(tmp_path: Path) -> None:
    ended = marker(6, 0, NOON - 30 * SECOND, ControlType.ABORT)
    home = on_a_quiet_partition(tmp_path, ended, data(7, 0, NOON - 2 * DAY))
    assert is_left_alone([home], Declared(copied_after=NOON - 40 * SECOND))
    assert is_left_alone([home], Declared(copied_after=NOON - 21 * SECOND))


@pytest.mark.parametrize("lost", [False, True])
def test_between_segments_of_a_compacted_log_a_lost_one_is_not_seen(tmp_path: Path, lost: bool) -> None:
    """The cleaner removes replaced records, also at the end of a segment, so a segment that is lost leaves the same
    gap.
    """
    home = on_a_quiet_partition(tmp_path)
    place = home / partition_of("tx", PARTITIONS)
    rows = (place / LOG).read_bytes()
    (place / LOG).write_bytes(rebased(rows, 0))
    (place / f"{20:020}.log").write_bytes(rebased(rows, 20 if lost else 23))
    write(home / "cleaner-offset-checkpoint", f"0\n1\n{place.name.replace('-', ' ')} 30\n".encode())
    waited = Declared(copied_after=NOON - MINUTE)
    (found,) = all_open([home], waited)
    assert (found["kind"], found["remedy"]["action"]) == ("undecided", "look")
    assert f"{place.name} has a gap at offsets 1–19, between two segments" in " ".join(found["would_change"])
    (found,) = all_open([home], replace(waited, rest_empty=True))
    assert found["kind"] == "orphan"
    assert "as you stated (no file shows it): no segment is missing" in " ".join(
        one["says"] for one in found["evidence"]
    )


def test_a_segment_that_the_cleaner_emptied_from_its_beginning_follows_the_one_before(tmp_path: Path) -> None:
    home = on_a_quiet_partition(tmp_path)
    place = home / partition_of("tx", PARTITIONS)
    rows = (place / LOG).read_bytes()
    (place / f"{1:020}.log").write_bytes(rebased(rows, 23))
    write(home / "cleaner-offset-checkpoint", f"0\n1\n{place.name.replace('-', ' ')} 30\n".encode())
    (found,) = all_open([home], Declared(copied_after=NOON - MINUTE))
    assert found["kind"] == "orphan"


def rebased(rows: bytes, offset: int) -> bytes:
    """Return a log of one batch with this base offset, which the checksum does not cover."""
    return offset.to_bytes(8, "big") + rows[8:]


def test_a_commit_that_is_decided_is_owed_though_clocks_differ_by_milliseconds(tmp_path: Path) -> None:
    """Transactions follow each other within milliseconds. If the leader's clock is some milliseconds ahead, the
    marker of the previous transaction seems to belong to this one.
    """
    for version in (0, 2):
        home = tmp_path / str(version)
        begun, epoch = NOON - MINUTE, 4 if version == 2 else 3
        decided = said("tx", NOON - 50 * SECOND, Status.PREPARE_COMMIT, 7, epoch + (version == 2), start=begun,
                       partitions=ORDERS, version=version)  # fmt: skip
        coordinator(home, [decided], others_at=NOON)
        rows = [data(7, 3, begun - SECOND), marker(7, epoch, begun + 5), data(7, epoch, begun + 10)]
        rows += [data(8, 0, NOON - 30 * SECOND), marker(8, 1, NOON - 20 * SECOND)]
        write(home / "orders-0" / LOG, log(rows))
        one = open_in([named(home)])
        assert (one["kind"], one["remedy"]["action"], one["remedy"]["ends"]) == (
            "coordinator_owes_marker",
            "wait",
            "committed",
        )


def unknown(home: Path) -> Path:
    """Write an open transaction of a producer that the coordinator never knew, followed by a marker of another
    producer.
    """
    coordinator(home, [], others_at=NOON)
    rows = [
        data(7, 0, NOON - 10 * MINUTE),
        data(900, 0, NOON - 9 * MINUTE),
        marker(900, 0, NOON - 9 * MINUTE),
    ]
    write(home / "orders-0" / LOG, log(rows))
    return named(home)


def not_of_idle(home: Path) -> Path:
    """Return a partition of the coordinator that does not know producer 900, whose markers are in the data."""
    known = partition_of("idle-0", PARTITIONS)
    return next(one for one in sorted(home.glob("__transaction_state-*")) if one.name != known)


LIST = "TransactionalId\tCoordinator\tProducerId\tTransactionState\nother\t1\t5\tEmpty\n"


def test_a_list_does_not_mend_a_damaged_log(tmp_path: Path) -> None:
    home = unknown(tmp_path / "kafka")
    listed = tmp_path / "list.txt"
    listed.write_text(LIST)
    declared = Declared(rest_empty=True, one_cluster=True, copied_after=NOON)
    assert open_in([home, listed], declared)["kind"] == "orphan"
    place = not_of_idle(home) / LOG
    place.write_bytes(bytes([*place.read_bytes()[:70], 9, *place.read_bytes()[71:]]))
    assert is_left_alone([home, listed], declared)


def test_a_snapshot_that_is_older_than_the_log_says_nothing_of_what_lies_between(tmp_path: Path) -> None:
    """The segments after the snapshot are missing, and so is the COMMIT marker."""
    home = tmp_path / "kafka"
    over = said("tx", NOON - 30 * MINUTE, Status.COMPLETE_COMMIT, 7, 4, start=NOON - 31 * MINUTE)
    coordinator(home, [over], others_at=NOON)
    write(
        home / "orders-0" / f"{10:020}.log", log([data(8, 0, NOON - MINUTE), marker(8, 1, NOON - MINUTE)], 10)
    )
    entry = ProducerEntry(7, 3, 0, 2, 0, NOON - 31 * MINUTE, 0, 2)
    write(home / "orders-0" / f"{6:020}.snapshot", snapshot([entry]))
    named(home)
    for declared in (None, Declared(copied_after=NOON)):
        assert is_left_alone([home], declared)
    (home / "orders-0" / f"{6:020}.snapshot").rename(home / "orders-0" / f"{10:020}.snapshot")
    assert open_in([home], Declared(copied_after=NOON))["rests_on"] == "fenced_writer"


def committed_in_the_next_segment(home: Path) -> Path:
    """Write two segments; the marker of the newest transaction is at the beginning of the second one."""
    over = said("tx", NOON - 10 * MINUTE, Status.COMPLETE_COMMIT, 7, 4, start=NOON - 11 * MINUTE)
    coordinator(home, [over], others_at=NOON)
    first = [data(8, 0, NOON - 12 * MINUTE), marker(8, 1, NOON - 12 * MINUTE), data(7, 3, NOON - 11 * MINUTE)]
    write(home / "orders-0" / LOG, log(first))
    write(home / "orders-0" / f"{3:020}.log", log([marker(7, 4, NOON - 10 * MINUTE)], 3))
    return named(home)


COPIED = Declared(copied_after=NOON)


def test_a_segment_alone_does_not_say_what_the_next_one_holds(tmp_path: Path) -> None:
    home = committed_in_the_next_segment(tmp_path / "kafka")
    states = sorted(home.glob("__*"))
    assert is_left_alone([home / "orders-0" / LOG, *states], COPIED)
    (home / "orders-0" / f"{3:020}.log").rename(home / "orders-0" / f"{3:020}.timeindex")
    assert is_left_alone([home], COPIED)
    (home / "orders-0" / f"{3:020}.timeindex").unlink()
    write(home / "orders-0" / "leader-epoch-checkpoint", b"0\n2\n0 0\n1 4\n")
    assert is_left_alone([home], COPIED)
    write(home / "orders-0" / "leader-epoch-checkpoint", b"0\n2\n0 0\n1 3\n")
    assert open_in([home], COPIED)["kind"] == "fenced_writer"


DUMP = """Dumping /kafka/orders-0/00000000000000000000.log
Log starting offset: 0
baseOffset: 0 lastOffset: 0 count: 1 baseSequence: 0 lastSequence: 0 producerId: 7 producerEpoch: 3 \
partitionLeaderEpoch: 0 isTransactional: true isControl: false deleteHorizonMs: OptionalLong.empty position: 0 \
CreateTime: {time} size: 70 magic: 2 compresscodec: none crc: 1 isvalid: true
"""


def test_printed_data_ends_where_a_person_says_so(tmp_path: Path) -> None:
    home, printed = committed_in_the_next_segment(tmp_path / "kafka"), tmp_path / "dump.txt"
    shutil.rmtree(home / "orders-0")
    printed.write_text(DUMP.format(time=NOON - 11 * MINUTE))
    declared = Declared(copied_after=NOON, one_cluster=True)
    assert is_left_alone([home, printed], declared)
    whole = Declared(copied_after=NOON, one_cluster=True, rest_empty=True)
    assert open_in([home, printed], whole)["kind"] == "fenced_writer"
    # When the text was copied, the marker's line lost its beginning or its numbers.
    for rest in (
        "astOffset: 1 count: 1 producerId: 7 isControl: true\n",
        "baseOffset: x lastOffset: 1 count: 1\n",
    ):
        printed.write_text(DUMP.format(time=NOON - 11 * MINUTE) + rest)
        assert is_left_alone([home, printed], whole)


DESCRIBED = (
    "CoordinatorId\tTransactionalId\tProducerId\tProducerEpoch\tTransactionState\tTransactionTimeoutMs\t"
    "CurrentTransactionStartTimeMs\tTransactionDurationMs\tTopicPartitions\n"
    "1\ttx\t7\t3\tOngoing\t900000\t{start}\t1000\tother-0\n"
)


def test_an_answer_of_the_coordinator_is_not_newer_because_it_was_printed(tmp_path: Path) -> None:
    """The coordinator was asked during the previous transaction; the log was copied later."""
    home, text = tmp_path / "kafka", tmp_path / "described.txt"
    ongoing = said(
        "tx", NOON - MINUTE, Status.ONGOING, 7, 3, start=NOON - MINUTE, partitions=ORDERS, version=0
    )
    coordinator(home, [ongoing], others_at=NOON)
    write(home / "orders-0" / LOG, log([data(7, 3, NOON - MINUTE)]))
    text.write_text(DESCRIBED.format(start=NOON - 20 * MINUTE))
    for paths in ([named(home), text], [text, home]):
        declared = Declared(copied_after=NOON + MINUTE, one_cluster=True)
        assert open_in(paths, declared)["kind"] == "slow_but_alive"
    text.write_text(DESCRIBED.format(start=NOON + 5 * MINUTE))
    assert open_in([home, text])["kind"] != "slow_but_alive"


def test_names_of_two_bundles_are_not_compared(tmp_path: Path) -> None:
    """Each bundle calls the first topic that it contains `topic-1`."""
    home = tmp_path / "kafka"
    since = {"start": NOON - MINUTE, "version": 0}
    ongoing = said(
        "tx", NOON - MINUTE, Status.ONGOING, 7, 3, partitions=(("another", 1), ("orders", 0)), **since
    )
    coordinator(home, [ongoing], others_at=NOON)
    rows = [data(7, 3, NOON - MINUTE), data(900, 0, NOON - MINUTE), marker(900, 0, NOON - 50 * SECOND)]
    write(home / "orders-0" / LOG, log(rows))
    write(home / "another-1" / LOG, log([data(5, 0, NOON - MINUTE), marker(5, 0, NOON - MINUTE)]))
    save(read_case([home / "another-1", home / "orders-0"]), tmp_path / "data.gz")
    orders = "topic-2-0"
    save(read_case([home]), tmp_path / "all.gz")
    assert open_in([tmp_path / "all.gz"], name=orders)["kind"] == "slow_but_alive"
    shutil.rmtree(home / "another-1")
    write(home / "early-0" / LOG, b"")
    save(read_case([home / "early-0", *home.glob("__transaction_state-*")]), tmp_path / "state.gz")
    declared = Declared(
        one_cluster=True, rest_empty=True, copied_after=NOON + MINUTE, transaction_partitions=PARTITIONS
    )
    assert is_left_alone([tmp_path / "data.gz", tmp_path / "state.gz"], declared, orders)


def test_a_link_is_of_the_cluster_that_it_leads_to(tmp_path: Path) -> None:
    home = unknown(tmp_path / "one")
    other = named(tmp_path / "other", "BBBBBBBBBBBBBBBBBBBBBB")
    (home / "orders-0").rename(other / "orders-0")
    (home / "orders-0").symlink_to(other / "orders-0")
    with pytest.raises(ContradictedError) as refused:
        read_case([home])
    assert refused.value.sentence.key == "logs.refused.two_clusters"


def test_a_folder_under_another_name_is_not_looked_for_in_the_coordinators_record(tmp_path: Path) -> None:
    """The folder has two copies of one partition; the engineer named one of them after its broker."""
    home = tmp_path / "kafka"
    ongoing = said(
        "tx", NOON - 2 * MINUTE, Status.ONGOING, 7, 3, start=NOON - 2 * MINUTE, partitions=ORDERS, version=0
    )
    coordinator(home, [ongoing], others_at=NOON)
    rows = [data(7, 3, NOON - 2 * MINUTE), data(900, 0, NOON - MINUTE), marker(900, 0, NOON - 50 * SECOND)]
    for name in ("orders-0", "b1-orders-0"):
        write(home / name / LOG, log(rows))
        write(home / name / "partition.metadata", b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA\n")
    assert is_left_alone([named(home)], name="b1-orders-0")
    (home / "b1-orders-0" / "partition.metadata").unlink()
    assert open_in([home], name="b1-orders-0")["kind"] == "orphan"


@pytest.mark.parametrize("version", [0, 2])
@pytest.mark.parametrize("ahead", [-40 * SECOND, 40 * SECOND])
def test_clocks_that_differ_show_it_in_the_markers_before(tmp_path: Path, ahead: int, version: int) -> None:
    """The clock of the data's broker is `ahead` ms ahead of the coordinator's: by its own clock, each proof of an
    order seems to be valid.
    """
    home, bump = tmp_path / "kafka", version == 2
    begun = NOON - 20 * MINUTE
    history = [
        said("tx", begun, Status.ONGOING, 7, 3, start=begun, partitions=ORDERS, version=version),
        said(
            "tx",
            begun + 100,
            Status.PREPARE_COMMIT,
            7,
            3 + bump,
            start=begun,
            partitions=ORDERS,
            version=version,
        ),
        said("tx", begun + 200, Status.COMPLETE_COMMIT, 7, 3 + bump, start=begun, version=version),
    ]
    rows = [data(7, 3, begun), marker(7, 3 + bump, begun + 150 + ahead)]
    if ahead > 0:
        # For the coordinator, the transaction has ended before noon; the data was copied before the marker came, at a
        # minute before noon.
        history += [
            said(
                "tx",
                NOON - 30 * SECOND,
                Status.COMPLETE_COMMIT,
                7,
                3 + 2 * bump,
                start=NOON - MINUTE,
                version=version,
            )
        ]
        rows += [
            data(7, 3 + bump, NOON - MINUTE),
            data(900, 0, NOON),
            marker(900, 0, NOON - 50 * SECOND + ahead),
        ]
    else:
        # The transaction begins a second after the coordinator's log was copied.
        rows += [
            data(7, 3 + bump, NOON + SECOND),
            data(900, 0, NOON),
            marker(900, 0, NOON + 2 * SECOND + ahead),
        ]
    coordinator(home, history, others_at=NOON)
    write(home / "orders-0" / LOG, log(rows))
    assert is_left_alone([named(home)])


def test_zeros_at_the_end_are_reserved_only_where_a_segment_is_as_long_as_is_set(tmp_path: Path) -> None:
    """The copy was interrupted: the file has its full length, but zeros where the marker was."""
    home = committed_in_the_next_segment(tmp_path / "kafka")
    (home / "orders-0" / f"{3:020}.log").unlink()
    place = home / "orders-0" / LOG
    whole = place.read_bytes()
    place.write_bytes(whole + bytes(78))
    assert is_left_alone([home], COPIED)
    place.write_bytes(whole.ljust(1024 * 1024, b"\0"))
    assert open_in([home], COPIED)["kind"] == "fenced_writer"


@pytest.mark.parametrize("rest", [b"", None])
def test_a_coordinators_folder_in_which_nothing_stands_proves_nothing(
    tmp_path: Path, rest: bytes | None
) -> None:
    """So `cp` leaves a folder on a full disk: every file exists, and is empty."""
    home = unknown(tmp_path / "kafka")
    assert open_in([home], COPIED)["kind"] == "orphan"
    place = not_of_idle(home)
    write(place / LOG, b"")
    assert open_in([home], COPIED)["kind"] == "orphan"
    if rest is None:
        (place / "leader-epoch-checkpoint").unlink()
    else:
        write(place / "leader-epoch-checkpoint", rest)
    assert is_left_alone([home], COPIED)


def test_a_bundle_keeps_every_doubt(tmp_path: Path) -> None:
    home = committed_in_the_next_segment(tmp_path / "kafka")
    states = sorted(home.glob("__*"))
    case = read_case([home / "orders-0" / LOG, *states], COPIED)
    save(case, tmp_path / "case.gz")
    assert is_left_alone([tmp_path / "case.gz"], COPIED, "topic-1-0")


def test_abort_markers_of_administrators_are_no_clock(tmp_path: Path) -> None:
    home = tmp_path / "kafka"
    over = said("tx", NOON - 10 * MINUTE, Status.COMPLETE_COMMIT, 7, 4, start=NOON - 11 * MINUTE)
    coordinator(home, [over], others_at=NOON)
    rows = [data(8, 0, NOON - 20 * MINUTE), marker(8, 0, NOON - 15 * MINUTE, ControlType.ABORT)]
    rows += [data(7, 3, NOON - 11 * MINUTE), data(8, 0, NOON - MINUTE), marker(8, 0, NOON - MINUTE)]
    write(home / "orders-0" / LOG, log(rows))
    assert open_in([named(home)])["kind"] == "fenced_writer"
