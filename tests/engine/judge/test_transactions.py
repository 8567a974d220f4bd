"""The judges of transactions, which get facts made by hand: each guarantee breaks where it should and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from engine import events
from engine.judge.bench import Bench
from engine.judge.transaction_record import OutcomeVerdict
from tests.engine.narrowing import present


def bench() -> Bench:
    made = Bench()
    made.seat({"t-0": 1, "t-1": 2}, transactions=True)
    return made


def begin(judges: Bench, producer: str = "p1", producer_id: int = 7, epoch: int = 0) -> None:
    judges.take(events.TransactionBegun(producer=producer, producer_id=producer_id, producer_epoch=epoch))
    judges.take(
        events.PartitionsRegistered(producer_id=producer_id, partitions=("t-0", "t-1"), coordinator_epoch=0)
    )


def send(judges: Bench, serial: int, partition: str = "t-0", producer: str = "p1") -> None:
    judges.take(events.RecordAccepted(producer=producer, partition=partition, serial=serial))


def store(
    judges: Bench,
    offset: int,
    serials: list[int] | tuple[int, ...] = (),
    control: str | None = None,
    *,
    partition: str = "t-0",
    producer_id: int = 7,
    epoch: int = 0,
    replica: int | None = None,
) -> None:
    leader = {"t-0": 1, "t-1": 2}[partition]
    judges.take(
        events.LogAppended(
            partition=partition,
            replica=leader if replica is None else replica,
            base_offset=offset,
            last_offset=offset + max(len(serials), 1) - 1,
            serials=tuple(serials),
            producer_id=producer_id,
            producer_epoch=epoch,
            base_sequence=-1 if control else offset,
            is_transactional=True,
            control_type=control,
        )
    )


def decide(judges: Bench, committed: bool, epoch: int = 0) -> None:
    judges.take(events.OutcomeDecided(producer_id=7, producer_epoch=epoch, committed=committed))


def deliver(judges: Bench, serial: int, offset: int, isolation: str = "read_committed") -> None:
    judges.take(
        events.RecordsDelivered(
            consumer="c1", partition="t-0", isolation=isolation, serials=(serial,), offsets=(offset,)
        )
    )


def names(judges: Bench, step: int = 1) -> list[tuple[str, str | None, list[int]]]:
    return [(found["guarantee"], found["partition"], found["serials"]) for found in judges.broken(step)]


def outcome(judges: Bench) -> OutcomeVerdict:
    return present(judges.outcome_verdict())


def two_partitions(judges: Bench) -> None:
    begin(judges)
    send(judges, 1)
    send(judges, 2, "t-1")
    store(judges, 0, [1])
    store(judges, 0, [2], partition="t-1")


def test_one_outcome_everywhere_is_atomic_though_it_shows_at_different_moments() -> None:
    judges = bench()
    two_partitions(judges)
    decide(judges, True)
    store(judges, 1, control="COMMIT")
    assert names(judges) == []
    store(judges, 1, control="COMMIT", partition="t-1")
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    judges.take(events.TransactionCompleted(producer_id=7, coordinator_epoch=0))
    assert names(judges) == []
    verdict = outcome(judges)
    assert (verdict.committed, verdict.torn, verdict.hanging) == (1, 0, ())


def test_two_outcomes_tear_a_transaction() -> None:
    judges = bench()
    two_partitions(judges)
    decide(judges, True)
    store(judges, 1, control="COMMIT")
    store(judges, 1, control="ABORT", partition="t-1")
    assert names(judges) == [("atomic", "t-1", [2])]
    assert outcome(judges).torn == 1


def test_an_outcome_that_differs_from_what_the_application_received_breaks_atomicity_too() -> None:
    judges = bench()
    two_partitions(judges)
    decide(judges, True)
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    store(judges, 1, control="ABORT")
    (broken,) = judges.broken(1)
    assert (broken["guarantee"], broken["partition"], broken["serials"]) == ("atomic", "t-0", [1])
    assert (broken["producer"], broken["marker"], broken["reported"]) == ("p1", "ABORT", True)


def test_records_whose_abort_no_coordinator_heard_of_share_the_next_decision() -> None:
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    judges.take(events.OutcomeReported(producer="p1", committed=False))
    begin(judges)
    send(judges, 2)
    store(judges, 1, [2])
    decide(judges, True)
    store(judges, 2, control="COMMIT")
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    assert names(judges) == [("atomic", "t-0", [1])]
    verdict = outcome(judges)
    assert (verdict.committed, verdict.open, verdict.torn) == (2, 0, 1)


@pytest.mark.parametrize(("visible", "torn"), [(True, 0), (False, 1)])
def test_group_offsets_are_a_part_of_the_transaction(visible: bool, torn: int) -> None:
    judges = bench()
    two_partitions(judges)
    pending: dict[str, Any] = {"group": "g", "partition": "in-0", "producer_id": 7, "offset": 5}
    judges.take(events.OffsetsPending(producer_epoch=0, **pending))
    decide(judges, True)
    store(judges, 1, control="COMMIT")
    store(judges, 1, control="COMMIT", partition="t-1")
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    judges.take(events.OffsetsEnded(visible=visible, **pending))
    assert names(judges) == ([] if visible else [("atomic", "offsets of g", [1, 2])])
    assert outcome(judges).torn == torn


def test_a_record_sent_again_after_an_abort_is_neither_torn_nor_a_duplicate() -> None:
    judges = bench()
    for outcome, offset in (("ABORT", 0), ("COMMIT", 2)):
        begin(judges)
        send(judges, 1)
        store(judges, offset, [1])
        decide(judges, outcome == "COMMIT")
        store(judges, offset + 1, control=outcome)
        judges.take(events.OutcomeReported(producer="p1", committed=outcome == "COMMIT"))
    assert names(judges) == []
    assert judges.verdicts()[0].duplicates == 0


def test_two_committed_copies_are_duplicates() -> None:
    judges = bench()
    for offset in (0, 2):
        begin(judges)
        send(judges, 1)
        store(judges, offset, [1])
        decide(judges, True)
        store(judges, offset + 1, control="COMMIT")
        judges.take(events.OutcomeReported(producer="p1", committed=True))
    assert names(judges) == [("duplicated", "t-0", [1])]


@pytest.mark.parametrize(("second", "broken"), [("ABORT", []), ("COMMIT", [("duplicated", "t-0", [1])])])
def test_a_copy_in_an_open_transaction_is_a_duplicate_once_it_is_committed(
    second: str, broken: list[tuple[str, str, list[int]]]
) -> None:
    judges = bench()
    send(judges, 1)
    for offset, producer_id in ((0, 7), (1, 8)):
        begin(judges, producer_id=producer_id)
        store(judges, offset, [1], producer_id=producer_id)
    store(judges, 2, control="COMMIT", producer_id=8)
    assert "duplicated" not in [guarantee for guarantee, _, _ in names(judges)]
    store(judges, 3, control=second, producer_id=7)
    assert [found for found in names(judges) if found[0] == "duplicated"] == broken


def test_what_is_shown_before_it_is_decided_is_shown_early() -> None:
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    deliver(judges, 1, 0, "read_uncommitted")
    assert names(judges) == []
    deliver(judges, 1, 0)
    assert names(judges) == [("visible_early", "t-0", [1])]


def test_what_is_shown_after_its_marker_is_in_order() -> None:
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    decide(judges, True)
    store(judges, 1, control="COMMIT")
    deliver(judges, 1, 0)
    assert names(judges) == []


def test_a_record_under_a_replaced_epoch_is_a_zombie_s() -> None:
    judges = bench()
    begin(judges)
    send(judges, 1)
    judges.take(events.IdentityGiven(transactional_id="x", producer_id=7, producer_epoch=1))
    store(judges, 0, [1], epoch=0, replica=3)
    assert names(judges) == []
    store(judges, 0, [1], epoch=0)
    assert names(judges) == [("fenced", "t-0", [1])]


def test_a_transaction_left_behind_hangs_and_names_who_holds_the_stable_offset() -> None:
    judges = bench()
    two_partitions(judges)
    decide(judges, True)
    store(judges, 1, control="COMMIT")
    judges.take(events.TransactionCompleted(producer_id=7, coordinator_epoch=0))
    (found,) = judges.broken(9)
    assert (found["guarantee"], found["partition"], found["serials"]) == ("hanging", "t-1", [2])
    assert (found["producer_id"], found["first_offset"]) == (7, 0)
    assert outcome(judges).hanging == ("t-1 by PID 7 from 0",)
    assert judges.guarantees["hanging"].broken_at == 9
    store(judges, 1, control="ABORT", partition="t-1")
    assert outcome(judges).hanging == ()


def test_a_batch_of_an_unregistered_partition_hangs_at_once() -> None:
    judges = bench()
    store(judges, 0, (), producer_id=9)
    (found,) = judges.broken(1)
    assert (found["guarantee"], found["producer_id"], found["serials"]) == ("hanging", 9, [])


def test_a_new_leader_is_judged_by_its_own_log() -> None:
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    store(judges, 0, [1], replica=3)
    decide(judges, True)
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    store(judges, 1, control="ABORT", replica=3)
    assert names(judges) == []
    judges.take(events.LeaderChanged(partition="t-0", leader=3, leader_epoch=1))
    assert names(judges) == [("atomic", "t-0", [1])]


def test_a_run_without_transactions_is_not_judged_for_them() -> None:
    judges = Bench()
    judges.seat({"t-0": 1})
    assert not judges.guarantees["atomic"].judged
    assert judges.outcome_verdict() is None


def test_a_decision_that_only_a_successor_reported_counts_and_one_reported_before_counts_once() -> None:
    """The coordinator that wrote the decision may crash before it reports it, so the successor's report counts. If
    both report it, it counts once.
    """
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    found = events.OutcomeDecided(producer_id=7, producer_epoch=0, committed=True, found=True)
    judges.take(found)
    store(judges, 1, control="COMMIT")
    deliver(judges, 1, 0)
    assert names(judges) == []
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    begin(judges)
    judges.take(found)
    assert (outcome(judges).committed, outcome(judges).open) == (1, 1)
    judges.take(events.TransactionCompleted(producer_id=7, coordinator_epoch=0))
    judges.take(found)
    assert outcome(judges).committed == 2


def test_an_unreported_offset_does_not_end_that_of_an_earlier_transaction() -> None:
    """The coordinator of the group crashed with an offset of the later transaction in its log; its successor drops
    only that one.
    """
    judges = bench()
    two_partitions(judges)
    offset: dict[str, Any] = {"group": "g", "partition": "in-0", "producer_id": 7, "offset": 4}
    judges.take(events.OffsetsPending(**offset, producer_epoch=0))
    decide(judges, True)
    judges.take(events.OffsetsEnded(**offset, visible=True))
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    begin(judges)
    judges.take(events.OffsetsEnded(**{**offset, "offset": 6}, visible=False))
    assert names(judges) == []


def test_a_decision_is_not_about_what_a_replaced_producer_began_later() -> None:
    judges = bench()
    begin(judges, producer="p2", epoch=1)
    send(judges, 1, producer="p2")
    store(judges, 0, [1], epoch=1)
    begin(judges, producer="p1", epoch=0)
    decide(judges, True, epoch=1)
    store(judges, 1, control="COMMIT", epoch=1)
    deliver(judges, 1, 0)
    assert names(judges) == []


@pytest.mark.parametrize("committed", [True, False])
def test_a_transaction_that_registered_nothing_ends_as_its_application_was_answered(committed: bool) -> None:
    """TXM-9: no coordinator decides about it. A transaction that has stored something stays open until a coordinator
    decides.
    """
    judges = bench()
    judges.take(events.TransactionBegun(producer="p1", producer_id=7, producer_epoch=0))
    judges.take(events.OutcomeReported(producer="p1", committed=committed))
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    judges.take(events.OutcomeReported(producer="p1", committed=committed))
    verdict = outcome(judges)
    assert (verdict.committed, verdict.aborted, verdict.open) == (int(committed), int(not committed), 1)


@pytest.mark.parametrize(("epoch", "hangs"), [(0, False), (1, True)])
def test_markers_that_were_given_up_hang_until_another_coordinator_takes_over(
    epoch: int, hangs: bool
) -> None:
    """A coordinator that was replaced before has no markers to give up."""
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    judges.take(events.PartitionsRegistered(producer_id=7, partitions=("t-0",), coordinator_epoch=1))
    judges.take(events.MarkersGivenUp(producer_id=7, partitions=("t-0",), coordinator_epoch=epoch))
    assert bool(outcome(judges).hanging) is hangs
    judges.take(events.PartitionsRegistered(producer_id=7, partitions=("t-0",), coordinator_epoch=2))
    assert not outcome(judges).hanging


def test_a_replaced_coordinator_that_reads_its_log_again_says_nothing_about_what_its_successor_does() -> None:
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, [1])
    judges.take(events.PartitionsRegistered(producer_id=7, partitions=("t-0",), coordinator_epoch=5))
    judges.take(events.TransactionCompleted(producer_id=7, coordinator_epoch=4))
    assert not outcome(judges).hanging
    judges.take(events.TransactionCompleted(producer_id=7, coordinator_epoch=5))
    assert outcome(judges).hanging


def test_a_record_whose_send_threw_does_not_name_the_transaction_of_its_batch() -> None:
    """The record was appended while commitTransaction() was under way, and the next transaction sends it in a batch
    with a record of its own. That transaction is aborted, and the committed one is complete without the record.
    """
    judges = bench()
    begin(judges)
    send(judges, 1)
    store(judges, 0, (1,))
    send(judges, 2)
    judges.take(events.SendThrew(producer="p1", serial=2))
    decide(judges, True)
    judges.take(events.OutcomeReported(producer="p1", committed=True))
    store(judges, 1, control="COMMIT")
    begin(judges)
    send(judges, 3)
    store(judges, 2, (2, 3))
    decide(judges, False)
    store(judges, 4, control="ABORT")
    assert names(judges) == []
    assert outcome(judges).torn == 0
