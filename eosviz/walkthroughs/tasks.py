"""The tasks that workers execute. Each calls a function of another module.

`carry_out` is acknowledged only at its end, so it is delivered again if its worker was killed; a page may
also send the command again. If the first execution stored the row of the command, the second only sends the
stored answer.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

import msgspec
from django.db import DatabaseError, transaction
from kombu.exceptions import OperationalError

from eosviz.celery import app
from eosviz.no_room import means_no_room
from eosviz.refusals import Problem
from eosviz.walkthroughs import actions
from eosviz.walkthroughs.ahead import answer_ahead, go_on_ahead, look_ahead
from eosviz.walkthroughs.engine_steps import counted_clicks
from eosviz.walkthroughs.explaining import explained
from eosviz.walkthroughs.messages import (
    Actions,
    Advance,
    Answer,
    AskActions,
    AskAhead,
    AskPlan,
    AskWhy,
    Command,
)
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.plans import made_plan
from eosviz.walkthroughs.questions import branch_of
from eosviz.walkthroughs.streaming import publish
from eosviz.walkthroughs.unavailable import unavailable

logger = logging.getLogger(__name__)

CODE_CHARACTERS = 8
"""An error message shows this many characters of the message's id, as the code that the user can report. The
log contains the whole id, with the exception."""

_decoder = msgspec.json.Decoder(Command)
_ahead_decoder = msgspec.json.Decoder(AskAhead)
_question_decoder = msgspec.json.Decoder(AskActions)
_plan_decoder = msgspec.json.Decoder(AskPlan)
_why_decoder = msgspec.json.Decoder(AskWhy)


@app.task(name="walkthroughs.carry_out", ignore_result=True, acks_late=True)
def carry_out(session_id: str, command: str, pauses: int | None, page: str | None = None) -> None:
    """Carries out a command of a page. `command`: the page's message as JSON, already checked. `pauses`:
    how often the branch had been paused when the command was sent. `page`: the channel name of the page's
    socket."""
    decoded = _decoder.decode(command)
    is_click = isinstance(decoded, Advance) and decoded.count == 1
    with counted_clicks(1) if is_click else nullcontext():
        with _answering(session_id, decoded.id):
            actions.carry_out(uuid.UUID(session_id), decoded, pauses)
        if isinstance(decoded, Advance) and decoded.ahead and page is not None:
            look_ahead(uuid.UUID(session_id), int(decoded.branch), page)


@app.task(name="walkthroughs.go_on", ignore_result=True, acks_late=False)
def go_on(session_id: str, branch: str, first: int, last: int, page: str) -> None:
    """Makes the steps after step `last`. A socket has stored the steps `first` to `last` itself. The task is
    not delivered again."""
    with suppress(Problem), counted_clicks(max(1, last - first + 1)):
        go_on_ahead(uuid.UUID(session_id), int(branch), first, last, page)


@app.task(name="walkthroughs.find_ahead", ignore_result=True, acks_late=False)
def find_ahead(session_id: str, question: str) -> None:
    """Answers an `ahead` message. The task is acknowledged at its start, and not delivered again."""
    asked = _ahead_decoder.decode(question)
    _answer(session_id, asked.id, lambda: answer_ahead(uuid.UUID(session_id), asked))


@app.task(name="walkthroughs.find_actions", ignore_result=True, acks_late=False)
def find_actions(session_id: str, question: str) -> None:
    """Answers an `actions` message. Acknowledged at its start, like `find_ahead`."""
    asked = _question_decoder.decode(question)

    def found() -> Answer:
        return Actions(re=str(asked.id), actions=actions.offered(uuid.UUID(session_id), asked))

    _answer(session_id, asked.id, found)


@app.task(name="walkthroughs.find_why", ignore_result=True, acks_late=False)
def find_why(session_id: str, question: str) -> None:
    """Answers a `why` message. Acknowledged at its start, like `find_ahead`."""
    asked = _why_decoder.decode(question)
    _answer(session_id, asked.id, lambda: explained(uuid.UUID(session_id), asked))


@app.task(name="walkthroughs.make_plan", ignore_result=True, acks_late=False)
def make_plan(session_id: str) -> None:
    """Makes the plan of a new session before its page asks for it."""
    session = Session.objects.filter(id=session_id).first()
    if session is not None:
        branch = Branch.objects.select_related("session__version").of_session(session.id)[0]
        made_plan(branch, "")


def plan_soon(session: Session) -> None:
    """Asks a worker to make the plan of a new session, so that the objects that a page draws first keep their
    positions."""

    def ask() -> None:
        with suppress(OperationalError, OSError):
            make_plan.apply_async([str(session.id)], retry=False)

    transaction.on_commit(ask)


@app.task(name="walkthroughs.find_plan", ignore_result=True, acks_late=False)
def find_plan(session_id: str, question: str) -> None:
    """Answers a `plan` message. If the plan cannot be made quickly, sends no answer, and the page asks
    again."""
    asked = _plan_decoder.decode(question)
    with _answering(session_id, asked.id):
        try:
            plan = made_plan(branch_of(uuid.UUID(session_id), asked.branch), str(asked.id))
        except Problem as problem:
            publish(session_id, [], problem.message(str(asked.id)))
            return
        if plan is not None:
            publish(session_id, [], plan)


def _answer(session_id: str, identifier: uuid.UUID, found: Callable[[], Answer]) -> None:
    with _answering(session_id, identifier):
        try:
            answer = found()
        except Problem as problem:
            answer = problem.message(str(identifier))
        publish(session_id, [], answer)


@contextmanager
def _answering(session_id: str, identifier: uuid.UUID) -> Iterator[None]:
    """The `with` block works for a page that is waiting. If the block raises, the page gets an error as its
    answer."""
    try:
        yield
    except Exception as error:
        if isinstance(error, DatabaseError) or means_no_room(error):
            # The disk is full, or a lock was held for too long. The command has no stored answer, and the
            # page asks again.
            logger.exception("session %s: %s was not stored", session_id, identifier)
            publish(session_id, [], unavailable(error, "not_stored").message(str(identifier)))
            return
        # Celery logs the exception that the task raises. The user gets the code that also stands in the log.
        code = str(identifier)[:CODE_CHARACTERS]
        logger.error("session %s: %s failed, code %s", session_id, identifier, code)
        publish(session_id, [], Problem("refused", "failed", report=code).message(str(identifier)))
        raise
