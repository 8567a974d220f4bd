"""When ``send()`` checks whether a record may be sent: before the append until 3.0, after it since 3.1
(``KafkaProducer.doSend``).

So a record whose call throws is dropped in 2.8. In 3.9 it stays in the accumulator and waits for a transaction that
contains its partition; if none begins in time, its expiry ends the producer.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.document import load
from engine.simulation import Simulation
from tests.engine.narrowing import present

STRAY = {"at": 200, "do": "send", "partition": "t-0"}
"""A call before beginTransaction()."""


def run(profile: str, *calls: dict[str, Any], **settings: Any) -> Simulation:
    """Run one transactional producer that has its identity before 200 ms."""
    document = {
        "id": "send-order",
        "title": {"en": "send", "zh-Hans": "send"},
        "profile": profile,
        "topics": [{"name": "t", "partitions": 2}],
        "producers": [{"name": "p1", "settings": {"transactional_id": "txn-1", **settings}}],
        "applications": [
            {"name": "app-1", "client": "p1", "calls": [{"at": 0, "do": "init_transactions"}, *calls]}
        ],
    }
    simulation = Simulation(load(document), watching="recorded")
    while simulation.step() is not None:
        pass
    return simulation


def records(simulation: Simulation) -> list[tuple[str, int | None]]:
    """Return the status and the offset of every record."""
    shown = simulation.view()["records"]
    return [(shown[serial]["status"], shown[serial]["offset"]) for serial in sorted(shown, key=int)]


def transaction_in(partition: str) -> tuple[dict[str, Any], ...]:
    return (
        {"at": 300, "do": "begin_transaction"},
        {"at": 300, "do": "send", "partition": partition},
        {"at": 400, "do": "commit_transaction"},
    )


@pytest.mark.parametrize(
    ("profile", "found"),
    [
        ("k28", [("refused", None), ("ok", 0)]),
        ("k39", [("ok", 0), ("ok", 1)]),
        ("k41", [("ok", 0), ("ok", 1)]),
    ],
)
def test_the_next_transaction_with_its_partition_sends_a_record_whose_call_threw(
    profile: str, found: list[tuple[str, int | None]]
) -> None:
    simulation = run(profile, STRAY, *transaction_in("t-0"))
    assert records(simulation) == found


def test_a_record_that_no_transaction_takes_expires_and_ends_the_producer() -> None:
    simulation = run("k39", STRAY, batch_expiry_ms=1000, request_timeout_ms=500)
    assert records(simulation) == [("failed", None)]
    assert present(simulation.world.clients["p1"].memory.transactions).state == "FATAL_ERROR"


def test_a_call_that_waited_for_memory_asks_after_its_append_too() -> None:
    """A record outside a transaction occupies the memory that the transaction's record waits for, until it expires."""
    simulation = run(
        "k39",
        {**STRAY, "size": 600},
        {"at": 300, "do": "begin_transaction"},
        {"at": 300, "do": "send", "partition": "t-1", "size": 600},
        buffer_memory=700,
        batch_size=600,
        batch_expiry_ms=1000,
        request_timeout_ms=500,
        linger_ms=0,
    )
    assert records(simulation) == [("failed", None), ("aborted", None)]
    assert simulation.view()["applications"]["app-1"]["last_result"] == "refused"
