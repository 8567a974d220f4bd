"""Makes the sentences of a step from happenings: the structure of this package's tables.

A table has one row for each class of happenings. Most rows add one sentence, whose parameters are the
happening's fields (``says``, ``notes``). The other rows are functions of the happening and the teller. No
role depends on this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Protocol, TypeVar

from engine.happenings.base import Happening
from engine.shapes.steps import Decision
from engine.value import reader_of

Shown = TypeVar("Shown")


class Teller(Protocol):
    """Adds sentences to the current step (``recording.Recorded``)."""

    def say(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        """Add a sentence. The first one becomes the step's own sentence, and later ones its notes. ``rules``:
        the requirements that the role has just *enforced*."""

    def note(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        """Add a note to the current step."""

    def lead(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        """Make this the step's own sentence; an earlier one becomes a note. In a step with a transition of a
        state machine, add this sentence as a note instead."""

    def holders(self, transactional_id: str | None) -> dict[str, tuple[int, int]]:
        """Dict of name of a producer of this transactional id → its (producer id, epoch) before the current step.
        Producers without an identity are missing."""

    def raised(self, transactional_id: str, epoch: int, cause: str) -> None:
        """Store the cause for which the epoch of a transactional id was raised to ``epoch``. ``cause``: the key of a
        sentence."""

    def raised_beyond(self, transactional_id: str, epoch: int) -> str | None:
        """The cause of the raise from ``epoch`` to the next higher epoch, as the key of a sentence; None if it is not
        known."""

    def records_of(self, client: str, batch: str) -> list[str]:
        """The names of the records in a client's batch, as the stage shows them (``record_names``)."""

    def shown(self, *path: str) -> Any:
        """The view of the part at ``path`` as it is now; None if no part has this path."""

    def coordinated(self, producer_id: int) -> tuple[str, str, Mapping[str, Any]] | None:
        """(coordinator, transactional id, the coordinator's entry of it) for a producer id; None if no coordinator of
        this run has an entry. If several have one, the one with the highest coordinator epoch counts."""

    def coordinator_of(self, transactional_id: str | None) -> str | None:
        """The coordinator that has an entry of the id, in the highest coordinator epoch if there are several; None if
        no coordinator of this run has one."""

    def isolations(self) -> set[str]:
        """The isolation levels of the run's consumers."""

    def is_under_way(self, api: str, source: str, destination: str, partition: str) -> bool:
        """Whether a message of this API with this partition is in flight from ``source`` to ``destination``."""

    def decide(self, decision: Decision) -> None:
        """Set the step's decision: the rows of a table in order, each with its outcome (``decision`` of
        docs/frame.md)."""

    def refuse(
        self, rule: str, error: str, compared: list[list[Any]], next_key: str, /, **next_params: Any
    ) -> None:
        """Add a refusal: rule, error, the compared numbers, and the key of the sentence on the next action (UIV-3)."""

    def transition(self, machine: str, of: str, source: str, target: str, on: str, row: int) -> None:
        """Add a transition of a state machine to the step."""


Tell = Callable[[Any, Teller], None]
Tellings = Mapping[type[Happening], Tell]


def plain(value: Any) -> Any:
    """A field of a happening as a parameter of a sentence, which is JSON."""
    if type(value) is tuple:
        return list(value)
    if isinstance(value, Enum):
        return value.name
    return value


_READERS: dict[type, tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]] = {}


def params_of(happened: Happening) -> dict[str, Any]:
    """A happening's fields as parameters, by name and in their order."""
    kind = type(happened)
    reader = _READERS.get(kind)
    if reader is None:
        reader = _READERS[kind] = _reader(kind)
    names, read = reader
    values = read(happened)
    params = dict(zip(names, values, strict=True))
    for value in values:
        if type(value) not in _SHOWN_AS_THEY_ARE:
            return dict(zip(names, map(plain, values), strict=True))
    return params


_SHOWN_AS_THEY_ARE = frozenset({str, int, bool, type(None)})


def _reader(kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    names = tuple(field.name for field in fields(kind))
    return names, reader_of(names)


def phrase(key: str, **params: Any) -> dict[str, Any]:
    """A parameter that is itself a sentence of the catalogue."""
    return {"key": key, "params": params}


def says(key: str, *rules: str) -> Tell:
    """Make a row that adds a sentence to the step, with the happening's fields as its parameters."""

    def tell(happened: Happening, teller: Teller) -> None:
        teller.say(key, rules, **params_of(happened))

    return tell


def notes(key: str, *rules: str) -> Tell:
    """Make a row that adds a note to the step, with the happening's fields as its parameters."""

    def tell(happened: Happening, teller: Teller) -> None:
        teller.note(key, rules, **params_of(happened))

    return tell
