"""Opens one run of a sweep, or the result of a shrink, as a session of the visitor."""

from __future__ import annotations

from typing import Any

from engine.scenario.document import BadScenario
from eosviz.bounded.register import Caller
from eosviz.pipeline.bad_sweep import BadSweep
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.sweep_document import SweepDocument, read_sweep
from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.actions import bad_scenario
from eosviz.walkthroughs.linking import Opened, open_link
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link


def run_document(document: SweepDocument, cell: int, seed: int) -> dict[str, Any]:
    """The scenario document of one run, with the cell's settings and without expected results. Raises Problem
    if the sweep has no such cell, or if the scenario does not allow the settings any more."""
    if not 0 <= cell < len(document.cells):
        raise Problem("not_found", "no_scenario", scenario=document.scenario)
    try:
        source = document.scenario_of(document.cells[cell], seed).source
    except BadScenario as bad:
        raise bad_scenario(bad) from bad
    return {
        key: value
        for key, value in source.items()
        if key not in ("expect", "expect_refused", "variant_title")
    }


def document_of_run(sweep: Sweep, cell: int, seed: int) -> dict[str, Any]:
    """The scenario document of one run of a stored sweep. Raises Problem if the sweep has no such cell or
    this release cannot read the sweep."""
    try:
        document = read_sweep(sweep.document)
    except BadSweep as bad:
        raise Problem("refused", "sweep_unreadable", place=bad.place) from bad
    return run_document(document, cell, seed)


def open_document(browser: str, identifier: str, document: dict[str, Any], step: int, asks: Caller) -> Opened:
    """Open a session of this document and run it to the step, or to its end if that comes first. Raises
    Problem."""
    version = ScenarioVersion.objects.of_document(identifier, document)
    link = Link(scenario=identifier, version=version.digest[:VERSION_CHARACTERS], step=step)
    return open_link(browser, link, asks)
