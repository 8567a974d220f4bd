"""Every sentence that a case can hold is in the catalogue, and none of them is there for nothing."""

import re
from pathlib import Path

import eosviz.pipeline.kafka_logs as room
from eosviz.catalogue import interface_words
from eosviz.pipeline.kafka_logs.log_lines import KINDS
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind
from eosviz.pipeline.kafka_logs.verdicts import NoteKind
from eosviz.workshop import from_case

SOURCES = sorted(Path(room.__file__).parent.glob("*.py"))
MAKING = (*SOURCES, Path(from_case.__file__))
"""Who says why a case is no scenario."""
ACTIONS = ("abort", "wait", "look")
PREFIXES = (
    "verdict.",
    "evidence.",
    "rule.",
    "change.",
    "remedy.",
    "condition.",
    "note.",
    "line.",
    "alone.",
    "scenario.not.",
)


def used() -> set[str]:
    keys = {key for path in SOURCES for key in re.findall(r'words\(\s*"([^"]+)"', path.read_text())}
    reasons = re.findall(r'NoScenarioError\(\s*"([^"]+)"', "".join(path.read_text() for path in MAKING))
    keys |= {f"scenario.not.{reason}" for reason in reasons}
    for kind in VerdictKind:
        keys |= {f"verdict.{kind.value}", f"verdict.{kind.value}.means"}
    keys |= {f"line.{kind}" for kind in KINDS}
    return keys | {f"note.{kind.value}" for kind in NoteKind} | {f"remedy.{action}" for action in ACTIONS}


def test_the_catalogue_has_the_sentences_of_cases_and_no_others() -> None:
    known = {key.removeprefix("logs.") for key in interface_words() if key.startswith("logs.")}
    assert len(used()) > 40
    assert {key for key in known if key.startswith(PREFIXES)} == used()
