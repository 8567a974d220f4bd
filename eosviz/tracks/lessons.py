"""The lesson that the player shows with a run: what to watch for, what the run means, what comes next, and
what else to try. Each function returns a part of it as a dict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from engine.scenario.document import BadScenario, lesson_texts, title_of_variant
from engine.scenario.shelf import entry
from engine.scenario.tracks import Track, tracks
from engine.scenario.twins import runs_as_written
from eosviz.catalogue import LANGUAGES, say
from eosviz.scenarios.cards import Run, Shelved, shelf
from eosviz.scenarios.libraries import of_scenario
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.models import Visit


def lesson_of_session(session: Any) -> dict[str, Any]:
    """The lesson of a session, with the scenario that follows in its track."""
    version = session.version
    visit = Visit.objects.filter(session=session).first()
    return {
        **lesson_of_version(version, session.variant),
        **(_starts() if version.library_position is not None else {}),
        **following(version.identifier, session.variant, visit),
        **_variant(version.identifier, session.variant, version.document),
        **(
            _beside_original(version.identifier, session.variant)
            if version.library_position is not None
            else {}
        ),
    }


def lesson_of_version(version: ScenarioVersion, variant: str | None) -> dict[str, Any]:
    """The lesson of a run, for a page that cannot link to other pages."""
    return {
        **_texts_of(version, variant),
        **_signs(version.document),
        **_libraries(version.identifier),
        **_named(version.document, variant),
        **(_written(version.identifier, variant) if version.library_position is not None else {}),
    }


def lesson_of_scenario(
    scenario: str, variant: str | None = None, links: bool = True, as_written: bool = True
) -> dict[str, Any]:
    """The lesson of a recording, by the identifier of its scenario. Empty if the library does not have the
    scenario. ``links``: whether the page can link to other pages. ``as_written``: whether the recording is
    the library's run."""
    try:
        document = entry(scenario).document
    except BadScenario:
        return {}
    texts = {**_texts(document, variant), **_signs(document)}
    if as_written:
        lesson = {**texts, **_libraries(scenario), **_named(document, variant), **_written(scenario, variant)}
    else:
        lesson = {**_of_original(texts), **_libraries(scenario), **_named(document, variant)}
    if not links:
        return lesson
    return {
        **lesson,
        **_starts(),
        **following(scenario, variant, None),
        **_variant(scenario, variant, document),
    }


def _beside_original(scenario: str, variant: str | None) -> dict[str, Any]:
    """`has_original`, if this is a variant's run with which the run without a variant can be compared;
    otherwise empty."""
    shelved = _shelved(scenario)
    if variant is None or shelved is None or not shelved.card.acts or shelved.twin == variant:
        return {}
    return {"has_original": True}


def _starts() -> dict[str, Any]:
    """`starts`: the address that starts a scenario which a text names."""
    return {"starts": f"{reverse('walkthroughs:new')}?scenario={{scenario}}"}


def _named(document: Mapping[str, Any], variant: str | None) -> dict[str, Any]:
    title = title_of_variant(document, variant)
    return {} if title is None else {"named": title}


def _signs(document: Mapping[str, Any]) -> dict[str, Any]:
    """`signs`: signs in a real cluster, each with what it means. Empty if the document has none."""
    return {"signs": document["signs"]} if document.get("signs") else {}


def _texts(document: Mapping[str, Any], variant: str | None) -> dict[str, Any]:
    texts = lesson_texts(document, variant)
    return {name: words for name, words in texts.items() if words}


def _texts_of(version: ScenarioVersion, variant: str | None) -> dict[str, Any]:
    texts = _texts(version.document, variant)
    return _of_original(texts) if _is_altered(version, variant) else texts


def _of_original(texts: dict[str, Any]) -> dict[str, Any]:
    """The texts for a run of a library scenario whose settings were changed. They say that the lesson is
    about the run as it was written."""
    return {**{name: text for name, text in texts.items() if name != "watch_for"}, "of_original": True}


def _is_altered(version: ScenarioVersion, variant: str | None) -> bool:
    """Whether this version is a library scenario with changed settings."""
    if version.library_position is not None:
        return False
    try:
        original = entry(version.identifier)
    except BadScenario:
        return False
    texts = lesson_texts(version.document, variant)
    same_texts = texts == lesson_texts(original.document, variant)
    return same_texts and not runs_as_written(version.document, variant)


def _libraries(scenario: str) -> dict[str, Any]:
    """`libraries`: what each client library does, if that matters in the scenario; otherwise empty."""
    rows = [
        {"title": one.title, "sides": [{"libraries": names, "does": text} for names, text in one.sides]}
        for one in of_scenario(scenario)
    ]
    return {"libraries": rows} if rows else {}


