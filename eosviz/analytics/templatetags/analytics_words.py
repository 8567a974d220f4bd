"""Template tags: texts about figures, and the element that reports a reader's progress from the player's
page."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from engine.scenario.tracks import tracks
from eosviz.analytics.actions import is_followed
from eosviz.analytics.models import Figure
from eosviz.scenarios.templatetags.words import in_language, say
from eosviz.walkthroughs.models import Session

register = template.Library()


@register.simple_tag
def trail_element(session: Session) -> SafeString:
    """The element `<eos-trail>`, which reports the reader's progress; empty if no trail of this session is
    recorded."""
    if not is_followed(session):
        return SafeString("")
    return format_html('<eos-trail address="{}"></eos-trail>', reverse("analytics:trail", args=[session.id]))


@register.simple_tag
def group_name(group: str) -> str:
    """The name of a figure's group. A track is named by its title, or by its identifier if it no longer
    exists."""
    kind, _, name = group.partition(" ")
    if kind != "track":
        return say(f"analytics.group.{kind or 'all'}")
    track = next((one for one in tracks() if one.name == name), None)
    return say("analytics.group.track", title=in_language(track.title) if track else name)


@register.simple_tag
def share(figure: Figure | None) -> SafeString:
    """A share as text, `42 % (5 of 12; 19–68 %)`; for None, the text for a missing figure."""
    if figure is None:
        return say("analytics.none")
    return say(
        "analytics.share", percent=figure.percent, people=figure.people, of=figure.of, **figure.interval
    )


@register.simple_tag
def share_before(figure: Figure) -> SafeString:
    """The share in the earlier version, as text. It has no interval, because the difference of the two shares
    has one."""
    of = figure.of_before or 0
    people = figure.people_before or 0
    return say("analytics.share.plain", percent=round(100 * people / of) if of else 0, people=people, of=of)


@register.simple_tag
def share_after(figure: Figure) -> SafeString:
    return say("analytics.share.plain", percent=figure.percent, people=figure.people, of=figure.of)


@register.simple_tag
def difference(figure: Figure) -> SafeString:
    """The difference between the shares of two versions in percentage points, with its interval, and whether
    the later version is better or worse (for `branched`: whether more or fewer people branched). Open if the
    interval includes zero."""
    of_before = figure.of_before or 0
    before = (figure.people_before or 0) / of_before if of_before else 0.0
    points = round(100 * (figure.share - before))
    if figure.low <= 0 <= figure.high:
        verdict = "open"
    else:
        rose_is_good = figure.kind == "ended"
        verdict = "better" if (figure.low > 0) is rose_is_good else "worse"
    if figure.kind == "branched" and verdict != "open":
        verdict = "more" if figure.low > 0 else "fewer"
    return say(f"analytics.change.{verdict}", points=f"{points:+d}".replace("-", "−"), **_points(figure))


def _points(figure: Figure) -> dict[str, Any]:
    return {
        "low": f"{round(100 * figure.low):+d}".replace("-", "−"),
        "high": f"{round(100 * figure.high):+d}".replace("-", "−"),
    }


@register.simple_tag
def step_sentence(figure: Figure) -> SafeString:
    """The sentence of the figure's step; empty if it is not known."""
    return SafeString("") if figure.said is None else say(figure.said["key"], figure.said["params"])
