"""Makes and stores the files of a link's run, for pages that play or show the run without a session: the
player file and the preview picture.

A file is made when it is first requested: one for each run and version of the engine, a picture also for each
step. Later requests read it from the database. The link's address determines the run, so a file that was
deleted can be made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from django.db import transaction

from engine.simulation import ENGINE_VERSION
from eosviz.bounded import runner
from eosviz.bounded.register import Caller
from eosviz.bounded.tasks import TASKS
from eosviz.refusals import Problem
from eosviz.replays.linked_run import Asked, made
from eosviz.replays.models import LINKED_FILES_MAX, LinkedFile
from eosviz.walkthroughs.asked_run import FRAME_STEPS_MAX
from eosviz.walkthroughs.bounded_problems import problems
from eosviz.walkthroughs.links import Link, version_of


def kept(kind: str, link: Link, count: Callable[[], None], asks: Caller) -> LinkedFile:
    """The link's file of one kind, `player` or `card`. `count` is called before a file is made. Raises
    Problem if the link cannot be played, and the exceptions of `count`."""
    key = hashlib.sha256(msgspec.json.encode([kind, ENGINE_VERSION, *_identity(kind, link)])).hexdigest()
    found = LinkedFile.objects.filter(key=key).first()
    if found is not None:
        return found
    count()
    return _store(key, kind, _made(kind, link, asks))


def _identity(kind: str, link: Link) -> list[Any]:
    version, _ = version_of(link)
    run = [version.digest, link.variant, link.done]
    return run if kind == "player" else [*run, link.step]


def _made(kind: str, link: Link, asks: Caller) -> bytes:
    """Make the file, in this process or in a bounded one. Raises Problem."""
    if link.steps_needed > FRAME_STEPS_MAX:
        raise Problem("limit", "link_too_far", most=FRAME_STEPS_MAX)
    version, _ = version_of(link)
    asked = Asked(
        kind=kind,
        identity=link.digest[:32],
        document=version.document,
        source=version.identifier,
        variant=link.variant,
        done=link.done,
        step=link.step,
    )
    with problems():
        if version.library_position is not None and not link.done:
            return made(asked)
        return runner.answer(TASKS["linked"], asked, asks)


def _store(key: str, kind: str, content: bytes) -> LinkedFile:
    with transaction.atomic():
        made, _ = LinkedFile.objects.get_or_create(key=key, defaults={"kind": kind, "content": content})
        oldest = LinkedFile.objects.order_by("-made", "key").values_list("key", flat=True)[LINKED_FILES_MAX:]
        LinkedFile.objects.filter(key__in=list(oldest)).delete()
    return made
