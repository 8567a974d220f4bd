"""Publishes and withdraws replays.

The address of a published replay contains the SHA-256 of its player file's content. So it can never show
anything else, and a reader can check the file. Publications of the same content share the files, which are
deleted with the last of these publications.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.db import transaction

from eosviz import quotas
from eosviz.accounts.models import User
from eosviz.classroom.audit import note, owner_of
from eosviz.quotas import wait_for_others
from eosviz.replays import player_file
from eosviz.replays.bounded_check import Own
from eosviz.replays.lines import canonical
from eosviz.replays.models import PUBLISHED_BYTES_MAX, Publication
from eosviz.replays.published_files import ABOUT, CARD, PLAYER, REPLAY
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import published

_PIECE = 256 * 1024


def check_room(owner: str) -> None:
    """Raises ReplayRefused if the owner's quota of published replays is full."""
    quotas.check(owner, "published", refused=ReplayRefused)


def publish(own: Own, packed: bytes, replay: BinaryIO, owner: str, card: bytes = b"") -> Publication:
    """Store the files and the row of a publication. ``packed``: the player file. ``replay``: the checked
    replay file, at its beginning. ``card``: the picture; empty if there is none. If the owner has already
    published the same replay, nothing changes. Raises ReplayRefused if the file is too large or a quota is
    exceeded."""
    if len(packed) > PUBLISHED_BYTES_MAX:
        raise ReplayRefused("too_large_to_publish", limit=PUBLISHED_BYTES_MAX)
    digest = digest_of(packed)
    known = Publication.objects.filter(owner=owner, digest=digest).first()
    if known is not None:
        return known
    about = {
        "title": own.title,
        "scenario": own.scenario,
        "variant": own.variant,
        "engine": own.engine,
        "steps": own.steps,
    }
    with transaction.atomic():
        check_room(owner)
        size = len(packed) + len(card) + replay.seek(0, os.SEEK_END)
        replay.seek(0)
        quotas.check(owner, "published_bytes", size, refused=ReplayRefused)
        wait_for_others(digest)  # Another process may be deleting the same files.
        made = Publication(owner=owner, digest=digest, bytes=0, **about)
        made.bytes = published.write([packed], digest, PLAYER)
        made.bytes += published.write(_pieces(replay), digest, REPLAY)
        if card:
            made.bytes += published.write([card], digest, CARD)
        # From now on, the page of the publication exists.
        made.bytes += published.write([canonical(about)], digest, ABOUT)
        made.save(force_insert=True)
        note(None, owner_of(owner), "published_replay", **_named(made))
    return made


def withdraw(publication: Publication, actor: User | None) -> None:
    """Withdraw a publication, and note this in the audit log. The files are deleted with the last publication
    of the same content."""
    with transaction.atomic():
        note(None, actor, "withdrew_replay", **_named(publication))
        publication.delete()


def _named(publication: Publication) -> dict[str, Any]:
    return {"scenario": publication.scenario, "digest": publication.digest[:12]}


def digest_of(packed: bytes) -> str:
    """The SHA-256 of a player file's content after gunzip. Any reader can compute it, too."""
    made = hashlib.sha256()
    for piece in player_file.unpack(packed):
        made.update(piece)
    return made.hexdigest()


def forget_unnamed(digest: str) -> None:
    """Delete the files with this digest, unless a publication has it. Waits for a process that is storing
    them."""
    with transaction.atomic():
        wait_for_others(digest)
        if not Publication.objects.filter(digest=digest).exists():
            published.delete(digest)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece
