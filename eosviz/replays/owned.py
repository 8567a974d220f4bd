"""Registers replays, exports, uploads and publications among what people own (`accounts/owning.py`), and adds
sessions as files to the account's package."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import QuerySet

from eosviz.accounts.models import User
from eosviz.accounts.owning import File, Owned, OwnedByKey, register, without_account
from eosviz.replays.actions import export_session, file_name
from eosviz.replays.models import Export, Publication, Replay, ReplayFile, Upload
from eosviz.replays.published_files import REPLAY, opened
from eosviz.walkthroughs.models import Session

PIECE_BYTES = 64 * 1024


@register
class SessionsAsFiles(Owned):
    """Adds each session as a replay file. The app `walkthroughs` registers everything else about sessions."""

    model = Session

    def files(self, user: User) -> Iterator[File]:
        sessions = Session.objects.of_browser(user.owner_key).select_related("version").recent()
        for session in sessions.iterator():
            yield f"sessions/{file_name(session)}", export_session(session)


@register
class Replays(OwnedByKey):
    model = Replay
    kind = "replays"

    def files(self, user: User) -> Iterator[File]:
        """The player file of each replay and, if it was kept, the replay file."""
        for replay in Replay.objects.of_browser(user.owner_key).iterator():
            yield f"replays/{replay.id}.player.json.gz", (bytes(replay.player),)
        for kept in ReplayFile.objects.filter(replay__owner=user.owner_key).iterator(chunk_size=1):
            yield f"replays/{kept.replay_id}.eosviz.jsonl.gz", (bytes(kept.content),)

    def left_behind(self, before: datetime) -> QuerySet[Any]:
        """Old imports of browsers without an account. Replays without an owner are not among them."""
        return without_account(Replay.objects.filter(created__lt=before))


@register
class Exports(OwnedByKey):
    model = Export


@register
class Uploads(OwnedByKey):
    model = Upload


@register
class Publications(OwnedByKey):
    model = Publication
    kind = "published"

    def claim(self, browser: str, account: str) -> None:
        """Does nothing, because only accounts publish."""

    def page(self, user: User) -> dict[str, Any]:
        return {"publications": Publication.objects.of_browser(user.owner_key)}

    def files(self, user: User) -> Iterator[File]:
        for publication in Publication.objects.of_browser(user.owner_key):
            held = opened(publication.digest, REPLAY)
            if held is not None:
                with held:
                    pieces = iter(partial(held.read, PIECE_BYTES), b"")
                    yield f"published/{publication.digest}.eosviz.jsonl.gz", pieces
