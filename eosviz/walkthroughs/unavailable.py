"""The message for a person when a part of the server failed for now."""

from __future__ import annotations

from eosviz.no_room import means_no_room
from eosviz.refusals import Problem


def unavailable(error: BaseException, otherwise: str) -> Problem:
    """The problem `no_room` if the error means that nothing can be stored now, else `otherwise`."""
    return Problem("unavailable", "no_room" if means_no_room(error) else otherwise)
