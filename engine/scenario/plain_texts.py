"""Texts that no scenario may contain, because a page would misinterpret them.

A replay contains the texts of its scenario, so the reader of replays refuses them, too.
"""

from __future__ import annotations

import re
from typing import Any

from engine.scenario.bad_scenario import BadScenario
from engine.scenario.phrases import allowed, shown, wrong

MARKUP = re.compile(r"<[A-Za-z/!?]")
"""Markup, which is not allowed in a title, because titles are shown in many places."""
RESERVED = ("__proto__", "constructor", "prototype")
"""Names of properties that JavaScript itself uses. Names of actors, groups and ids become keys of a
view, so they may not be used."""


def check_texts(document: dict[str, Any]) -> None:
    """Raises BadScenario for a reserved name, and for markup in a title. The types were checked before."""
    _check(document, "", is_title=False)


def _check(value: Any, place: str, *, is_title: bool) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            here = f"{place}.{name}" if place else name
            if name in RESERVED:
                raise BadScenario(here, wrong("reserved", name=name), allowed("other_word"))
            _check(inner, here, is_title=is_title or name.endswith("title"))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            named = inner.get("name") if isinstance(inner, dict) else None
            _check(inner, f"{place}.{named or position}", is_title=is_title)
    elif isinstance(value, str):
        if value in RESERVED:
            raise BadScenario(place, wrong("reserved", name=value), allowed("other_word"))
        if is_title and (found := MARKUP.search(value)):
            raise BadScenario(
                place, wrong("markup", text=shown(value[found.start() :][:20])), allowed("title")
            )
