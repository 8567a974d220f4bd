"""The form's field that names a guarantee."""

from __future__ import annotations

from django import forms

from engine.judge.bench import EVERY_GUARANTEE
from eosviz.accounts.forms import words
from eosviz.language import say_here


def guarantee_field(*, may_be_every: bool) -> forms.ChoiceField:
    """A field that names one guarantee. With `may_be_every` it may be empty, which means every guarantee."""
    every = [("", say_here("classroom.every_guarantee"))] if may_be_every else []
    named = [(name, say_here(f"classroom.guarantee.{name}")) for name in EVERY_GUARANTEE]
    return forms.ChoiceField(
        label=words("classroom.guarantee"), choices=[*every, *named], required=not may_be_every
    )
