"""Every sentence that a case can contain is in the catalogue, and every such sentence of the catalogue can occur."""

import re
from pathlib import Path

import eosviz.pipeline.kafka_logs as room
from eosviz.catalogue import interface_words
from eosviz.pipeline.kafka_logs import ticket as ticket_module
from eosviz.pipeline.kafka_logs.log_lines import KINDS
from eosviz.pipeline.kafka_logs.notes import NoteKind
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind
from eosviz.workshop import from_case

SOURCES = sorted(Path(room.__file__).parent.glob("*.py"))
MAKING = (*SOURCES, Path(from_case.__file__))
"""Also the module that says why a case cannot become a scenario."""
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
    "need.",
    "flaw.",
    "refused.",
    "now.",
    "given.",
    "group.",
    "then.",
    "or",
    "copies",
    "jump",
    "ticket.",
    "left_out",
    "place.",
)


_IN_A_CALL = r"""words\(\s*["']([^"']+)["'](?: if [^"]+ else "([^"]+)")?"""
"""Matches a call with a key, or with two keys between which a condition chooses."""


def used() -> set[str]:
    found = (re.findall(_IN_A_CALL, path.read_text()) for path in SOURCES)
    keys = {key for pairs in found for pair in pairs for key in pair if key and key[-1] != "."}
    reasons = re.findall(r'NoScenarioError\(\s*"([^"]+)"', "".join(path.read_text() for path in MAKING))
    keys |= {f"scenario.not.{reason}" for reason in reasons}
    for kind in VerdictKind:
        keys |= {f"verdict.{kind.value}", f"verdict.{kind.value}.means"}
    keys |= {f"line.{kind}" for kind in KINDS}
    keys |= {f"place.{unit}" for unit in ("byte", "line", "offset")}
    keys |= {f"then.{result}" for result in ("aborted", "committed")}
    ticket = Path(ticket_module.__file__).read_text()
    keys |= set(re.findall(r"""["'](ticket\.[a-z_]+)["']""", ticket)) | {"left_out"}
    keys |= {f"ticket.column.{name}" for name in ticket_module.COLUMNS}
    return keys | {f"note.{kind.value}" for kind in NoteKind} | {f"remedy.{action}" for action in ACTIONS}


def test_the_catalogue_has_the_sentences_of_cases_and_no_others() -> None:
    known = {key.removeprefix("logs.") for key in interface_words() if key.startswith("logs.")}
    assert len(used()) > 40
    assert {key for key in known if key.startswith(PREFIXES)} == used()
