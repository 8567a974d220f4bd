"""Forms around an account. Labels are the catalogue's, asked when a page is made: the reader's language."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.functional import lazy
from django.utils.translation import get_language

from eosviz.accounts.models import NAME_CHARACTERS_MAX, User
from eosviz.analytics.models import PEOPLE_MIN_ALL
from eosviz.catalogue import language_of, say


def _words(key: str, **params: Any) -> str:
    return say(key, language_of(get_language()), params)


words = lazy(_words, str)
"""The catalogue's sentence of a key, when it is shown."""


def called(user: User) -> str:
    return user.called


class NameAtSignUp(forms.Form):
    """What is asked beside address and password. django-allauth builds its own form on this one."""

    name = forms.CharField(
        label=words("accounts.name"),
        help_text=words("accounts.name.why"),
        max_length=NAME_CHARACTERS_MAX,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"].strip()
        user.save(update_fields=["name"])


class NameForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ("name", "counted")
        labels = {  # noqa: RUF012
            "name": words("accounts.name"),
            "counted": words("analytics.agree"),
        }
        help_texts = {  # noqa: RUF012
            "name": words("accounts.name.why"),
            "counted": words("analytics.agree.why", least=PEOPLE_MIN_ALL),
        }
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "name"})}  # noqa: RUF012


class DeleteForm(forms.Form):
    """Proof that it is the owner: the password, or the address where another site signs them in."""

    proof = forms.CharField(max_length=254, strip=False)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if user.has_usable_password():
            self.fields["proof"].label = words("accounts.delete.password")
            self.fields["proof"].widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})
        else:
            self.fields["proof"].label = words("accounts.delete.address")
            self.fields["proof"].widget = forms.EmailInput(attrs={"autocomplete": "email"})

    def clean_proof(self) -> str:
        proof: str = self.cleaned_data["proof"]
        if self.user.has_usable_password():
            right = self.user.check_password(proof)
        else:
            right = proof.strip().lower() == self.user.email
        if not right:
            raise forms.ValidationError(_words("accounts.delete.wrong_proof"))
        return proof
