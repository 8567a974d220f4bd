"""Records trails, and creates analyses for pages, a command and the nightly task."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from eosviz.accounts.models import User
from eosviz.analytics.gathering import sessions_of
from eosviz.analytics.models import BACKS_MAX, Analysis, Trail
from eosviz.classroom.models import Attempt, Classroom
from eosviz.pipeline.models import State
from eosviz.refusals import Problem
from eosviz.tracks.models import Prediction, Visit
from eosviz.walkthroughs.models import Branch, Command, Session

logger = logging.getLogger(__name__)


def is_followed(session: Session) -> bool:
    """Whether a trail of this session is recorded: its owner is an account that agreed, or it is work on an
    assignment of a class that is not archived."""
    if User.objects.filter(owner_key=session.owner, counted=True, is_active=True).exists():
        return True
    attempts = Attempt.objects.filter(assignment__classroom__archived=None)
    if attempts.filter(session=session).exists():
        return True
    track = Visit.objects.filter(session=session).values_list("track", flat=True).first()
    return (
        track is not None and attempts.filter(user__owner_key=session.owner, assignment__track=track).exists()
    )


def note_trail(session: Session, branch_id: int, last: int, furthest: int, backs: list[int]) -> None:
    """Store the reader's last and furthest step, and add the steps from which they went back. Only steps of
    the first branch are stored: on another branch, `last` and `furthest` count at most up to the step where
    it left the first one, and later steps of `backs` do not count. Raises Problem if the session has no
    branch `branch_id`."""
    branch = Branch.objects.filter(id=branch_id, session=session).first()
    if branch is None:
        raise Problem("not_found", "no_branch", branch=str(branch_id))
    line = Branch.objects.line(branch)
    shared = line[1].leaves_at if len(line) > 1 else branch.newest
    with transaction.atomic():
        Trail.objects.get_or_create(session=session)
        trail = Trail.objects.select_for_update().get(session=session)
        trail.last = min(last, shared)
        trail.furthest = max(trail.furthest, min(furthest, shared))
        for step in backs:
            key = str(step)
            if step > shared:
                continue
            if key in trail.backs or len(trail.backs) < BACKS_MAX:
                trail.backs[key] = trail.backs.get(key, 0) + 1
            else:
                trail.backs_more += 1
        trail.save()


def ask(classroom: Classroom | None) -> Analysis:
    """Create an analysis that waits for a process. Returns the existing one if an analysis of this class (of
    all who agreed) is waiting or running."""
    with transaction.atomic():
        known: Analysis | None = Analysis.objects.of_scope(classroom).unfinished().first()
        return known or Analysis.objects.create(classroom=classroom, state=State.WAITING)


def ask_for_all() -> list[Analysis]:
    """Ask for an analysis of each class that is not archived, and for one of all who agreed. Classes without
    changes since their last analysis are left out."""
    open_classes = Classroom.objects.filter(archived=None).order_by("created")
    scopes: list[Classroom | None] = [None, *open_classes.iterator()]
    return [ask(scope) for scope in scopes if _has_activity(scope)]


def _has_activity(classroom: Classroom | None) -> bool:
    last = Analysis.objects.of_scope(classroom).filter(state=State.DONE).first()
    sessions = sessions_of(classroom)
    if last is None:
        return sessions.exists()
    newest = _newest_activity(classroom)
    # A deleted account changes the number of sessions. A visit that was under way may be abandoned by now.
    gone = sessions.count() != last.sessions + last.under_way + last.left_out
    return gone or last.under_way > 0 or (newest is not None and newest > last.created)


def _newest_activity(classroom: Classroom | None) -> datetime | None:
    ids = sessions_of(classroom).values("id")
    words = (
        Session.objects.filter(id__in=ids).aggregate(at=Max("created"))["at"],
        Command.objects.filter(session__in=ids).aggregate(at=Max("answered"))["at"],
        Trail.objects.filter(session__in=ids).aggregate(at=Max("changed"))["at"],
        Prediction.objects.filter(session__in=ids).aggregate(at=Max("answered"))["at"],
    )
    return max((at for at in words if at is not None), default=None)
