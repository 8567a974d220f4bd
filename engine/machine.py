"""A state machine as a table of rows, which is checked when it is loaded and decides at run time.

Owns the structure of a row, the checks on a table and the choice of the row that decides. It has no rule of
any protocol.

A role calls ``take(state, on, context)``. The guards of the rows of (state, on) read the context, in the
order of the table; the first row whose guard holds decides. It gives the next state, the reply and the
effects. A role names no target and compares no name of an effect: it reads ``row.target``, and calls the
functions that ``bind`` has looked up, once at load, for the row's effects.

The guards of one (state, on) exclude each other. A row without a guard comes last, and decides when no guard
holds. A property test checks this for every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from engine.errors import EngineError
from engine.profile import holds

ALWAYS = ""
Context = TypeVar("Context")
Effect = TypeVar("Effect")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
    """One transition or refusal.

    - ``target``: the next state; None: the event is refused, and the state stays.
    - ``reply``: the error or result with which the request is answered.
    - ``why``: the name of the reason (its sentence: ``telling.rows.row_key``).
    - ``spec``: a requirement ID.
    - ``machine`` and ``number``: the row's table and its index there, from 0. Recordings store both, so a new row is
      added at the end.
    - ``only_if`` and ``unless``: names of fields of the profile. The row exists in the versions in which the first
      field is True and the second is False. In a run only events and guards choose a row.
    """

    source: str
    on: str
    target: str | None
    why: str
    spec: str
    when: str = ALWAYS
    reply: str = ""
    effects: tuple[str, ...] = ()
    only_if: str = ""
    unless: str = ""
    machine: str = field(default="", init=False)
    number: int = field(default=-1, init=False)

    @property
    def refused(self) -> bool:
        return self.target is None

    def exists_in(self, profile: object) -> bool:
        """Whether the version that ``profile`` describes has this row."""
        return holds(profile, self.only_if, self.unless)

    def name(self, machine: str) -> str:
        guard = f"[{self.when}]" if self.when else ""
        return f"{machine}: {self.source} --{self.on}{guard}--> {self.target or 'refused'}"


class Machine(Generic[Context]):
    """A checked table. ``guards``: dict of name → a function that reads the context of an event. ``only_if`` and
    ``unless``: values for every row, if only some versions have the whole machine."""

    def __init__(
        self,
        name: str,
        initial: str,
        rows: Sequence[Row],
        *,
        guards: Mapping[str, Callable[[Context], bool]] | None = None,
        effects: Iterable[str] = (),
        terminal: Iterable[str] = (),
        entered_from_outside: Iterable[str] = (),
        only_if: str = "",
        unless: str = "",
    ) -> None:
        self.name = name
        self.initial = initial
        self.rows = tuple(rows)
        self.guards: Mapping[str, Callable[[Context], bool]] = {} if guards is None else guards
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
        self._by_key: dict[tuple[str, str], tuple[Row, ...]] = {}
        for number, row in enumerate(self.rows):
            object.__setattr__(row, "machine", name)
            object.__setattr__(row, "number", number)
            object.__setattr__(row, "only_if", only_if or row.only_if)
            object.__setattr__(row, "unless", unless or row.unless)
            key = (row.source, row.on)
            self._by_key[key] = (*self._by_key.get(key, ()), row)
        self._check(frozenset(entered_from_outside))
        self.tried: dict[tuple[str, str], tuple[tuple[Callable[[Context], bool] | None, Row], ...]] = {
            key: tuple((self.guards.get(row.when), row) for row in rows) for key, rows in self._by_key.items()
        }
        """Dict of (state, event) → its rows in the order in which they are tried, each with its guard function."""

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

    def take(self, state: str, on: str, context: Context) -> Row:
        """The row that decides ``on`` in ``state``. Raises EngineError when no row does: the table is incomplete."""
        for guard, row in self.tried.get((state, on), ()):
            if guard is None or guard(context):
                return row
        raise EngineError(f"{self.name}: no row for {on!r} in state {state!r}")

    def bind(self, functions: Mapping[str, Effect]) -> tuple[tuple[Effect, ...], ...]:
        """For each row, in the order of their numbers, the functions that carry out its effects. Raises EngineError
        if ``functions`` does not have exactly the effects of the table."""
        differ = sorted(self.effects ^ functions.keys())
        if differ:
            raise EngineError(f"{self.name}: effects {differ} stand in the table or in the role, not in both")
        return tuple(tuple(functions[effect] for effect in row.effects) for row in self.rows)

    def sources(self, on: str) -> frozenset[str]:
        """The states with a row for ``on`` that has a target."""
        return frozenset(row.source for row in self.rows if row.on == on and row.target is not None)

    def targets_of(self, on: str) -> frozenset[str]:
        """The states to which ``on`` leads."""
        return frozenset(row.target for row in self.rows if row.on == on and row.target is not None)

    def target_of(self, state: str, on: str) -> str:
        """The target of the only row of (state, event). Raises EngineError if there is not exactly one row,
        or if the row refuses."""
        rows = self._by_key.get((state, on), ())
        if len(rows) != 1 or rows[0].target is None:
            raise EngineError(f"{self.name}: {on!r} in state {state!r} does not lead to one state")
        return rows[0].target

    def candidates(self, state: str, on: str) -> tuple[Row, ...]:
        """The rows of (state, on) in the order in which they are tried; empty when the table has none."""
        return self._by_key.get((state, on), ())


@contextmanager
def deciding_rows() -> Iterator[dict[int, Row]]:
    """A context in which every row that decides is noted. Yields the dict of ``id(row)`` → row, which grows. The
    coverage report uses it."""
    found: dict[int, Row] = {}
    plain = Machine.take

    def noting(self: Machine[Any], state: str, on: str, context: Any) -> Row:
        row = plain(self, state, on, context)
        found[id(row)] = row
        return row

    Machine.take = noting  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Machine.take = plain  # type: ignore[method-assign]
