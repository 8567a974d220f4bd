"""The list with one line for each transaction, made from the steps alone, agrees with what the judges count."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence

import pytest

from engine.__main__ import main
from engine.errors import Refused
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from engine.transaction_lines import LINES_MAX, PLACES_MAX, TransactionLines
from tests.rotation import part

DECISION_WAS_LOST = {("SC-56", "weak")}
"""Runs in which the log loses a decision that the judges remember."""


def lines_of(name: str) -> TransactionLines:
    scenario, _, variant = name.partition("/")
    simulation = Simulation(entry(scenario).scenario(variant or None))
    lines = TransactionLines(simulation.view())
    while (step := simulation.step()) is not None:
        lines.take(step.to_json())
    return lines


EVERY = [document.id for document in library()]


@pytest.mark.parametrize(
    ("names", "least"),
    [(part(EVERY, 25, "engine"), 6), pytest.param(EVERY, 80, marks=pytest.mark.slow)],
    ids=["some", "every"],
)
def test_the_lines_are_what_judges_count(names: Sequence[str], least: int) -> None:
    compared = 0
    for document in map(entry, names):
        for variant in document.variants or (None,):
            try:
                simulation = Simulation(document.scenario(variant))
            except Refused:
                continue
            lines = TransactionLines(simulation.view())
            while (step := simulation.step()) is not None:
                lines.take(step.to_json())
            judged = simulation.judges.outcome_verdict()
            if judged is None or (document.id, variant) in DECISION_WAS_LOST:
                continue
            # No coordinator decides about an unregistered transaction, but for its application it has ended.
            found = Counter(
                line.result for line in lines.lines if line.client in simulation_clients(simulation)
            )
            name = f"{document.id}/{variant}"
            ended = found["committed"] + found["aborted"] + found["empty"]
            assert ended == judged.committed + judged.aborted, name
            assert found["committed"] <= judged.committed, name
            assert found["aborted"] <= judged.aborted, name
            assert found["open"] + found["left"] == judged.open, name
            compared += 1
    assert compared > least


def simulation_clients(simulation: Simulation) -> set[str]:
    return set(simulation.view().get("clients", {}))


def test_a_fenced_transaction_and_its_successor_have_a_line_each() -> None:
    first, second = lines_of("SC-61/k28").to_json()["lines"]
    assert (first["id"], first["client"], first["producer_id"], first["producer_epoch"]) == (
        "txn-1",
        "p1",
        1000,
        0,
    )
    assert (first["places"], first["result"], first["state"]) == (["t-0"], "aborted", "CompleteAbort")
    assert (second["client"], second["producer_epoch"], second["result"]) == ("p2", 2, "committed")
    assert first["first_step"] < first["decided_step"] < second["first_step"] < second["decided_step"]
    assert all(line["over"] and line["first_at"] < line["last_at"] for line in (first, second))
    # What the replaced producer does after the end of the first transaction does not extend it.
    assert first["last_step"] < second["first_step"]


def test_an_id_that_was_there_before_the_run_is_known() -> None:
    lines = lines_of("SC-91/last-epoch").lines
    assert [(line.client, line.producer_id, line.producer_epoch, line.result) for line in lines] == [
        ("p1", 77, 32766, "aborted"),
        ("p1", 1000, 0, "committed"),
    ]


def test_an_open_transaction_stays_open() -> None:
    (line,) = lines_of("SC-75/wall").to_json()["lines"]
    assert (line["result"], line["state"], line["over"], line["decided_step"]) == (
        "open",
        "Ongoing",
        False,
        None,
    )


def test_a_transaction_without_a_record_is_its_clients_own() -> None:
    assert {line.result for line in lines_of("SC-45").lines} == {"empty"}


def test_an_abort_that_needs_no_end_txn_ends_its_transaction() -> None:
    _, line, _ = lines_of("SC-149/k28").lines
    assert (line.result, line.state, line.over, line.places) == ("empty", "READY", True, {})
    simulation = Simulation(entry("SC-149").scenario("k28"), watching="judged")
    simulation.run(steps=1_000)
    judged = simulation.judges.outcome_verdict()
    assert judged is not None
    assert (judged.committed, judged.aborted, judged.open) == (2, 1, 0)


def test_a_transaction_whose_client_can_never_end_it_is_left_behind() -> None:
    (line,) = (line for line in lines_of("SC-72/k20").lines if line.client == "p2")
    assert (line.result, line.state, line.over, line.places) == ("left", "FATAL_ERROR", True, {})


def test_a_transaction_of_the_middleware_names_its_participants() -> None:
    (line,) = lines_of("SC-80").to_json()["lines"]
    assert (line["client"], line["producer_id"], line["result"]) == ("business", None, "committed")
    assert line["places"] == ["participant-1", "participant-2", "participant-3"]


def registration(number: int, identifier: str, partitions: list[str]) -> dict[str, object]:
    entry = {"state": "Ongoing", "producer_id": number, "producer_epoch": 0, "partitions": partitions}
    change = {"path": ["brokers", "1", "transactions", identifier], "after": entry}
    return {"number": number, "at": number, "changes": [change], "transition": None}


def test_lines_and_places_are_bounded_and_what_is_left_out_is_counted() -> None:
    lines = TransactionLines({})
    for number in range(1, LINES_MAX + 4):
        lines.take(registration(number, f"t-{number}", [f"p-{place}" for place in range(PLACES_MAX + 2)]))
    shown = lines.to_json()
    assert (len(shown["lines"]), shown["folded"], shown["through"]) == (LINES_MAX, 3, LINES_MAX + 3)
    assert (len(shown["lines"][0]["places"]), shown["lines"][0]["more_places"]) == (PLACES_MAX, 2)
    assert shown["lines"][0]["client"] is None


@pytest.mark.parametrize("name", ["SC-61/k28"])
def test_a_run_prints_its_lines(name: str) -> None:
    out = io.StringIO()
    assert main(["run", name, "--transactions"], out) == 0
    assert "transaction txn-1 1000·2 by p2 steps 75–" in out.getvalue()
    assert "committed CompleteCommit t-0" in out.getvalue()
