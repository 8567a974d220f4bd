"""Finds the component that a step's own sentence is about, if it is not the step's actor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DOERS = ("coordinator", "broker")
"""The parameters that name the broker that a sentence is about, in this order."""


def doer(step: Mapping[str, Any]) -> str | None:
    """The broker that a step's own sentence is about; None if it is the step's actor. In a step of replication the
    leader may raise the high watermark (LOG-7), while the follower is the actor."""
    if step["kind"] != "replication":
        return None
    name: str | None = next((step["params"][one] for one in _DOERS if one in step["params"]), None)
    return None if name == step["actor"] else name
