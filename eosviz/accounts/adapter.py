"""What the site decides about signing up, in the words that django-allauth asks with."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from eosviz.accounts.forms import words


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGN_UP_OPEN)

    def get_http_user_agent(self, request: HttpRequest) -> str:
        """What a mail about a change says of where it came from."""
        return request.META.get("HTTP_USER_AGENT") or str(words("accounts.mail.change.unnamed"))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return str(settings.LOGIN_REDIRECT_URL)
