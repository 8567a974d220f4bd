"""The links of an answer, and the subjects that they select.

A link is one sentence of a chain. Its subject is a selection of the player (docs/frame.md, static/player), so
a page with the chain can select the subject in every picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError
from engine.telling.telling import phrase

Json = dict[str, Any]

LINKS_MAX = 40
"""An answer has at most this many links. The last link of a longer chain says how many links were left out."""
NAMED_MAX = 10
"""``named`` lists at most this many names, and then the number of the others. An answer also has at most this many
links about single clients, consumers, replicas or nodes."""


class NotAsked(ValueError):
    """Raised if there is no such question, or if it cannot be asked about this subject. ``place``: ``question`` or
    ``subject``. ``wrong``: the mistake. ``allowed``: what can be asked instead, as text."""

    def __init__(self, place: str, wrong: str, allowed: str) -> None:
        super().__init__(f"{place}: {wrong}; {allowed}")
        self.place = place
        self.wrong = wrong
        self.allowed = allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One sentence of an answer. ``subject``: the object of the sentence, as a selection. ``compared``:
    (name, number) of each value that was compared. ``step``: the number of the step that the sentence is
    about; None: it is about the present state. ``answers``: whether this sentence answers the question."""

    key: str
    params: Json = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    subject: Json | None = None
    compared: tuple[tuple[Any, Any], ...] = ()
    step: int | None = None
    answers: bool = False

    def to_json(self) -> Json:
        return {
            "key": self.key,
            "params": self.params,
            "rules": list(self.rules),
            "subject": self.subject,
            "compared": [list(pair) for pair in self.compared],
            "step": self.step,
            "answers": self.answers,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that can be asked now. ``question`` and ``subject`` are the arguments of
    :func:`engine.why.why`; ``key`` and ``params`` are the question's wording."""

    question: str
    subject: str
    key: str
    params: Json

    def to_json(self) -> Json:
        return {
            "question": self.question,
            "subject": self.subject,
            "key": self.key,
            "params": self.params,
        }


def link(key: str, *rules: str, subject: Json | None = None, step: int | None = None, **params: Any) -> Link:
    """A link with a sentence of the catalogue, ``why.<key>``."""
    return Link(key=f"why.{key}", params=params, rules=rules, subject=subject, step=step)


def bounded(chain: Sequence[Link]) -> tuple[Link, ...]:
    """The chain. If it has more than LINKS_MAX links, it is shortened, and its last link says how many are left out.
    Raises EngineError for an empty chain."""
    if not chain:
        raise EngineError("an answer to why has no link")
    if len(chain) <= LINKS_MAX:
        return tuple(chain)
    kept = chain[: LINKS_MAX - 1]
    return (*kept, link("more", count=len(chain) - len(kept)))


def kind_of(message: Json) -> str:
    """The kind of a message of the view: ``request`` or ``response``."""
    return "response" if message["is_response"] else "request"


def named(names: Sequence[Any]) -> list[Any]:
    """The first NAMED_MAX names, and if there are more, the number of the others as text (``+3``)."""
    others = len(names) - NAMED_MAX
    return [*names[:NAMED_MAX], f"+{others}"] if others > 0 else list(names)


# -- selections --------------------------------------------------------------------------------------------


def partition_subject(partition: str) -> Json:
    return {"kind": "partition", "id": partition}


def actor_subject(actor: str) -> Json:
    return {"kind": "actor", "id": actor}


def transaction_subject(transactional_id: str) -> Json:
    return {"kind": "transaction", "id": transactional_id}


def message_subject(message: str) -> Json:
    return {"kind": "message", "id": message}


def stored_subject(partition: str, batch: Json) -> Json:
    """The selection of a batch in a log."""
    place = f"{partition}/{batch['base_offset']}"
    return {"kind": "batch", "id": place, "partition": partition, "serials": batch["serials"]}


def batch_subject(client: str, name: str, batch: Json) -> Json:
    """The selection of a client's batch, queued or in flight."""
    return {
        "kind": "batch",
        "id": f"{client}/{name}",
        "partition": batch["partition"],
        "serials": batch["serials"],
    }


def when_due(left: int) -> Json:
    """The clause about the milliseconds until an event: `in 30 ms`, or `now`."""
    return phrase("clause.due_in", left=left) if left else phrase("clause.due_now")
