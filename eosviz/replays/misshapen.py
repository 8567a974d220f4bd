"""Converts a decoder's error about a line into a sentence of the catalogue. The sentence states the wrong
part of the line as a path, such as `step.changes[0].path`."""

import re
from typing import Any

from eosviz.names import UNPRINTABLE

_UNPRINTABLE = re.compile(f"[{UNPRINTABLE}]")
_PLACE = re.compile(r" - at `\$\.?(?P<place>.*)`$", re.DOTALL)
_PLACE_CHARACTERS_MAX = 100

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.DOTALL))
    for kind, pattern in (
        ("missing", r"Object missing required field `(?P<field>.*)`"),
        ("unknown_field", r"Object contains unknown field `(?P<field>.*)`"),
        ("not_one_of", r"Invalid (?:enum )?value .*"),
        ("spelling", r"Expected `str` matching regex .*"),
        ("too_short", r"Expected `(?:str|array|object)` of length >= (?P<least>\d+)"),
        ("too_long", r"Expected `(?:str|array|object)` of length <= (?P<most>\d+)"),
        ("too_small", r"Expected `int` >= (?P<least>-?\d+)"),
        ("wrong_type", r"Expected `(?P<expected>[a-z| ]+)`, got `(?P<got>[a-z]+)`"),
    )
)
"""The kinds of errors, as (name, pattern of the error's text). The first pattern that matches counts. The
sentence is `replays.misshapen.<name>`."""


def sentence_of(sentence: str) -> dict[str, Any]:
    """The key and the parameters of the sentence for the text of a decoder's error."""
    found = _PLACE.search(sentence)
    place = found["place"] if found else ""
    bare = sentence[: found.start()] if found else sentence
    for kind, pattern in _KINDS:
        match = pattern.fullmatch(bare)
        if match is not None:
            return {"key": f"replays.misshapen.{kind}", "params": _params(place, match.groupdict())}
    return {"key": "replays.misshapen.other", "params": {"place": _shown(place)}}


def _params(place: str, found: dict[str, str]) -> dict[str, Any]:
    field = found.pop("field", None)
    if field is not None:
        place = f"{place}.{field}" if place else field
    params: dict[str, Any] = {"place": _shown(place), **found}
    if "expected" in found:
        params["expected"] = found["expected"].split(" | ")
    return params


def _shown(place: str) -> str:
    """The end of a path, with characters replaced that break a line or change the direction of reading."""
    return _UNPRINTABLE.sub("\ufffd", place[-_PLACE_CHARACTERS_MAX:]) or "$"
