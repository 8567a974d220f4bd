"""A sentence that is not yet in a language: the key of the catalogue (`eosviz/catalogue/logs.toml`) and its
parameters. What is found out is kept so, and said where it is shown.
"""

from typing import Any, NamedTuple


class Words(NamedTuple):
    """One sentence."""

    key: str
    params: dict[str, Any]


def words(key: str, **params: Any) -> Words:
    """The sentence `logs.<key>`."""
    return Words(f"logs.{key}", params)
