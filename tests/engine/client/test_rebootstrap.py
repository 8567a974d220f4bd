"""A client that can reach none of the brokers that it knows starts again from its bootstrap brokers (KIP-899)."""

from __future__ import annotations

import pytest

from engine.judge.bench import Verdict
from engine.scenario.document import load
from engine.simulation import Simulation

BOTH_OTHERS_DOWN = [
    {"at": 100, "action": "crash", "actor": "broker-2", "for_ms": 4_000},
    {"at": 100, "action": "crash", "actor": "broker-3", "for_ms": 4_000},
]
LAST_ONE_DOWN = {"at": 20_000, "action": "crash", "actor": "broker-1"}
SENDS = [
    {"at": at, "do": "send", "partition": partition} for at in (2_000, 21_000) for partition in ("t-0", "t-1")
]


def run(profile: str) -> tuple[Simulation, list[str]]:
    """While broker-2 and broker-3 are down, both clients learn that the cluster consists only of broker-1. Then
    broker-1 stops, and the other two are up again.
    """
    simulation = Simulation(
        load(
            {
                "id": "T-1",
                "title": {"en": "a test", "zh-Hans": "测试"},
                "profile": profile,
                "limits": {"time_ms": 60_000},
                "topics": [{"name": "t", "partitions": 2, "min_isr": 1}],
                "producers": [
                    {"name": "p1", "settings": {"enable_idempotence": True, "batch_expiry_ms": 20_000}}
                ],
                "consumers": [{"name": "c1", "partitions": ["t-0", "t-1"], "isolation": "read_uncommitted"}],
                "applications": [{"name": "app-1", "client": "p1", "calls": SENDS}],
                "faults": [*BOTH_OTHERS_DOWN, LAST_ONE_DOWN],
            }
        )
    )
    keys = []
    while (step := simulation.step()) is not None:
        keys.append(step.key)
    return simulation, keys


def stored(simulation: Simulation) -> int:
    return sum(verdict.stored for verdict in simulation.verdicts() if isinstance(verdict, Verdict))


@pytest.mark.requirement("SND-6")
def test_a_client_of_4_1_finds_the_brokers_that_are_back() -> None:
    simulation, keys = run("k41")
    assert keys.count("client.rebootstraps") == keys.count("consumer.rebootstraps") == 1
    assert stored(simulation) == len(SENDS)


@pytest.mark.requirement("SND-6")
def test_an_older_client_tries_the_broker_that_it_knows_until_the_end() -> None:
    simulation, keys = run("k39")
    assert not {"client.rebootstraps", "consumer.rebootstraps"} & {*keys}
    assert stored(simulation) == len(SENDS) // 2
