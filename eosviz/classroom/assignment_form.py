"""The form of a new or changed assignment. The engine runs the scenario to check that the assignment is
possible. If it is not, the form shows an error at the field that makes it impossible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import get_language

from engine.judge.bench import NEEDS
from engine.scenario.tracks import tracks
from eosviz.accounts.forms import one_line, words
from eosviz.accounts.models import User
from eosviz.bounded.refusing import BeyondBounds, Busy
from eosviz.bounded.register import caller
from eosviz.catalogue import language_of
from eosviz.classroom.judging import broken_by_itself, guarantees_of
from eosviz.classroom.kinds import Kind
from eosviz.classroom.material import built, built_by
from eosviz.classroom.models import (
    ATTEMPTS_MAX,
    NAME_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
    Assignment,
)
from eosviz.language import say_here
from eosviz.scenarios.cards import Card, card_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.time_zone import zone_named
from eosviz.tracks.asking import asked_alone

TRACK = "track:"
EDITION = "edition:"
"""Prefixes of values of the field `material` that do not name a scenario of the library. A track's name
follows after TRACK, the id of an edition of the workshop after EDITION."""
KEPT = "kept"
"""The value of the field `material` for leaving the material of a changed assignment as it is."""


def _refuse(key: str, **params: Any) -> forms.ValidationError:
    return forms.ValidationError(say_here(key, **params))


_FOUND = words("classroom.material.found", shown="{shown}", total="{total}")
"""The text that says how many scenarios were found. A script of the page puts the numbers into it."""


def _moment(label: str, why: str) -> forms.DateTimeField:
    return forms.DateTimeField(
        label=words(label),
        help_text=words(why),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )


class AssignmentForm(forms.Form):
    """The form for an assignment of one kind: for a new one or, with `given`, for changing this one. With
    `is_fixed` it has only the fields that attempts do not depend on."""

    title = forms.CharField(
        label=words("classroom.title"), max_length=NAME_CHARACTERS_MAX, validators=[one_line]
    )
    material = forms.ChoiceField(
        label=words("classroom.material"),
        widget=forms.Select(attrs={"data-find": words("classroom.material.find"), "data-found": _FOUND}),
    )
    text = forms.CharField(
        label=words("classroom.text"),
        max_length=TEXT_CHARACTERS_MAX,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    opens = _moment("classroom.opens", "classroom.opens.why")
    due = _moment("classroom.due", "classroom.due.why")
    closes = _moment("classroom.closes", "classroom.closes.why")
    past = forms.BooleanField(label=words("classroom.past"), required=False)
    """A box that is shown with the warning about a time in the past. The instructor ticks it to confirm the
    time."""
    attempts_max = forms.IntegerField(
        label=words("classroom.attempts_max"),
        help_text=words("classroom.counts"),
        min_value=1,
        max_value=ATTEMPTS_MAX,
        initial=3,
    )
    zone = forms.CharField(required=False, widget=forms.HiddenInput)
    """The time zone in which the page showed the form's times."""

    def __init__(
        self,
        kind: Kind,
        teacher: User,
        data: QueryDict | None = None,
        *,
        initial: dict[str, Any] | None = None,
        given: Assignment | None = None,
        is_fixed: bool = False,
    ) -> None:
        chosen = {"zone": timezone.get_current_timezone_name(), **_initial(kind, given), **(initial or {})}
        super().__init__(data, initial=chosen)
        self.kind = kind
        self.teacher = teacher
        self.given = given
        typed_in = zone_named(self.data.get("zone", "")) if self.is_bound else None
        self.time_zone = typed_in or timezone.get_current_timezone()
        asked = kind.fields()
        self.fields.update(asked)
        self.order_fields(["title", "material", *asked])
        if not self.is_bound:
            del self.fields["past"]
        self.fields["text"].required = kind.is_read
        if is_fixed:
            for name in ("material", *asked):
                del self.fields[name]
            return
        self._offer("material", _materials(kind, teacher, given, language_of(get_language())))
        self.fields["material"].required = kind.needs_scenario
        if kind.takes_tracks:
            self.fields["material"].label = words("classroom.material.or_track")

    def _offer(self, name: str, choices: Iterable[Any]) -> None:
        field = self.fields[name]
        if not isinstance(field, forms.ChoiceField):
            raise TypeError(f"{name} offers no choices")
        field.choices = list(choices)

    def full_clean(self) -> None:
        with timezone.override(self.time_zone):
            super().full_clean()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        self._check_times(cleaned)
        material = cleaned.get("material", "")
        if not material or material.startswith(TRACK):
            return cleaned
        version, variant = self._run(material)
        if version is None:
            self.add_error("material", _refuse("classroom.wrong.material"))
            return cleaned
        cleaned["version"], cleaned["variant"] = version, variant
        self._check_run(version, variant, cleaned)
        return cleaned

    def _check_times(self, cleaned: dict[str, Any]) -> None:
        """Add errors for times that are in the wrong order, and for times in the past that are not
        confirmed."""
        opens, due, closes = (cleaned.get(name) for name in ("opens", "due", "closes"))
        if opens and due and due <= opens:
            self.add_error("due", _refuse("classroom.wrong.due_before_open"))
        elif opens and closes and closes <= opens:
            self.add_error("closes", _refuse("classroom.wrong.closed_before_open"))
        elif due and closes and closes < due:
            self.add_error("closes", _refuse("classroom.wrong.closed_before_due"))
        past = [name for name in ("due", "closes") if self._is_newly_past(name, cleaned.get(name))]
        if not past:
            del self.fields["past"]
        elif not cleaned.get("past"):
            for name in past:
                self.add_error(name, _refuse("classroom.wrong.past"))

    def _is_newly_past(self, name: str, at: datetime | None) -> bool:
        before = None if self.given is None else getattr(self.given, name)
        return at is not None and at != before and at <= timezone.now()

    def _run(self, material: str) -> tuple[ScenarioVersion | None, str | None]:
        if material == KEPT and self.given is not None:
            return self.given.version, self.given.variant
        identifier, _, variant = material.partition("/")
        return self._version(identifier), variant or None

    def _version(self, identifier: str) -> ScenarioVersion | None:
        """The scenario version that the field `material` names: of the library, or an edition that the
        teacher built. None if there is none."""
        if identifier.startswith(EDITION):
            return built(self.teacher, identifier.removeprefix(EDITION))
        return ScenarioVersion.objects.library().filter(identifier=identifier).first()

    def _check_run(self, version: ScenarioVersion, variant: str | None, cleaned: dict[str, Any]) -> None:
        """Let the engine run the scenario, and add errors if the task is impossible, or done without any
        action of the learner."""
        asks = caller(self.teacher.owner_key)
        try:
            broken = broken_by_itself(version, variant, asks)
            known = guarantees_of(version, variant, asks)
            is_unasked = (
                self.kind.asks_questions and broken is not None and not asked_alone(version, variant, asks)
            )
        except Busy as busy:
            self.add_error("material", _refuse("classroom.refused.busy", seconds=busy.seconds))
            return
        except BeyondBounds as beyond:
            self.add_error("material", _refuse(beyond.key))
            return
        if broken is None:
            self.add_error("material", _refuse("classroom.wrong.refused"))
            return
        if is_unasked:
            self.add_error("material", _refuse("classroom.wrong.no_questions"))
            return
        guarantee = cleaned.get("guarantee")
        if guarantee and guarantee not in known:
            self.add_error("guarantee", _refuse(f"classroom.wrong.not_judged.{NEEDS[guarantee]}"))
            return
        try:
            self.kind.check(version, broken, cleaned)
        except forms.ValidationError as wrong:
            self.add_error(None, wrong)

    def chosen(self) -> dict[str, Any]:
        """Dict of field of `Assignment` → value, for the fields that this form sets."""
        cleaned = self.cleaned_data
        columns = (*_COLUMNS, *self.kind.fields())
        chosen = {name: cleaned[name] for name in columns if name in self.fields}
        if "material" in self.fields:
            material: str = cleaned["material"]
            chosen["version"], chosen["variant"] = cleaned.get("version"), cleaned.get("variant")
            chosen["track"] = material.removeprefix(TRACK) if material.startswith(TRACK) else ""
        return chosen

    def assignment(self) -> Assignment:
        """A new assignment, not saved, without a class."""
        return Assignment(kind=self.kind.name, **self.chosen())


