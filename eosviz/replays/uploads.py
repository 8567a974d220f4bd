"""Uploaded files. They stay on disk until a bounded process has read them, whether or not their page is open.

The row of an upload says how it ended. A worker's thread waits for a free process. If the worker is stopped,
the next worker takes up the unfinished uploads.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone

from eosviz import quotas
from eosviz.bounded import runner
from eosviz.bounded.refusing import Cancelled, NoAnswer, Stopped
from eosviz.bounded.register import AlreadyThere, Caller
from eosviz.bounded.register import caller as caller_of
from eosviz.no_room import means_no_room
from eosviz.replays import actions
from eosviz.replays.log_options import LogOptions
from eosviz.replays.models import ExportState, Replay, Upload
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import uploads

logger = logging.getLogger(__name__)

OF_PERSON_MAX = 6
"""One person may have at most this many unfinished uploads. The limits of the queue of bounded processes
(`bounded.register`) are the same or higher."""
OF_ADDRESS_MAX = 60
OF_PERSON_BYTES_MAX = 512 * 1024 * 1024
OF_ADDRESS_BYTES_MAX = 2 * 1024 * 1024 * 1024
ALL_BYTES_MAX = 4 * 1024 * 1024 * 1024
"""While all unfinished uploads together take more than this many bytes on disk, no further upload may
begin."""
HOURS_KEPT = 24
"""The row of an upload is kept for at least this many hours, because the upload's page says how it ended."""
BROKEN_OFF_SECONDS = 3600
"""A folder that belongs to no unfinished upload is deleted once it is older than this."""
RETRY_SECONDS = 60
"""If too many uploads are unfinished, the value of the header Retry-After, in seconds."""
FILE = "file"
"""The name of the file in the upload of a replay."""


class TooManyUploads(ReplayRefused):
    """There are too many unfinished uploads. The person may try again later."""

    code = "limit"
    wait_seconds = RETRY_SECONDS


@dataclass(slots=True)
class Arriving:
    """An upload whose files are arriving; they are written to `folder`. `begun`: whether `begin` was called
    for it."""

    identity: uuid.UUID = field(default_factory=uuid.uuid4)
    begun: bool = False

    @property
    def folder(self) -> Path:
        return uploads.path(str(self.identity))


@contextmanager
def arriving() -> Iterator[Arriving]:
    """A block during which the files of an upload arrive. At its end the upload's folder is deleted, unless
    `begin` was called. Raises TooManyUploads if unfinished uploads take too much disk space."""
    held = Upload.objects.unfinished().aggregate(held=Sum("bytes"))["held"] or 0
    if held > ALL_BYTES_MAX:
        raise TooManyUploads("uploads_full", gigabytes=ALL_BYTES_MAX // 2**30)
    coming = Arriving()
    coming.folder.mkdir(parents=True)
    try:
        yield coming
    finally:
        if not coming.begun:
            uploads.delete(str(coming.identity))


def begin(
    coming: Arriving, kind: str, owner: str, address: str, size: int, options: dict[str, Any] | None = None
) -> Upload:
    """Create the row of an upload whose files have arrived, so that a worker can take it. Raises
    TooManyUploads, or ReplayRefused if a quota of the person is exceeded."""
    who = caller_of(owner, address)
    quotas.check(owner, KINDS[kind].quota, refused=ReplayRefused)
    with transaction.atomic():
        _check_room("owner", owner, size, OF_PERSON_MAX, OF_PERSON_BYTES_MAX)
        _check_room("address", who.address, size, OF_ADDRESS_MAX, OF_ADDRESS_BYTES_MAX)
        Upload.objects.filter(created__lt=timezone.now() - timedelta(hours=HOURS_KEPT)).delete()
        made = Upload.objects.create(
            id=coming.identity, owner=owner, address=who.address, kind=kind, bytes=size, options=options or {}
        )
    coming.begun = True
    return made


def _check_room(name: str, value: str, size: int, most: int, bytes_max: int) -> None:
    """Raises TooManyUploads if one more upload of `size` bytes must not begin. `name` and `value`: the field
    by which unfinished uploads are counted, and its value. An empty value is not limited."""
    if not value:
        return
    mine = Upload.objects.unfinished().filter(**{name: value})
    held = mine.aggregate(count=Count("id"), bytes=Sum("bytes"))
    if held["count"] >= most:
        raise TooManyUploads(f"uploads_of_{name}", limit=most)
    if (held["bytes"] or 0) + size > bytes_max:
        raise TooManyUploads(f"uploads_of_{name}_bytes", megabytes=bytes_max // 2**20)


def cancel(upload: Upload) -> None:
    """Cancel an upload and delete its files. A finished upload stays as it is."""
    if Upload.objects.filter(id=upload.id).unfinished().update(state=ExportState.CANCELLED):
        runner.register().cancel(upload.place)
        uploads.delete(upload.place)


def delete_broken_off() -> None:
    """Delete the folders that belong to no unfinished upload and to which no file has been added for
    BROKEN_OFF_SECONDS."""
    if not uploads.folder.exists():
        return
    known = set(map(str, Upload.objects.unfinished().values_list("id", flat=True)))
    for found in uploads.folder.iterdir():
        with suppress(FileNotFoundError):
            if found.name not in known and time.time() - found.stat().st_mtime > BROKEN_OFF_SECONDS:
                uploads.delete(found.name)


def carry_out(upload_id: uuid.UUID) -> None:
    """Wait for a free process, let it read the upload's files, and store the result. If a stop interrupts
    this, or the disk is full, the upload stays unfinished."""
    if not Upload.objects.filter(id=upload_id).unfinished().update(state=ExportState.WORKING):
        return  # The upload was cancelled, or is already done.
    upload = Upload.objects.get(id=upload_id)
    try:
        kind = KINDS[upload.kind]
        replay, file = kind.read(upload, Caller(caller_of(upload.owner).person, upload.address))
        _finish(upload, replay, file, kind.quota)
    except (AlreadyThere, Stopped):
        return  # Another worker has taken the upload, or the next one will.
    except Cancelled:
        _end(upload, state=ExportState.CANCELLED)
    except NoAnswer as none:
        _end(upload, state=ExportState.FAILED, refusal={"key": none.key, "params": none.params})
    except Exception as error:
        logger.exception("upload %s failed", upload_id)
        if means_no_room(error):
            return  # The files are kept, and the upload is taken up again later.
        _end(upload, state=ExportState.FAILED, refusal={"key": "uploads.failed", "params": {}})
    uploads.delete(upload.place)


def _finish(upload: Upload, replay: Replay, file: bytes, quota: str) -> None:
    with transaction.atomic():
        actions.keep(replay, quota, file)
        if not _end(upload, state=ExportState.DONE, result=replay):
            raise Cancelled


def _end(upload: Upload, **fields: Any) -> bool:
    return Upload.objects.filter(id=upload.id).unfinished().update(**fields) > 0


def _read_log(upload: Upload, caller: Caller) -> tuple[Replay, bytes]:
    options = LogOptions(**upload.options)
    return actions.read_log(uploads.path(upload.place), upload.owner, options, caller, upload.place), b""


def _read_replay(upload: Upload, caller: Caller) -> tuple[Replay, bytes]:
    return actions.read_replay(uploads.path(upload.place, FILE), upload.owner, caller, upload.place)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of upload. `quota`: the quota against which its results count. `read`: makes the replay and its
    file."""

    quota: str
    read: Callable[[Upload, Caller], tuple[Replay, bytes]]


KINDS = {"log": Kind("cases", _read_log), "replay": Kind("replays", _read_replay)}
