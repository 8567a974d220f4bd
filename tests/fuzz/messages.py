"""One example of each kind of message and address of a page, to be changed at random (docs/websocket.md,
docs/links.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ID = "6f0c1f5e-5f0b-4d59-8a3e-1b2f3c4d5e6f"
CONDITIONS = [
    {"on": "kind", "kind": "api_call"},
    {"on": "interesting"},
    {"on": "broken", "guarantee": "lost"},
    {"on": "state", "machine": "producer_batch", "state": "DONE", "of": "p1/0"},
    {"on": "error", "error": "DUPLICATE_SEQUENCE_NUMBER"},
    {"on": "subject", "kind": "partition", "id": "t-0"},
    {"on": "rule", "rule": "SEQ-10"},
    {"on": "text", "text": "broker t-0", "language": "zh-Hans"},
]
INTERVENTIONS: Sequence[dict[str, Any]] = (
    {"action": "drop_message", "message": 1},
    {"action": "delay_message", "message": 1, "by": 100},
    {"action": "crash", "actor": "broker-1"},
    {"action": "set", "path": "clients.p1.retries", "value": 3},
    {"action": "hold_messages", "actor": "p1", "until": 50},
    {"action": "change_leader", "partition": "t-0", "broker": 2},
    {"action": "delete_head", "partition": "t-0", "to": 1},
    {"action": "compact", "partition": "t-0"},
)


def _message(kind: str, **fields: Any) -> dict[str, Any]:
    return {"v": 1, "id": ID, "type": kind, **fields}


MESSAGES: tuple[dict[str, Any], ...] = (
    _message("hello", have={"1": 5}, follower=ID),
    _message("advance", branch="1", after=0, count=5, ahead=True),
    _message("run_until", branch="1", after=0, until="breakpoint", conditions=CONDITIONS, limit=50),
    _message("search", branch="1", **{"from": 0, "to": 9}, conditions=CONDITIONS, any=True),
    _message("branch", branch="1", at=3, name="mine"),
    *(_message("intervene", branch="1", after=3, intervention=one) for one in INTERVENTIONS),
    _message("window", branch="1", **{"from": 1, "to": 5}),
    _message("near_view", branch="1", number=3, whole=True),
    _message("difference", branch="1", **{"from": 1, "to": 5}),
    _message("rename", branch="1", name="other"),
    _message("actions", branch="1", number=3, selection={"kind": "batch", "id": "p1/0", "partition": "t-0"}),
    _message("why", branch="1", number=3, selection=None, question="stored", subject="t-0"),
    _message("ping"),
    {"scenario": "SC-02", "variant": "k28"},
)
QUERIES: Sequence[str] = (
    "variant=k28&step=12&view=lanes&select=batch%3Ap1%2F0&in=t-0&serials=1.2.3&zoom=p1",
    "step=3&done=eJyLjjbUUcrMK0ktSkxOVbKqVkpMLsnMz1OyUkouSixWqgUAyv8LSw",
    "view=spacetime&select=message:7&step=9999999",
)
