"""A sentence before its language is chosen: its key in the catalogue (`eosviz/catalogue/logs.toml`) and its
parameters. Findings are stored in this form, and are put into words where they are shown."""

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
    """Milliseconds since 1970 as readable text, in UTC. It is `–` for None, and the number itself if it is no
    possible time."""
    if milliseconds is None or milliseconds < 0:
        return "–"
    try:
        time = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return str(milliseconds)
    return time.strftime("%Y-%m-%d %H:%M:%S UTC")
