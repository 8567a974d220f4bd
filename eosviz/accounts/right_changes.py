"""Changes of rows that may end a right of an open socket: one table. Signals announce them, wherever the change is
made: by a page, the administration or a command. Changes without a signal (`update`, SQL by hand) are found by polling
(`eosviz/rights.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save

from eosviz.accounts.models import User
from eosviz.analytics.models import Analysis
from eosviz.classroom.models import Classroom, Membership
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.rights import changed, of_class, of_job, of_owner, of_session
from eosviz.walkthroughs.models import Presentation, Session


def _of_user(user: User) -> str:
    return of_owner(user.owner_key)


def _of_member(membership: Membership) -> str:
    return of_owner(membership.user.owner_key)


def _of_classroom(classroom: Classroom) -> str:
    return of_class(classroom.pk)


def _of_session(session: Session) -> str:
    return of_session(session.pk)


def _of_presentation(presentation: Presentation) -> str:
    return of_session(presentation.session_id)


def _of_job(job: Any) -> str:
    return of_job(job.pk)


DELETED: dict[type[Model], Callable[[Any], str]] = {
    User: _of_user,
    Membership: _of_member,
    Classroom: _of_classroom,
    Session: _of_session,
    Presentation: _of_presentation,
    Sweep: _of_job,
    Shrink: _of_job,
    Analysis: _of_job,
}
"""Model to the topic of rights that deleting a row may end."""

SAVED: dict[type[Model], Callable[[Any], str]] = {User: _of_user, Membership: _of_member}
"""The same for any change of a row: a ban, a new password, another part in a class."""


def announce_changes() -> None:
    """Called once, when all apps are loaded."""
    for model in DELETED:
        post_delete.connect(_deleted, sender=model, dispatch_uid=f"rights: {model.__name__} deleted")
    for model in SAVED:
        post_save.connect(_saved, sender=model, dispatch_uid=f"rights: {model.__name__} saved")
    m2m_changed.connect(_roles_changed, sender=User.groups.through, dispatch_uid="rights: roles")


def _deleted(sender: type[Model], instance: Model, **kwargs: Any) -> None:
    changed(DELETED[sender](instance))


def _saved(sender: type[Model], instance: Model, **kwargs: Any) -> None:
    changed(SAVED[sender](instance))


def _roles_changed(
    sender: Any, instance: Any, action: str, pk_set: Iterable[int] | None, **kwargs: Any
) -> None:
    if not action.startswith("post_"):
        return
    if isinstance(instance, User):
        changed(_of_user(instance))
        return
    users = User.objects.filter(pk__in=pk_set or ())  # the group's side of the relation
    changed(*(of_owner(key) for key in users.values_list("owner_key", flat=True)))
