"""People of every kind, and browsers that are signed in as them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, give_role
from tests.walkthroughs.conftest import _no_simulation_of_another_test  # noqa: F401

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _no_attempts_of_another_test() -> None:
    cache.clear()


def person(email: str, role: Role = Role.LEARNER) -> User:
    user = User.objects.create_user(email, PASSWORD, name=email.partition("@")[0].title())
    if role is not Role.LEARNER:
        give_role(user, role)
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, "allauth.account.auth_backends.AuthenticationBackend")
    return client


@pytest.fixture
def ada(db: None) -> User:
    return person("ada@example.org")


@pytest.fixture
def sign_in() -> Callable[[Client, str, str], int]:
    """A function that signs a browser in with the form, as a person does, and returns the status of the response."""

    def sign_in(client: Client, email: str, password: str = PASSWORD) -> int:
        return client.post("/accounts/login/", {"login": email, "password": password}).status_code

    return sign_in
