"""The pages that start, show, delete and compare sessions."""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.scenario.document import BadScenario, lesson_texts
from engine.view.listing import beat_title
from engine.view.stops import stops_of
from eosviz.browser import browser_making, browser_of
from eosviz.catalogue import language_of
from eosviz.catalogue.served import catalogue_address
from eosviz.refusal_pages import form_page
from eosviz.refusals import Problem
from eosviz.scenarios.actions import with_settings
from eosviz.scenarios.cards import Card, card_of, cards, shelf, shelved
from eosviz.scenarios.differences import DIFFERENCES, possible, without_effect
from eosviz.scenarios.libraries import of_scenario
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import actions
from eosviz.walkthroughs.beside import beside
from eosviz.walkthroughs.links import (
    STEP_DIGITS_MAX,
    VERSION_CHARACTERS,
    Link,
    read_log,
    read_selection,
    read_view,
    read_zoom,
)
from eosviz.walkthroughs.models import Branch, Presentation, Session, line_interventions
from eosviz.walkthroughs.plans import plan_of_library
from eosviz.walkthroughs.previewing import LAST_STEP, preview_of
from eosviz.walkthroughs.questions import branch_names
from eosviz.walkthroughs.requested import owned_branch, owned_session
from eosviz.walkthroughs.simulations import scenario_of
from eosviz.walkthroughs.tasks import plan_soon

FIRST_COMPARISON = {"choice": "SC-03"}
"""The scenario that the form for comparisons shows first."""
EXAMPLES = ("SC-02", "SC-03")
"""The form shows these two scenarios to readers who have no session to compare."""
SESSIONS_OFFERED = 50
"""The form for comparisons lists the branches of this many sessions, the newest."""


