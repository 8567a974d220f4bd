"""The frame of a run: what to watch for, what it means, what comes next, what to try. From the scenario's document and
the tracks, for whoever sees a run, however they came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from engine.scenario.document import BadScenario
from engine.scenario.shelf import entry
from engine.scenario.tracks import Track, tracks
from eosviz.tracks.models import Visit


def lesson_of_session(session: Any) -> dict[str, Any]:
    """Of a session, which knows its document and may stand in a track."""
    version = session.version
    visit = Visit.objects.filter(session=session).first()
    return {
        **_texts(version.document),
        **_following(version.identifier, visit),
        **_variant(version.identifier, session.variant, version.document),
    }


def lesson_of_scenario(scenario: str, variant: str | None = None, links: bool = True) -> dict[str, Any]:
    """Of a recording, which names a scenario of the library, or one that is not here. ``links``: whether other pages
    can be gone to from where it is shown."""
    try:
        document = entry(scenario).document
    except BadScenario:
        return {}
    if not links:
        return _texts(document)
    return {**_texts(document), **_following(scenario, None), **_variant(scenario, variant, document)}


def _texts(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: document[name] for name in ("watch_for", "lesson") if document.get(name)}


def _following(scenario: str, visit: Visit | None) -> dict[str, Any]:
    """The next scenario of the visit's track, else of the first track that leads on from this one."""
    if visit is not None:
        track = next((one for one in tracks() if one.name == visit.track), None)
        return {} if track is None else _next(track, visit.position, posts=True)
    for track in tracks():
        for position, item in enumerate(track.items, start=1):
            if item.scenario == scenario and position < len(track.items):
                return _next(track, position, posts=False)
    return {}


def _next(track: Track, position: int, posts: bool) -> dict[str, Any]:
    """``position``: of the one that was seen, from 1."""
    if position >= len(track.items):
        return {}
    item = track.items[position]
    address = (
        reverse("tracks:finish", args=[track.name, position])
        if posts
        else _start(item.scenario, item.variant)
    )
    title = entry(item.scenario).document["title"]
    return {
        "next": {"track": track.title, "why": item.why, "title": title, "address": address, "posts": posts}
    }


def _variant(scenario: str, variant: str | None, document: Mapping[str, Any]) -> dict[str, Any]:
    """Another variant that can be played."""
    others = [one for one in document.get("variants", ()) if not one.get("expect_refused")]
    names = [one["name"] for one in others]
    place = names.index(variant) + 1 if variant in names else 0
    if place >= len(others):
        place = 0
    if not others or names[place] == variant:
        return {}
    return {"variant": {"title": others[place]["title"], "address": _start(scenario, names[place])}}


def _start(scenario: str, variant: str | None) -> str:
    asked = {"scenario": scenario, **({"variant": variant} if variant else {})}
    return f"{reverse('walkthroughs:new')}?{urlencode(asked)}"
