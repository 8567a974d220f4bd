"""Template tags for the endings of runs.

`{% verdict run %}`: a picture of how a run ends. `{% ends run %}`: the same in words. `{% ends_like run runs
%}`: a sentence that says that the run ends like the first of the runs. `{% fault_signs %}`: the signs of
faults at the left of the pictures, with their meaning.
"""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from engine.judge.bench import DATABASE_GUARANTEES
from eosviz.catalogue import language_of, say
from eosviz.catalogue.joins import clauses, facts, named
from eosviz.scenarios.cards import Run
from eosviz.scenarios.verdict_picture import SIGNS, picture, sign

register = template.Library()


@register.simple_tag
def verdict(run: Run | None) -> SafeString:
    """The picture of a run's ending; empty if the run is None."""
    return mark_safe("" if run is None else picture(run.ending))


@register.simple_tag
def fault_signs() -> list[tuple[SafeString, str]]:
    """(sign, catalogue key of its meaning) of each sign of a fault."""
    return [(mark_safe(sign(name)), f"library.sign.{name}") for name in SIGNS]


@register.simple_tag
def ends(run: Run | None) -> str:
    """How the run ends, in words, lane after lane, or which rule refuses it; empty if the run is None."""
    if run is None:
        return ""
    language = language_of(get_language())
    ending = run.ending
    if "refused_by" in ending:
        return say("library.refused_by", language, {"rule": ending["refused_by"]})
    lanes = [
        named(lane["name"], facts(parts, language), language)
        for lane in ending["lanes"]
        if (parts := _counted(lane, language))
    ]
    nodes = [named(name, state, language) for name, state in ending["nodes"]]
    return clauses([*lanes, *_table(ending.get("table"), language), *nodes], language) or say(
        "library.ends.empty", language
    )


@register.simple_tag
def ends_like(run: Run | None, runs: Sequence[Run]) -> str:
    """The sentence that says that the run ends like the first of `runs`, if their pictures are equal;
    otherwise empty."""
    if run is None or not runs or run == runs[0] or picture(run.ending) != picture(runs[0].ending):
        return ""
    return say("library.ends_like", language_of(get_language()))


def _table(table: dict[str, Any] | None, language: str) -> list[str]:
    """A list with the counts of the database's rows, as `database: 2 rows, 1 row missing`; empty if there is
    no database."""
    if table is None:
        return []
    counts = {
        "rows": sum(table["rows"]) + table["folded"],
        **{name: table[name] for name in DATABASE_GUARANTEES},
    }
    parts = [
        say(f"library.ends.{name}", language, {"count": count}) for name, count in counts.items() if count
    ]
    empty = [say("library.ends.no_rows", language)]
    return [named(say("library.ends.database", language), facts(parts or empty, language), language)]


def _counted(lane: dict[str, Any], language: str) -> list[str]:
    """The counts of one lane: first of records as `5 stored (including 2 aborted)` and `1 lost`, then
    others."""
    counts: dict[str, int] = {}
    for kind, records, _ in lane["cells"]:
        counts[kind] = counts.get(kind, 0) + (1 if kind in ("COMMIT", "ABORT") else records)
    among = [
        say(f"library.ends.{kind}", language, {"count": counts[kind]})
        for kind in ("duplicate", "aborted", "open")
        if counts.get(kind)
    ]
    counts = {
        "stored": sum(counts.pop(kind, 0) for kind in ("stored", "duplicate", "aborted", "open")),
        **counts,
        **{name: int(str(lane[name])) for name in ("lost", "failed")},
    }
    parts = [
        say("library.ends.stored_among", language, {"count": count, "among": among})
        if among and name == "stored"
        else say(f"library.ends.{name}", language, {"count": count})
        for name, count in counts.items()
        if count
    ]
    return [*parts, say("library.ends.deleted", language)] if lane["deleted"] else parts
