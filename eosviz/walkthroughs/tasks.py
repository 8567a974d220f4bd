"""What the workers do: one task, a door to `actions.carry_out`.

It is acknowledged late: a task whose worker was killed comes back, and so does one that a page asked for
again. Either finds the command's row and only answers.
"""

from __future__ import annotations

import logging
import uuid

import msgspec
from django.db import DatabaseError

from eosviz.celery import app
from eosviz.walkthroughs import actions
from eosviz.walkthroughs.messages import Actions, Answer, AskActions, Command, Problem
from eosviz.walkthroughs.streaming import publish

logger = logging.getLogger(__name__)

_decoder = msgspec.json.Decoder(Command)
_question_decoder = msgspec.json.Decoder(AskActions)


@app.task(name="walkthroughs.carry_out", ignore_result=True, acks_late=True)
def carry_out(session_id: str, command: str, pauses: int | None) -> None:
    """`command` is the page's message as JSON, checked before; `pauses` the branch's count when it was
    asked.
    """
    decoded = _decoder.decode(command)
    try:
        actions.carry_out(uuid.UUID(session_id), decoded, pauses)
    except DatabaseError:
        # A full disk, a lock held for too long: nothing of the command is stored, the page asks again.
        logger.exception("session %s: command %s was not stored", session_id, decoded.id)
        publish(session_id, [], Problem("unavailable", "not_stored").message(str(decoded.id)))


@app.task(name="walkthroughs.find_actions", ignore_result=True, acks_late=False)
def find_actions(session_id: str, question: str) -> None:
    """Answer an `actions` message. Changes nothing, so it is acknowledged early and never comes back."""
    asked = _question_decoder.decode(question)
    answer: Answer
    try:
        answer = Actions(re=str(asked.id), actions=actions.offered(uuid.UUID(session_id), asked))
    except Problem as problem:
        answer = problem.message(str(asked.id))
    except DatabaseError:
        logger.exception("session %s: question %s", session_id, asked.id)
        answer = Problem("unavailable", "not_stored").message(str(asked.id))
    publish(session_id, [], answer)