def following(scenario: str, variant: str | None, visit: Visit | None) -> dict[str, Any]:
    """The scenario that follows in the visit's track. If there is no visit, the one that follows in a track
    that contains this run or, without such a track, another run of the scenario. Empty if nothing follows."""
    if visit is not None:
        track = next((one for one in tracks() if one.name == visit.track), None)
        return {} if track is None else _next(track, visit.position, posts=True)
    of_scenario = [
        (track, position, item)
        for track in tracks()
        for position, item in enumerate(track.items, start=1)
        if item.scenario == scenario
    ]
    exact = [one for one in of_scenario if _usual(scenario, one[2].variant) == _usual(scenario, variant)]
    for track, position, _ in exact or (of_scenario if variant is None else reversed(of_scenario)):
        if position < len(track.items):
            return _next(track, position, posts=False)
    return {}


def _usual(scenario: str, variant: str | None) -> str | None:
    """Returns `variant` or, if it is None, the variant that is played if none is chosen. Returns None if
    the document itself is played then, or if the library does not have the scenario."""
    shelved = _shelved(scenario)
    return variant or (None if shelved is None else shelved.card.usual_variant)


def _next(track: Track, position: int, posts: bool) -> dict[str, Any]:
    """The next scenario of the track; empty after the last one. ``position``: of the finished scenario, from
    1. ``posts``: whether the link is to be a POST that marks the finished scenario as done."""
    if position >= len(track.items):
        return {}
    item = track.items[position]
    address = (
        reverse("tracks:finish", args=[track.name, position])
        if posts
        else _start(item.scenario, item.variant)
    )
    document = entry(item.scenario).document
    named = title_of_variant(document, item.variant)
    again = item.scenario == track.items[position - 1].scenario
    title = named if again and named is not None else document["title"]
    return {
        "next": {"track": track.title, "why": item.why, "title": title, "address": address, "posts": posts}
    }


def _written(scenario: str, variant: str | None) -> dict[str, Any]:
    """`written`: the guarantees that the library's run breaks without interventions. Empty if there is no
    such run."""
    run = _run(scenario, variant)
    return {} if run is None or not run.steps else {"written": {"broken": run.ending.get("broken", {})}}


def _variant(scenario: str, variant: str | None, document: Mapping[str, Any]) -> dict[str, Any]:
    """Another run of the scenario to try; preferably one that breaks a guarantee if this one breaks none, or
    the reverse. Empty if there is none."""
    shelved = _shelved(scenario)
    now = None if shelved is None else shelved.run(variant)
    if shelved is None or now is None:
        return _any_variant(scenario, variant, document)
    in_order = _others(shelved, now)
    contrary = [one for one in in_order if bool(one.broken) != bool(now.broken)]
    found = next(iter([*contrary, *in_order]), None)
    if found is None:
        return {}
    name = found.variant.name if found.variant else shelved.twin
    title = title_of_variant(document, name)
    if found.variant is None:
        title = _original(title)
    kind = "other" if found not in contrary else "cure" if now.broken else "opposite"
    other = {
        "title": title or document["title"],
        "address": _start(scenario, found.variant.name if found.variant else None),
        "kind": kind,
    }
    return {"variant": {**other, "broken": found.broken}}


def _original(twin: Mapping[str, str] | None) -> dict[str, str]:
    """The name of the run without a variant, in each language. ``twin``: the title of the variant that makes
    the same run; None if there is none."""
    names = {language: say("branch.original", language) for language in LANGUAGES}
    if twin is None:
        return names
    return {
        language: say("join.aside", language, {"text": name, "aside": twin[language]})
        for language, name in names.items()
    }


def _others(shelved: Shelved, now: Run) -> list[Run]:
    """The scenario's runs that end differently: first those that come after this run, then those before
    it."""
    place = shelved.runs.index(now)
    in_order = [*shelved.runs[place + 1 :], *shelved.runs[:place]]
    return [one for one in in_order if one in shelved.different and one.steps and one.ending != now.ending]


def _any_variant(scenario: str, variant: str | None, document: Mapping[str, Any]) -> dict[str, Any]:
    """The next variant that can be played; after the last one, the first. Empty if there is no other one."""
    others = [one for one in document.get("variants", ()) if not one.get("expect_refused")]
    names = [one["name"] for one in others]
    place = names.index(variant) + 1 if variant in names else 0
    if place >= len(others):
        place = 0
    if not others or names[place] == variant:
        return {}
    other = {"title": others[place]["title"], "address": _start(scenario, names[place]), "kind": "other"}
    return {"variant": {**other, "broken": []}}


def _shelved(scenario: str) -> Shelved | None:
    return next((one for one in shelf() if one.card.identifier == scenario), None)


def _run(scenario: str, variant: str | None) -> Run | None:
    found = _shelved(scenario)
    return None if found is None else found.run(variant)


def _start(scenario: str, variant: str | None) -> str:
    asked = {"scenario": scenario, **({"variant": variant} if variant else {})}
    return f"{reverse('walkthroughs:new')}?{urlencode(asked)}"
