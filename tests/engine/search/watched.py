"""A run that cannot hang: if it goes on without making a step, or without virtual time passing, an error is raised."""

from __future__ import annotations

from typing import Any

from engine.judge.bench import Bench
from engine.shapes.steps import StepKind
from engine.simulation import Simulation
from engine.watching import Watch
from tests.engine.watches import SaysAtOnce

EVENTS_MAX = 20_000
"""How many events in a row, within SILENCE_MS, may make no step."""
SILENCE_MS = 60_000
"""Clients may try to reach a stopped broker until the run's time is over: that is slow, but no hang."""
STEPS_AT_ONE_TIME_MAX = 2_000
"""How many steps in a row may happen at one virtual time."""


class Stuck(AssertionError):
    """The run goes on, but makes no progress."""


class Heard:
    """Passes the facts of a run to its judges, and keeps them for the checks of the search."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.facts: list[object] = []

    def __call__(self, fact: object) -> None:
        self.facts.append(fact)
        Bench.take(self.bench, fact)


class Headlines(SaysAtOnce):
    """The level *judged*, but with the key of each step's sentence in ``said``."""

    def say(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        if self.said is None:
            self.said = key

    def note(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        """Notes are ignored."""

    def refuse(
        self, rule: str, error: str, compared: list[list[Any]], next_key: str, /, **next_params: Any
    ) -> None:
        """Refusals are ignored."""


class Watched(Simulation):
    """A simulation that notices that it makes no progress."""

    silent = 0
    """How many events happened since the last step, or since the last period of SILENCE_MS began."""
    _silent_from = 0
    _at = (-1, -1)
    _since = 0
    """The number of the step at which the current virtual time began."""

    def make_watch(self) -> Watch:
        return Headlines(self.judges) if self.watching == "judged" else super().make_watch()

    def listen(self) -> list[object]:
        """From now on, also keep facts in the returned list, which the caller empties."""
        heard = Heard(self.judges)
        self.judges.take = heard  # type: ignore[method-assign]
        return heard.facts

    def _next_event(self) -> bool:
        self._watch_over()
        return super()._next_event()

    def at_work(self, actor: str, kind: StepKind) -> None:
        if kind == "sender_phase":
            self._watch_over()
        super().at_work(actor, kind)

    def _watch_over(self) -> None:
        if self._at[0] == self.number:
            if self.now - self._silent_from > SILENCE_MS:
                self.silent, self._silent_from = 0, self.now
            self.silent += 1
            if self.silent > EVENTS_MAX:
                raise Stuck(f"{self.silent} events after step {self.number} made no step, at {self.now} ms")
            return
        self.silent, self._silent_from = 0, self.now
        if self._at[1] != self.now:
            self._since = self.number
        elif self.number - self._since > STEPS_AT_ONE_TIME_MAX:
            raise Stuck(f"{self.number - self._since} steps at {self.now} ms, and no end")
        self._at = (self.number, self.now)
