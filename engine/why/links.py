"""The links of an answer, and the subjects that they select.

A link is one sentence of a chain. Its subject is a selection as the player makes it (docs/frame.md, static/player):
the page that shows the chain can select the subject in every picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError

Json = dict[str, Any]

LINKS_MAX = 40
"""Links of one answer. A chain that is longer ends with a link that says how many were left out."""
NAMED_MAX = 10
"""The most things that one sentence names, and the most links about one kind of thing; further ones are counted."""


class NotAsked(ValueError):
    """There is no such question or subject. ``allowed``: the possible ones."""

    def __init__(self, place: str, wrong: str, allowed: str) -> None:
        super().__init__(f"{place}: {wrong}; {allowed}")
        self.place = place
        self.wrong = wrong
        self.allowed = allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One sentence. ``subject``: what it is about, as a selection. ``compared``: pairs of (what, number) that stood
    side by side. ``step``: the step that it speaks of, when that is an earlier one."""

    key: str
    params: Json = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    subject: Json | None = None
    compared: tuple[tuple[Any, Any], ...] = ()
    step: int | None = None

    def to_json(self) -> Json:
        return {
            "key": self.key,
            "params": self.params,
            "rules": list(self.rules),
            "subject": self.subject,
            "compared": [list(pair) for pair in self.compared],
            "step": self.step,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that can be asked now. ``question`` and ``subject`` are what :func:`engine.why.why` takes, ``key``
    and ``params`` the words of it."""

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
    """A link of the catalogue's ``why.`` sentences."""
    return Link(key=f"why.{key}", params=params, rules=rules, subject=subject, step=step)


def bounded(chain: Sequence[Link]) -> tuple[Link, ...]:
    """The chain; if it is cut, its last sentence says so. An answer without a sentence is a broken rule of the
    engine."""
    if not chain:
        raise EngineError("an answer to why has no link")
    if len(chain) <= LINKS_MAX:
        return tuple(chain)
    kept = chain[: LINKS_MAX - 1]
    return (*kept, link("more", count=len(chain) - len(kept)))


def named(names: Sequence[Any]) -> list[Any]:
    """The first few names, and how many others there are as ``+3``."""
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
    """A batch in a log."""
    place = f"{partition}/{batch['base_offset']}"
    return {"kind": "batch", "id": place, "partition": partition, "serials": batch["serials"]}


def batch_subject(client: str, name: str, batch: Json) -> Json:
    """A batch of a client, wherever it is."""
    return {
        "kind": "batch",
        "id": f"{client}/{name}",
        "partition": batch["partition"],
        "serials": batch["serials"],
    }