def element_attributes() -> dict[str, str]:
    """Returns the attributes of the player's elements that are the same on every page (docs/player.md)."""
    return {
        "catalogue_en": catalogue_address("en"),
        "catalogue_zh": catalogue_address("zh-Hans"),
        "language": language_of(get_language()),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The page that describes the scenario of `?scenario=SC-07&variant=…` or `?scenario=SC-07/…`. Its button
    sends a POST, which creates the session."""
    asked = request.POST if request.method == "POST" else request.GET
    identifier, _, named = asked.get("scenario", "").partition("/")
    version = _version(identifier)
    card = card_of(version)
    variant = asked.get("variant") or named or card.usual_variant
    if variant is not None and card.variant(variant) is None:
        raise Http404
    if request.method != "POST":
        return _start_page(request, version, card, variant)
    try:
        session = actions.create_session(browser_making(request), version, variant)
        plan_soon(session)
    except Problem as problem:
        return _refused(request, version, variant, problem)
    return redirect("walkthroughs:player", session.id)


def _start_page(
    request: HttpRequest, version: ScenarioVersion, card: Card, variant: str | None
) -> HttpResponse:
    link = Link(
        scenario=version.identifier,
        version=version.digest[:VERSION_CHARACTERS],
        variant=variant,
        step=LAST_STEP,
    )
    chosen = card.variant(variant)
    shelved = next((one for one in shelf() if one.card == card), None)
    context: dict[str, Any] = {
        "card": card,
        "texts": lesson_texts(version.document, variant),
        "is_lesson_open": request.GET.get("lesson") == "open",
        "libraries": of_scenario(version.identifier),
        "variant": chosen,
        "run": None if shelved is None else shelved.shown(variant),
        "runs": () if shelved is None or len(shelved.different) < 2 else shelved.different,
    }
    if chosen is None or chosen.expect_refused is None:  # a refused scenario has no run
        context["beats"] = _beats_of(version, variant)
        context["text"] = msgspec.structs.replace(link, step=0).address("replays:text")
        context["preview"] = preview_of(request, link, card, request.get_full_path())
    return render(request, "walkthroughs/new.html", context)


def _beats_of(version: ScenarioVersion, variant: str | None) -> list[str]:
    """Returns the titles of the beats that the player counts, in the language of the page."""
    plan = plan_of_library(version, variant)
    language = language_of(get_language())
    return [beat_title(beat, language) for beat in ([] if plan is None else stops_of(plan["beats"]))]


def _version(identifier: str) -> ScenarioVersion:
    return get_object_or_404(ScenarioVersion.objects.library(), identifier__iexact=identifier[:64])


def _refused(
    request: HttpRequest, version: ScenarioVersion, variant: str | None, problem: Problem
) -> HttpResponse:
    """Returns the page for a run that cannot be made. The refusal may be what the variant teaches."""
    card = card_of(version)
    chosen = card.variant(variant)
    expected = chosen is not None and chosen.expect_refused == problem.params.get("rule") is not None
    context = {"card": card, "variant": chosen, "refused": problem, "expected": expected}
    status = HTTPStatus.OK if expected else problem.status
    return render(request, "walkthroughs/refused.html", context, status=status)


@require_safe
@ensure_csrf_cookie
def player(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """The page of the player with the session. With `?branch=<id>&step=<number>`, the player opens the
    session there. With `?log=<id>`, the page has a link back to that log case."""
    session = owned_session(request, session_id)
    branches = Branch.objects.of_session(session.id)
    wanted = request.GET.get("branch", "")
    branch = branches.filter(id=int(wanted)).first() if wanted.isdecimal() and len(wanted) < 19 else None
    branch = branch or branches[0]
    step = request.GET.get("step", "")
    context: dict[str, Any] = {
        "session": session,
        "header": session.decoded_header,
        "branch": branch,
        "step": int(step) if step.isdecimal() and len(step) <= STEP_DIGITS_MAX else 0,
        "view": read_view(request.GET),
        "zoom": read_zoom(request.GET),
        "selection": read_selection(request.GET),
        "changed": "changed" in request.GET,
        "log": read_log(request.GET),
        "presenting": _follow_address(request, session),
        **element_attributes(),
    }
    return render(request, "walkthroughs/player.html", context)


def _follow_address(request: HttpRequest, session: Session) -> str | None:
    """Returns the address for followers while this session is being presented; otherwise None."""
    presentation = Presentation.objects.filter(session=session).first()
    if presentation is None:
        return None
    return request.build_absolute_uri(reverse("walkthroughs:follow", args=[presentation.token]))


@require_POST
def delete(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    try:
        actions.delete_session(browser_of(request.session), session_id)
    except Problem:
        raise Http404 from None
    return redirect("scenarios:sessions")


@require_safe
@ensure_csrf_cookie
def compare(request: HttpRequest) -> HttpResponse:
    """The page that steps through the branches `left` and `right` of the address at the same time. If one of
    them is missing, it shows the form that chooses what to compare."""
    one, other = _side(request, "left"), _side(request, "right")
    if one is None or other is None:
        return _compare_form(request, None)
    left, right = _in_order(one, other)
    difference = DIFFERENCES.get(request.GET.get("difference", ""))
    context = {"left": left, "right": right, "difference": difference, **element_attributes()}
    return render(request, "walkthroughs/compare.html", context)


def _in_order(one: Branch, other: Branch) -> list[Branch]:
    """Returns the two branches as [left, right]. If both belong to one session, the branch with fewer
    interventions is on the left; if they have equally many, the branch that was created earlier."""
    if one.session_id != other.session_id:
        return [one, other]
    return sorted(
        (one, other), key=lambda side: (len(line_interventions(Branch.objects.line(side))), side.id)
    )


def _side(request: HttpRequest, name: str) -> Branch | None:
    wanted = request.GET.get(name)
    return None if wanted is None else owned_branch(request, wanted)


def _compare_form(request: HttpRequest, problem: Problem | None) -> HttpResponse:
    every = Session.objects.of_browser(browser_of(request.session))
    owned = every.recent()[:SESSIONS_OFFERED]
    examples = [] if owned else [shelved(example) for example in EXAMPLES]
    branches = list(
        Branch.objects.filter(session__in=[session.id for session in owned])
        .select_related("session__version")
        .order_by("-id")
    )
    names = branch_names(branches, language_of(get_language()))
    context = {
        "examples": examples if None not in examples else [],
        "groups": [_comparable("kafka"), _comparable("middleware")],
        "branches": [(branch, names[branch.id]) for branch in branches],
        "offered": len(owned),
        "left_out": every.count() - len(owned),
        "sides": [{"name": name, "key": f"compare.{name}"} for name in ("left", "right")],
        "chosen": request.POST or request.GET or FIRST_COMPARISON,
    }
    return form_page(request, "walkthroughs/compare_form.html", context, problem)


def _comparable(of: str) -> dict[str, Any]:
    """Returns the scenarios of one kind (Kafka or middleware), and the differences that change them."""
    return {
        "key": f"compare.of.{of}",
        "cards": [card for card in cards() if card.has_brokers == (of == "kafka")],
        "differences": [difference for difference in DIFFERENCES.values() if difference.of == of],
    }


@require_safe
def differences(request: HttpRequest) -> JsonResponse:
    """Answers with the comparisons that are possible for the branch in `?branch=…`. `differences`: their
    names (keys `difference.<name>`). `without_effect`: the names of those that change nothing in its run.
    `runs`: the other runs of its scenario, by name and title. `generations`: the address of the page of all
    generations, or null."""
    branch = _side(request, "branch")
    if branch is None:
        raise Http404
    session = branch.session
    scenario = scenario_of(session.version, session.variant)
    offered = possible(scenario)
    return JsonResponse(
        {
            "differences": [difference.name for difference in offered],
            "without_effect": [difference.name for difference in without_effect(scenario, offered)],
            "runs": _other_runs(session),
            "generations": _generations_of(session),
        }
    )


@require_safe
def moments(request: HttpRequest) -> HttpResponse:
    """Answers with the comparison of the runs `?left=<branch>&right=<branch>`, as JSON (`Alongside`)."""
    left, right = _side(request, "left"), _side(request, "right")
    if left is None or right is None:
        raise Http404
    return HttpResponse(beside(left, right), content_type="application/json")


def _other_runs(session: Session) -> list[dict[str, Any]]:
    """Returns the other runs of the session's scenario: those of its variants and, if the document alone acts,
    the run without a variant. Of two runs with the same steps (`Shelved.twin`), one is left out."""
    card, own = card_of(session.version), session.variant or ""
    runs = [{"name": "", "title": card.title}] if card.acts else []
    runs += [{"name": variant.name, "title": variant.title} for variant in card.variants]
    shelf = shelved(card.identifier)
    twin = None if shelf is None else shelf.twin
    left_out = {own, twin, "" if own == twin else None}
    return [run for run in runs if run["name"] not in left_out]


def _generations_of(session: Session) -> str | None:
    name, variant = session.version.identifier, session.variant
    held = ScenarioVersion.objects.library().filter(identifier=name).first()
    if held is None:
        return None
    card = card_of(held)
    if not card.has_brokers or (variant is not None and card.variant(variant) is None):
        return None
    choice = name if variant is None else f"{name}/{variant}"
    return f"{reverse('walkthroughs:generations')}?{urlencode({'scenario': choice})}"


@require_POST
def compare_new(request: HttpRequest) -> HttpResponse:
    """Creates a run to compare with, and redirects to the comparison. With `branch` and `run`: compares the
    branch with a new run of another variant. With `branch` and `difference`: compares the branch with a new
    run of the same scenario that has this difference. With `choice` and `difference`: creates both runs.
    `log` is passed on to the comparison."""
    branch = _branch_to_compare(request)
    if branch is not None and "run" in request.POST:
        return _beside_other_run(request, branch)
    difference = DIFFERENCES.get(request.POST.get("difference", ""))
    if difference is None:
        raise Http404
    if branch is not None:
        version, variant = branch.session.version, branch.session.variant
    else:
        scenario, _, named = request.POST.get("choice", "").partition("/")
        version = _version(scenario)
        variant = named or card_of(version).usual_variant
        if variant is not None and card_of(version).variant(variant) is None:
            raise Http404
    browser = browser_making(request)
    try:
        settings = difference.settings(scenario_of(version, variant))
        if not settings:
            raise Problem("refused", "nothing_to_change")
        changed = with_settings(version, variant, settings)
        wanted = [(changed, variant)] if branch is not None else [(version, variant), (changed, variant)]
        made = actions.create_sessions(browser, wanted)
    except BadScenario as bad:
        return _compare_form(request, actions.bad_scenario(bad))
    except Problem as problem:
        return _compare_form(request, problem)
    sides = [Branch.objects.of_session(session.id)[0] for session in made]
    left, right = sides if branch is None else (branch, *sides)
    place = {} if branch is None else _opened_from(request, branch)
    return _to_comparison(request, left, right, difference=difference.name, **place)


def _beside_other_run(request: HttpRequest, branch: Branch) -> HttpResponse:
    session, name = branch.session, request.POST["run"]
    if all(run["name"] != name for run in _other_runs(session)):
        raise Http404
    try:
        (made,) = actions.create_sessions(browser_making(request), [(session.version, name or None)])
    except Problem as problem:
        return _compare_form(request, problem)
    left, right = branch, Branch.objects.of_session(made.id)[0]
    if name == "":
        left, right = right, left  # The original run is on the left.
    return _to_comparison(request, left, right, **_opened_from(request, branch))


def _opened_from(request: HttpRequest, branch: Branch) -> dict[str, str | int]:
    """Returns the position in the player to which the page of the comparison links back."""
    step = request.POST.get("from_step", "")
    return {"from": branch.id, "from_step": int(step)} if step.isdecimal() and len(step) < 10 else {}


def _to_comparison(request: HttpRequest, left: Branch, right: Branch, **more: str | int) -> HttpResponse:
    query: dict[str, str | int] = {"left": left.id, "right": right.id, **more}
    if (log := read_log(request.POST)) is not None:
        query["log"] = log
    return redirect(f"{reverse('walkthroughs:compare')}?{urlencode(query)}")


def _branch_to_compare(request: HttpRequest) -> Branch | None:
    wanted = request.POST.get("branch")
    return None if wanted is None else owned_branch(request, wanted)
