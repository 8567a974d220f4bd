"""A state machine as rows, checked when it is loaded.

Owns the shape of a row, the checks on a table and its forms for others (JSON for diagrams, text for
``explain``). It must not know any protocol. A row's ``when`` names a guard and ``effects`` names
effects of the role that owns the machine; the role resolves them to functions once, at load.

The first row of (source, on) whose guard holds decides. Guards of one (source, on) must not hold
together; a property test checks that for every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError

ALWAYS = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One transition or refusal.

    ``target`` None: refused, state unchanged. ``reply`` is the error or result the asker gets.
    ``why`` is a key of the catalogue; ``spec`` a requirement ID.
    """

    source: str
    on: str
    target: str | None
    why: str
    spec: str
    when: str = ALWAYS
    reply: str = ""
    effects: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        return self.target is None

    def name(self, machine: str) -> str:
        guard = f"[{self.when}]" if self.when else ""
        return f"{machine}: {self.source} --{self.on}{guard}--> {self.target or 'refused'}"


class Machine:
    """A checked table. ``find(state, on, holds)`` returns the deciding row; ``holds(guard) -> bool``."""

    def __init__(
        self,
        name: str,
        initial: str,
        rows: Sequence[Row],
        *,
        guards: Iterable[str] = (),
        effects: Iterable[str] = (),
        terminal: Iterable[str] = (),
        entered_from_outside: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.initial = initial
        self.rows = tuple(rows)
        self.guards = frozenset(guards)
        self.effects = frozenset(effects)
        self.terminal = frozenset(terminal)
        self.states = tuple(
            dict.fromkeys(
                [initial]
                + [row.source for row in rows]
                + [row.target for row in rows if row.target]
                + sorted(self.terminal)
            )
        )
        self.events = tuple(dict.fromkeys(row.on for row in rows))
        self._targets: dict[tuple[str, str], str | None] = {
            (row.source, row.on): row.target for row in self.rows
        }
        self._numbers = {(row.source, row.on, row.when): number for number, row in enumerate(self.rows)}
        self._by_key: dict[tuple[str, str], tuple[Row, ...]] = {}
        for row in self.rows:
            key = (row.source, row.on)
            self._by_key[key] = (*self._by_key.get(key, ()), row)
        self._check(frozenset(entered_from_outside))

    def _check(self, entered_from_outside: frozenset[str]) -> None:
        seen: set[tuple[str, str, str]] = set()
        for row in self.rows:
            place = row.name(self.name)
            if (row.source, row.on, ALWAYS) in seen:
                raise EngineError(f"{place}: stands behind a row without a guard and can never decide")
            if (row.source, row.on, row.when) in seen:
                raise EngineError(f"{place}: the row stands twice")
            seen.add((row.source, row.on, row.when))
            if row.when and row.when not in self.guards:
                raise EngineError(f"{place}: unknown guard {row.when!r}")
            unknown = [effect for effect in row.effects if effect not in self.effects]
            if unknown:
                raise EngineError(f"{place}: unknown effects {unknown}")
            if not row.why or not row.spec:
                raise EngineError(f"{place}: a row needs its why and its spec")
        reached = {self.initial} | set(entered_from_outside)
        grown = True
        while grown:
            more = {row.target for row in self.rows if row.target and row.source in reached} - reached
            grown = bool(more)
            reached |= more
        lost = [state for state in self.states if state not in reached]
        if lost:
            raise EngineError(f"{self.name}: states {lost} cannot be reached")

    def candidates(self, state: str, on: str) -> tuple[Row, ...]:
        """The rows of (state, on) in the order tried; empty when the table has none."""
        return self._by_key.get((state, on), ())

    def find(self, state: str, on: str, holds: Mapping[str, bool] | None = None) -> Row:
        """The row that decides ``on`` in ``state``.

        ``holds`` maps guard names to their truth. No row at all is a broken table: EngineError.
        """
        for row in self._by_key.get((state, on), ()):
            if not row.when or (holds is not None and holds[row.when]):
                return row
        raise EngineError(f"{self.name}: no row for {on!r} in state {state!r}")

    def number_of(self, row: Row) -> int:
        """The place of a row in the table, counted from 0; no two rows have the same source, event and guard."""
        return self._numbers[(row.source, row.on, row.when)]

    @property
    def targets(self) -> dict[tuple[str, str], str | None]:
        """(state, event) to target, for machines without guards whose rows are taken in a hurry."""
        return self._targets

    def to_json(self) -> dict[str, object]:
        """States, events and rows for diagrams and reference pages."""
        return {
            "name": self.name,
            "initial": self.initial,
            "states": list(self.states),
            "terminal": sorted(self.terminal),
            "events": list(self.events),
            "rows": [
                {
                    "source": row.source,
                    "on": row.on,
                    "when": row.when,
                    "target": row.target,
                    "reply": row.reply,
                    "effects": list(row.effects),
                    "why": row.why,
                    "spec": row.spec,
                }
                for row in self.rows
            ],
        }


class _Taken(dict[tuple[str, str], Any]):
    """A machine's targets that notes which were looked up."""

    def __init__(self, machine: Machine, found: dict[int, Row]) -> None:
        super().__init__(machine._targets)
        self._machine = machine
        self._found = found

    def _note(self, key: tuple[str, str]) -> None:
        for row in self._machine.candidates(*key):
            self._found[id(row)] = row

    def __getitem__(self, key: tuple[str, str]) -> Any:
        self._note(key)
        return super().__getitem__(key)

    def get(self, key: tuple[str, str], default: Any = None) -> Any:
        self._note(key)
        return super().get(key, default)


@contextmanager
def deciding_rows(machines: Iterable[Machine]) -> Iterator[dict[int, Row]]:
    """While it lasts, every row that decides something is noted, by ``id(row)``. For the coverage report."""
    found: dict[int, Row] = {}
    plain = Machine.find

    def noting(self: Machine, state: str, on: str, holds: Mapping[str, bool] | None = None) -> Row:
        row = plain(self, state, on, holds)
        found[id(row)] = row
        return row

    tables = [(machine, machine._targets) for machine in machines]
    for machine, _ in tables:
        machine._targets = _Taken(machine, found)
    Machine.find = noting  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Machine.find = plain  # type: ignore[method-assign]
        for machine, targets in tables:
            machine._targets = targets
