"""The log case of the sample log. All visitors share it; it has no owner.

The engine makes the sample's files, so they are read in this process and without the limits for users' files.
"""

from __future__ import annotations

import hashlib
import tempfile
import uuid
from functools import cache
from pathlib import Path

import msgspec
from django.db import IntegrityError, transaction

from eosviz.replays import actions
from eosviz.replays.log_answers import Json
from eosviz.replays.log_page import log_case_page
from eosviz.replays.log_upload import LogFiles
from eosviz.replays.models import Replay
from eosviz.replays.sample_log import SAMPLE_OPTIONS, sample_log

NAMESPACE = uuid.UUID("6f3c1d5e-0b7a-5c54-9a0e-3f1f6f6c2b11")


def sample_case() -> Replay:
    """The log case of the sample log, from the database. The first call stores it."""
    identity = _identity()
    known = Replay.objects.defer("player", "bundle").filter(id=identity)
    found = known.first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return actions.keep(_read(str(identity)), "cases")
    except IntegrityError:  # Another process has stored it meanwhile.
        return known.get()


def is_sample(replay: Replay) -> bool:
    return not replay.owner and replay.id == _identity()


@cache
def _identity() -> uuid.UUID:
    """The id of the case. It is computed from the case's content, so it changes when the content does."""
    case = _read(str(NAMESPACE))
    content = msgspec.json.encode([case.engine, case.title, case.steps, case.analysis, case.finding])
    return uuid.uuid5(NAMESPACE, hashlib.sha256(content).hexdigest())


@cache
def sample_page() -> Json:
    """The context of the case's page, computed without a case in the database."""
    analysis: Json = _read(str(NAMESPACE)).analysis or {}
    return log_case_page(analysis)


def _read(identity: str) -> Replay:
    with tempfile.TemporaryDirectory(prefix="eosviz-sample-") as name:
        given, out = Path(name, "given"), Path(name, "out")
        given.mkdir()
        out.mkdir()
        files = LogFiles(given)
        for path, content in sample_log():
            files.add(path, content)
        files.finish()
        return actions.log_in_place(given, out, SAMPLE_OPTIONS, identity)
