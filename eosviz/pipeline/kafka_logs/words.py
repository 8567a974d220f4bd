"""A sentence before its language is chosen: the key of the catalogue (`eosviz/catalogue/logs.toml`) and its
parameters. Findings are stored so, and worded where they are shown."""

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


def moment(milliseconds: int | None) -> str:
    """Milliseconds since 1970 as readable text, in UTC; `–` for none, and a number that is no time as it is."""
    if milliseconds is None or milliseconds < 0:
        return "–"
    try:
        time = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return str(milliseconds)
    return time.strftime("%Y-%m-%d %H:%M:%S UTC")
