"""The message for a user when a part of the server cannot work at the moment."""

from __future__ import annotations

from eosviz.no_room import means_no_room
from eosviz.refusals import Problem


def unavailable(error: BaseException, otherwise: str) -> Problem:
    """Returns the problem `no_room` if the error means that nothing can be stored at the moment; otherwise
    the problem `otherwise`."""
    return Problem("unavailable", "no_room" if means_no_room(error) else otherwise)
