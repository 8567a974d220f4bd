"""Makes the replay file of an imported session again, if the session was imported by an early release, which
did not keep the file.

The row and its player file contain everything in the file except the scenario's document. A stored document
is accepted only if the file with it ends with the replay's digest; any other document would give another
digest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from django.db.models import QuerySet

from eosviz.replays import format, player_file, writing
from eosviz.replays.models import Replay, ReplayFile
from eosviz.scenarios.models import ScenarioVersion


class _Session(msgspec.Struct):
    title: dict[str, str]
    variant: str | None


class _Played(msgspec.Struct):
    """Those fields of the player file (docs/player.md) that a replay file also has."""

    session: _Session
    header: dict[str, Any]
    view: dict[str, Any]
    branches: list[dict[str, Any]]
    steps: dict[str, list[msgspec.Raw]]


def without_file() -> QuerySet[Replay]:
    return Replay.objects.filter(kind="session", file__isnull=True).order_by("created", "id")


def remake(replay: Replay) -> bool:
    """Make and store the replay's file, if one of the stored documents is that of its scenario. Returns
    whether this succeeded."""
    file = remade(replay)
    if file is None:
        return False
    ReplayFile.objects.get_or_create(replay=replay, defaults={"content": file})
    return True


def remade(replay: Replay) -> bytes | None:
    played = msgspec.json.decode(b"".join(player_file.unpack(bytes(replay.player))), type=_Played)
    for version in ScenarioVersion.objects.filter(identifier=replay.scenario).order_by("-created", "id"):
        header = _header(replay, played, version.document)
        if _last_digest(header, played) == replay.digest:
            return b"".join(writing.write(header, _steps(played)))
    return None


def _header(replay: Replay, played: _Played, document: dict[str, Any]) -> format.Header:
    fields = {
        "type": "header",
        "schema": format.SCHEMA,
        "engine": replay.engine,
        "title": played.session.title,
        "scenario": document,
        "variant": played.session.variant,
        "profile": played.header.get("profile"),
        "header": played.header,
        "view": played.view,
        "branches": [
            {name: branch[name] for name in _BRANCH if name in branch} for branch in played.branches
        ],
    }
    header: format.Header = format.convert(fields, format.Header)
    return header


_BRANCH = format.Branch.__struct_fields__


def _steps(played: _Played) -> Iterator[tuple[str, Any]]:
    for branch in played.branches:
        for step in played.steps.get(branch["id"], ()):
            yield branch["id"], step


def _last_digest(header: format.Header, played: _Played) -> str:
    digest = format.header_digest(format.encode(header))
    for branch, step in _steps(played):
        digest = format.next_digest(digest, branch, step)
    return digest
