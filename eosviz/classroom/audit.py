"""The audit log of instructors and administrators, written together with the change. The newest entries of a
class are shown on its page, all entries in the administration. What learners do with their own things is not logged."""

from __future__ import annotations

from typing import Any

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, role_of
from eosviz.classroom.models import AuditEntry, Classroom


def note(classroom: Classroom | None, actor: User | None, deed: str, **params: Any) -> None:
    """Add an entry, in the transaction of the change. Its sentence is `classroom.deed.<deed>`, filled with
    `params`. Nothing is added without an actor, or for a learner outside a class."""
    if actor is None or (classroom is None and role_of(actor) is Role.LEARNER):
        return
    AuditEntry.objects.create(classroom=classroom, actor=actor, deed=deed, params=params)


def owner_of(key: str) -> User | None:
    """The account with this owner's key; None for an empty key and for that of a browser without an
    account."""
    return User.objects.filter(owner_key=key).first() if key else None
