"""Benchmark `transactions`: transactions per second, bare. A transaction is: begin, three records to three partitions
on three brokers, commit.

The producer registers once. A transaction counts from its begin to the last marker on every replica; the run ends
only when no message or request is under way any more.
"""

import time
from typing import Any

from benchmarks.report import print_figure, remark
from engine.scenario.document import Scenario, load
from engine.simulation import Simulation
from eosviz.interpreter import prepare_to_serve

TRANSACTIONS = 300
PARTITIONS = 3
MILLISECONDS_BETWEEN = 100
ROUNDS = 3
GOAL = 1_000


def main() -> None:
    scenario = transactions_scenario()
    prepare_to_serve()
    rounds = [transactions_per_second(scenario) for _ in range(ROUNDS)]
    print_figure("transactions_bare", max(rounds), "transactions/s", GOAL)
    simulation = Simulation(scenario, watching="bare")
    simulation.run()
    print_figure("transactions_steps_each", simulation.number / TRANSACTIONS, "steps")
    remark(f"transactions: {simulation.number} steps, {simulation.finished}")


def transactions_scenario() -> Scenario:
    calls: list[dict[str, Any]] = [{"at": 0, "do": "init_transactions"}]
    for number in range(TRANSACTIONS):
        at = 500 + number * MILLISECONDS_BETWEEN
        sends = [{"at": at, "do": "send", "partition": f"t-{index}"} for index in range(PARTITIONS)]
        calls += [
            {"at": at, "do": "begin_transaction"},
            *sends,
            {"at": at + 5, "do": "commit_transaction"},
        ]
    return load(
        {
            "id": "TRANSACTIONS",
            "title": {"en": "Many small transactions", "zh-Hans": "许多小事务"},
            "limits": {"steps": 1_000_000},
            "topics": [{"name": "t", "partitions": PARTITIONS}],
            "producers": [{"name": "p1", "settings": {"transactional_id": "txn-1"}}],
            "applications": [{"name": "app-1", "client": "p1", "calls": calls}],
        }
    )


def transactions_per_second(scenario: Scenario) -> float:
    """Return the transactions per second of this process's processor time, without building the world."""
    simulation = Simulation(scenario, watching="bare")
    begin = time.process_time()
    simulation.run()
    spent = time.process_time() - begin
    if simulation.finished != "complete":
        raise SystemExit(f"the transactions did not end: {simulation.finished}")
    check_committed(scenario)
    return TRANSACTIONS / spent


def check_committed(scenario: Scenario) -> None:
    """Make the same run judged, and exit with an error unless every record was stored exactly once: speed counts only
    for committed transactions.
    """
    judged = Simulation(scenario, watching="judged")
    judged.run()
    stored = [verdict.line() for verdict in judged.verdicts() if verdict.partition.startswith("t-")]
    expected = f"stored={TRANSACTIONS} duplicates=0 lost=0 failed=0 reordered=0"
    if len(stored) != PARTITIONS or not all(line.endswith(expected) for line in stored):
        raise SystemExit(f"the transactions did not commit: {stored}")


if __name__ == "__main__":
    main()
