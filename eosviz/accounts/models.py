"""The model of a person with an account. Scenarios can be stepped through without an account."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models

from eosviz.rights import AnnouncedUpdates

NAME_CHARACTERS_MAX = 80
COUNTED_MIN = 5
"""Figures about everyone who agreed to be counted are shown only if they are about at least this many
people."""


def new_owner_key() -> str:
    """A new random `owner_key` for an account, as long and as hard to guess as a browser's key."""
    return secrets.token_hex(24)


class UserQuerySet(AnnouncedUpdates):
    topic_field = "owner_key"

    def asking_to_teach(self) -> UserQuerySet:
        """The people who asked for the role of an instructor and have not got it, in the order of their
        requests. Blocked people are left out."""
        return self.filter(asked_to_teach__isnull=False, is_active=True).order_by("asked_to_teach", "id")


class UserManager(BaseUserManager.from_queryset(UserQuerySet)):  # type: ignore[misc]  # a class made at run time
    """Creates accounts, each with its address as its name for Django. `manage.py createsuperuser` makes an
    administrator with every permission."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create an account. Raises ValueError without an address, because signing in needs one."""
        if not email:
            raise ValueError("an account needs an e-mail address")
        user: User = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, **{**fields, "is_superuser": True})

    def get_by_natural_key(self, username: str | None) -> User:
        found: User = self.get(email=(username or "").strip().lower())
        return found


class User(AbstractBaseUser, PermissionsMixin):
    """An account. `roles.py` says which role its person has."""

    email = models.EmailField(unique=True)
    """The person's mail address, in lower case."""
    name = models.CharField(max_length=NAME_CHARACTERS_MAX, blank=True)
    """The name that others see, for example the instructors of the person's classes."""
    owner_key = models.CharField(max_length=64, unique=True, default=new_owner_key, editable=False)
    """The key under which this person's sessions, replays and progress are stored. An anonymous visitor's are
    stored under the key of the browser."""
    is_active = models.BooleanField(default=True)
    """False if the account is blocked: it cannot sign in, and is signed out everywhere."""
    date_joined = models.DateTimeField(auto_now_add=True)
    counted = models.BooleanField(default=False)
    """Whether the person agreed that their work is counted in figures about everyone who agreed
    (docs/analytics.md). Those figures contain no names."""
    asked_to_teach = models.DateTimeField(null=True, blank=True, editable=False)
    """The time at which a learner asked to become an instructor. Null if there was no request, and once the
    person has been given a role."""

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    objects = UserManager()

    class Meta:
        permissions = (("administer", "May enter the administration"),)

    def __str__(self) -> str:
        return self.called

    @property
    def called(self) -> str:
        """The person's name or, without one, the part of the address before the @."""
        return self.name or self.email.partition("@")[0]

    @property
    def is_staff(self) -> bool:
        """Whether the person may enter the administration. Django requires this name."""
        return self.is_active and self.has_perm("accounts.administer")
