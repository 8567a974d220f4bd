"""Publishing and withdrawing replays.

The address contains the SHA-256 of the player file's content, so it can never show anything else, and a reader can
check the file. Publications of the same content share its files, which are deleted with the last of them.
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
    """Raises ReplayRefused beyond this person's quota."""
    quotas.check(owner, "published", refused=ReplayRefused)


def publish(own: Own, packed: bytes, replay: BinaryIO, owner: str, card: bytes = b"") -> Publication:
    """Store the files and the row of a publication. ``packed`` is the player file; ``replay`` the checked replay file,
    at its beginning; ``card`` the picture, empty for none. Publishing the same replay again changes nothing. Raises
    ReplayRefused beyond the size or the quota."""
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
        wait_for_others(digest)  # another process may be removing the same files
        made = Publication(owner=owner, digest=digest, bytes=0, **about)
        made.bytes = published.write([packed], digest, PLAYER)
        made.bytes += published.write(_pieces(replay), digest, REPLAY)
        if card:
            made.bytes += published.write([card], digest, CARD)
        # From here on the page exists.
        made.bytes += published.write([canonical(about)], digest, ABOUT)
        made.save(force_insert=True)
        note(None, owner_of(owner), "published_replay", **_named(made))
    return made


def withdraw(publication: Publication, actor: User | None) -> None:
    """Withdraw a publication. Its files are deleted with the last publication of the same content."""
    with transaction.atomic():
        note(None, actor, "withdrew_replay", **_named(publication))
        publication.delete()


def _named(publication: Publication) -> dict[str, Any]:
    return {"scenario": publication.scenario, "digest": publication.digest[:12]}


def digest_of(packed: bytes) -> str:
    """SHA-256 of a gzipped player file's unpacked content, as any reader can compute it."""
    made = hashlib.sha256()
    for piece in player_file.unpack(packed):
        made.update(piece)
    return made.hexdigest()


def forget_unnamed(digest: str) -> None:
    """Delete the files of this digest, unless a publication has it. Waits for a process that is storing them."""
    with transaction.atomic():
        wait_for_others(digest)
        if not Publication.objects.filter(digest=digest).exists():
            published.delete(digest)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece
