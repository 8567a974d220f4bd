"""Makes files of sessions and imported replays, in a form of `forms/`, or publishes them. The page shows the
progress.

An export is a row that a task processes. Each time the task stores its progress, it checks whether the export
was cancelled.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from eosviz.bounded.refusing import Cancelled, NoAnswer, Stopped
from eosviz.no_room import means_no_room
from eosviz.replays import actions, bounded_check, publishing, recorded
from eosviz.replays.forms import FORMS, Work
from eosviz.replays.models import (
    EXPORT_BYTES_MAX,
    EXPORTS_AT_ONCE,
    EXPORTS_KEPT,
    UNFINISHED,
    Export,
    ExportState,
    Replay,
)
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import exports
from eosviz.walkthroughs.models import Branch, Session

logger = logging.getLogger(__name__)

STEPS_BETWEEN_BEATS = 250
SECONDS_BETWEEN_BEATS = 1.0
"""While a bounded process works, progress is stored at most this often, in seconds."""


class Beat:
    """Counts the steps of an export, stores the count, and ends the work if the export was cancelled."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self._done = 0
        self._next = time.monotonic()

    def one(self) -> None:
        self._done += 1
        if self._done % STEPS_BETWEEN_BEATS == 0:
            self.store()

    def follow(self, folder: Path) -> None:
        """Store how many steps are done, at most once in SECONDS_BETWEEN_BEATS. `folder`: of the bounded
        process that reads the steps. Raises Cancelled."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SECONDS_BETWEEN_BEATS
            self.store(bounded_check.counted(folder))

    def store(self, beyond: int = 0) -> None:
        """Store how many steps are done: those that were counted here, and `beyond` more. Raises Cancelled if
        the export was cancelled."""
        held = Export.objects.filter(id=self._export.id, state=ExportState.WORKING)
        if not held.update(done=min(self._done + beyond, self._export.total), beat=timezone.now()):
            raise Cancelled


PUBLISH = "publish"
PUBLISH_PASSES = 2


def begin(owner: str, session: Session, branch: Branch | None, form: str, language: str) -> Export:
    """Create an export of a session, which a task will carry out. The browser's oldest exports beyond
    EXPORTS_KEPT are deleted, and up to EXPORTS_KEPT expired exports of all browsers. Raises ReplayRefused if
    too many exports are unfinished or, for PUBLISH, if the quota of published replays is exceeded."""
    return _begin(owner, _steps(session, branch), form, language, session=session, branch=branch)


def begin_of_replay(owner: str, replay: Replay, line: str, form: str, language: str) -> Export:
    """Create an export of an imported replay that has a file. `line`: the id of one branch in the file; empty
    for all. Raises ReplayRefused as `begin` does."""
    return _begin(owner, recorded.steps_of(replay, line), form, language, replay=replay, line=line)


def _begin(owner: str, steps: int, form: str, language: str, **source: Any) -> Export:
    if form == PUBLISH:
        publishing.check_room(owner)
    passes = PUBLISH_PASSES if form == PUBLISH else FORMS[form].passes
    with transaction.atomic():
        mine = Export.objects.of_browser(owner)
        if mine.unfinished().count() >= EXPORTS_AT_ONCE:
            raise ReplayRefused("too_many_exports", limit=EXPORTS_AT_ONCE)
        for old in (*Export.objects.expired()[:EXPORTS_KEPT], *mine[EXPORTS_KEPT - 1 :]):
            old.delete()
        return Export.objects.create(
            owner=owner, form=form, language=language, total=steps * passes, **source
        )


def waits(export_id: UUID) -> bool:
    """Whether the export has to wait for a bounded process."""
    form = Export.objects.filter(id=export_id).values_list("form", flat=True).first()
    return form == PUBLISH or (form in FORMS and FORMS[form].waits)


def cancel(owner: str, export_id: UUID) -> bool:
    """Cancel an unfinished export of this browser. Returns whether there was such an export."""
    mine = Export.objects.of_browser(owner).filter(id=export_id, state__in=UNFINISHED)
    return mine.update(state=ExportState.CANCELLED) > 0


def carry_out(export_id: UUID) -> None:
    """Carry out an export, and store its outcome. If the export is cancelled or the worker is stopped
    meanwhile, no outcome is stored."""
    waiting = Export.objects.filter(id=export_id, state=ExportState.WAITING)
    if not waiting.update(state=ExportState.WORKING, beat=timezone.now()):
        return  # The export was cancelled before it began, or another worker has taken it.
    export = Export.objects.select_related("session__version", "branch", "replay").get(id=export_id)
    try:
        outcome = _publish(export) if export.form == PUBLISH else _make(export)
    except Cancelled:
        exports.delete(export.place)
        return
    except Stopped:
        return
    except NoAnswer as refused:
        outcome = {"state": ExportState.FAILED, "refusal": {"key": refused.key, "params": refused.params}}
    except Exception as error:
        logger.exception("export %s failed", export_id)
        key = "exports.no_room" if means_no_room(error) else "exports.failed"
        outcome = {"state": ExportState.FAILED, "refusal": {"key": key, "params": {}}}
    if not Export.objects.filter(id=export_id, state=ExportState.WORKING).update(**outcome):
        exports.delete(export.place)


def _make(export: Export) -> dict[str, Any]:
    form = FORMS[export.form]
    with _work(export) as work:
        size = exports.write(_bounded(form.pieces(work)), export.place)
    return {
        "state": ExportState.DONE,
        "done": export.total,
        "bytes": size,
        "name": _name(export, form.ending),
    }


def _name(export: Export, ending: str) -> str:
    if export.replay is not None:
        return recorded.file_name(export.replay, ending)
    return actions.file_name(_session_of(export), export.branch, ending)


def _session_of(export: Export) -> Session:
    """The session of an export. Raises ValueError if it is an export of an imported replay."""
    if export.session is None:
        raise ValueError(f"export {export.id} is of no session")
    return export.session


def _publish(export: Export) -> dict[str, Any]:
    with _work(export) as work:
        own, packed, card = work.checked(player=True)
        made = publishing.publish(own, packed, work.whole(), export.owner, card)
    address = reverse("replays:published", args=[made.digest])
    return {"state": ExportState.DONE, "done": export.total, "bytes": made.bytes, "result": address}


@contextmanager
def _work(export: Export) -> Iterator[Work]:
    beat = Beat(export)
    with tempfile.NamedTemporaryFile(prefix="eosviz-export-") as replay:
        for piece in _written(export, beat):
            replay.write(piece)
        beat.store()
        yield Work(replay, export.language, export.owner, beat.one, beat.follow)


def _written(export: Export, beat: Beat) -> Iterator[bytes]:
    if export.replay is not None:
        return recorded.written(export.replay, export.line, beat.one)
    return actions.export_session(_session_of(export), export.branch, beat.one)


def _bounded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    made = 0
    for piece in pieces:
        made += len(piece)
        if made > EXPORT_BYTES_MAX:
            raise ReplayRefused("export_too_large", limit=EXPORT_BYTES_MAX)
        yield piece


def _steps(session: Session, branch: Branch | None) -> int:
    if branch is not None:
        return branch.newest
    return sum(each.newest - each.leaves_at for each in Branch.objects.of_session(session.id))
