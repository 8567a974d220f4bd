"""The builder: its page, and the requests that the page sends while the author writes.

Only the owner of a draft can open it. The page contains the text, so no work is lost if an answer does not
arrive.
"""

from __future__ import annotations

import hashlib
import uuid
from functools import cache
from http import HTTPStatus
from typing import Any, Literal

import msgspec
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from engine.scenario.bounds import TEXT_BYTES_MAX
from engine.scenario.document import BadScenario, parse
from engine.scenario.form import form, names_in
from engine.scenario.mistakes import mistakes
from eosviz.accounts.request_types import SignedInRequest
from eosviz.bounded.refusing import BeyondBounds, Busy
from eosviz.bounded.register import caller
from eosviz.browser import browser_making
from eosviz.callers import address_of
from eosviz.catalogue import language_of, say
from eosviz.catalogue.served import cached, catalogue_address
from eosviz.language import say_here
from eosviz.rates import TooOften, take, too_often
from eosviz.refusals import Refusal
from eosviz.scenarios.cards import card_of
from eosviz.scenarios.editing import EDITS_MAX, CannotEdit, Edit
from eosviz.scenarios.rewriting import edited
from eosviz.unreadable_json import UNREADABLE
from eosviz.walkthroughs import actions as walking
from eosviz.workshop import actions, publishing
from eosviz.workshop.actions import WorkshopRefused
from eosviz.workshop.models import Edition
from eosviz.workshop.tasks import publish as publish_task
from eosviz.workshop.trial import Asked, mistake_of
from eosviz.workshop.trial import try_out as trial_of
from eosviz.workshop.views import draft_page, own_draft

BODY_BYTES_MAX = 2 * TEXT_BYTES_MAX + 64 * 1024
"""The largest body of a request: a text as JSON, with its edits."""

BYTES_OF_ONE_EDIT = 25_000
"""A request counts once against the limit `edit_draft.person`, and once more for every BYTES_OF_ONE_EDIT
bytes."""

Json = dict[str, Any]


