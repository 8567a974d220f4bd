"""What instructors and administrators do, noted with the deed and never changed.

A deed in a class stands on the class's page; every deed stands in the administration. What a learner does with things
of their own is nobody's business and is not noted.
"""

from __future__ import annotations

from typing import Any

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, role_of
from eosviz.classroom.models import AuditEntry, Classroom


def note(classroom: Classroom | None, actor: User | None, deed: str, **params: Any) -> None:
    """`classroom.deed.<deed>` says it; `params` hold names of things, never of people. Called where the deed is stored.
    Outside a class only instructors' and administrators' deeds are noted; without an account nobody is an actor."""
    if actor is None or (classroom is None and role_of(actor) is Role.LEARNER):
        return
    AuditEntry.objects.create(classroom=classroom, actor=actor, deed=deed, params=params)


def owner_of(key: str) -> User | None:
    """Whose account this key is; none for a browser without one."""
    return User.objects.filter(owner_key=key).first() if key else None
