"""The permissions of each role. They are stored as groups after every migration.

A right that depends on a row (one's own session, a class that one teaches) is a method of the row's query
set, not a permission.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db import connections, transaction
from django.db.models import Q

from eosviz.accounts.models import User


class Role(StrEnum):
    """The roles. Instructors and administrators are in the group that has the name of their role; learners
    are in neither."""

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
"""The permissions of each role, as `app.codename`. An administrator may view every class, but teaches only
those classes in which they are an instructor."""

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
"""The apps whose models an administrator may view in Django's administration."""


def give_role(user: User, role: Role) -> None:
    """Give the person exactly this role, and close their request for a role if there is one. A superuser
    stays an administrator."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(asked_to_teach=None)
        user.groups.remove(*Group.objects.filter(name__in=list(Role)))
        if role is not Role.LEARNER:
            user.groups.add(Group.objects.get_or_create(name=role)[0])


def role_of(user: User) -> Role:
    """The person's highest role. A superuser counts as an administrator."""
    if user.is_superuser:
        return Role.ADMINISTRATOR
    held = set(user.groups.values_list("name", flat=True))
    return next((role for role in (Role.ADMINISTRATOR, Role.INSTRUCTOR) if role in held), Role.LEARNER)


def keep_groups(**kwargs: Any) -> None:
    """Give the group of each role the permissions of MAY, and administrators also the permission to view the
    models of the apps in LOOKED_AT. Django calls this after each app's migration."""
    if Group._meta.db_table not in connections[kwargs.get("using", "default")].introspection.table_names():
        return  # only some apps are migrated
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
