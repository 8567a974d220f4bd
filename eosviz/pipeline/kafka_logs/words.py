"""A sentence before its language is chosen: its key in the catalogue (`eosviz/catalogue/logs.toml`) and its
parameters. Findings are stored in this form, and are put into words where they are shown."""

import re
from datetime import UTC, datetime
from typing import Any, NamedTuple


class Words(NamedTuple):
    """One sentence."""

    key: str
    params: dict[str, Any]


def words(key: str, **params: Any) -> Words:
    """The sentence `logs.<key>`."""
    return Words(f"logs.{key}", params)


def as_kept(sentence: Words) -> dict[str, Any]:
    """The sentence as JSON, for storing."""
    return {"key": sentence.key, "params": sentence.params}


_PLACE = re.compile(r"(?P<of>.+): (?P<unit>byte|line|offset) (?P<number>\d+)", re.DOTALL)


def place_words(place: str) -> dict[str, Any]:
    """A place (`server.log: line 2`, `t-0: offset 106`) as a sentence, which may be a parameter of another. A place
    that is only a name stays as it is."""
    found = _PLACE.fullmatch(place)
    if found is None:
        return as_kept(words("place.named", of=place))
    return as_kept(words(f"place.{found['unit']}", of=found["of"], number=found["number"]))


def moment(milliseconds: int | None) -> str:
    """Milliseconds since 1970 as readable text, in UTC; `–` for none, and the number itself if it is no
    possible time."""
    if milliseconds is None or milliseconds < 0:
        return "–"
    try:
        time = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return str(milliseconds)
    return time.strftime("%Y-%m-%d %H:%M:%S UTC")


def moment_by(milliseconds: int | None) -> str:
    """Like `moment`, rounded up to a whole second: for a time by which something has happened."""
    return moment(None if milliseconds is None else -(-milliseconds // 1000) * 1000)
