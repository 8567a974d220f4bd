"""The format as it is documented: its JSON Schema, and a stored file of each version, which every reader must read."""

from __future__ import annotations

import gzip
import io
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from engine.errors import Refused
from engine.scenario.document import acts
from engine.scenario.header import ENGINE_VERSION
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from engine.step import Step, place
from engine.view.run_ahead import plan_ahead
from engine.watching import ABSENT
from eosviz.catalogue import say
from eosviz.launch.places import ROOT
from eosviz.replays import carriers, format, schema
from eosviz.replays.actions import import_replay
from eosviz.replays.refusal import ReplayRefused
from tests.contract.fitting import misfits
from tests.replays.conftest import BROWSER
from tests.replays.stories import canonical, counting_step, header, lines

SCHEMA_FILE = ROOT / "docs" / "replay-format.schema.json"
VERSIONS = Path(__file__).parent / "versions"
KEPT = {
    1: ("d20a895dcf62f901", 86),
}
"""Version → the beginning of the last digest of its stored file, and its number of steps. A stored file is never made
again.
"""
BEFORE_FACTS = VERSIONS / "1-transactions.eosviz.jsonl.gz"
"""SC-61 of Kafka 2.8 with a branch on which a message was dropped, exported before the engine derived facts and
before the messages between server and page had a schema. It is never made again, either.
"""
EVERY = [
    (document.id, variant)
    for document in library()
    for variant in (*([None] if acts(document.document) else []), *document.variants)
]
FIRST = [run for run in EVERY if run == next(other for other in EVERY if other[0] == run[0])]


@cache
def valid() -> Any:
    return jsonschema_rs.validator_for(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))


def test_the_documented_schema_is_that_of_the_reader() -> None:
    if os.environ.get("REWRITE"):
        SCHEMA_FILE.write_text(schema.as_text(), encoding="utf-8")
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema.as_text()


def test_the_document_names_every_field_of_a_line() -> None:
    page = (ROOT / "docs" / "replay-format.md").read_text(encoding="utf-8")
    for shape in (format.Header, format.StepLine, format.End, format.Branch):
        missing = [name for name in shape.__struct_encode_fields__ if f'"{name}"' not in page]
        assert missing == [], shape.__name__


