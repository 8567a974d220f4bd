"""Says why a text is not TOML, by converting the parser's English message to a sentence of the catalogue."""

from __future__ import annotations

import re
import tomllib

from engine.scenario.phrases import Said, wrong

_PLACED = re.compile(r" \(at (?:line (?P<line>\d+).*|end of document)\)$")

ROWS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"Invalid statement|Invalid initial character for a key part", "toml_statement"),
        (r"Expected newline or end of document after a statement", "toml_line_end"),
        (r"Found invalid character (?P<found>.+)|Illegal character (?P<illegal>.+)", "toml_character"),
        (r"Expected '=' after a key in a key/value pair", "toml_equals"),
        (r"Expected '\]' at the end of a table declaration", "toml_table_end"),
        (r"Expected '\]\]' at the end of an array declaration", "toml_array_end"),
        (r"Cannot (?:declare|redefine namespace) .+|Duplicate inline table key .+", "toml_twice"),
        (r"Cannot (?:mutate immutable namespace .+|overwrite a value)", "toml_overwrites"),
        (r"Unclosed array", "toml_array_open"),
        (r"Unclosed inline table", "toml_table_open"),
        (r"Unterminated string|Expected [\"'].*", "toml_text_open"),
        (r"Unescaped '\\' in a string|Invalid hex value|Escaped character is not .+", "toml_escape"),
        (r"Invalid date or datetime", "toml_date"),
        (r"Invalid value", "toml_value"),
    )
)
"""Patterns of the parser's messages, each with its sentence. A message that fits no pattern stays as it is."""


def toml_fault(error: tomllib.TOMLDecodeError) -> tuple[Said, int | None]:
    """(the mistake, its line). The line is None if the text ends too early."""
    text = str(error)
    placed = _PLACED.search(text)
    line = int(placed["line"]) if placed and placed["line"] else None
    said = text[: placed.start()] if placed else text
    for pattern, name in ROWS:
        found = pattern.fullmatch(said)
        if found is not None:
            character = next((one for one in found.groups() if one), None)
            return (wrong(name) if character is None else wrong(name, found=character)), line
    return said, line
