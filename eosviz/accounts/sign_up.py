"""Signing up and in. No response reveals which addresses have an account.

With mail, the response is the same for every address, and the owner of the address gets a mail. Without mail
an address cannot be proved, so a sign-up with a free address creates the account at once. The response is
still the same: it leads to the sign-in page, which shows the address. A person who signs in there with the
password that they have just chosen learns that the address was free, but has then created the account. Only
mail could hide this.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import AddEmailForm, LoginForm, SignupForm
from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from allauth.account.utils import setup_user_email
from allauth.utils import get_request_param
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from eosviz.accounts.forms import words

SIGNED_UP_AS = "signed_up_as"
"""The session's key for the address with which the sign-in form is filled in once."""


class SignUp(SignupForm):
    def validate_unique_email(self, value: str) -> str:
        self.account_already_exists = bool(filter_users_by_email(value))
        return value

    def try_save(self, request: HttpRequest) -> tuple[Any, HttpResponse | None]:
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])  # so that this takes as long as creating an account
        if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
            get_adapter(request).check_mail(self.cleaned_data["email"])
            saved: tuple[Any, HttpResponse | None] = super().try_save(request)
            return saved
        if not self.account_already_exists:
            with suppress(IntegrityError):  # Another sign-up with this address was first.
                self.save(request)
        request.session[SIGNED_UP_AS] = self.cleaned_data["email"]
        messages.success(request, words("accounts.signed_up"))
        there = get_request_param(request, "next")
        query = f"?{urlencode({'next': there})}" if there else ""
        return None, redirect(reverse("account_login") + query)

    def save(self, request: HttpRequest) -> Any:
        """allauth's method, with a transaction that begins only after the password is hashed: hashing takes
        long, and SQLite allows one writer at a time."""
        adapter = get_adapter()
        user = adapter.save_user(request, adapter.new_user(request), self, commit=False)
        with transaction.atomic():
            user.save()
            self.custom_signup(request, user)
            setup_user_email(request, user, [EmailAddress(email=self.cleaned_data["email"])])
        return user


class AddAddress(AddEmailForm):
    def save(self, request: HttpRequest) -> EmailAddress:
        get_adapter(request).check_mail(self.cleaned_data["email"])
        saved: EmailAddress = super().save(request)
        return saved


class SignIn(LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.request is not None and not self.is_bound:
            self.fields["login"].initial = self.request.session.pop(SIGNED_UP_AS, "")