@pytest.mark.parametrize(
    "line",
    [
        {"type": "end", "steps": -1, "digest": "0" * 64},
        {"type": "end", "steps": 1, "digest": "x" * 64},
        {"type": "step", "branch": "1", "digest": "0" * 64, "step": counting_step(0)},
        {"type": "step", "branch": "1", "digest": "0" * 64, "step": counting_step(1, more=1)},
        {"type": "view"},
        header(schema=2),
        header(branches=[]),
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(line: dict[str, Any]) -> None:
    assert not valid().is_valid(line)


def canonical_value(step: Step) -> Any:
    """Return the step as it is read from a file."""
    return msgspec.json.decode(msgspec.json.encode(step.to_json()))


def _wrong_lines(run: tuple[str, str | None]) -> list[str]:
    scenario, variant = run
    document = next(found for found in library() if found.id == scenario)
    try:
        simulation = Simulation(document.scenario(variant))
    except Refused:
        return []
    validator = valid()
    wrong = []
    made = 0
    while isinstance(step := simulation.step(), Step):
        made += 1
        line = {"type": "step", "branch": "1", "digest": "0" * 64, "step": canonical_value(step)}
        if not validator.is_valid(line):
            wrong += [
                f"{run} step {step.number}: {error.message[:200]}" for error in validator.iter_errors(line)
            ]
    assert made > 0 or simulation.finished is not None
    return wrong


PROOFS = [("SC-58", "unexpected"), ("SC-70", "check-off"), ("SC-83", "manual-b")]
"""Runs whose `broken` contains more than serials: a hanging transaction, a partly visible transaction, the nodes of a
mixed outcome.
"""


@pytest.mark.parametrize("run", PROOFS)
def test_a_broken_guarantee_brings_its_proof(run: tuple[str, str]) -> None:
    document = next(found for found in library() if found.id == run[0])
    simulation, proofs = Simulation(document.scenario(run[1])), []
    while isinstance(step := simulation.step(), Step):
        proofs += step.to_json()["broken"]
    assert any(proof.keys() > {"guarantee", "partition", "serials"} for proof in proofs)
    assert _wrong_lines(run) == []


@pytest.mark.parametrize("part", range(8))
def test_every_step_of_the_library_fits_the_schema(part: int) -> None:
    assert len(FIRST) > 80
    assert [wrong for run in FIRST[part::8] for wrong in _wrong_lines(run)] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_every_step_of_every_variant_fits_the_schema(part: int) -> None:
    assert [wrong for run in EVERY[part::8] for wrong in _wrong_lines(run)] == []


def test_a_whole_file_fits_the_schema() -> None:
    validator = valid()
    assert all(validator.is_valid(json.loads(line)) for line in lines())


def test_there_is_a_kept_file_of_every_version() -> None:
    assert list(KEPT) == list(range(1, format.SCHEMA + 1))


@pytest.mark.django_db
@pytest.mark.parametrize("version", KEPT)
@pytest.mark.parametrize("ending", [".eosviz.jsonl.gz", ".parquet"])
def test_every_version_is_read(version: int, ending: str) -> None:
    file = (VERSIONS / f"{version}{ending}").read_bytes()
    recording = carriers.read(io.BytesIO(file))
    digest, steps = KEPT[version]
    assert (recording.digest[: len(digest)], recording.steps) == (digest, steps)
    # Whether today's engine makes the same steps does not matter here: the replay plays in any case.
    replay = import_replay(io.BytesIO(file), BROWSER)
    assert (replay.steps, replay.digest) == (steps, recording.digest)
    player = json.loads(gzip.decompress(bytes(replay.player)))
    assert sum(len(own) for own in player["steps"].values()) == steps
    # Derived facts, which no version stores, are computed for each.
    assert {name: len(own["steps"]) for name, own in player["derived"].items()} == {
        name: len(own) for name, own in player["steps"].items()
    }


@pytest.mark.django_db
def test_what_can_be_derived_of_a_recording_of_before_is_derived() -> None:
    file = BEFORE_FACTS.read_bytes()
    replay = import_replay(io.BytesIO(file), BROWSER)
    assert replay.digest.startswith("18c8fc7112d3d174")
    player = json.loads(gzip.decompress(bytes(replay.player)))
    assert misfits("PlayerFile", player) == []
    made_by_today_s = player["header"]["engine"] == ENGINE_VERSION
    assert player["verified"]["state"] == ("verified" if made_by_today_s else "as_recorded")
    assert not any("derived" in step for steps in player["steps"].values() for step in steps)
    assert {name: len(branch_facts["steps"]) for name, branch_facts in player["derived"].items()} == {
        "1": 134,
        "2": 41,
    }
    assert player["plans"].keys() == player["transactions"].keys() == {"1", "2"}
    assert player["plans"]["1"]["beats"][-1]["last"] == 134
    if made_by_today_s:
        assert player["plans"]["1"] == plan_ahead(entry("SC-61").scenario("k28"))


@pytest.mark.django_db
def test_a_recording_of_before_plays_to_its_end() -> None:
    replay = import_replay(io.BytesIO(BEFORE_FACTS.read_bytes()), BROWSER)
    player = json.loads(gzip.decompress(bytes(replay.player)))
    view = player["view"] | {"derived": player["derived"]["1"]["view"]}
    for step, derived in zip(player["steps"]["1"], player["derived"]["1"]["steps"], strict=True):
        for change in [*step["changes"], *derived.get("changes", ())]:
            place(view, tuple(change["path"]), change.get("after", ABSENT))
    assert view["time"] == player["steps"]["1"][-1]["at"]
    assert misfits("NearView", view) == []


def test_a_later_version_is_named() -> None:
    later = gzip.compress(canonical(header(schema=format.SCHEMA + 1)) + b"\n")
    with pytest.raises(ReplayRefused) as caught:
        carriers.read(io.BytesIO(later))
    assert caught.value.key == "replays.refused.unknown_schema"
    assert caught.value.params == {"schema": str(format.SCHEMA + 1), "known": format.SCHEMA}
    sentence = say(caught.value.key, "en", caught.value.params)
    assert "use a server that reads it" in sentence and str(format.SCHEMA + 1) in sentence
