"""Registers classes, memberships, attempts and entries of the audit log among what people own
(`accounts/owning.py`). With an account, the rows that refer to it are deleted; entries of the audit log stay
without the person's name."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from eosviz.accounts.models import User
from eosviz.accounts.owning import Owned, register
from eosviz.classroom.models import Attempt, AuditEntry, Classroom, Membership


@register
class Memberships(Owned):
    model = Membership
    kind = "memberships"

    def rows(self, user: User) -> QuerySet[Any]:
        return Membership.objects.filter(user=user)

    def facts(self, user: User) -> dict[str, Any]:
        return {
            "classes": [
                {"name": one.classroom.name, "part": one.part, "joined": one.joined.isoformat()}
                for one in self.rows(user).select_related("classroom").order_by("joined")
            ]
        }


@register
class Attempts(Owned):
    model = Attempt
    kind = "attempts"

    def rows(self, user: User) -> QuerySet[Any]:
        return Attempt.objects.of(user)

    def facts(self, user: User) -> dict[str, Any]:
        return {
            "attempts": [_attempt(one) for one in self.rows(user).select_related("assignment__classroom")]
        }


@register
class ClassesTaughtAlone(Owned):
    model = Classroom
    kind = "classes_alone"

    def rows(self, user: User) -> QuerySet[Any]:
        return Classroom.objects.taught_only_by(user)

    def delete(self, user: User) -> None:
        self.rows(user).delete()


@register
class Deeds(Owned):
    model = AuditEntry
    kind = "deeds"
    fate = "anonymised"

    def rows(self, user: User) -> QuerySet[Any]:
        return AuditEntry.objects.filter(actor=user)


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
        "chosen": attempt.chosen,
        "text": attempt.text,
        "comment": attempt.comment,
    }
