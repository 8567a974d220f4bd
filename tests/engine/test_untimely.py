"""If a leader stores a batch although the coordinator would refuse it, the sentence of the step and the answer to
*why* name the cause.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.simulation import Simulation
from engine.view.openers import UNTIMELY
from engine.why.asking import why
from tests.engine.every_run import scenario_of

ABORT_MARKER_OF_SC_61 = {"message": 15, "after": 48}
ABORT_MARKER_OF_SC_101 = {"message": 12, "after": 47}


def stored(name: str, *interventions: dict[str, Any]) -> Simulation | None:
    """Return the run just after its first such batch; None if there is none."""
    simulation = Simulation(scenario_of(name), interventions)
    while (step := simulation.step()) is not None:
        if step.key in UNTIMELY:
            return simulation
    return None


@pytest.mark.parametrize(
    ("name", "intervention", "key", "said"),
    [
        ("SC-101-k28", None, "after_marker", {"result": "ABORT", "marker_offset": 1, "base_offset": 2}),
        (
            "SC-101-k28",
            {**ABORT_MARKER_OF_SC_101, "action": "delay_message", "by": 100},
            "after_decision",
            {"coordinator": "broker-2", "decision": "PrepareAbort"},
        ),
        ("SC-61-k28", {**ABORT_MARKER_OF_SC_61, "action": "drop_message"}, "outdated", "epoch_marker_lost"),
        (
            "SC-61-k28",
            {**ABORT_MARKER_OF_SC_61, "action": "delay_message", "by": 9_000},
            "outdated",
            "epoch_marker_under_way",
        ),
        ("SC-118-k28", None, "outdated", "epoch_without_entry"),
        ("SC-104-k28", None, "outside", {"coordinator": "broker-2", "transactional_id": "txn-1"}),
        ("SC-78-late-failure", None, "outside", {"producer_epoch": 1}),
    ],
)
def test_the_sentence_names_the_cause(
    name: str, intervention: dict[str, Any] | None, key: str, said: dict[str, Any] | str
) -> None:
    simulation = stored(name, *([intervention] if intervention else []))
    assert simulation is not None
    chain = why(simulation, "stored", "")
    answer = next(link for link in chain if link.answers)
    assert (chain[1].key == "broker.no_marker_due") is (key == "after_marker")
    assert (chain[1].key == "broker.epoch_unassigned") is (name == "SC-61-k28")
    assert answer.key == f"broker.appended_{key}"
    if isinstance(said, str):
        assert answer.params["because"]["key"] == f"clause.{said}"
    else:
        assert said.items() <= answer.params.items()


@pytest.mark.parametrize("name", ["SC-44-k28", "SC-61-k28", "SC-62", "SC-101-k39", "SC-101-k41"])
def test_a_batch_of_the_present_transaction_has_none(name: str) -> None:
    assert stored(name) is None
