"""Two-phase commit over middleware with random faults: invariants, and events that must happen sometimes."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.middleware.business import Business, Initiator
from engine.middleware.middleware import Middleware
from engine.middleware.participant import Participant
from engine.middleware.strategies import FORWARD, STRATEGIES
from engine.scenario.document import load
from engine.simulation import Simulation

NAMES = ("participant-1", "participant-2", "participant-3")
MESSAGES = ("Prepare", "PrepareOk", "PrepareAck", "Confirm", "Commit", "CommitOk", "Rollback", "RollbackOk")
RUNS = 100
TIME_MAX_MS = 60_000
BACKWARD = {name for name, strategy in STRATEGIES.items() if strategy.direction != FORWARD}


def world(generator: Random, **settings: Any) -> dict[str, Any]:
    """A document in which some messages are lost, late or repeated, and some nodes are down for a while; none stays
    down.
    """

    def below(bound: int) -> int:
        return int(generator.random() * bound)

    faults: list[dict[str, Any]] = []
    for _ in range(1 + below(3)):
        action = ("drop", "delay", "duplicate")[below(3)]
        match = {"api": MESSAGES[below(len(MESSAGES))], "nth": 1 + below(3)}
        by = {"by_ms": 1 + below(6000)}
        faults.append({"match": match, "action": action, **(by if action == "delay" else {})})
    for _ in range(below(3)):
        actor = ("business", "middleware", *NAMES)[below(5)]
        faults.append({"at": below(120), "action": "crash", "actor": actor, "for_ms": 1 + below(9000)})
    participants = [{"name": name, "operation": -500 if generator.random() < 0.05 else 10} for name in NAMES]
    return {
        "id": "T-MW",
        "title": {"en": "a test", "zh-Hans": "测试"},
        "limits": {"time_ms": TIME_MAX_MS},
        "cluster": {"brokers": 0},
        "middleware": {"participants": participants, "local_run_ms": 1 + below(60), **settings},
        "applications": [
            {
                "name": "app-1",
                "client": "initiator",
                "calls": [{"at": at, "do": "transact"} for at in (5, 40)],
            }
        ],
        "faults": faults,
    }


def held_to_its_promises(simulation: Simulation, seed: int) -> None:
    """Nothing is done twice, and the reported outcome is true for all participants."""
    for verdict in simulation.judges.transaction_verdicts():
        assert verdict.repeated == 0, (seed, verdict)
        if verdict.state == "COMMITTED":
            assert verdict.applied == verdict.nodes, (seed, verdict)
        if verdict.state in ("COMPENSATED", "ROLLED_BACK"):
            assert verdict.applied == 0, (seed, verdict)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_a_durable_middleware_that_asks_its_source_keeps_its_word(strategy: str) -> None:
    """COMMITTED means applied at all participants, ROLLED_BACK and COMPENSATED at none, and no handler acts twice.

    The middleware may ask its source 15 times, every 4 s. This lasts as long as the run, so it never rolls back only
    because its back-checks are used up.
    """
    seen: Counter[str] = Counter()
    for seed in range(RUNS):
        simulation = Simulation(load(world(Random(seed), strategy=strategy)), watching="judged")
        while simulation.step() is not None:
            held_to_its_promises(simulation, seed)
        seen.update(verdict.state for verdict in simulation.judges.transaction_verdicts())
    assert seen["COMMITTED"] > RUNS // 2, seen
    assert seen["ROLLED_BACK"] > 0, seen
    assert seen["MANUAL" if strategy == "manual" else "COMPENSATED"] > 0 or strategy not in BACKWARD, seen


@pytest.mark.parametrize(
    ("switch", "broken"),
    [
        ("idempotent_handlers", "repeated"),
        ("stored_message_id", "mixed"),
        ("durable_prepared_messages", "mixed"),
    ],
)
def test_a_mechanism_switched_off_breaks_what_it_protects(switch: str, broken: str) -> None:
    """The same random runs are made with the mechanism and without it."""
    found: Counter[bool] = Counter()
    for seed in range(RUNS):
        for on in (True, False):
            document = world(
                Random(seed), strategy="framework_retry", framework_retries=50, check_after_ms=2000
            )
            document["switches"] = {switch: on}
            simulation = Simulation(load(document), watching="judged")
            simulation.run()
            count = sum(getattr(verdict, broken) for verdict in simulation.judges.transaction_verdicts())
            found[on] += bool(count)
    assert found[True] == 0
    assert found[False] > 0


def test_without_back_check_a_lost_confirm_is_waited_for_for_ever() -> None:
    document = world(Random(0))
    document["middleware"]["participants"] = [{"name": name} for name in NAMES]
    document["faults"] = [{"match": {"api": "Confirm", "times": 2}, "action": "drop"}]
    document["switches"] = {"back_check": False}
    simulation = Simulation(load(document))
    simulation.run()
    assert simulation.finished == "complete"
    states = [one["state"] for one in simulation.view()["middleware"]["transactions"].values()]
    assert states == ["AWAIT_CONFIRM", "AWAIT_CONFIRM"]


@pytest.mark.requirement("MW-16")
def test_the_view_shows_every_role_and_table() -> None:
    """Everything that MW-16 wants to be drawn is in the view, at the time when it matters."""
    document = world(Random(0), strategy="log_rollback")
    document["middleware"]["participants"] = [{"name": name} for name in NAMES]
    document["faults"] = [{"match": {"api": "CommitOk", "from": "participant-3"}, "action": "drop"}]
    simulation = Simulation(load(document))
    window_open = undone = False
    while simulation.step() is not None:
        shown = simulation.view()["middleware"]
        assert set(shown) >= {"initiator", "business", "middleware", "manager", "participants"}
        for tid, one in shown.get("transactions", {}).items():
            assert set(one["votes"]) == set(NAMES)
            if one["state"] == "COMMITTING":
                assert one["timer"]["kind"] == "answer_timeout"
                assert {row["asked"] for row in one["answers"].values()} == {"Commit"}
                assert shown["business"]["transactions"][tid]["message_id"] == one["message_id"]
            window_open |= one["window"]["since"] is not None and one["window"]["until"] is None
        logs = [record for node in shown["participants"].values() for record in node["log"]]
        undone |= any(record["undone"] for record in logs)
    assert window_open
    assert undone


@pytest.mark.parametrize("actor", ["initiator", "business", "middleware", *NAMES])
def test_a_node_can_be_paused_and_gets_what_waited_for_it(actor: str) -> None:
    """A pause during the transaction has the same effect as a slow network: the guarantees hold."""
    document = world(Random(0))
    document["middleware"]["participants"] = [{"name": name} for name in NAMES]
    document["faults"] = [{"at": 12, "action": "pause", "actor": actor, "for_ms": 100}]
    simulation = Simulation(load(document))
    paused = False
    while simulation.step() is not None:
        role = simulation.world.roles[actor]
        assert isinstance(role, Initiator | Business | Middleware | Participant)
        shown = role.view()["paused"]
        assert shown == (actor in simulation.world.paused)
        paused |= shown
    assert paused
    assert not shown
    assert [verdict.state for verdict in simulation.judges.transaction_verdicts()] == ["COMMITTED"] * 2
