"""A sentence without a language: its key in the catalogue (`eosviz/catalogue/logs.toml`) and its parameters.
Findings are stored in this form. The text is made when it is shown."""

import re
from datetime import UTC, datetime
from typing import Any, NamedTuple


class Words(NamedTuple):
    """A sentence as key and parameters."""

    key: str
    params: dict[str, Any]


def words(key: str, **params: Any) -> Words:
    """The sentence with the key `logs.<key>`."""
    return Words(f"logs.{key}", params)


def as_kept(sentence: Words) -> dict[str, Any]:
    """The sentence as JSON, to be stored."""
    return {"key": sentence.key, "params": sentence.params}


_PLACE = re.compile(r"(?P<of>.+): (?P<unit>byte|line|offset) (?P<number>\d+)", re.DOTALL)


def place_words(place: str) -> dict[str, Any]:
    """A place (`server.log: line 2`, `t-0: offset 106`) as a sentence that may be a parameter of another one.
    If the text has another form, it stays unchanged as the sentence's parameter."""
    found = _PLACE.fullmatch(place)
    if found is None:
        return as_kept(words("place.named", of=place))
    return as_kept(words(f"place.{found['unit']}", of=found["of"], number=found["number"]))


def moment(milliseconds: int | None) -> str:
    """A time in milliseconds since 1970 as text, in UTC. `–` if there is none, and the number itself if it is
    no possible time."""
    if milliseconds is None or milliseconds < 0:
        return "–"
    try:
        time = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return str(milliseconds)
    return time.strftime("%Y-%m-%d %H:%M:%S UTC")


def moment_by(milliseconds: int | None) -> str:
    """Like `moment`, but rounded up to a whole second. For the latest time at which something happens."""
    return moment(None if milliseconds is None else -(-milliseconds // 1000) * 1000)
