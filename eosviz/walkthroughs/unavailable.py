"""What a person reads where a part of the server did not do its work and the page asks again by itself."""

from __future__ import annotations

from eosviz.no_room import means_no_room
from eosviz.walkthroughs.messages import Problem


def unavailable(error: BaseException, otherwise: str) -> Problem:
    """The problem `no_room` where the error means that nothing can be stored now, else `otherwise`."""
    return Problem("unavailable", "no_room" if means_no_room(error) else otherwise)
