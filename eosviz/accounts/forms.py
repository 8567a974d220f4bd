"""Forms of an account. Labels are looked up in the catalogue when a page is rendered, in the reader's language."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpRequest
from django.utils.functional import lazy

from eosviz.accounts.models import COUNTED_MIN, NAME_CHARACTERS_MAX, User
from eosviz.language import say_here
from eosviz.names import NAME_PATTERN

words = lazy(say_here, str)
"""The catalogue's text for a key in the reader's language. It is looked up when it is shown."""


one_line = RegexValidator(NAME_PATTERN, words("accounts.name.unprintable"))
"""Others see the name inside sentences, so it must contain no line breaks, no control characters and no
characters that change the direction of the text."""


def called(user: User) -> str:
    return user.called


def _name_field() -> forms.CharField:
    return forms.CharField(
        label=words("accounts.name"),
        help_text=words("accounts.name.why"),
        max_length=NAME_CHARACTERS_MAX,
        required=False,
        validators=[one_line],
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class NameAtSignUp(forms.Form):
    """The sign-up form's fields beside address and password. django-allauth derives its own form from this
    class."""

    name = _name_field()

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"].strip()
        user.save(update_fields=["name"])


class NameForm(forms.ModelForm):
    name = _name_field()

    class Meta:
        model = User
        fields = ("name", "counted")
        labels = {"counted": words("analytics.agree")}  # noqa: RUF012
        help_texts = {"counted": words("analytics.agree.why", least=COUNTED_MIN)}  # noqa: RUF012


class DeleteForm(forms.Form):
    """Asks for a proof that the account is the user's own: the password or, if the account signs in through
    another site, the address."""

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
            raise forms.ValidationError(say_here("accounts.delete.wrong_proof"))
        return proof
