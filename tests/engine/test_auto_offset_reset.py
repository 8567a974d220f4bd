"""Where a consumer begins if its group has no committed offset (CON-9, auto.offset.reset)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from engine.client.consumer import Consumer
from engine.errors import Error
from engine.messages import PartitionFetchResponse
from engine.scenario.document import load
from engine.simulation import Simulation
from engine.watching import Watch

SENT = 3
RESUMES = 1000


def run(
    reset: str = "latest",
    isolation: str = "read_uncommitted",
    faults: Sequence[dict[str, Any]] = (),
    calls: list[dict[str, Any]] | None = None,
) -> tuple[Consumer, list[str]]:
    """Three records are sent while c1 is paused, and one after it has resumed. Returns c1 and the keys of the steps."""
    sends = [
        {"at": 100, "do": "send", "partition": "t-0", "records": SENT},
        {"at": 2000, "do": "send", "partition": "t-0"},
    ]
    document = {
        "id": "own",
        "title": {"en": "a start", "zh-Hans": "开始"},
        "topics": [{"name": "t", "partitions": 1, "leaders": [1]}],
        "producers": [
            {
                "name": "p1",
                "settings": {"transactional_id": "txn-1"} if calls else {"enable_idempotence": True},
            }
        ],
        "consumers": [
            {
                "name": "c1",
                "partitions": ["t-0"],
                "group": "g",
                "auto_offset_reset": reset,
                "isolation": isolation,
            }
        ],
        "applications": [{"name": "app-1", "client": "p1", "calls": calls or sends}],
        "faults": [{"at": 0, "action": "pause", "actor": "c1", "for_ms": RESUMES}, *faults],
    }
    simulation = Simulation(load(document), watching="recorded")
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(step)
    return simulation.world.consumers["c1"], [
        key for step in steps for key in (step.key, *(note["key"] for note in step.notes))
    ]


@pytest.mark.parametrize(("reset", "delivered"), [("latest", 1), ("earliest", SENT + 1)])
def test_latest_begins_at_the_end_and_earliest_at_the_beginning(reset: str, delivered: int) -> None:
    consumer, keys = run(reset)
    assert consumer.handover.delivered_count == delivered
    assert consumer.position("t-0") == SENT + 1
    assert ("consumer.begins_at_end" in keys) == (reset == "latest")


def test_the_end_for_read_committed_is_the_last_stable_offset() -> None:
    calls = [
        {"at": 0, "do": "init_transactions"},
        {"at": 200, "do": "begin_transaction"},
        {"at": 200, "do": "send", "partition": "t-0", "records": SENT},
        {"at": 2000, "do": "commit_transaction"},
    ]
    consumer, keys = run(isolation="read_committed", calls=calls)
    assert "broker.end_returned_stable" in keys
    assert consumer.handover.delivered_count == SENT, "the transaction was open when the consumer began"
    consumer, keys = run(isolation="read_uncommitted", calls=calls)
    assert "broker.end_returned" in keys
    assert consumer.handover.delivered_count == 0


def test_a_broker_that_leads_no_more_does_not_know_the_end() -> None:
    moved = {"at": 500, "action": "change_leader", "partition": "t-0", "broker": 2}
    consumer, keys = run(faults=[moved])
    assert keys.index("broker.end_not_leader") < keys.index("consumer.end_refused")
    assert keys.count("consumer.asks_end") == 2
    assert consumer.handover.delivered_count == 1


@pytest.mark.parametrize("response", [False, True])
def test_a_lost_question_or_answer_is_asked_again(response: bool) -> None:
    lost = {"action": "disconnect", "match": {"api": "ListOffsets", "response": response}}
    consumer, keys = run(faults=[lost])
    assert keys.count("consumer.asks_end") == 2
    assert consumer.handover.delivered_count == 1


def test_a_position_that_is_out_of_range_moves_to_the_end() -> None:
    beyond = {"at": 2600, "action": "seek", "actor": "c1", "to": 99, "partition": "t-0"}
    consumer, keys = run(faults=[beyond])
    assert "consumer.position_reset" in keys
    assert consumer.position("t-0") == SENT + 1


def test_a_reset_to_the_end_skips_records_that_were_not_deleted() -> None:
    consumer = Consumer("c1", ["t-0"], "read_uncommitted", Watch(), auto_offset_reset="latest")
    reading = consumer.readings["t-0"]
    reading.position = 2
    out_of_range = PartitionFetchResponse(
        error=Error.OFFSET_OUT_OF_RANGE, high_watermark=20, last_stable_offset=20, log_start_offset=5
    )
    consumer._reset(reading, out_of_range, 0)
    assert reading.position == 20
    assert reading.stretches == [(2, 4, "deleted"), (5, 19, "sought")]
