"""Forms of classes; that of an assignment is in `assignment_form.py`."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language

from engine.client.configuration import SETTINGS
from eosviz.accounts.forms import one_line, words
from eosviz.catalogue import language_of, say
from eosviz.classroom.models import (
    NAME_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
    Assignment,
)
from eosviz.walkthroughs.simulations import scenario_of


def _say(key: str, **params: Any) -> str:
    return say(key, language_of(get_language()), params)


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


class SettingsForm(forms.Form):
    """*Make it hold*: a field for each producer's settings that may be chosen. `chosen` are those that differ from
    the scenario's own."""

    def __init__(self, assignment: Assignment, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if assignment.version is None:
            return
        scenario = scenario_of(assignment.version, assignment.variant)
        for producer in scenario["producers"]:
            for name in assignment.settings:
                now = producer["settings"].get(name, SETTINGS[name].default)
                path = f"producers.{producer['name']}.settings.{name}"
                self.fields[path] = _field(name, now)
                self.fields[path].label = f"{producer['name']}{_say('join.colon')}{name}"

    @property
    def chosen(self) -> dict[str, Any]:
        values = {path: self._value(path) for path in self.fields}
        return {path: value for path, value in values.items() if value != self._before(path)}

    def _value(self, path: str) -> Any:
        return _READ.get(SETTINGS[path.rpartition(".")[2]].kind, int)(self.cleaned_data[path])

    def _before(self, path: str) -> Any:
        return _READ.get(SETTINGS[path.rpartition(".")[2]].kind, int)(self.fields[path].initial)


_READ: dict[str, Any] = {
    "bool": lambda text: text == "true",
    "acks": lambda text: "all" if text == "all" else int(text),
}


def _field(name: str, now: Any) -> forms.Field:
    setting = SETTINGS[name]
    if setting.kind == "bool":
        return forms.ChoiceField(
            choices=[("true", "true"), ("false", "false")], initial="true" if now else "false"
        )
    if setting.kind == "acks":
        shown = "all" if now in (-1, "-1", "all") else str(now)
        return forms.ChoiceField(choices=[("0", "0"), ("1", "1"), ("all", "all")], initial=shown)
    return forms.IntegerField(min_value=setting.low, max_value=setting.high, initial=now)


class HandInForm(forms.Form):
    text = forms.CharField(
        label=words("classroom.your_text"),
        max_length=TEXT_CHARACTERS_MAX,
        widget=forms.Textarea(attrs={"rows": 8}),
    )


class ReadForm(forms.Form):
    comment = forms.CharField(
        label=words("classroom.comment"),
        max_length=TEXT_CHARACTERS_MAX,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
