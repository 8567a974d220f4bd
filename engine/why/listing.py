"""Answers and questions as readable text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.explain.sentences import sentence, shown
from engine.why.links import Json, Link, Question


def link_lines(chain: Iterable[Link], language: str = "en") -> Iterator[str]:
    """One numbered line for each link, with its rules; the compared numbers and the subject are listed under it."""
    for number, one in enumerate(chain, 1):
        rules = f"  [{' '.join(one.rules)}]" if one.rules else ""
        yield f"{number:>3}  {sentence(one.key, one.params, language)}{rules}"
        for what, value in one.compared:
            yield f"       {shown(what)}: {shown(value)}"
        if one.subject is not None:
            yield f"       → {_subject(one.subject)}"


def _subject(subject: Json) -> str:
    return f"{subject['kind']} {subject['id']}"


def asked_lines(questions: Iterable[Question], language: str = "en") -> Iterator[str]:
    """For each question, its words and the options of the command line that ask it."""
    for one in questions:
        subject = f" --subject {one.subject}" if one.subject else ""
        yield f"{sentence(one.key, one.params, language)}"
        yield f"    --question {one.question}{subject}"
