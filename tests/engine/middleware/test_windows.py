"""How long the participants differ, and how much of this time the middleware can know (MW-14)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation


def windows(name: str, variant: str) -> tuple[Any, Any, Simulation]:
    """Return the participants' window of transaction 1, the middleware's window, and the finished run."""
    simulation = Simulation(entry(name).scenario(variant))
    simulation.run()
    shown = simulation.view()["middleware"]
    return shown["differ"]["1"], shown["transactions"]["1"]["window"], simulation


@pytest.mark.requirement("MW-14")
def test_the_middleware_learns_late_that_the_participants_differ() -> None:
    """business commits at 115 ms, participant-3 at 160 ms; their CommitOk messages arrive at the middleware from 130
    to 200 ms.
    """
    differ, known, _ = windows("SC-80", "one-node")
    assert differ == {"since": 115, "until": 160}
    assert known == {"since": 130, "until": 200}


@pytest.mark.requirement("MW-14")
def test_they_differ_until_the_last_of_them_has_undone_its_part() -> None:
    differ, known, simulation = windows("SC-83", "log-rollback-a")
    undone = simulation.judges.transaction_verdicts()[0]
    assert (undone.state, undone.applied) == ("COMPENSATED", 0)
    # All had committed from 60 ms on; the undoing begins at 5060 ms.
    assert differ == {"since": 5060, "until": 5090}
    assert known["since"] < 5060
    assert differ["until"] < known["until"]


@pytest.mark.requirement("MW-14")
def test_they_differ_for_ever_when_one_part_cannot_be_undone() -> None:
    differ, _, _ = windows("SC-83", "log-rollback-missing")
    assert differ["until"] is None
