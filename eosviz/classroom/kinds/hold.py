"""*Keep the guarantees*: the learner chooses other settings of the producers."""

from __future__ import annotations

from typing import Any

from django import forms

from engine.client.configuration import SETTINGS
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
                choices=[(name, name) for name in OFFERED_SETTINGS],
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

    def chosen_label(self, name: str) -> str:
        producer, _, setting = name.removeprefix("producers.").partition(".settings.")
        return _label(producer, setting)

    def judge(self, attempt: Attempt) -> Judgement:
        """The engine makes the run again, with the chosen settings and without interventions."""
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
    """*Keep the guarantees*: a field for each setting of a producer that the learner may choose."""

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
                self.fields[path].label = _label(producer["name"], name)

    @property
    def chosen(self) -> dict[str, Any]:
        values = {path: self._value(path) for path in self.fields}
        return {path: value for path, value in values.items() if value != self._before(path)}

    def _value(self, path: str) -> Any:
        return _READ.get(SETTINGS[path.rpartition(".")[2]].kind, int)(self.cleaned_data[path])

    def _before(self, path: str) -> Any:
        return _READ.get(SETTINGS[path.rpartition(".")[2]].kind, int)(self.fields[path].initial)


def _label(producer: str, setting: str) -> str:
    return f"{producer}{say_here('join.colon')}{setting}"


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
