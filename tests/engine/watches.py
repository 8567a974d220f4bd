"""A watch for tests of a single role: it reports each happening at once, and knows nothing about a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.recording import Judged
from engine.shapes.steps import Decision
from engine.telling.tellings import TELLINGS
from engine.watching import Fields, Kind


class SaysAtOnce(Judged):
    """Reports each happening at once. Subclasses define `say`, `note` and `refuse`."""

    def emit(self, kind: Kind[Fields], /, *fields: Fields.args, **named: Fields.kwargs) -> None:
        happened = kind(*fields, **named)
        if kind.judged:
            self.fact(happened)
        tell = TELLINGS.get(type(happened))
        if tell is not None:
            tell(happened, self)

    def hears(self, kind: Kind[...]) -> bool:
        return True

    def say(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        raise NotImplementedError

    def note(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        raise NotImplementedError

    def lead(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        self.say(key, rules, **params)

    def refuse(
        self, rule: str, error: str, compared: list[list[Any]], next_key: str, /, **next_params: Any
    ) -> None:
        raise NotImplementedError

    def holders(self, transactional_id: str | None) -> dict[str, tuple[int, int]]:
        return {}

    def raised(self, transactional_id: str, epoch: int, cause: str) -> None:
        """Without a run, there are no causes to remember."""

    def raised_beyond(self, transactional_id: str, epoch: int) -> str | None:
        return None

    def records_of(self, client: str, batch: str) -> list[str]:
        return [batch]

    def shown(self, *path: str) -> Any:
        return None

    def coordinated(self, producer_id: int) -> tuple[str, str, Mapping[str, Any]] | None:
        return None

    def coordinator_of(self, transactional_id: str | None) -> str | None:
        return None

    def isolations(self) -> set[str]:
        return set()

    def is_under_way(self, api: str, source: str, destination: str, partition: str) -> bool:
        return False

    def decide(self, decision: Decision) -> None:
        """Ignored: tests check what was done."""

    def transition(self, machine: str, of: str, source: str, target: str, on: str, row: int) -> None:
        """Ignored: tests check states."""
