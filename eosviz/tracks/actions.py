"""Stores progress: a scenario of a track is begun or finished, or a question is answered."""

from __future__ import annotations

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404

from engine.scenario.tracks import Track
from engine.shapes.questions import Question
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.asking import questions_or_problem
from eosviz.tracks.models import Prediction, Visit
from eosviz.walkthroughs import actions
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.tasks import plan_soon


def begin(browser: str, track: Track, position: int) -> Session:
    """The browser's session for the scenario at this position of the track; it is created if there is none.
    Raises Problem as `create_session` does, and Http404 if the library does not have the scenario."""
    item = track.items[position - 1]
    visit = Visit.objects.of_browser(browser).filter(track=track.name, position=position).first()
    fits = visit is None or visit.is_of(item)
    if visit is not None and visit.session is not None and fits:
        return visit.session
    version = get_object_or_404(ScenarioVersion.objects.library(), identifier=item.scenario)
    session = actions.create_session(browser, version, item.variant)
    plan_soon(session)
    kept = {"session": session} if fits else {"session": session, "done": False}
    Visit.objects.update_or_create(owner=browser, track=track.name, position=position, defaults=kept)
    return session


def finish(browser: str, track: Track, position: int) -> None:
    """Mark the scenario at this position of the track as done. A second call changes nothing."""
    Visit.objects.update_or_create(
        owner=browser, track=track.name, position=position, defaults={"done": True}
    )


def predict(session: Session, branch: Branch, at: int, choice: str) -> Question:
    """Store the answer to the question at step `at` of a branch or its ancestors, unless it is already
    answered. An empty choice skips the question. Returns the question. Raises Http404 if there is no such
    question or choice, and Problem if the run cannot be made."""
    line = Branch.objects.line(branch)
    question = next((one for one in questions_or_problem(line) if one["at"] == at), None)
    if question is None or (choice and choice not in {one["id"] for one in question["choices"]}):
        raise Http404
    owner = next(
        (one for one, child in zip(line, [*line[1:], None], strict=True) if _holds(at, child)), branch
    )
    with transaction.atomic():
        Prediction.objects.get_or_create(
            branch=owner,
            at=at,
            defaults={
                "session": session,
                "checkpoint": question["checkpoint"],
                "ask": question["ask"],
                "choice": choice,
                "right": choice == question["right"] if choice else None,
            },
        )
    return question


def _holds(at: int, child: Branch | None) -> bool:
    """Whether the question after step `at` belongs to a branch of a line. `child`: the next branch of the
    line, which leaves it; None if it is the last one."""
    return child is None or at < child.leaves_at
