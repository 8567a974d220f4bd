"""Who does what a step's own sentence says, where it is not the step's actor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DOERS = ("coordinator", "broker")
"""The parameters that name the broker that a sentence is about, in this order."""


def doer(step: Mapping[str, Any]) -> str | None:
    """The broker that does what the step's own sentence says; None if it is the step's actor.

    The actor of a step of replication is the follower that fetches. With its fetch the leader learns how far the
    follower has copied, and raises the high watermark (LOG-7): the sentence is then about the leader.
    """
    if step["kind"] != "replication":
        return None
    name: str | None = next((step["params"][one] for one in _DOERS if one in step["params"]), None)
    return None if name == step["actor"] else name
