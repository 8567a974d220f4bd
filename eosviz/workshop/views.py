"""The gallery, the page of a scenario, and the pages that create a draft."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from engine.profiles import PROFILES
from engine.scenario.bounds import TEXT_BYTES_MAX
from engine.scenario.shelf import entry
from eosviz.accounts.forms import words
from eosviz.accounts.request_types import SignedInRequest, is_signed_in
from eosviz.bounded.waiting_rows import is_forgotten, place_of
from eosviz.browser import browser_making, browser_of
from eosviz.catalogue import LANGUAGES, language_of
from eosviz.classroom.kinds import kinds
from eosviz.classroom.models import Classroom
from eosviz.refusal_pages import form_page
from eosviz.refusals import Problem, Refusal
from eosviz.scenarios.cards import card_of, cards, shelved
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import actions as walking
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link
from eosviz.walkthroughs.models import Branch
from eosviz.workshop import actions, publishing
from eosviz.workshop.actions import WorkshopRefused
from eosviz.workshop.models import Draft, Edition, Language, Publishing, Visibility
from eosviz.workshop.tasks import publish as publish_task

PAGE = 24
OWN_SHOWN = 12
TEMPLATE = "SC-01"
"""Users without drafts see a part of this scenario's text as an example."""
FILTER_CHARACTERS_MAX = 100


@require_safe
def gallery(request: HttpRequest) -> HttpResponse:
    """The page of the gallery: the public scenarios, and the user's own drafts. It needs the same number of
    queries for any number of scenarios."""
    return _gallery(request)


def _gallery(request: HttpRequest, refused: WorkshopRefused | None = None) -> HttpResponse:
    asked = {name: request.GET.get(name, "")[:FILTER_CHARACTERS_MAX].strip() for name in ("q", "tag")}
    asked["language"] = _one_of(request.GET.get("language", ""), LANGUAGES)
    asked["profile"] = _one_of(request.GET.get("profile", ""), PROFILES)
    found = Draft.objects.gallery().matching(asked["q"], asked["tag"], asked["language"], asked["profile"])
    page = Paginator(found.defer("text", "searched"), PAGE).get_page(request.GET.get("page"))
    own = Draft.objects.of(request.user).defer("text", "searched")
    everything = request.GET.get("own") == "all"
    context: dict[str, Any] = {
        "page": page,
        "asked": asked,
        "filtered": any(asked.values()),
        "profiles": [{"value": name, "key": f"library.profile.{name}"} for name in reversed(PROFILES)],
        "own": own if everything else own[:OWN_SHOWN],
        "own_count": own.count(),
        "own_shown": OWN_SHOWN,
        "everything": everything,
        "differing": Edition.objects.filter(draft__in=own.values("id"), differs__isnull=False)
        .select_related("draft", "version")
        .defer("steps", "text")[:PAGE],
        "template": None if own.exists() or any(asked.values()) else shelved(TEMPLATE),
        "template_text": _written(entry(TEMPLATE).text),
        "library": cards() if request.user.is_authenticated else [],
        "kilobytes": TEXT_BYTES_MAX // 1000,
    }
    return form_page(request, "workshop/gallery.html", context, refused)


def _written(text: str) -> str:
    """Returns the part of a document's text that an author fills in: from the first producer to the
    expectations."""
    begin, end = text.index("[[producers]]"), text.index("[expect]")
    return text[begin:end].strip()


def _one_of(wanted: str, known: Collection[str]) -> str:
    return wanted if wanted in known else ""


# -- where drafts come from ----------------------------------------------------------------------------------


@never_cache
@login_required
@require_POST
def make(request: SignedInRequest) -> HttpResponse:
    """Creates a draft from the library scenario `scenario`, or an empty draft."""
    wanted = request.POST.get("scenario", "")[:64]
    try:
        if not wanted:
            draft = actions.from_nothing(request.user, Language(language_of(get_language())))
        else:
            version = get_object_or_404(ScenarioVersion.objects.library(), identifier=wanted)
            draft = actions.from_library(request.user, version)
    except WorkshopRefused as refused:
        return _gallery(request, refused)
    return redirect("workshop:build", draft.id)


