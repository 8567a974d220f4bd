"""Describes a run (a scenario and interventions) for the code that makes it. Does not import Django, because
runs of scenarios that users wrote are made in a bounded process (`eosviz/bounded`)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.scenario.document import Scenario, load

FRAME_STEPS_MAX = 5_000
"""The player file of a link contains at most this many steps of the run."""


class AskedRun(msgspec.Struct, forbid_unknown_fields=True):
    """The run that is asked for. `source`: how a refusal names the document. `done`: the interventions, as
    they are stored."""

    document: dict[str, Any]
    source: str
    variant: str | None
    done: list[dict[str, Any]]

    def scenario(self) -> Scenario:
        """Returns the scenario of the run. Raises BadScenario."""
        return load(self.document, self.variant, source=self.source)

    def interventions(self) -> list[dict[str, Any]]:
        """Returns the interventions in the form that the engine reads: the fields of each intervention,
        together with its `after`."""
        return [{**one["intervention"], "after": one["after"]} for one in self.done]
