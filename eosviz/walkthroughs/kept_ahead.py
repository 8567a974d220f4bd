"""The steps made ahead (`ahead.py`), which the page's socket keeps.

A worker sends one or more steps to the socket of the page that stepped; the page gets one at a time. When the
page asks for a step, the web process stores it, as a worker would (`storing_ahead.py`), and answers the page
without a worker. If anything prevents that, the worker gets the command, as if no step had been kept.
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
    """A worker's message with steps made ahead, at least one. `storable`: how many of them, from the first on, the
    page's socket may store without a worker."""
    made = [
        MadeStep(step.number, step.at, step.interesting, bytes(step.body), bytes(step.derived or b"{}"))
        for step in steps
    ]
    packed = msgspec.msgpack.encode(made)
    return {"type": "session.ahead", "branch": branch_id, "made": packed, "storable": storable}


class KeptAhead:
    """The last steps made ahead that a worker sent to this socket.

    ``first``: the number of the first of them. ``taken``: the number of the last step that the socket took to store.
    """

    def __init__(self) -> None:
        self.first = self.taken = 0
        self._branch_id = 0
        self._made: deque[MadeStep] = deque()
        """The steps that the page has not stored, oldest first."""
        self._storable = 0
        """How many of the steps in `_made`, from the first on, this socket may store."""

    def keep(self, event: dict[str, Any]) -> bytes:
        """Keep a worker's message. Returns the message for the page, with the first step."""
        self._made = deque(_decoder.decode(event["made"]))
        self.first = self._made[0].number
        self._branch_id, self._storable = event["branch"], event["storable"]
        return self._message(self._made[0])

    def after(self, branch: str, number: int) -> bytes | None:
        """The message for the page with the kept step after step `number`; None if there is none."""
        made = self._next(int(branch), number)
        return None if made is None else self._message(made)

    def take(self, command: Advance) -> MadeStep | None:
        """The kept step, if this socket may store it and it is all that the command asks for; else None."""
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
