"""docs/glossary.md is generated from the terms of the catalogue; ``REWRITE=1`` writes it anew."""

from __future__ import annotations

import os

from eosviz.catalogue import LANGUAGES, say
from eosviz.launch.places import ROOT
from eosviz.reference import tables
from eosviz.reference.term_lessons import lesson_of

PAGE = ROOT / "docs" / "glossary.md"
GROUPS = {"Kafka and its field": tables.TERM, "This site": tables.HOUSE, "This code": tables.CODE}
INTRODUCTION = """# Glossary

Code, documents and pages use one word for each thing, in English and in Chinese. This page is generated from
`eosviz/catalogue/terms.toml`. The site shows the first two tables under *Reference → Terms*.
"""


def glossary() -> str:
    lines = [INTRODUCTION]
    for heading, group in GROUPS.items():
        lines += [f"## {heading}", "", "| English | 中文 | what it is |", "|---|---|---|"]
        for term in tables.terms(group):
            english, chinese = (say(term.key, language) for language in ("en", "zh-Hans"))
            lines.append(f"| {english} | {chinese} | {say(term.what, 'en')} |")
        lines.append("")
    return "\n".join(lines)


def test_the_glossary_is_the_catalogues() -> None:
    if os.environ.get("REWRITE"):
        PAGE.write_text(glossary(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == glossary(), "write docs/glossary.md anew with REWRITE=1"


def test_a_term_leads_to_the_scenario_that_shows_it_and_to_none_that_only_uses_its_word() -> None:
    found = {
        name: lesson_of(f"term.{name}") for name in ("hanging_transaction", "last_stable_offset", "drain")
    }
    assert {name: one and one.id for name, one in found.items()} == {
        "hanging_transaction": "SC-101",
        "last_stable_offset": "SC-75",
        "drain": None,
    }


def test_every_term_is_defined_once() -> None:
    rows = tables.terms(*GROUPS.values())
    for language in LANGUAGES:
        names = [say(term.key, language) for term in rows]
        assert sorted(names) == sorted(set(names))
