"""Which marker a remedy would write, and which remedies have no preview."""

from typing import Any

import pytest

from eosviz.pipeline.kafka_logs.previews import previews_of

PARTITION = {"name": "t-0", "high_watermark": 9, "corrupt": 0, "legacy": 0}


def case(action: str, state: str | None = None, **partition: int) -> dict[str, Any]:
    verdict = {
        "partition": "t-0",
        "producer_id": 7,
        "epoch": 3,
        "first_offset": 2,
        "coordinator_state": state,
        "remedy": {
            "action": action,
            "command": "kafka-transactions.sh",
            "preconditions": [{"key": "k", "params": {}}],
        },
    }
    healthy = {**verdict, "remedy": None}
    return {"partitions": [PARTITION | partition], "verdicts": [healthy, verdict]}


@pytest.mark.parametrize(
    ("action", "state", "result", "epoch"),
    [
        ("abort", None, "ABORT", 3),
        ("abort", "CompleteCommit", "ABORT", 3),
        ("look", None, "ABORT", 3),
        ("wait", "PrepareCommit", "COMMIT", 3),
        ("wait", "PrepareAbort", "ABORT", 3),
        ("wait", "Ongoing", "ABORT", 4),
        ("wait", "PrepareEpochFence", "ABORT", 4),
    ],
)
def test_the_marker_of_a_remedy(action: str, state: str | None, result: str, epoch: int) -> None:
    (preview,) = previews_of(case(action, state))
    ending = preview.ending
    assert (preview.verdict, ending.result, ending.producer_epoch) == (1, result, epoch)
    assert (ending.partition, ending.producer_id, ending.first_offset, ending.log_end) == ("t-0", 7, 2, 9)
    assert [note["key"] for note in ending.notes][1:] == ["logs.preview.command", "k"]


@pytest.mark.parametrize(
    "document",
    [
        case("wait"),
        case("wait", "Empty"),
        case("abort", corrupt=1),
        case("abort", legacy=1),
        {"too_much": True},
        {},
    ],
)
def test_without_an_open_transaction_none_is_tried(document: dict[str, Any]) -> None:
    assert previews_of(document) == []
