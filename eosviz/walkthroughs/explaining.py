"""Answers *Why?* at a step. The engine finds the answers in the run (engine/why). If the process does not
hold the run, the run is made again."""

from __future__ import annotations

import uuid

from engine.simulation import Simulation
from engine.why.asking import question_of, why
from engine.why.links import NotAsked
from engine.why.moment import Moment
from engine.why.offering import questions_about
from eosviz.refusals import Problem
from eosviz.walkthroughs.actions import look_at
from eosviz.walkthroughs.messages import AskWhy, Why, WhyLink, WhyQuestion


def explained(session_id: uuid.UUID, asked: AskWhy) -> Why:
    """Returns the questions about the selected object, and the answer to `question` or, if none was asked, to
    the first question. Raises Problem."""

    def found(simulation: Simulation) -> Why:
        return answer(simulation, asked)

    return look_at(session_id, asked.branch, asked.number, found)


def answer(simulation: Simulation, asked: AskWhy) -> Why:
    """Does the same as `explained`, for a simulation that is at the step. Raises Problem if the engine does
    not know the question."""
    moment = Moment.of(simulation)
    selection = None
    if asked.selection is not None:
        selection = {"kind": asked.selection.kind, "id": asked.selection.id}
    questions = questions_about(moment, selection)
    question, subject = asked.question, asked.subject
    if question is None and questions:
        question, subject = questions[0].question, questions[0].subject
    try:
        links = () if question is None else why(moment, question, subject)
        if question is not None and (question, subject) not in {
            (one.question, one.subject) for one in questions
        }:
            questions.insert(0, question_of(moment, question, subject))
    except NotAsked as unknown:
        raise Problem("not_found", "why_unknown", wrong=unknown.wrong, allowed=unknown.allowed) from None
    return Why(
        re=str(asked.id),
        questions=[WhyQuestion(**one.to_json()) for one in questions],
        question=question,
        subject=subject,
        links=[WhyLink(**one.to_json()) for one in links],
    )
