"""The names that an author gives to beats. An entry has the kind of the beat, the beat's number among the beats of
this kind, and the name in both languages."""

from __future__ import annotations

from typing import Any

from engine.scenario.bad_scenario import BadScenario, known
from engine.scenario.phrases import allowed, shown, wrong

NAME_MAX = 60
"""A name has at most this many characters, so that it fits into a segment of the bar of beats."""


def check_beat_names(rows: list[dict[str, Any]]) -> None:
    """Check that each name is short and belongs to an existing kind, and that no beat has two names."""
    # Imported here, only for a document with beats: the catalogue imports the tables, and the tables import
    # this module.
    from engine.explain.sentences import catalogue
    from engine.view.titles import NAMES

    titles = {key.removeprefix("beat.") for key in catalogue() if key.startswith("beat.")}
    kinds = sorted(title for title in titles - NAMES if "." not in title)
    seen = set()
    for index, row in enumerate(rows):
        known(f"beats.{index}.kind", row["kind"], kinds)
        if (row["kind"], row["nth"]) in seen:
            raise BadScenario(f"beats.{index}.nth", wrong("twice"), allowed("one_name_a_beat"))
        seen.add((row["kind"], row["nth"]))
        for language, text in row["title"].items():
            if len(text) > NAME_MAX:
                raise BadScenario(
                    f"beats.{index}.title.{language}", shown(text), allowed("text", most=NAME_MAX)
                )
