"""Every scenario of the library, every variant: its golden transcript, its verdicts, what it must say.

``REWRITE=1`` writes the transcripts anew; the difference is read before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.explain import transcript_lines
from engine.scenario import library
from engine.simulation import Simulation

TRANSCRIPTS = Path(__file__).parent.parent / "transcripts"
RUNS = [(entry, variant) for entry in library() for variant in entry.variants or (None,)]
NAMES = [entry.id if variant is None else f"{entry.id}-{variant}" for entry, variant in RUNS]


def played(entry, variant):
    """Transcript text and the finished simulation; None for the simulation when the run was refused."""
    scenario = entry.scenario(variant)
    lines = [heading(entry, variant)]
    try:
        simulation = Simulation(scenario)
    except Refused as refused:
        assert refused.rule == scenario.document.get("expect_refused"), refused
        return "\n".join([*lines, f"refused {refused.rule}: {refused.place}: {refused.reason}", ""]), None, []
    assert "expect_refused" not in scenario.document, "the variant should have been refused"
    steps = []
    while (step := simulation.step()) is not None:
        steps.append(step.to_json())
        lines += transcript_lines(steps[-1])
    lines += [f"finished {simulation.finished}", *(verdict.line() for verdict in simulation.verdicts())]
    lines += [*(ended.line() for ended in simulation.judges.transaction_verdicts()), ""]
    return "\n".join(lines), simulation, steps


def heading(entry, variant):
    titles = {item["name"]: item["title"]["en"] for item in entry.document.get("variants", ())}
    title = entry.document["title"]["en"]
    return f"{entry.id}: {title}" if variant is None else f"{entry.id}/{variant}: {title}: {titles[variant]}"


@pytest.mark.parametrize(("entry", "variant"), RUNS, ids=NAMES)
def test_scenario_plays_as_its_transcript_says(entry, variant):
    text, simulation, steps = played(entry, variant)
    golden = TRANSCRIPTS / f"{entry.id}{'' if variant is None else '-' + variant}.txt"
    if os.environ.get("REWRITE"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert golden.exists(), f"no transcript {golden.name}; write it with REWRITE=1 and read it"
    assert text == golden.read_text(encoding="utf-8")
    if simulation is not None:
        expect_met(simulation, steps)


def expect_met(simulation, steps):
    expect = simulation.scenario["expect"]
    assert simulation.finished == (expect["finished"] or "complete")
    verdicts = {verdict.partition: verdict for verdict in simulation.verdicts()}
    assert expect["verdicts"] or expect["transactions"], "every scenario states its verdict"
    ended = {verdict.tid: verdict for verdict in simulation.judges.transaction_verdicts()}
    for wanted in expect["transactions"]:
        for name, value in wanted.items():
            if value is not None:
                assert getattr(ended[wanted["tid"]], name) == value, f"{name}: {ended[wanted['tid']].line()}"
    for wanted in expect["verdicts"]:
        got = verdicts[wanted["partition"]]
        for name, value in wanted.items():
            if name != "partition" and value is not None:
                assert getattr(got, name) == value, f"{wanted['partition']} {name}: {got.line()}"
    said = {step["key"] for step in steps} | {note["key"] for step in steps for note in step["notes"]}
    assert set(expect["says"] or ()) <= said, sorted(set(expect["says"] or ()) - said)
    errors = {step["refusal"]["error"] for step in steps if step["refusal"]}
    errors |= {str(value) for step in steps for name, value in step["params"].items() if name == "error"}
    assert set(expect["errors"] or ()) <= errors, sorted(set(expect["errors"] or ()) - errors)


def test_no_transcript_without_a_scenario():
    assert {path.stem for path in TRANSCRIPTS.glob("*.txt")} == set(NAMES)
