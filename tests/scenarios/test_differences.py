"""The variants and settings that a comparison offers (eosviz/scenarios/differences.py)."""

from __future__ import annotations

from engine.scenario.document import load
from engine.scenario.shelf import entry
from eosviz.scenarios.differences import Difference, without_effect


def test_a_difference_with_which_the_run_only_goes_on_has_an_effect() -> None:
    own = load(entry("SC-03").document, settings={"limits.steps": 20})
    longer = Difference("longer", lambda _: {"limits.steps": 21})
    same = Difference("same", lambda _: {"limits.steps": 20})
    assert without_effect(own, [longer, same]) == [same]
