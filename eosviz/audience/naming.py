"""Decides which names of followers a presenter may read: instructors may read the names of members of their
own classes, unless the class is archived."""

from __future__ import annotations

from collections.abc import Iterable

from eosviz.accounts.models import User
from eosviz.classroom.models import Classroom, Membership
from eosviz.walkthroughs.models import Session


def readable_names(session: Session, users: Iterable[int | None]) -> dict[int, str]:
    """Dict of account's id → name, for those of the accounts `users` whose name the session's presenter may
    read. Makes at most two queries."""
    wanted = {user for user in users if user is not None}
    if not wanted:
        return {}
    presenter = User.objects.filter(owner_key=session.owner).first()
    if presenter is None:
        return {}
    taught = Classroom.objects.taught_by(presenter).filter(archived__isnull=True)
    members = Membership.objects.filter(user__in=wanted, classroom__in=taught).select_related("user")
    return {member.user_id: member.user.called for member in members}
