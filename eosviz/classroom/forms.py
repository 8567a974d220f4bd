"""Forms of classes. An impossible assignment is refused at the field that makes it so; a run of the scenario decides
what is possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Any

from django import forms
from django.utils.translation import get_language

from engine.client.configuration import SETTINGS
from engine.judge.bench import GUARANTEES, OF_TRANSACTIONS, TRANSACTION_GUARANTEES
from engine.scenario.tracks import tracks
from eosviz.accounts.forms import one_line, words
from eosviz.accounts.models import User
from eosviz.bounded.refusing import BeyondBounds, Busy
from eosviz.bounded.register import caller
from eosviz.catalogue import language_of, say
from eosviz.classroom.judging import broken_by_itself
from eosviz.classroom.models import (
    ATTEMPTS_MAX,
    BUDGET_MAX,
    NAME_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
    Assignment,
    Kind,
)
from eosviz.scenarios.cards import Card, card_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.simulations import scenario_of
from eosviz.workshop.models import Edition

EVERY_GUARANTEE = (*GUARANTEES, *OF_TRANSACTIONS, *TRANSACTION_GUARANTEES)
OFFERED_SETTINGS = (
    "acks",
    "enable_idempotence",
    "retries",
    "max_in_flight",
    "retry_backoff_ms",
    "request_timeout_ms",
    "batch_expiry_ms",
    "linger_ms",
    "max_block_ms",
    "transaction_timeout_ms",
)
"""The producer settings that decide about a guarantee."""
TRACK = "track:"
EDITION = "edition:"
"""Prefixes of a material's value that is no scenario of the library: the name of a track, or the row id of a version of
the workshop follows."""


def _say(key: str, **params: Any) -> str:
    return say(key, language_of(get_language()), params)


def _refuse(key: str, **params: Any) -> forms.ValidationError:
    return forms.ValidationError(_say(key, **params))


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


class AssignmentForm(forms.Form):
    """The form for one kind of assignment, with the fields of that kind only."""

    title = forms.CharField(
        label=words("classroom.title"), max_length=NAME_CHARACTERS_MAX, validators=[one_line]
    )
    material = forms.ChoiceField(label=words("classroom.material"))
    guarantee = forms.ChoiceField(label=words("classroom.guarantee"))
    budget = forms.IntegerField(
        label=words("classroom.budget"),
        help_text=words("classroom.budget.why"),
        min_value=1,
        max_value=BUDGET_MAX,
        initial=2,
    )
    settings = forms.MultipleChoiceField(
        label=words("classroom.settings"),
        choices=[(name, name) for name in OFFERED_SETTINGS],
        initial=["acks", "enable_idempotence", "retries", "max_in_flight"],
        widget=forms.CheckboxSelectMultiple,
    )
    text = forms.CharField(
        label=words("classroom.text"),
        max_length=TEXT_CHARACTERS_MAX,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    due = forms.DateTimeField(
        label=words("classroom.due"),
        help_text=words("classroom.due.why"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    attempts_max = forms.IntegerField(
        label=words("classroom.attempts_max"), min_value=1, max_value=ATTEMPTS_MAX, initial=3
    )

    def __init__(self, kind: Kind, teacher: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        self.teacher = teacher
        for name, kinds in _ONLY_FOR.items():
            if kind not in kinds:
                del self.fields[name]
        self._offer("material", _materials(kind, teacher, language_of(get_language())))
        self.fields["material"].required = kind != Kind.EXPLAIN
        if kind == Kind.EXPLAIN:
            self.fields["text"].required = True
        if "guarantee" in self.fields:
            every = [("", _say("classroom.every_guarantee"))] if kind == Kind.HOLD else []
            named = [(name, _say(f"classroom.guarantee.{name}")) for name in EVERY_GUARANTEE]
            self._offer("guarantee", [*every, *named])
            self.fields["guarantee"].required = kind == Kind.BREAK

    def _offer(self, name: str, choices: Iterable[Any]) -> None:
        field = self.fields[name]
        if not isinstance(field, forms.ChoiceField):
            raise TypeError(f"{name} offers no choices")
        field.choices = list(choices)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        material = cleaned.get("material", "")
        if not material or material.startswith(TRACK):
            return cleaned
        identifier, _, variant = material.partition("/")
        version = self._version(identifier)
        if version is None:
            self.add_error("material", _refuse("classroom.wrong.material"))
            return cleaned
        cleaned["version"], cleaned["variant"] = version, variant or None
        self._check_run(version, variant or None, cleaned.get("guarantee", ""))
        return cleaned

    def _version(self, identifier: str) -> ScenarioVersion | None:
        """A scenario of the library, or the newest version of one that the teacher built."""
        if identifier.startswith(EDITION):
            usable = Edition.objects.usable_by(self.teacher)
            edition = usable.filter(pk=identifier.removeprefix(EDITION)).first()
            return None if edition is None else edition.version
        return ScenarioVersion.objects.library().filter(identifier=identifier).first()

    def _check_run(self, version: ScenarioVersion, variant: str | None, guarantee: str) -> None:
        """The engine runs the scenario once: the task must be possible and not done from the start."""
        try:
            broken = broken_by_itself(version, variant, caller(self.teacher.owner_key))
        except Busy as busy:
            self.add_error("material", _refuse("classroom.refused.busy", seconds=busy.seconds))
            return
        except BeyondBounds as beyond:
            self.add_error("material", _refuse(beyond.key))
            return
        if broken is None:
            self.add_error("material", _refuse("classroom.wrong.refused"))
        elif self.kind == Kind.BREAK and guarantee in broken:
            self.add_error("guarantee", _refuse("classroom.wrong.broken_already", step=broken[guarantee]))
        elif self.kind == Kind.HOLD and not any(guarantee in ("", name) for name in broken):
            self.add_error("guarantee", _refuse("classroom.wrong.holds_already"))
        elif self.kind == Kind.HOLD and not version.document.get("producers"):
            self.add_error("material", _refuse("classroom.wrong.no_producer"))
        elif self.kind == Kind.PREDICT and not version.document.get("checkpoints"):
            self.add_error("material", _refuse("classroom.wrong.no_questions"))

    def assignment(self) -> Assignment:
        """A new assignment, not saved and without its class."""
        cleaned = self.cleaned_data
        material: str = cleaned.get("material", "")
        return Assignment(
            kind=self.kind,
            title=cleaned["title"],
            text=cleaned["text"],
            version=cleaned.get("version"),
            variant=cleaned.get("variant"),
            track=material.removeprefix(TRACK) if material.startswith(TRACK) else "",
            due=cleaned["due"].replace(tzinfo=UTC) if cleaned["due"] else None,
            attempts_max=cleaned["attempts_max"],
            guarantee=cleaned.get("guarantee", ""),
            budget=cleaned.get("budget"),
            settings=cleaned.get("settings", []),
        )


_ONLY_FOR: dict[str, tuple[Kind, ...]] = {
    "guarantee": (Kind.BREAK, Kind.HOLD),
    "budget": (Kind.BREAK,),
    "settings": (Kind.HOLD,),
}


def _materials(kind: Kind, teacher: User, language: str) -> Iterator[tuple[str, Any]]:
    """The choices: tracks if they can be watched, scenarios with their variants as groups."""
    if kind == Kind.EXPLAIN:
        yield "", _say("classroom.no_material")
    if kind == Kind.WATCH:
        yield (
            _say("page.tracks"),
            [(f"{TRACK}{track.name}", track.title[language]) for track in tracks()],
        )
    built = [(one.version, f"{EDITION}{one.pk}") for one in Edition.objects.usable_by(teacher)]
    library = [(version, version.identifier) for version in ScenarioVersion.objects.library()]
    for version, value in (*built, *library):
        if kind == Kind.PREDICT and not version.document.get("checkpoints"):
            continue
        card = card_of(version)
        place = f"{_say('page.workshop')}{_say('join.colon')}" if value.startswith(EDITION) else ""
        yield f"{place}{card.identifier} {card.title[language]}", list(_runs(card, value, language))


def _runs(card: Card, value: str, language: str) -> Iterator[tuple[str, str]]:
    """Each run of a scenario; `value` is the scenario's name in the form."""
    if card.acts:
        yield value, f"{card.identifier} {card.title[language]}"
    for variant in card.variants:
        if variant.expect_refused is None:
            yield f"{value}/{variant.name}", f"{card.identifier} {variant.title[language]}"


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
