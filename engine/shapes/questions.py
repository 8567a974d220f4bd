"""A question before a step that decides; docs/websocket.md, *Hands and polls*."""

from __future__ import annotations

from typing import TypedDict

from engine.shapes.words import JsonObject


class QuestionChoice(TypedDict):
    """One possible answer."""

    id: str
    key: str
    params: JsonObject


class Reason(TypedDict):
    """Why a choice is right or wrong."""

    key: str
    params: JsonObject
    rule: str | None
    """The requirement that explains the reason."""
    outcome: str | None
    """If the reason is a check of the receiver: the check's result (`passed`, `decided`, …). Null for other
    reasons."""


class Question(TypedDict):
    """A question at a checkpoint of a run."""

    checkpoint: int
    ask: str
    at: int
    """The step at which the run stops; the next step gives the answer."""
    message: int | None
    """Id of the message that the next step delivers, which is in flight at step ``at``; null: the next step
    delivers none."""
    key: str
    params: JsonObject
    choices: list[QuestionChoice]
    right: str
    reasons: dict[str, list[Reason]]
    """Dict of choice → its reasons."""
