"""Hashing a password takes long, so it must not happen inside a database transaction, for which others may wait."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher, PBKDF2PasswordHasher, check_password
from django.db import connection
from django.test import Client

from eosviz.accounts import hashing
from eosviz.accounts.models import User
from eosviz.settings import accounts
from tests.accounts.test_signing_in import NEW


class Noting(MD5PasswordHasher):
    """Records how many transactions are open when a password is hashed."""

    depths: list[int] = []  # noqa: RUF012

    def encode(self, password: str, salt: str) -> str:
        self.depths.append(len(connection.savepoint_ids))
        encoded: str = super().encode(password, salt)
        return encoded


@pytest.mark.django_db
def test_signing_up_hashes_before_its_transaction_begins(settings: object) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.Noting"]  # type: ignore[attr-defined]
    Noting.depths.clear()
    outside = len(connection.savepoint_ids)
    answer = Client().post("/accounts/signup/", NEW)
    assert (answer.status_code, User.objects.count()) == (302, 1)
    assert set(Noting.depths) == {outside}


def test_only_so_many_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    here, most, lock, may_go = [0], [0], threading.Lock(), threading.Event()

    def encode(hasher: object, password: str, salt: str, iterations: int | None = None) -> str:
        with lock:
            here[0] += 1
            most[0] = max(most[0], here[0])
            if here[0] == hashing.AT_ONCE:
                may_go.set()
        may_go.wait()
        with lock:
            here[0] -= 1
        return password

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", encode)
    threads = [
        threading.Thread(target=hashing.PasswordHasher().encode, args=("x", "salt"))
        for _ in range(hashing.AT_ONCE + 5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == hashing.AT_ONCE


def test_a_site_uses_it_and_reads_the_hashes_of_before(settings: object) -> None:
    settings.PASSWORD_HASHERS = accounts.PASSWORD_HASHERS  # type: ignore[attr-defined]
    assert check_password("right", PBKDF2PasswordHasher().encode("right", "salt", 10))
