"""Limits on wrong passwords: rates `wrong_password.…` of `settings.RATES`.

From a browser that does not know the account, a wrong password counts three times: for the address it comes from, for
the account at that address, and for the account from anywhere. From a browser that knows the account, it counts for
that browser only. A right password takes its counts back. The account is the typed address: it makes no difference
whether it exists.
"""

from __future__ import annotations

from django.http import HttpRequest

from eosviz.accounts.known_browsers import name_for
from eosviz.buckets import buckets
from eosviz.callers import address_of
from eosviz.rates import TooOften, rate_of, take


class Attempt:
    """One password attempt. It is counted when created, so that parallel attempts all count."""

    def __init__(self, request: HttpRequest, email: str) -> None:
        """Raises TooOften, or RedisError if counting is impossible; then nothing is counted."""
        self._taken: list[tuple[str, str]] = []
        for name, caller in _counted(request, email.strip().lower()):
            try:
                take(name, caller)
            except TooOften:
                self.was_right()
                raise
            self._taken.append((name, caller))

    def was_right(self) -> None:
        """Takes its counts back."""
        for name, caller in self._taken:
            buckets.give_back(rate_of(name), caller)
        self._taken.clear()


def _counted(request: HttpRequest, email: str) -> list[tuple[str, str]]:
    browser = name_for(request, email)
    if browser is not None:
        return [("wrong_password.known_browser", f"{browser} {email}")]
    address = address_of(request)
    return [
        ("wrong_password.address", address),
        ("wrong_password.account_here", f"{address} {email}"),
        ("wrong_password.account", email),
    ]
