"""Limits on wrong passwords, by the rates `wrong_password.…` of `settings.RATES`.

A wrong password from a browser that does not know the account counts three times: for the network address of
the browser, for this network address together with the account, and for the account from anywhere. From a
browser that knows the account, it counts only for this browser. A right password takes its counts back. The
account is what was typed as its address: it makes no difference whether the account exists.
"""

from __future__ import annotations

from django.http import HttpRequest

from eosviz.accounts.known_browsers import name_for
from eosviz.buckets import buckets
from eosviz.callers import address_of
from eosviz.rates import TooOften, rate_of, take


class Attempt:
    """One password attempt. It is counted when it is created, so that attempts at the same time are all counted."""

    def __init__(self, request: HttpRequest, email: str) -> None:
        """Count the attempt. Raises TooOften, after it has taken its counts back. Raises RedisError if counting
        is impossible."""
        self._taken: list[tuple[str, str]] = []
        for name, caller in _counted(request, email.strip().lower()):
            try:
                take(name, caller)
            except TooOften:
                self.was_right()
                raise
            self._taken.append((name, caller))

    def was_right(self) -> None:
        """Take back what was counted: the password was right, or the attempt is refused."""
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
