"""What pages say about a lost message of the middleware, before the loss and at the end, agrees with its
consequences.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.shapes.plans import Plan
from engine.simulation import Simulation
from engine.view.run_ahead import plan_ahead
from tests.engine.view.test_beats import scenario_of

RUN = "SC-80/two-nodes"


def losses(name: str) -> dict[str, dict[str, Any]]:
    return {one["api"]: dict(one) for one in plan_ahead(scenario_of(name))["losses"]}


def forecasts(name: str) -> dict[str, str]:
    return {api: one["forecast"]["key"] for api, one in losses(name).items() if "forecast" in one}


def drop(api: str, name: str = RUN) -> dict[str, Any]:
    loss = losses(name)[api]
    return {"after": loss["step"], "action": "drop_message", "message": loss["message"]}


def without(api: str, name: str = RUN) -> Plan:
    scenario = scenario_of(name)
    return plan_ahead(scenario, [drop(api, name)], plan_ahead(scenario))


def kept(plan: Plan) -> list[tuple[str, dict[str, Any]]]:
    return [(said["key"], said["params"]) for said in plan["cost"]["kept"]]


def test_the_forecast_names_the_time_limit_that_ends_the_wait_or_that_there_is_none() -> None:
    assert forecasts(RUN) == {
        "Commit": "loss.sent_again",
        "Prepare": "loss.not_repeated",
        "Confirm": "loss.asks",
        "CommitOk": "loss.sent_again",
        "PrepareAck": "loss.asks_in_vain",
        "PrepareOk": "loss.votes",
        "ConfirmAck": "loss.not_repeated",
    }


@pytest.mark.parametrize(
    ("name", "api", "forecast"),
    [
        ("SC-83/manual-a", "Commit", "loss.operator"),
        ("SC-83/local-rollback-a", "Commit", "loss.undone"),
        ("SC-83/local-rollback-a", "Rollback", "loss.sent_again"),
        ("SC-83/transaction-manager-a", "Cancel", "loss.sent_again"),
        ("SC-83/transaction-manager-a", "Rollback", "loss.manager_again"),
        ("SC-85/no-back-check", "PrepareAck", "loss.not_repeated"),
        ("SC-85/back-check", "Check", "loss.asks_again"),
    ],
)
def test_the_forecast_follows_from_the_settings(name: str, api: str, forecast: str) -> None:
    assert forecasts(name)[api] == forecast


def test_a_run_with_other_faults_than_losses_has_no_forecast() -> None:
    assert forecasts("SC-85/confirm-late") == {}, "a late Confirm may come first"
    assert forecasts("SC-87/not-durable") == {}, "a restart may lose the transaction"


def test_a_lost_confirm_is_asked_for_when_the_forecast_says() -> None:
    until = losses(RUN)["Confirm"]["forecast"]["params"]["until"]
    run = Simulation(scenario_of(RUN), [drop("Confirm")])
    said = []
    while (step := run.step()) is not None:
        said.append((step.at, step.key))
    assert (until, "middleware.asks_source") in said


def test_a_lost_confirm_costs_time_in_which_the_nodes_differ() -> None:
    plan = without("Confirm")
    assert kept(plan) == [("cost.apart_longer", {"transaction": "1", "now": 4035, "before": 45})]
    assert plan["cost"]["moral"]["key"] == "moral.apart"


def test_a_transaction_that_never_ends_is_no_saving() -> None:
    plan = without("Prepare")
    assert kept(plan) == [("cost.left_open", {"transaction": "1"})]
    assert (plan["cost"]["costs"], plan["cost"]["short"]) == ([], True)
    assert plan["cost"]["moral"]["key"] == "moral.left_open"
    assert kept(without("ConfirmAck")) == [("cost.not_learned", {"transaction": "1"})]
    start = {"after": 1, "action": "drop_message", "message": 1}
    assert kept(plan_ahead(scenario_of(RUN), [start], plan_ahead(scenario_of(RUN)))) == [
        ("cost.not_begun", {"transaction": "1"})
    ]
