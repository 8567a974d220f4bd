"""Template tags that give the player its attributes for questions, for the track in which a run is played,
and for the lesson."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from engine.scenario.tracks import tracks
from eosviz.scenarios.lesson_layout import paragraphs, parts
from eosviz.tracks.lessons import lesson_of_scenario, lesson_of_session, lesson_of_version
from eosviz.tracks.models import Visit

register = template.Library()


@register.simple_tag
def question_addresses(session: Any) -> SafeString:
    """Attributes of `<eos-player>`: the addresses from which questions are read and to which answers are
    sent; in a track, also the track's address. Empty if the scenario has no questions."""
    if not session.version.document.get("checkpoints"):
        return SafeString("")
    addresses = {
        "questions": reverse("tracks:questions", args=[session.id]),
        "predictions": reverse("tracks:predict", args=[session.id]),
    }
    visit = Visit.objects.filter(session=session).first()
    track = next((one for one in tracks() if visit is not None and one.name == visit.track), None)
    if visit is not None and track is not None:
        addresses["track"] = reverse("tracks:detail", args=[track.name])
        addresses["track-finish"] = reverse("tracks:finish", args=[track.name, visit.position])
        addresses["track-place"] = f"{visit.position}/{len(track.items)}"
        addresses["track-title-en"] = track.title["en"]
        addresses["track-title-zh-hans"] = track.title["zh-Hans"]
    return format_html_join(" ", '{}="{}"', addresses.items())


@register.simple_tag
def lesson_attribute(
    session: Any = None,
    version: Any = None,
    scenario: str = "",
    variant: str | None = None,
    links: bool = True,
    as_written: bool = True,
) -> SafeString:
    """The attribute of `<eos-player>` with the lesson: what to watch for in a run, what it means, and what
    comes next. The run is given by `session`, by `version` or by `scenario`."""
    if session is not None:
        lesson = lesson_of_session(session)
    elif version is not None:
        lesson = lesson_of_version(version, variant)
    else:
        lesson = lesson_of_scenario(scenario, variant or None, links, as_written)
    if not lesson:
        return SafeString("")
    return format_html('lesson="{}"', json.dumps(_laid_out(lesson), ensure_ascii=False))


def _laid_out(lesson: dict[str, Any]) -> dict[str, Any]:
    """The lesson in the form that the player shows: its text as paragraphs (kind, parts), and the meanings of
    signs as parts. Every second part is code."""
    laid = dict(lesson)
    for name in ("lesson", "shared_lesson"):
        if name in lesson:
            laid[name] = {
                language: [{"kind": kind, "parts": parts(said)} for kind, said in paragraphs(text)]
                for language, text in lesson[name].items()
            }
    if "signs" in lesson:
        laid["signs"] = [
            {**sign, "means": {language: parts(text) for language, text in sign["means"].items()}}
            for sign in lesson["signs"]
        ]
    return laid
