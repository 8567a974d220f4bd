"""The kind *Keep the guarantees*: the learner chooses settings of the producers with which the guarantees
hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms

from engine.client.configuration import SETTINGS, defaults, kafka_name
from engine.profiles import K41
from engine.scenario.document import Scenario
from eosviz.accounts.forms import words
from eosviz.bounded.register import caller
from eosviz.classroom.judging import Judgement, broken_by_itself, failed_by_itself
from eosviz.classroom.kinds.guarantees import guarantee_field
from eosviz.classroom.kinds.kind import Kind, Say, StartForm, wrong_at
from eosviz.classroom.models import Assignment, Attempt, Outcome
from eosviz.language import say_here
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.simulations import scenario_of

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
"""The producer settings that an instructor may offer, because a guarantee may depend on them."""


class Hold(Kind):
    name = "hold"
    order = 4
    is_judged_by_run = False
    standing_key = "classroom.with_these_settings"

    def fields(self) -> dict[str, forms.Field]:
        return {
            "guarantee": guarantee_field(may_be_every=True),
            "settings": forms.MultipleChoiceField(
                label=words("classroom.settings"),
                choices=[(name, kafka_name(name, K41) or name) for name in OFFERED_SETTINGS],
                initial=["acks", "enable_idempotence", "retries", "max_in_flight"],
                widget=forms.CheckboxSelectMultiple,
            ),
        }

    def check(self, version: ScenarioVersion, broken: dict[str, int], cleaned: dict[str, Any]) -> None:
        guarantee = cleaned.get("guarantee", "")
        if not any(guarantee in ("", name) for name in broken):
            raise wrong_at("guarantee", "classroom.wrong.holds_already")
        if not version.document.get("producers"):
            raise wrong_at("material", "classroom.wrong.no_producer")

    def task(self, assignment: Assignment, say: Say) -> list[str]:
        return [say("classroom.task.hold", guarantee=say(assignment.guarantee_key))]

    def start_form(self, assignment: Assignment, data: Any = None) -> StartForm:
        return SettingsForm(assignment, data)

    def chosen_labels(self, attempt: Attempt) -> dict[str, str]:
        if attempt.assignment.version is None:
            return super().chosen_labels(attempt)
        scenario = scenario_of(attempt.assignment.version, attempt.assignment.variant)
        return {one.path: one.label for one in _settings(scenario) if one.path in attempt.chosen}

    def judge(self, attempt: Attempt) -> Judgement:
        """Judge by a run with the chosen settings and without interventions."""
        if attempt.session is None:
            return Judgement(Outcome.FAILED, "run_deleted")
        guarantee = attempt.assignment.guarantee
        asks = caller(attempt.user.owner_key)
        every = broken_by_itself(attempt.session.version, attempt.session.variant, asks)
        if every is None:
            return Judgement(Outcome.FAILED, "run_refused")
        broken = {name: step for name, step in every.items() if guarantee in ("", name)}
        if broken:
            name, step = min(broken.items(), key=lambda one: (one[1], one[0]))
            return Judgement(Outcome.FAILED, "did_not_hold", evidence={"broken": name, "step": step})
        failed = failed_by_itself(attempt.session.version, attempt.session.variant, asks)
        if failed:
            return Judgement(Outcome.PASSED, "held_some_failed", evidence={"failed": failed})
        return Judgement(Outcome.PASSED, "held")


class SettingsForm(StartForm):
    """The form before an attempt: one field for each producer setting that the learner may choose."""

    def __init__(self, assignment: Assignment, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._given: dict[str, Any] = {}
        if assignment.version is None:
            return
        for one in _settings(scenario_of(assignment.version, assignment.variant)):
            if one.name in assignment.settings:
                self.fields[one.path] = _field(one.name, one.in_force)
                self.fields[one.path].label = one.label
                self._given[one.path] = _field(one.name, one.given).initial

    @property
    def chosen(self) -> dict[str, Any]:
        """Dict of path in the scenario's document → chosen value. A value is left out if the document
        gives it and the producer also runs with it."""
        values = {path: _read(path, value) for path, value in self.cleaned_data.items()}
        return {path: value for path, value in values.items() if {value} != self._usual(path)}

    def _usual(self, path: str) -> set[Any]:
        """The value in the document, and the value with which the producer runs. They differ if another setting
        forces the value. Then every value counts as a choice, because the learner may change the other setting."""
        return {_read(path, self._given[path]), _read(path, self.fields[path].initial)}


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting of one of the scenario's producers."""

    name: str
    path: str
    """The setting's path in the scenario's document."""
    label: str
    """The label of the form's field. It names the setting as the producer's version of Kafka does."""
    given: Any
    """The value in the document or, if there is none, the default of the producer's version of Kafka."""
    in_force: Any
    """The value with which the producer runs. Another setting may force it, as idempotence forces acks=all."""


def _settings(scenario: Scenario) -> Iterator[_Setting]:
    """The settings that an instructor may offer, for each producer of the scenario."""
    for producer in scenario["producers"]:
        profile = scenario.version(producer["profile"] or scenario["profile"])
        given = {**defaults(profile), **producer["settings"]}
        config = scenario.producer_config(producer)
        for name in OFFERED_SETTINGS:
            yield _Setting(
                name,
                f"producers.{producer['name']}.settings.{name}",
                f"{producer['name']}{say_here('join.colon')}{kafka_name(name, profile) or name}",
                given[name],
                given[name] if config is None else getattr(config, name),
            )


def _read(path: str, written: Any) -> Any:
    """Converts the text of a form's field to the value that the scenario's document would have at this
    path."""
    kind = SETTINGS[path.rpartition(".")[2]].kind
    if kind == "bool":
        return written == "true"
    return "all" if written == "all" else int(written)


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
