"""Questions as readable text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.explain.sentences import sentence
from engine.predict.finding import Question


def question_lines(found: Iterable[Question], language: str = "en") -> Iterator[str]:
    """The lines of each question: the step at which the run stops, the question, the choices (the right one has a
    star), and the reasons."""
    for question in found:
        asked = question.asked
        yield f"after step {question.at} ({question.ask}): {sentence(asked.key, asked.params, language)}"
        for choice in asked.choices:
            star = "*" if choice.id == asked.right else " "
            yield f"  {star} {sentence(choice.key, choice.params, language)}"
            for reason in asked.reasons[choice.id]:
                outcome = (
                    sentence(f"predict.outcome.{reason.outcome}", {}, language) if reason.outcome else ""
                )
                rule = f"  [{reason.rule}]" if reason.rule else ""
                yield f"      {sentence(reason.key, reason.params, language)} {outcome}".rstrip() + rule