_COLUMNS = ("title", "text", "opens", "due", "closes", "attempts_max")
"""The fields that assignments of every kind have. Each kind may have more."""


def _initial(kind: Kind, given: Assignment | None) -> dict[str, Any]:
    if given is None:
        return {}
    material = f"{TRACK}{given.track}" if given.track else KEPT if given.version_id else ""
    return {"material": material, **{name: getattr(given, name) for name in (*_COLUMNS, *kind.fields())}}


def _materials(
    kind: Kind, teacher: User, given: Assignment | None, language: str
) -> Iterator[tuple[str, Any]]:
    """The choices of the field `material`: (value, label) or (name of a group, its choices)."""
    if not kind.needs_scenario:
        yield "", say_here("classroom.no_material")
    if given is not None and given.version is not None:
        card = card_of(given.version)
        variant = card.variant(given.variant)
        title = card.title[language] if variant is None else variant.title[language]
        yield KEPT, f"{card.identifier} {title} {say_here('classroom.material.kept')}"
    own = [(version, f"{EDITION}{key}") for version, key in built_by(teacher)]
    yield from _scenarios(kind, own, f"{say_here('page.workshop')}{say_here('join.colon')}", language)
    if kind.takes_tracks:
        yield (
            say_here("page.tracks"),
            [(f"{TRACK}{track.name}", track.title[language]) for track in tracks()],
        )
    library = [(version, version.identifier) for version in ScenarioVersion.objects.library()]
    yield from _scenarios(kind, library, "", language)


def _scenarios(
    kind: Kind, versions: Iterable[tuple[ScenarioVersion, str]], place: str, language: str
) -> Iterator[tuple[str, Any]]:
    for version, value in versions:
        if not kind.offers(version):
            continue
        card = card_of(version)
        yield f"{place}{card.identifier} {card.title[language]}", list(_runs(card, value, language))


def _runs(card: Card, value: str, language: str) -> Iterator[tuple[str, str]]:
    """(value, label) of the scenario's runs. Runs that a rule is expected to refuse are left out. `value`:
    the scenario's value in the form, to which the name of a variant is added."""
    if card.acts:
        yield value, f"{card.identifier} {card.title[language]}"
    for variant in card.variants:
        if variant.expect_refused is None:
            yield f"{value}/{variant.name}", f"{card.identifier} {variant.title[language]}"
