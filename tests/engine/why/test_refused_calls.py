"""A refused call is answered with the state that refused it, and with no other."""

from __future__ import annotations

import pytest

from engine.why.asking import why
from engine.why.links import Link
from tests.engine.why.test_what_a_step_is_about import stopped_at


def entered(chain: tuple[Link, ...]) -> list[object]:
    return [link.params["target"] for link in chain if link.key == "why.state.since"]


@pytest.mark.parametrize(
    ("name", "refused", "states"),
    [
        ("SC-41/tour", "client.call_in_error", ["ABORTABLE_ERROR"]),
        ("SC-41/tour", "client.call_after_close", []),  # in FATAL_ERROR, but refused because it is closed
        ("SC-164/k41", "client.record_too_large", []),  # this call itself causes ABORTABLE_ERROR
    ],
)
def test_an_error_state_is_a_reason_only_if_it_refused(name: str, refused: str, states: list[str]) -> None:
    assert entered(why(stopped_at(name, refused), "refused", "")) == states


def test_an_earlier_refusal_keeps_its_state() -> None:
    """commitTransaction() is refused in ABORTING_TRANSACTION; the next step leads to INITIALIZING."""
    simulation = stopped_at("SC-41/impatient", "client.call_not_in_state", 8)
    step = simulation.step()
    assert step is not None
    assert step.transition is not None
    assert step.transition["to"] == "INITIALIZING"
    chain = why(simulation, "refused", "p1")
    assert [link.params["source"] for link in chain if link.key == "why.refused.row"] == [
        "ABORTING_TRANSACTION"
    ]
