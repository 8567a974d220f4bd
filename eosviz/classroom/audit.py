"""The audit log of what instructors and administrators do. Each entry is written in the transaction of the
change. A class's page shows the newest entries of the class; the administration shows all. What learners do
with their own work is not logged."""

from __future__ import annotations

from typing import Any

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, role_of
from eosviz.classroom.models import AuditEntry, Classroom


def note(classroom: Classroom | None, actor: User | None, deed: str, **params: Any) -> None:
    """Add an entry to the audit log; the caller's transaction has the change. The entry's sentence is
    `classroom.deed.<deed>`, filled with `params`. Adds nothing if there is no actor, or if the change is
    outside a class and the actor is a learner."""
    if actor is None or (classroom is None and role_of(actor) is Role.LEARNER):
        return
    AuditEntry.objects.create(classroom=classroom, actor=actor, deed=deed, params=params)


def owner_of(key: str) -> User | None:
    """The account with this owner's key. None if the key is empty or belongs to a browser without an
    account."""
    return User.objects.filter(owner_key=key).first() if key else None
