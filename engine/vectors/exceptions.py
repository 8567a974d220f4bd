"""Kafka's errors by their names in cases."""

from __future__ import annotations

from engine.errors import Error
from engine.explain.exceptions import EARLIER
from engine.vectors.outcome import Skip


def error_named(name: str) -> Error:
    """The error with this name, also with a name that it had in an earlier version. Raises Skip when the engine has
    none."""
    found = Error.__members__.get(name) or EARLIER.get(name)
    if found is None:
        raise Skip(f"the engine has no error {name}")
    return found
