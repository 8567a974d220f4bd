"""A document's mistake in the reader's language.

The loader tells what is wrong and what is allowed. What is allowed in a field is said anew from the field's own row
of the schema; names, values and places are the same in every language.
"""

from __future__ import annotations

from typing import Any

from engine.scenario import BadScenario
from engine.scenario.schema import SECTIONS, Field
from eosviz.catalogue import say

WRONG_CHARACTERS_MAX = 200
ALLOWED_CHARACTERS_MAX = 600
_WRONG = {
    "missing": "missing",
    "unknown key": "unknown",
    "stands twice": "twice",
    "names nobody": "nobody",
    "is also the input": "input",
    "serves two loops": "two_loops",
    "there are no brokers": "no_brokers",
    "needs exactly one of match.api and at": "at_or_match",
}
"""What the loader says in words, and the name of the sentence; what else it says is a value."""
_MEANS_NOTHING = "means nothing to "


def told(bad: BadScenario, line: int | None, language: str) -> dict[str, Any]:
    """`wrong` and `allowed` in this language, with the place and the line."""
    wrong, allowed = bad.wrong[:WRONG_CHARACTERS_MAX], bad.allowed[:ALLOWED_CHARACTERS_MAX]
    if bad.wrong in _WRONG:
        name = _WRONG[bad.wrong]
        wrong = say(f"builder.wrong.{name}", language)
        if name == "at_or_match":
            allowed = say("builder.allowed.at_or_match", language)
    elif bad.wrong.startswith(_MEANS_NOTHING):
        word = bad.wrong.removeprefix(_MEANS_NOTHING)
        wrong = say("builder.wrong.means_nothing", language, {"word": word})
    field = field_at(bad.place)
    if field is not None and bad.allowed == field.allowed():
        allowed = _allowed(field, language)
    return {"place": bad.place, "wrong": wrong, "allowed": allowed, "line": line}


def _allowed(field: Field, language: str) -> str:
    if field.choices:
        names = ", ".join(str(choice) for choice in field.choices)
        return say("builder.allowed.one_of", language, {"names": names[:ALLOWED_CHARACTERS_MAX]})
    kind = field.kind
    if kind == "int":
        kind = {(False, False): "int", (True, False): "int_from", (True, True): "int_between"}.get(
            (field.low is not None, field.high is not None), "int"
        )
    params = {"low": field.low, "high": field.high, "bound": field.bound}
    return say(f"builder.allowed.{kind}", language, params)


def field_at(place: str) -> Field | None:
    """The schema's row for a dotted place: rows of lists stand under their name or number."""
    section: str | None = "scenario"
    field: Field | None = None
    for word in place.split("."):
        if section is None:
            return None
        if field is not None and field.kind == "tables" and word not in ("", None):
            field = None  # the row itself
            continue
        field = SECTIONS[section].get(word)
        if field is None:
            return None
        if field.rows is not None:
            section = field.rows
        elif field.kind == "table":
            section = None
    return field
