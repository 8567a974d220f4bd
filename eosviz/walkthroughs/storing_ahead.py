"""When the page asks for a step that a worker made ahead, stores it in the process of the page's socket: on
PostgreSQL in one statement from the event loop, otherwise in a transaction in the storing thread."""

from __future__ import annotations

import logging
import uuid

import msgspec
from django.db import DatabaseError

from eosviz.kept_thread import KeptThread
from eosviz.walkthroughs import one_statement, presenting
from eosviz.walkthroughs.actions import done, frames_of, remembered, store
from eosviz.walkthroughs.made_steps import MadeStep
from eosviz.walkthroughs.messages import Advance, CommandAnswer
from eosviz.walkthroughs.models import Branch, Step
from eosviz.walkthroughs.presenting_messages import Presented
from eosviz.walkthroughs.walking import Chunk, Overtaken

logger = logging.getLogger(__name__)

storing_thread = KeptThread("storing")

Stored = tuple[list[bytes], CommandAnswer, Presented | None]
"""The messages to send about a step that was made ahead, the answer, and the presenter's position if it
changed."""


async def store_ahead(session_id: uuid.UUID, command: Advance, made: MadeStep) -> Stored | None:
    """Stores the step for the command that asks for it. Returns None if a worker has to carry out the
    command."""
    if one_statement.is_possible():
        return await _store_at_once(session_id, command, made)
    try:
        return await storing_thread.run(store_in_transaction, session_id, command, made)
    except DatabaseError as error:
        logger.warning("session %s: a step was left to the worker: %r", session_id, error)
        return None


def store_in_transaction(session_id: uuid.UUID, command: Advance, made: MadeStep) -> Stored | None:
    """Stores the step in one transaction. Returns None if a worker has to carry out the command."""
    chunk = _chunk_of(session_id, command, made)
    branch = chunk.steps[0].branch
    try:
        answer = store(branch, chunk, command, None)
    except Overtaken:
        return None
    if answer is None:
        return None
    presented = presenting.go_along(session_id, command)
    return frames_of(branch, chunk, presented), answer, presented


async def _store_at_once(session_id: uuid.UUID, command: Advance, made: MadeStep) -> Stored | None:
    chunk = _chunk_of(session_id, command, made)
    step = chunk.steps[0]
    branch = step.branch
    branch.newest = step.number
    answer = done(command, branch, "count")
    if not await one_statement.store_at_once(step, remembered(session_id, command, answer)):
        return None
    presented = None
    if command.present is not None:
        presented = await _presented(session_id, command)
    return frames_of(branch, chunk, presented), answer, presented


async def _presented(session_id: uuid.UUID, command: Advance) -> Presented | None:
    """Moves the presenter to the step if the command says so, and returns the new position. Returns None if
    the presenter does not move, or if the database failed."""
    try:
        return await storing_thread.run(presenting.go_along, session_id, command)
    except DatabaseError as error:
        logger.warning("session %s: the presentation did not go along: %r", session_id, error)
        return None


def _chunk_of(session_id: uuid.UUID, command: Advance, made: MadeStep) -> Chunk:
    branch = Branch(id=int(command.branch), session_id=session_id, newest=command.after)
    return Chunk([Step(branch=branch, **msgspec.structs.asdict(made))], stopped="count")
