"""Everything an account owns: counted for its page, listed before it is deleted, and packed for download."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from typing import IO, Any

import msgspec

from eosviz.accounts.models import User
from eosviz.accounts.roles import role_of
from eosviz.analytics.models import Trail
from eosviz.classroom.models import Attempt, AuditEntry, Classroom, Membership
from eosviz.pipeline.models import Sweep
from eosviz.replays.actions import export_session, file_name
from eosviz.replays.models import Publication, Replay, ReplayFile
from eosviz.replays.published_files import REPLAY, opened
from eosviz.tracks.models import Prediction, Visit
from eosviz.walkthroughs.models import Session
from eosviz.workshop.models import Draft, Edition

KEPT_IN_MEMORY_BYTES = 4 * 1024 * 1024
"""Above this size the package is a file on disk."""


@dataclass(frozen=True, slots=True)
class Holding:
    """One kind of belongings. `fate`: what deleting the account does to it, `deleted` or `anonymised`."""

    kind: str
    count: int
    fate: str = "deleted"

    @property
    def key(self) -> str:
        return f"accounts.holding.{self.kind}"

    @property
    def fate_key(self) -> str:
        return f"accounts.fate.{self.fate}"


def holdings(user: User) -> list[Holding]:
    """Every kind, also those without any: the page says what would happen to them."""
    key = user.owner_key
    return [
        Holding("sessions", Session.objects.of_browser(key).count()),
        Holding("replays", Replay.objects.of_browser(key).count()),
        Holding("published", Publication.objects.of_browser(key).count()),
        Holding("sweeps", Sweep.objects.of_browser(key).count()),
        Holding("predictions", Prediction.objects.filter(session__owner=key).count()),
        Holding("trails", Trail.objects.filter(session__owner=key).count()),
        Holding("progress", Visit.objects.of_browser(key).count()),
        Holding("memberships", Membership.objects.filter(user=user).count()),
        Holding("attempts", Attempt.objects.of(user).count()),
        Holding("classes_alone", Classroom.objects.taught_only_by(user).count()),
        Holding("drafts", Draft.objects.of(user).count()),
        Holding("deeds", AuditEntry.objects.filter(actor=user).count(), fate="anonymised"),
    ]


def account_file(user: User) -> dict[str, Any]:
    """Personal data apart from sessions and replays, as JSON."""
    key = user.owner_key
    return {
        "email": user.email,
        "name": user.name,
        "joined": user.date_joined.isoformat(),
        "role": role_of(user).value,
        "counted": user.counted,
        "trails": [
            {
                "session": str(trail.session_id),
                "last": trail.last,
                "furthest": trail.furthest,
                "backs": trail.backs,
                "backs_more": trail.backs_more,
            }
            for trail in Trail.objects.filter(session__owner=key).order_by("changed")
        ],
        "progress": [
            {
                "track": visit.track,
                "position": visit.position,
                "done": visit.done,
                "begun": visit.begun.isoformat(),
            }
            for visit in Visit.objects.of_browser(key).order_by("track", "position")
        ],
        "predictions": [
            {
                "session": str(answer.session_id),
                "step": answer.at,
                "question": answer.ask,
                "choice": answer.choice,
                "right": answer.right,
                "answered": answer.answered.isoformat(),
            }
            for answer in Prediction.objects.filter(session__owner=key).order_by("answered")
        ],
        "classes": [
            {"name": one.classroom.name, "part": one.part, "joined": one.joined.isoformat()}
            for one in Membership.objects.filter(user=user).select_related("classroom").order_by("joined")
        ],
        "attempts": [
            _attempt(one) for one in Attempt.objects.of(user).select_related("assignment__classroom")
        ],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "class": attempt.assignment.classroom.name,
        "assignment": attempt.assignment.title,
        "number": attempt.number,
        "session": None if attempt.session_id is None else str(attempt.session_id),
        "started": attempt.started.isoformat(),
        "handed_in": None if attempt.handed_in is None else attempt.handed_in.isoformat(),
        "outcome": attempt.outcome,
        "score": attempt.score,
        "score_max": attempt.score_max,
        "text": attempt.text,
        "comment": attempt.comment,
    }


def packed(user: User) -> IO[bytes]:
    """A ZIP with `account.json`, each session and publication as a replay file, each opened replay as a player
    file and, if it was kept, the replay file. It is written completely before it is sent, so an error leaves no
    half file. The caller closes it."""
    # Returned open; the response that sends it closes it.
    file = tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY_BYTES)  # noqa: SIM115
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "account.json", msgspec.json.format(msgspec.json.encode(account_file(user)), indent=2)
        )
        sessions = Session.objects.of_browser(user.owner_key).select_related("version").recent()
        for session in sessions.iterator():
            with archive.open(f"sessions/{file_name(session)}", "w", force_zip64=True) as entry:
                for piece in export_session(session):
                    entry.write(piece)
        for replay in Replay.objects.of_browser(user.owner_key).iterator():
            archive.writestr(f"replays/{replay.id}.player.json.gz", bytes(replay.player))
        for kept in ReplayFile.objects.filter(replay__owner=user.owner_key).iterator(chunk_size=1):
            archive.writestr(f"replays/{kept.replay_id}.eosviz.jsonl.gz", bytes(kept.content))
        for publication in Publication.objects.of_browser(user.owner_key):
            held = opened(publication.digest, REPLAY)
            if held is not None:
                name = f"published/{publication.digest}.eosviz.jsonl.gz"
                with held, archive.open(name, "w", force_zip64=True) as entry:
                    shutil.copyfileobj(held, entry)
        for draft in Draft.objects.of(user).iterator():
            archive.writestr(f"scenarios/{draft.id}/draft.toml", draft.text)
            for one in Edition.objects.filter(draft=draft).defer("steps").iterator():
                archive.writestr(f"scenarios/{draft.id}/version-{one.number}.toml", one.text)
    file.seek(0)
    return file