class AskedEdit(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    edits: list[Edit] = []


class AskedTrial(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    variant: str | None = None


class AskedSave(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    revision: int
    tags: list[str] = []
    language: Literal["both", "en", "zh-Hans"] = "both"


@never_cache
@ensure_csrf_cookie
@login_required
@require_safe
def build(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """The page of the builder with one draft."""
    draft = own_draft(request, draft_id)
    context = {
        "draft": draft,
        "builder_draft": _json(
            {
                "text": draft.text,
                "revision": draft.revision,
                "tags": draft.tags,
                "language": draft.language,
                **meaning_of(draft.text),
            }
        ),
        "form_address": f"{reverse('workshop:form')}?v={_form_file()[1]}",
        "catalogue": catalogue_address(language_of(get_language())),
        "newest": Edition.objects.of_draft(draft).first(),
    }
    return render(request, "workshop/build.html", context)


def meaning_of(text: str) -> Json:
    """Returns what the page shows about a text: the document as it is written, the names in it, its mistakes,
    and its lesson as HTML. `document` is None if `parse` refuses the text."""
    language = language_of(get_language())
    try:
        document = parse(text)
    except BadScenario as bad:
        bad.line = bad.line or text.count("\n") + 1
        return {"document": None, "names": {}, "mistakes": [mistake_of(bad)], "lesson": ""}
    found = [mistake_of(bad) for bad in mistakes(document, text=text)]
    lesson = document.get("lesson")
    words = lesson.get(language) if isinstance(lesson, dict) else None
    shown = _lesson(words, language) if isinstance(words, str) else ""
    return {"document": document, "names": names_in(document), "mistakes": found, "lesson": shown}


def _lesson(text: str, language: str) -> str:
    """Returns the HTML of the lesson as readers will see it, with texts instead of pictures."""

    def waiting(about: str, step: int) -> str:
        return say("builder.picture.waits", language, {"about": about, "step": step})

    from eosviz.workshop.lesson import lesson_html  # few pages need Markdown

    return lesson_html(text, lambda variant, step: None, waiting)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _answer(value: Any, status: int = HTTPStatus.OK) -> HttpResponse:
    response = HttpResponse(_json(value), content_type="application/json", status=status)
    response["Cache-Control"] = "no-store"
    return response


def _refuse(key: str, status: int, **params: Any) -> HttpResponse:
    return _answer({"refused": say_here(key, **params), **params}, status)


def _refuse_busy(busy: Busy) -> HttpResponse:
    response = _refuse("workshop.refused.busy", HTTPStatus.SERVICE_UNAVAILABLE)
    response["Retry-After"] = str(busy.seconds)
    return response


def _too_often(request: HttpRequest, refused: TooOften) -> HttpResponse:
    language = language_of(get_language())
    sentences = [say(key, language, refused.params) for key in (refused.key, refused.remedy_key)]
    response = _answer({"refused": " ".join(sentences)}, HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = str(refused.wait_seconds)
    return response


def _read(request: HttpRequest, kind: Any) -> Any:
    """Returns the decoded body. Returns None if it is too long or not of this type."""
    if len(request.body) > BODY_BYTES_MAX:
        return None
    try:
        asked = msgspec.json.decode(request.body, type=kind)
    except UNREADABLE:
        return None
    return asked if len(asked.text.encode(errors="replace")) <= TEXT_BYTES_MAX else None


@never_cache
@login_required
@require_POST
def edit(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Takes a text and edits, and answers with the edited text and what the page shows about it. If an edit
    cannot be made, the text stays as it was, and `refused` says why. Stores nothing."""
    own_draft(request, draft_id)
    try:
        # A request parses the whole text, which takes seconds for the longest one, so a long text counts more.
        take("edit_draft.person", request.user.owner_key, 1 + len(request.body) // BYTES_OF_ONE_EDIT)
    except TooOften as too_fast:
        return _too_often(request, too_fast)
    asked = _read(request, AskedEdit)
    if asked is None:
        return _refuse("workshop.refused.too_long", HTTPStatus.BAD_REQUEST, most=TEXT_BYTES_MAX)
    if len(asked.edits) > EDITS_MAX:
        return _refuse("workshop.refused.too_many_edits", HTTPStatus.BAD_REQUEST, most=EDITS_MAX)
    text: str = asked.text
    refused: str | None = None
    if asked.edits:
        try:
            text = edited(text, asked.edits, caller(request.user.owner_key, address_of(request)))
        except Busy as busy:
            return _refuse_busy(busy)
        except BeyondBounds as beyond:
            refused = say_here(beyond.key)
        except BadScenario:
            refused = say_here("workshop.refused.text_first")
        except CannotEdit:
            refused = say_here("workshop.refused.cannot_edit")
    return _answer({"text": text, "refused": refused, **meaning_of(text)})


@never_cache
@login_required
@require_POST
def preview(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Runs the text on the engine, and answers with the result (`Trial`)."""
    own_draft(request, draft_id)
    try:
        take("try_out.person", request.user.owner_key)  # each trial starts a process
    except TooOften as refused:
        return _too_often(request, refused)
    asked = _read(request, AskedTrial)
    if asked is None:
        return _refuse("workshop.refused.too_long", HTTPStatus.BAD_REQUEST, most=TEXT_BYTES_MAX)
    try:
        question = Asked(text=asked.text, variant=asked.variant)
        trial = msgspec.to_builtins(trial_of(question, caller(request.user.owner_key, address_of(request))))
    except Busy as busy:
        return _refuse_busy(busy)
    except BeyondBounds:
        return _refuse("workshop.refused.too_much", HTTPStatus.UNPROCESSABLE_ENTITY)
    language = language_of(get_language())
    first = trial["surprise"]
    if first is not None:
        first["said"] = say(first["key"], language, first["params"])
    for transaction in trial["transactions"]:
        why = transaction["why"]
        if why is not None:
            why["said"] = say(why["key"], language, why["params"])
    for question in trial["questions"]:
        for name in ("said", "right"):
            sentence = question[name]
            question[name] = sentence and say(sentence["key"], language, sentence["params"])
    if trial["refused"] is not None:
        for name in ("reason", "allowed"):
            sentence = trial["refused"][name]
            trial["refused"][name] = say(sentence["key"], language, sentence["params"])
    return _answer(trial)


@never_cache
@login_required
@require_POST
def save(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Saves the text (valid or not) with the draft's tags and language. Answers with the new revision, or
    with a refusal of `actions.save`."""
    draft = own_draft(request, draft_id)
    asked = _read(request, AskedSave)
    if asked is None:
        return _refuse("workshop.refused.too_long", HTTPStatus.BAD_REQUEST, most=TEXT_BYTES_MAX)
    try:
        held = actions.save(draft, asked.text, asked.revision, asked.tags, asked.language)
    except WorkshopRefused as refused:
        status = HTTPStatus.CONFLICT if refused.reason == "changed_elsewhere" else HTTPStatus.BAD_REQUEST
        return _refuse(refused.key, status, **refused.params)
    return _answer({"revision": held.revision})


@login_required
@require_POST
def try_out(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Starts a session of the saved draft, or of its `variant`, in the player."""
    draft = own_draft(request, draft_id)
    try:
        version = actions.version_of_draft(draft)
        variant = request.POST.get("variant") or card_of(version).usual_variant
        if variant is not None and card_of(version).variant(variant) is None:
            variant = None
        session = walking.create_session(browser_making(request), version, variant)
    except Refusal as refused:
        return draft_page(request, draft, refused)
    return redirect("walkthroughs:player", session.id)


@login_required
@require_POST
def publish(request: SignedInRequest, draft_id: uuid.UUID) -> HttpResponse:
    """Publishes the saved draft as a version after a worker has run it. The scenario's page shows the
    progress or, if there is one, the refusal."""
    draft = own_draft(request, draft_id)
    try:
        take("try_out.person", request.user.owner_key)
        if publishing.begin(draft) is not None:
            publish_task.delay(str(draft.id))
    except TooOften as too_fast:
        return too_often(request, too_fast)
    except WorkshopRefused as refused:
        return draft_page(request, draft, refused)
    return redirect("workshop:detail", draft.id)


@require_safe
def form_file(request: HttpRequest) -> HttpResponse:
    """Answers with the data from which the page makes its form. The address contains the digest of the
    data."""
    body, digest = _form_file()
    return cached(HttpResponse(body, content_type="application/json"), request, digest)


@cache
def _form_file() -> tuple[bytes, str]:
    body = msgspec.json.encode(form())
    return body, hashlib.sha256(body).hexdigest()[:16]
