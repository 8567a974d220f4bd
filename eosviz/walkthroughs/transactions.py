"""Lists the transactions of a branch and its ancestors, one row for each, from the stored steps
(`TransactionLines`, engine/transaction_lines.py).

Steps never change. A process therefore keeps the rows of the branches that were asked about last, and adds
only the steps that are new. While rows are in use, they are not in the cache; another question that arrives
meanwhile computes its own rows.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from threading import Lock
from typing import Any

import msgspec

from engine.transaction_lines import TransactionLines
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.models import Branch, Keyframe, Step

KEPT_BRANCHES = 32
Key = tuple[uuid.UUID, int]
"""The session and the branch. The session is needed because SQLite may give the id of a deleted branch to a
new one."""


class _Kept:
    """Keeps the rows of the branches that were asked about last."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Key, TransactionLines] = OrderedDict()
        self._lock = Lock()

    def take(self, branch: Key) -> TransactionLines | None:
        with self._lock:
            return self._lines.pop(branch, None)

    def keep(self, branch: Key, lines: TransactionLines) -> None:
        with self._lock:
            known = self._lines.pop(branch, None)
            newer = known is not None and known.through > lines.through
            self._lines[branch] = known if newer and known is not None else lines
            while len(self._lines) > KEPT_BRANCHES:
                self._lines.popitem(last=False)


_kept = _Kept()


def transactions_of(branch: Branch) -> dict[str, Any]:
    """Returns the transactions of the branch and its ancestors up to its newest step, in the form of
    `TransactionLines.to_json`."""
    line = Branch.objects.line(branch)
    key = (branch.session_id, branch.id)
    lines = _kept.take(key) or TransactionLines(_first_view(line))
    stored = Step.objects.of_line(line, lines.through + 1, branch.newest).values_list("body", flat=True)
    for body in stored.iterator(LIMITS.window_steps):
        lines.take(msgspec.json.decode(bytes(body)))
    json_lines = lines.to_json()  # Another thread may continue with the rows after `keep`.
    _kept.keep(key, lines)
    return json_lines


def _first_view(line: list[Branch]) -> dict[str, Any]:
    first = Keyframe.objects.nearest(line, 0)
    if first is None:
        return {}
    view: dict[str, Any] = msgspec.json.decode(first.view_json)
    return view
