"""*A scenario like this case*: makes a scenario in which the engine's clients write the log of a case again.
It becomes a draft if its run stores records and markers at the same offsets."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from engine.explain.sentences import LANGUAGES
from eosviz.accounts.models import User
from eosviz.accounts.request_types import SignedInRequest
from eosviz.bounded.register import COMMAND_LINE, Caller, caller
from eosviz.browser import browser_of
from eosviz.catalogue import say
from eosviz.pipeline.kafka_logs.case_scenario import (
    NoScenarioError,
    differs_at,
    lanes_of,
    scenario_of,
    stored_batches,
)
from eosviz.refusal_pages import refusal_page
from eosviz.replays import player_file
from eosviz.replays.log_page import log_case_page
from eosviz.replays.models import Replay
from eosviz.workshop.actions import WorkshopRefused, create_draft, text_of_document, within_bounds
from eosviz.workshop.models import Draft
from eosviz.workshop.trial import played

CASE_STEPS_MAX = 2_000
"""No scenario is made for a case with more steps than this. The steps of all partitions count, including
those of Kafka's own topics."""
_TEXTS = ("summary", "lesson")


@never_cache
@login_required
@require_POST
def from_case(request: SignedInRequest, replay_id: uuid.UUID) -> HttpResponse:
    """Makes a draft like this log case, and opens it in the builder. If no draft can be made, shows the page
    of the case with the reason."""
    replay = Replay.objects.readable_by(browser_of(request.session)).filter(id=replay_id).first()
    if replay is None:
        raise Http404
    if replay.analysis is None or not replay.has_verdicts:
        return redirect("replays:play", replay.id)
    try:
        return redirect("workshop:build", draft_of_case(request.user, replay).id)
    except NoScenarioError as none:
        refused = WorkshopRefused.keyed(none.says.key, none.says.params)
    except WorkshopRefused as no:
        refused = no
    context = {"replay": replay, "case": log_case_page(replay.analysis), "no_scenario": refused}
    return refusal_page(request, "replays/case.html", refused, context)


def draft_of_case(owner: User, replay: Replay) -> Draft:
    """Creates a draft with the text of `text_of_case`. Raises NoScenarioError or WorkshopRefused."""
    text = text_of_case(replay, caller(owner.owner_key))
    return create_draft(owner, text, origin_name=replay.title["en"])


def text_of_case(replay: Replay, author: Caller | None = None) -> str:
    """Returns the text of the scenario, after one run of it was compared with the case. Raises
    NoScenarioError or WorkshopRefused."""
    if replay.steps > CASE_STEPS_MAX:
        raise NoScenarioError("steps", count=replay.steps, most=CASE_STEPS_MAX)
    player = player_file.read(bytes(replay.player))
    case = stored_batches(player["steps"]["1"])
    named = {
        one["producer_id"]: one["transactional_id"]
        for one in (replay.analysis or {}).get("transactions", ())
        if one["transactional_id"]
    }
    titles = {
        language: say("logs.scenario.title", language, {"title": replay.title[language]})
        for language in LANGUAGES
    }
    document = scenario_of(case, f"MY-CASE-{str(replay.id)[:8]}", titles, named)
    texts = {
        name: {language: say(f"logs.scenario.{name}", language) for language in LANGUAGES} for name in _TEXTS
    }
    # As in the documents of the library, the texts follow the title.
    whole = {name: document[name] for name in ("id", "profile", "title")} | texts | document
    text = text_of_document(whole, author or COMMAND_LINE)
    with within_bounds():
        run = played(text, author)
    if run.view is None:
        raise NoScenarioError("refused", reason=run.refused)
    place = differs_at(case, lanes_of(run.view))
    if place is not None:
        raise NoScenarioError("differs", partition=place[0], offset=place[1])
    return text
