"""Keeps steps that were made ahead (`ahead.py`) in the socket of the page.

After a page has stepped, a worker sends one or more further steps to the page's socket. The page gets one of
them at a time. When the page asks for the step, the web process stores it, as a worker would
(`storing_ahead.py`), and answers the page without a worker. If this is not possible, a worker gets the
command, as if the socket had kept no step.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec

from eosviz.walkthroughs.deriving import joined
from eosviz.walkthroughs.made_steps import MadeStep
from eosviz.walkthroughs.messages import Advance, Ahead, encode
from eosviz.walkthroughs.models import Step

_decoder = msgspec.msgpack.Decoder(list[MadeStep])


def ahead_event(branch_id: int, steps: list[Step], storable: int) -> dict[str, Any]:
    """Returns a worker's message with steps that were made ahead (at least one). `storable`: how many of
    these steps, from the first on, the page's socket may store without a worker."""
    made = [
        MadeStep(step.number, step.at, step.interesting, bytes(step.body), bytes(step.derived or b"{}"))
        for step in steps
    ]
    packed = msgspec.msgpack.encode(made)
    return {"type": "session.ahead", "branch": branch_id, "made": packed, "storable": storable}


class KeptAhead:
    """The steps made ahead that a worker last sent to this socket.

    ``first``: the number of the first of these steps. ``taken``: the number of the last step that the socket
    took to store.
    """

    def __init__(self) -> None:
        self.first = self.taken = 0
        self._branch_id = 0
        self._made: deque[MadeStep] = deque()
        """The steps that are not stored yet, oldest first."""
        self._storable = 0
        """How many of the steps in `_made`, from the first on, this socket may store."""

    def keep(self, event: dict[str, Any]) -> bytes:
        """Keeps the steps of a worker's message. Returns the message for the page, with the first of these
        steps."""
        self._made = deque(_decoder.decode(event["made"]))
        self.first = self._made[0].number
        self._branch_id, self._storable = event["branch"], event["storable"]
        return self._message(self._made[0])

    def after(self, branch: str, number: int) -> bytes | None:
        """Returns the message for the page with the kept step that follows step `number`; None if no such
        step is kept."""
        made = self._next(int(branch), number)
        return None if made is None else self._message(made)

    def take(self, command: Advance) -> MadeStep | None:
        """Returns the kept step if the command asks for this step only and this socket may store it;
        otherwise None. A returned step is no longer kept."""
        made = self._next(int(command.branch), command.after)
        if made is None or command.count != 1 or self._storable == 0:
            return None
        self._storable -= 1
        self.taken = made.number
        return self._made.popleft()

    def _next(self, branch_id: int, number: int) -> MadeStep | None:
        if branch_id != self._branch_id or not self._made or self._made[0].number != number + 1:
            return None
        return self._made[0]

    def _message(self, made: MadeStep) -> bytes:
        step = msgspec.Raw(joined(made.body, made.derived))
        return encode(Ahead(branch=str(self._branch_id), after=made.number - 1, step=step))
