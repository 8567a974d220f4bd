"""Hashing passwords, a few at a time.

A hash costs a quarter of a second of a processor, outside Python's lock. Where 250 people sign in at once, as many
threads would want both processors, and every other page and socket would wait behind all of them for minutes. Here they
take turns, and one processor stays free for what is quick.
"""

from __future__ import annotations

import os
from threading import BoundedSemaphore

from django.contrib.auth.hashers import PBKDF2PasswordHasher

AT_ONCE = max(1, (os.cpu_count() or 1) - 1)
_turn = BoundedSemaphore(AT_ONCE)


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's own, with the same hashes."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with _turn:
            encoded: str = super().encode(password, salt, iterations)
        return encoded