@never_cache
@login_required
@require_POST
def import_file(request: SignedInRequest) -> HttpResponse:
    """Creates a draft from a TOML file."""
    file = request.FILES.get("file")
    try:
        if file is None:
            raise WorkshopRefused("no_file")
        if file.size is None or file.size > TEXT_BYTES_MAX:
            raise WorkshopRefused("too_long", most=TEXT_BYTES_MAX)
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise WorkshopRefused("not_text") from None
        draft = actions.from_text(request.user, text.replace("\r\n", "\n"))
    except WorkshopRefused as refused:
        return _gallery(request, refused)
    return redirect("workshop:build", draft.id)


@never_cache
@login_required
@require_POST
def from_branch(request: SignedInRequest, branch_id: int) -> HttpResponse:
    """*Make this a scenario*: creates a draft from a branch of the user's own session."""
    owned = Branch.objects.filter(session__owner=browser_of(request.session), session__owner__gt="")
    branch = get_object_or_404(owned.select_related("session__version"), id=branch_id)
    try:
        draft, left_out = actions.from_branch(request.user, branch)
    except WorkshopRefused as refused:
        return _gallery(request, refused)
    if left_out:
        messages.warning(request, words("workshop.left_out", count=left_out))
    return redirect("workshop:build", draft.id)


@never_cache
@login_required
@require_POST
def fork(request: SignedInRequest, draft_id: uuid.UUID, number: int) -> HttpResponse:
    edition = _edition(request, draft_id, number)
    try:
        draft = actions.fork(request.user, edition)
    except WorkshopRefused as refused:
        return _gallery(request, refused)
    return redirect("workshop:build", draft.id)


# -- one scenario --------------------------------------------------------------------------------------------


@never_cache
@require_safe
def detail(request: HttpRequest, draft_id: uuid.UUID) -> HttpResponse:
    """The page of a scenario: what it is about, and its versions, each with a button that starts it. Its
    author also sees the buttons for changing it."""
    return draft_page(request, _seen(request, draft_id))


