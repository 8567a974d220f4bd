"""Limits wrong passwords, by the rates `wrong_password.…` of `settings.RATES`.

A wrong password from a browser whose cookie does not contain the account (`known_browsers.py`) counts against
three limits: of the browser's network address, of this network address together with the account, and of the
account from anywhere. From a browser whose cookie contains the account, it counts only against a limit of this
browser and this account. A right password takes its counts back. The account is the address that was typed
in, whether or not such an account exists.
"""

from __future__ import annotations

from django.http import HttpRequest

from eosviz.accounts.known_browsers import name_for
from eosviz.buckets import buckets
from eosviz.callers import address_of
from eosviz.rates import TooOften, rate_of, take


class Attempt:
    """One attempt to sign in with a password. It is counted when the object is created, so that simultaneous
    attempts are all counted."""

    def __init__(self, request: HttpRequest, email: str) -> None:
        """Count the attempt. If a limit is exceeded, takes this attempt's counts back and raises TooOften.
        Raises RedisError if attempts cannot be counted."""
        self._taken: list[tuple[str, str]] = []
        for name, caller in _counted(request, email.strip().lower()):
            try:
                take(name, caller)
            except TooOften:
                self.was_right()
                raise
            self._taken.append((name, caller))

    def was_right(self) -> None:
        """Take this attempt's counts back, because the password was right or the attempt was refused."""
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
