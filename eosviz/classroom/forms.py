"""The forms of classes, except the form of an assignment (`assignment_form.py`)."""

from __future__ import annotations

from typing import Any

from django import forms

from eosviz.accounts.forms import one_line, words
from eosviz.classroom.kinds import Kind
from eosviz.classroom.models import (
    NAME_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
)


class NameForm(forms.Form):
    name = forms.CharField(
        label=words("classroom.name"), max_length=NAME_CHARACTERS_MAX, validators=[one_line]
    )


class JoinForm(forms.Form):
    code = forms.CharField(
        label=words("classroom.code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


class HandInForm(forms.Form):
    """The fields that a learner fills in to submit an attempt. Some kinds of assignments have none."""

    def __init__(self, kind: Kind, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update(kind.answer_fields())


class ReadForm(forms.Form):
    comment = forms.CharField(
        label=words("classroom.comment"),
        max_length=TEXT_CHARACTERS_MAX,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
