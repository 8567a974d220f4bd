"""What each role may do: one table, kept in the database as groups after every migration.

Everybody with an account is a learner, which needs no permission. What depends on the thing that is looked at
(one's own session, a class that one teaches) is a method of that thing's query set and not a permission.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db import connections, transaction
from django.db.models import Q

from eosviz.accounts.models import User


class Role(StrEnum):
    """The names of the groups. A learner is in none of them."""

    LEARNER = "learner"
    INSTRUCTOR = "instructor"
    ADMINISTRATOR = "administrator"


MAY: dict[Role, tuple[str, ...]] = {
    Role.LEARNER: (),
    Role.INSTRUCTOR: ("classroom.add_classroom", "workshop.publish_to_all"),
    Role.ADMINISTRATOR: (
        "accounts.administer",
        "accounts.view_user",
        "accounts.change_user",
        "classroom.add_classroom",
        "classroom.view_classroom",
        "classroom.view_assignment",
        "classroom.view_auditentry",
        "replays.delete_publication",
        "workshop.publish_to_all",
        "workshop.change_draft",
    ),
}
"""Permissions as `app.codename`. An administrator may look at every class, but teaches only those they joined."""

LOOKED_AT = (
    "accounts",
    "analytics",
    "audience",
    "classroom",
    "pipeline",
    "replays",
    "scenarios",
    "tracks",
    "walkthroughs",
    "workshop",
)
"""Apps whose every model an administrator may look at in the administration."""


def give_role(user: User, role: Role) -> None:
    """Exactly this role from now on."""
    with transaction.atomic():
        user.groups.remove(*Group.objects.filter(name__in=list(Role)))
        if role is not Role.LEARNER:
            user.groups.add(Group.objects.get_or_create(name=role)[0])


def role_of(user: User) -> Role:
    """The highest role. A superuser is an administrator."""
    if user.is_superuser:
        return Role.ADMINISTRATOR
    held = set(user.groups.values_list("name", flat=True))
    return next((role for role in (Role.ADMINISTRATOR, Role.INSTRUCTOR) if role in held), Role.LEARNER)


def keep_groups(**kwargs: Any) -> None:
    """After a migration the groups hold what the table says, no more and no less."""
    if Group._meta.db_table not in connections[kwargs.get("using", "default")].introspection.table_names():
        return  # only some apps were migrated
    for role, names in MAY.items():
        if role is Role.LEARNER:
            continue
        wanted = Q(pk__in=())
        for name in names:
            app, _, codename = name.partition(".")
            wanted |= Q(content_type__app_label=app, codename=codename)
        if role is Role.ADMINISTRATOR:
            wanted |= Q(content_type__app_label__in=LOOKED_AT, codename__startswith="view_")
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.set(Permission.objects.filter(wanted))
