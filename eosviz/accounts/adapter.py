"""Overrides of django-allauth's adapter: the site's own rules for signing up and in, and limits on passwords
and mails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest

from eosviz.accounts.forms import words
from eosviz.accounts.password_limits import Attempt
from eosviz.rates import TooOften, check, take, too_often

SENT_WITHOUT_SIGN_IN = frozenset(
    {
        "account/email/account_already_exists",
        "account/email/email_confirmation",
        "account/email/email_confirmation_signup",
        "account/email/password_reset_key",
        "account/email/unknown_account",
    }
)


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGN_UP_OPEN)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        """Returns the account, or None if the address or the password is wrong. Raises ImmediateHttpResponse
        with a refusal if there were too many wrong attempts, and RedisError if attempts cannot be counted."""
        try:
            attempt = Attempt(request, str(credentials.get("email") or credentials.get("username") or ""))
        except TooOften as refused:
            page = too_often(request, refused, new_password=bool(settings.EMAIL_URL))
            raise ImmediateHttpResponse(page) from None
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is not None:
            attempt.was_right()
        return user

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail. Mails that anyone can request without signing in are limited for each address; raises
        ImmediateHttpResponse above the limit."""
        if template_prefix in SENT_WITHOUT_SIGN_IN:
            self._refuse_as(take, email)
        super().send_mail(template_prefix, email, context)

    def check_mail(self, email: str) -> None:
        """Raises ImmediateHttpResponse if `send_mail` would refuse a mail to this address. Called before something
        is stored for which a mail is sent, because the refusal says that nothing was done."""
        self._refuse_as(check, email)

    def _refuse_as(self, limits: Callable[[str, str], None], email: str) -> None:
        try:
            limits("mail.recipient", email.lower())
        except TooOften as refused:
            raise ImmediateHttpResponse(too_often(self.request, refused)) from None

    def get_http_user_agent(self, request: HttpRequest) -> str:
        """The browser's name in mails that tell the person about a change of the account."""
        return request.META.get("HTTP_USER_AGENT") or str(words("accounts.mail.change.unnamed"))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return str(settings.LOGIN_REDIRECT_URL)
