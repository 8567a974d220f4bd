"""What a judgement that was kept says."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString

from eosviz.classroom.judging import Judgement
from eosviz.classroom.models import Attempt
from eosviz.scenarios.templatetags.words import say

register = template.Library()


@register.simple_tag
def attempt_reason(attempt: Attempt) -> SafeString:
    """Why it was judged so, from the evidence that was kept."""
    evidence = {key: value for key, value in attempt.evidence.items() if key != "reason"}
    params = {"score": attempt.score, "score_max": attempt.score_max, **evidence}
    return _reason(f"classroom.reason.{attempt.evidence['reason']}", params)


@register.simple_tag
def judgement_reason(judgement: Judgement) -> SafeString:
    """The same of what handing in now would give."""
    return _reason(judgement.said_key, judgement.said_params)


def _reason(key: str, params: dict[str, Any]) -> SafeString:
    if "broken" in params:
        params = {**params, "broken": say(f"classroom.guarantee.{params['broken']}")}
    return say(key, params)
