"""The addresses behind the player's *Export*: begin, look how far it is, cancel, download. All but the last answer
with JSON.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from eosviz.catalogue import language_of
from eosviz.replays import exporting
from eosviz.replays.models import (
    EXPORT_BYTES_MAX,
    EXPORT_HOURS_KEPT,
    EXPORTS_AT_ONCE,
    EXPORTS_KEPT,
    PUBLISHED_BYTES_MAX,
    PUBLISHED_MAX,
    Export,
    ExportState,
    Publication,
)
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import exports
from eosviz.replays.tasks import make_export
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.models import Branch, Session


@never_cache
@require_safe
def limits(request: HttpRequest, session_id: UUID) -> JsonResponse:
    """What the dialog tells before anything is asked: forms, bounds, and how much is left."""
    _owned(request, session_id)
    published = Publication.objects.of_browser(browser_of(request.session)).count()
    return JsonResponse(
        {
            "forms": list(exporting.FORMS),
            "may_publish": request.user.is_authenticated,
            "params": {
                "at_once": EXPORTS_AT_ONCE,
                "kept": EXPORTS_KEPT,
                "hours": EXPORT_HOURS_KEPT,
                "megabytes": EXPORT_BYTES_MAX // 2**20,
                "published": published,
                "published_max": PUBLISHED_MAX,
                "published_megabytes": PUBLISHED_BYTES_MAX // 2**20,
            },
        }
    )


@never_cache
@require_POST
def begin(request: HttpRequest, session_id: UUID) -> JsonResponse:
    """`form`: one of the table's, or `publish`; `branch`: only its line, empty for all."""
    session = _owned(request, session_id)
    form = request.POST.get("form", "")
    if form not in exporting.FORMS and form != exporting.PUBLISH:
        raise Http404
    if form == exporting.PUBLISH and not request.user.is_authenticated:
        return _refusal(ReplayRefused("publish_signed_out"), HTTPStatus.FORBIDDEN)
    branch = _branch(session, request.POST.get("branch", ""))
    language = language_of(get_language())
    try:
        export = exporting.begin(browser_of(request.session), session, branch, form, language)
    except ReplayRefused as refused:
        return _refusal(refused, HTTPStatus.TOO_MANY_REQUESTS)
    make_export.delay(str(export.id))
    export.refresh_from_db()
    return JsonResponse(_told(export), status=HTTPStatus.ACCEPTED)


@never_cache
@require_safe
def state(request: HttpRequest, export_id: UUID) -> JsonResponse:
    return JsonResponse(_told(_mine(request, export_id)))


@never_cache
@require_POST
def cancel(request: HttpRequest, export_id: UUID) -> JsonResponse:
    export = _mine(request, export_id)
    exporting.cancel(export.owner, export.id)
    export.refresh_from_db()
    return JsonResponse(_told(export))


@never_cache
@require_safe
def file(request: HttpRequest, export_id: UUID) -> HttpResponse:
    """A download, whatever it holds: never a page of this site."""
    export = _mine(request, export_id)
    if export.state != ExportState.DONE or not export.name:
        raise Http404
    try:
        with exports.open(export.place) as held:
            content = held.read()
    except FileNotFoundError:
        raise Http404 from None
    response = HttpResponse(content, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, export.name) or "attachment"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def _owned(request: HttpRequest, session_id: UUID) -> Session:
    owned = Session.objects.of_browser(browser_of(request.session)).select_related("version")
    return get_object_or_404(owned, id=session_id)


def _branch(session: Session, wanted: str) -> Branch | None:
    if not wanted:
        return None
    if not wanted.isdecimal() or len(wanted) > 18:
        raise Http404
    return get_object_or_404(Branch.objects.of_session(session.id), id=int(wanted))


def _mine(request: HttpRequest, export_id: UUID) -> Export:
    return get_object_or_404(Export.objects.of_browser(browser_of(request.session)), id=export_id)


def _refusal(refused: ReplayRefused, status: HTTPStatus) -> JsonResponse:
    return JsonResponse({"key": refused.key, "params": refused.params}, status=status)


def _told(export: Export) -> dict[str, Any]:
    """How an export is: what the page shows of it."""
    shown = export.shown_state
    return {
        "state": shown,
        "done": export.done,
        "total": export.total,
        "bytes": export.bytes,
        "name": export.name,
        "refusal": export.refusal or ({"key": "exports.lost", "params": {}} if shown == "failed" else None),
        "address": reverse("replays:export_state", args=[export.id]),
        "cancel": reverse("replays:export_cancel", args=[export.id]),
        "file": reverse("replays:export_file", args=[export.id]) if export.name else None,
        "result": export.result or None,
    }
