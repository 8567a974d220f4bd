"""A line's run as a process is asked to make it. Knows nothing of Django: a stranger's runs in a bounded process
(`eosviz/bounded`).
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.scenario.document import Scenario, load


class AskedRun(msgspec.Struct, forbid_unknown_fields=True):
    """`source`: the name of the document in a refusal. `done`: the line's interventions as branches store them."""

    document: dict[str, Any]
    source: str
    variant: str | None
    done: list[dict[str, Any]]

    def scenario(self) -> Scenario:
        """Raises BadScenario, or Refused where a configuration is."""
        return load(self.document, self.variant, source=self.source)

    def interventions(self) -> list[dict[str, Any]]:
        """As the engine takes them."""
        return [{**one["intervention"], "after": one["after"]} for one in self.done]
