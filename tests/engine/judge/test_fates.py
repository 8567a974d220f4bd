"""The fates of records agree with the verdicts, and name the records that the verdicts only count."""

from __future__ import annotations

import pytest

from engine.judge.fates import FAILED, LOST, NOWHERE, RecordsFate
from engine.scenario.shelf import entry
from engine.simulation import Simulation


def ended(name: str, variant: str | None = None) -> Simulation:
    simulation = Simulation(entry(name).scenario(variant), watching="judged")
    simulation.run()
    return simulation


@pytest.mark.parametrize(
    "name", ["SC-01", "SC-02", "SC-03", "SC-10", "SC-40", "SC-42", "SC-44", "SC-75", "SC-128"]
)
def test_the_rows_of_a_partition_add_up_to_its_verdict(name: str) -> None:
    simulation = ended(name)
    rows = simulation.judges.fates()
    for verdict in simulation.verdicts():
        here = [row for row in rows if row.partition == verdict.partition]
        record = simulation.judges.records[verdict.partition]
        assert sum(row.count for row in here) == len(record.producer_of)
        assert sum(row.count for row in here if row.fate == LOST) == verdict.lost
        assert sum(row.count for row in here if row.fate == FAILED) == verdict.failed
        assert sum(row.count for row in here if row.fate in (LOST, FAILED, NOWHERE)) == sum(
            1 for serial in record.producer_of if serial not in record.copies
        )


def test_a_record_that_was_sent_again_without_idempotence_is_stored_twice() -> None:
    first, *_ = ended("SC-02").judges.fates()
    assert first == RecordsFate("t-0", "p1", 1, 1, 1, "repeated", True, (40, 43))


def test_a_record_of_an_aborted_transaction_is_stored_and_does_not_count() -> None:
    (only,) = ended("SC-128").judges.fates()
    assert (only.fate, only.reported, only.offsets) == ("aborted", True, (0, 0))


def test_a_record_without_acknowledgement_is_reported_and_lost() -> None:
    assert [(row.fate, row.reported) for row in ended("SC-01").judges.fates()] == [
        ("stored", True), ("lost", True), ("stored", True),
    ]  # fmt: skip
