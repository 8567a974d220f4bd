"""The judges' record of transactions over middleware: the parts that nodes carried out, and the outcomes
(MW-12, MW-16).

A transaction is mixed when the middleware has ended it, or left it to an operator, while some nodes have
carried out their part and others have not. Work is repeated when a node carried out its part more than once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine import events
from engine.shapes.middleware import WindowView


@dataclass(slots=True)
class TransactionRecord:
    """One transaction. ``executions``: dict of node → the number of its executions that were not undone.
    ``state``: the final state that the middleware reported; None while the transaction is open."""

    tid: int
    executions: dict[str, int]
    reserved: set[str] = field(default_factory=set)
    state: str | None = None
    differ_since: int | None = None
    differ_until: int | None = None
    """The virtual ms at which the nodes stopped differing; None: they have not. They differ from the first local
    commit until the last one, or until everything is undone (MW-14). If they differ again later, ``differ_since``
    and ``differ_until`` are those of the newest period."""

    def weigh_window(self, at: int) -> None:
        """Update the period in which the nodes differ, after a node has carried out or undone its part at ``at``
        (virtual ms)."""
        if 0 < len(self.applied) < len(self.executions):
            if self.differ_since is None or self.differ_until is not None:
                self.differ_since, self.differ_until = at, None
        elif self.differ_since is not None and self.differ_until is None:
            self.differ_until = at

    @property
    def applied(self) -> list[str]:
        return [node for node, count in self.executions.items() if count > 0]

    @property
    def repeated(self) -> list[str]:
        return [node for node, count in self.executions.items() if count > 1]

    @property
    def mixed(self) -> bool:
        return self.state is not None and 0 < len(self.applied) < len(self.executions)


@dataclass(frozen=True, slots=True)
class TransactionVerdict:
    """The counts of one transaction over middleware (judge/README.md)."""

    tid: int
    state: str
    nodes: int
    applied: int
    repeated: int
    reserved: int
    mixed: bool

    def line(self) -> str:
        return (
            f"verdict transaction {self.tid} state={self.state} applied={self.applied}/{self.nodes} "
            f"repeated={self.repeated} reserved={self.reserved} mixed={'yes' if self.mixed else 'no'}"
        )


class WindowPart:
    """The part of the view for the period in which the nodes of one transaction differed, which no node knows."""

    __slots__ = ("path", "record")

    def __init__(self, record: TransactionRecord) -> None:
        self.record = record
        self.path = ("middleware", "differ", str(record.tid))

    def view(self) -> WindowView | None:
        record = self.record
        if record.differ_since is None:
            return None
        return {"since": record.differ_since, "until": record.differ_until}


class MiddlewareRecord:
    """All transactions of one run. ``nodes``: the nodes that have a part in each transaction."""

    def __init__(self, nodes: list[str]) -> None:
        self.nodes = nodes
        self.transactions: dict[int, TransactionRecord] = {}
        self.windows: dict[int, WindowPart] = {}

    def take(self, fact: Any) -> None:
        record = self.transactions.get(fact.tid)
        if record is None:
            record = self.transactions[fact.tid] = TransactionRecord(fact.tid, dict.fromkeys(self.nodes, 0))
            self.windows[fact.tid] = WindowPart(record)
        if isinstance(fact, events.TransactionEnded):
            record.state = fact.state
        elif isinstance(fact, events.TransactionTakenUp):
            record.state = None
        elif isinstance(fact, events.WorkReserved):
            record.reserved.add(fact.node)
        else:
            record.reserved.discard(fact.node)
            if isinstance(fact, events.WorkApplied):
                record.executions[fact.node] += 1
                record.weigh_window(fact.at)
            elif isinstance(fact, events.WorkUndone):
                record.executions[fact.node] -= 1
                record.weigh_window(fact.at)

    def verdicts(self) -> list[TransactionVerdict]:
        return [
            TransactionVerdict(
                tid,
                record.state or "OPEN",
                len(self.nodes),
                len(record.applied),
                len(record.repeated),
                len(record.reserved),
                record.mixed,
            )
            for tid, record in sorted(self.transactions.items())
        ]


def mixed(record: TransactionRecord) -> list[str]:
    """The nodes that carried out their part, if the transaction is mixed; else empty."""
    return record.applied if record.mixed else []


def repeated(record: TransactionRecord) -> list[str]:
    """The nodes that carried out their part more than once. An execution that was undone does not count."""
    return record.repeated
