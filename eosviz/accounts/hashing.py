"""Limits the number of passwords that one process hashes at the same time.

A hash takes a quarter of a second of processor time, and Python's lock does not hold it back. If 250 people
sign in at once, as many threads would occupy all processors, and every page and socket would wait. With this
limit a process leaves one processor free, if there are several.
"""

from __future__ import annotations

import os
from threading import BoundedSemaphore

from django.contrib.auth.hashers import PBKDF2PasswordHasher

AT_ONCE = max(1, (os.cpu_count() or 1) - 1)
_turn = BoundedSemaphore(AT_ONCE)


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's hasher. The hashes are the same, but at most AT_ONCE are computed at the same time."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with _turn:
            encoded: str = super().encode(password, salt, iterations)
        return encoded
