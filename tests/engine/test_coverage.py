"""The library leaves nothing out: every requirement, row of a table, error, switch and kind of fault occurs in
a run.
"""

import subprocess
import sys
from typing import Any

import pytest

from engine.explain import coverage
from engine.scenario.document import Scenario, acts
from engine.scenario.shelf import library


def test_nothing_is_uncovered() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "engine", "coverage"], capture_output=True, text=True, check=False
    )
    assert ran.stdout.splitlines()[-1:] == ["0 uncovered"], ran.stdout + ran.stderr
    assert ran.returncode == 0


def test_a_document_with_variants_is_measured_without_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[dict[str, Any]] = []

    def note(scenario: Scenario, into: coverage.Coverage) -> None:
        measured.append(scenario.document)

    monkeypatch.setattr(coverage, "_run", note)
    coverage.measure((), lambda: None)
    for entry in library():
        if entry.variants and acts(entry.document):
            assert entry.scenario().document in measured, entry.id
