"""Template tags for assignments and attempts, such as the reason of a judgement."""

from __future__ import annotations

from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from eosviz.accounts.models import User
from eosviz.classroom.judging import Judgement
from eosviz.classroom.kinds import kind_of
from eosviz.classroom.kinds.kind import written
from eosviz.classroom.models import Assignment, Attempt, Outcome
from eosviz.scenarios.templatetags.words import gap, say
from eosviz.walkthroughs.models import Session

register = template.Library()


@register.simple_tag
def attempt_reason(attempt: Attempt) -> SafeString:
    """The sentence with the reason of the attempt's stored judgement."""
    evidence = {key: value for key, value in attempt.evidence.items() if key != "reason"}
    params = {"score": attempt.score, "score_max": attempt.score_max, **evidence}
    key = f"classroom.reason.{attempt.evidence['reason']}"
    if kind_of(attempt.assignment).is_read and attempt.outcome in (Outcome.PASSED, Outcome.FAILED):
        key += f".{attempt.outcome}"  # The instructor has decided since the attempt was submitted.
    return _reason(key, params)


@register.simple_tag
def judgement_reason(judgement: Judgement) -> SafeString:
    """The sentence with the reason of a judgement that was not stored, which an open attempt would get
    now."""
    return _reason(judgement.sentence_key, judgement.sentence_params)


@register.simple_tag
def chosen(attempt: Attempt) -> list[tuple[str, str]]:
    """The learner's choices, each as (label, value)."""
    labels = kind_of(attempt.assignment).chosen_labels(attempt)
    return [(labels[name], written(value)) for name, value in attempt.chosen.items()]


@register.simple_tag
def task(assignment: Assignment) -> SafeString:
    """The sentences that say what learners have to do."""
    return format_html_join(gap(), "{}", ((one,) for one in kind_of(assignment).task(assignment, say)))


@register.simple_tag
def assignments_of_track(user: User | AnonymousUser, track: str) -> list[Assignment]:
    """The assignments to watch this track that the user has begun and not submitted."""
    if not isinstance(user, User):
        return []
    attempts = Attempt.objects.of(user).open().filter(assignment__track=track)
    return [attempt.assignment for attempt in attempts.select_related("assignment")]


@register.simple_tag
def assignment_address(session: Session) -> SafeString:
    """Attributes of `<eos-player>`: `assignment`, the address of the assignment, and `submits` if the attempt
    can be submitted. Empty if the session belongs to no attempt."""
    attempt = Attempt.objects.filter(session=session).select_related("assignment").first()
    if attempt is None:
        return SafeString("")
    address = reverse("classroom:assignment", args=[attempt.assignment_id])
    can_submit = attempt.outcome == Outcome.OPEN and not attempt.assignment.is_closed
    return format_html('assignment="{}"{}', address, " submits" if can_submit else "")


def _reason(key: str, params: dict[str, Any]) -> SafeString:
    if "broken" in params:
        params = {**params, "broken": say(f"classroom.guarantee.{params['broken']}")}
    return say(key, params)
