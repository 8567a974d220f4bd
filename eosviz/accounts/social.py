"""Signing in with an account of another site. Imported only if `EOSVIZ_SIGN_IN_WITH` names such a site."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from eosviz.accounts.models import NAME_CHARACTERS_MAX


class SocialAdapter(DefaultSocialAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return bool(settings.SIGN_UP_OPEN)

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> Any:
        """Fill the fields of a new account. Its name on the other site becomes its name here; the person can
        change it."""
        user = super().populate_user(request, sociallogin, data)
        whole = data.get("name") or " ".join(
            part for part in (data.get("first_name"), data.get("last_name")) if part
        )
        user.name = whole[:NAME_CHARACTERS_MAX]
        return user
