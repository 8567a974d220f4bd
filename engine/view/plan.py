"""The plan of a run: where everything has its place, and the beats in which it is told.

Folded from a run's header, first view and steps (docs/frame.md), whoever made them: a run ahead, a stored branch, a
recording, a log case. A plan that is given a plan of before extends it: places that stand keep their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.view.beats import Beats
from engine.view.places import Places


class RunPlan:
    """Takes a run's header and first view, then its steps in order, as JSON."""

    def __init__(
        self, header: Mapping[str, Any], view: Mapping[str, Any], before: Mapping[str, Any] | None = None
    ) -> None:
        self.steps = 0
        """Number of the last step taken."""
        self._places = Places(header, view, before)
        self._beats = Beats(
            [actor["name"] for actor in header.get("actors") or () if actor["role"] == "consumer"]
        )

    def take(self, step: Mapping[str, Any]) -> None:
        self.steps = step["number"]
        self._places.take(step)
        self._beats.take(step)

    def to_json(self, complete: bool = True) -> dict[str, Any]:
        """``Plan`` of docs/frame.md. ``complete``: the run ends with the last step taken."""
        return {
            "steps": self.steps,
            "complete": complete,
            **self._places.to_json(),
            "beats": self._beats.to_json(),
        }