@never_cache
@login_required
@require_safe
def publishing_state(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """The part of the scenario's page that shows the progress of a publication. The page asks for it every
    second, and is reloaded when the publication has ended."""
    draft = own_draft(request, draft_id)
    row = Publishing.objects.unfinished().filter(draft=draft).first()
    if row is None:
        target = reverse("workshop:detail", args=[draft.id])
        return HttpResponseClientRedirect(target) if request.htmx else redirect(target)
    if is_forgotten(row):
        publish_task.delay(str(draft.id))
    return render(request, "workshop/publishing.html", {"draft": draft, "place": place_of(row)})


@never_cache
@login_required
@require_POST
def publishing_cancel(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    draft = own_draft(request, draft_id)
    publishing.cancel(draft)
    return redirect("workshop:detail", draft.id)


def own_draft(request: HttpRequest, draft_id: uuid.UUID) -> Draft:
    """Returns the reader's draft with this id. Raises Http404 if the draft belongs to another user."""
    return get_object_or_404(Draft.objects.of(request.user), id=draft_id)


def _seen(request: HttpRequest, draft_id: uuid.UUID) -> Draft:
    seen = Draft.objects.seen_by(request.user).select_related("owner", "origin__draft", "origin__version")
    return get_object_or_404(seen, id=draft_id)


def _edition(request: HttpRequest, draft_id: uuid.UUID, number: int) -> Edition:
    draft = _seen(request, draft_id)
    every = Edition.objects.filter(draft=draft).select_related("version", "draft").defer("steps")
    return get_object_or_404(every, number=number)


def _may_choose(request: HttpRequest, visibility: Visibility, rooms: list[Classroom]) -> bool:
    needs = {
        Visibility.CLASS: bool(rooms),
        Visibility.PUBLIC: request.user.has_perm("workshop.publish_to_all"),
    }
    return needs.get(visibility, True)


def draft_page(request: HttpRequest, draft: Draft, refused: Refusal | None = None) -> HttpResponse:
    editions = list(Edition.objects.of_draft(draft))
    newest = editions[0] if editions else None
    is_own = is_signed_in(request) and draft.owner_id == request.user.pk
    taught = (
        Classroom.objects.taught_by(request.user)
        if is_signed_in(request) and is_own
        else Classroom.objects.none()
    )
    rooms = [one for one in taught.order_by("name") if one.archived is None]
    row = Publishing.objects.filter(draft=draft).first() if is_own else None
    under_way = row if row is not None and row.refusal is None else None
    context: dict[str, Any] = {
        "draft": draft,
        "is_own": is_own,
        "editions": editions,
        "newest": newest,
        "card": card_of(newest.version) if newest else None,
        "lesson": _lesson(newest) if newest else "",
        "under_way": under_way is not None,
        "place": None if under_way is None else place_of(under_way),
        "not_published": row.refusal if row is not None and row.text == draft.text else None,
        "is_published": is_own and newest is not None and draft.text == _text_of(newest),
        "origin_seen": draft.origin is not None
        and Draft.objects.seen_by(request.user).filter(id=draft.origin.draft_id).exists(),
        "visibilities": [
            {
                "value": one.value,
                "key": f"workshop.visibility.{one.value}",
                "why": f"workshop.visibility.{one.value}.why",
            }
            for one in Visibility
            if one == draft.visibility or _may_choose(request, one, rooms)
        ],
        "taught": rooms,
        "kinds": [kind for kind in kinds() if newest is not None and kind.offers(newest.version)],
        "differs": any(one.differs for one in editions),
        "address": request.build_absolute_uri(request.path),
    }
    return form_page(request, "workshop/detail.html", context, refused)


def _text_of(edition: Edition) -> str:
    return Edition.objects.values_list("text", flat=True).get(pk=edition.pk)


def _lesson(edition: Edition) -> str:
    document = edition.version.document
    words_of = document.get("lesson") or {}
    text = words_of.get(language_of(get_language()), "")

    def picture(variant: str | None, step: int) -> str | None:
        outcome = edition.outcome.get(variant or "")
        if outcome is None or not 0 <= step <= outcome["steps"]:
            return None
        version = edition.version
        link = Link(
            scenario=version.identifier,
            version=version.digest[:VERSION_CHARACTERS],
            variant=variant,
            step=step,
        )
        return link.address("replays:card")

    from eosviz.workshop.lesson import lesson_html  # few pages need Markdown

    return lesson_html(text, picture)


@never_cache
@require_POST
def start(request: HttpRequest, draft_id: uuid.UUID, number: int) -> HttpResponse:
    """Starts a session of this version: the run of `variant` or, without it, the usual run."""
    edition = _edition(request, draft_id, number)
    variant = request.POST.get("variant") or card_of(edition.version).usual_variant
    if variant is not None and card_of(edition.version).variant(variant) is None:
        raise Http404
    try:
        session = walking.create_session(browser_making(request), edition.version, variant)
    except Problem as problem:
        return draft_page(request, edition.draft, problem)
    return redirect("walkthroughs:player", session.id)


@never_cache
@require_safe
def export(request: HttpRequest, draft_id: uuid.UUID, number: int) -> HttpResponse:
    """Sends a version as a file."""
    edition = _edition(request, draft_id, number)
    return _file(edition.text, f"{edition.version.identifier}-{number}.toml")


@never_cache
@login_required
@require_safe
def export_draft(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Sends the user's own draft, as it was last saved, as a file."""
    draft = own_draft(request, draft_id)
    return _file(draft.text, f"{draft.identifier or 'scenario'}.toml")


def _file(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="application/toml; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


@never_cache
@login_required
@require_POST
def set_visibility(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    draft = own_draft(request, draft_id)
    wanted = request.POST.get("visibility", "")
    if wanted not in Visibility.values:
        raise Http404
    room = request.POST.get("classroom", "")
    taught = Classroom.objects.taught_by(request.user)
    try:
        classroom = taught.filter(id=uuid.UUID(room)).first() if room else None
    except ValueError:
        classroom = None
    try:
        actions.set_visibility(draft, request.user, Visibility(wanted), classroom)
    except WorkshopRefused as refused:
        return draft_page(request, draft, refused)
    return redirect("workshop:detail", draft.id)


@never_cache
@login_required
@require_POST
def seen(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Removes the notices about differences of a newer engine, because the author has seen them."""
    draft = own_draft(request, draft_id)
    actions.forget_differences(draft)
    return redirect("workshop:detail", draft.id)


@never_cache
@login_required
@require_POST
def delete(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    draft = own_draft(request, draft_id)
    actions.delete_draft(draft, request.user)
    return redirect("workshop:gallery")
