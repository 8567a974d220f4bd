"""Words are joined with the punctuation of their language (engine/explain/catalogue/joins.toml), not with marks in
code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from eosviz.launch.places import ROOT

IN_TYPESCRIPT = re.compile(r"""\.join\("[,;] "\)|\}[,;:] \$\{(?:say|word)|\$\{say\([^{}]*\)\}[,;:] """)
"""Matches `names.join(", ")`, and a punctuation mark before or after a text of the catalogue."""
NO_TEXTS = ("builder/document.ts", "diagrams/sequence-text.ts", "player/joins.ts", "player/picked-steps.ts")
"""Files whose marks are not texts: a list in a field, Mermaid's own marks, and steps as the field of a handout takes
them.
"""
IN_TEMPLATES = re.compile(r"""[%}]\}(?:</\w+>)?[,;:](?: |<)|(?:[,;:] |\()\{(?:% say|\{ \w+\.title)""")
"""Matches a punctuation mark between a value and a text, and a bracket before one."""
GAP_AFTER_A_VALUE = re.compile(r"\}\}(?:</\w+>)?\{% gap %\}")
"""Between Chinese sentences there is no space, but a value may end with a Latin letter, which needs one."""
SLOT_BEFORE_CHINESE = re.compile(r"\{[a-z_0-9]+\}[\u3400-\u9fff]")
"""The space after a slot is left out when its value ends with a Chinese character, so a text must always have it."""


def lines_of(folder: str, ending: str) -> Iterator[tuple[str, int, str]]:
    for path in sorted((ROOT / folder).rglob(f"*{ending}")):
        name = path.relative_to(ROOT / folder)
        if not {"tests", "generated", "dist"} & set(name.parts):
            for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), start=1):
                yield name.as_posix(), number, line


def test_the_player_joins_no_words_with_marks_of_its_own() -> None:
    lines = [line for line in lines_of("static", ".ts") if line[0] not in NO_TEXTS]
    assert len(lines) > 10_000
    assert [found for found in lines if IN_TYPESCRIPT.search(found[2])] == []


def test_pages_join_no_words_with_marks_of_their_own() -> None:
    lines = list(lines_of("templates", ".html"))
    assert len(lines) > 500
    assert [found for found in lines if IN_TEMPLATES.search(found[2])] == []
    assert [found for found in lines if GAP_AFTER_A_VALUE.search(found[2])] == []


def test_chinese_texts_have_a_space_after_each_slot() -> None:
    lines = [*lines_of("engine/explain/catalogue", ".toml"), *lines_of("eosviz/catalogue", ".toml")]
    assert len(lines) > 5_000
    assert [found for found in lines if SLOT_BEFORE_CHINESE.search(found[2])] == []
