"""The addresses that the player's dialog *Export* uses: limits, begin, progress, cancel and download. All
except the download answer with JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from eosviz import quotas
from eosviz.browser import browser_of
from eosviz.catalogue import language_of
from eosviz.refusal_pages import refusal_json
from eosviz.replays import exporting, recorded
from eosviz.replays.forms import FORMS
from eosviz.replays.models import (
    EXPORT_BYTES_MAX,
    EXPORT_HOURS_KEPT,
    EXPORTS_AT_ONCE,
    EXPORTS_KEPT,
    PUBLISHED_BYTES_MAX,
    Export,
    ExportState,
    Publication,
    Replay,
)
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import exports
from eosviz.replays.tasks import make_export
from eosviz.streamed import StreamedFile
from eosviz.walkthroughs.requested import branch_in, owned_session


@never_cache
@require_safe
def limits(request: HttpRequest, session_id: UUID) -> JsonResponse:
    """Responds with the forms, the limits, and the used part of the quota of published replays. The dialog
    shows them."""
    owned_session(request, session_id)
    return _limits(request)


@never_cache
@require_safe
def replay_limits(request: HttpRequest, replay_id: UUID) -> JsonResponse:
    """Like `limits`, for an imported replay."""
    _imported(request, replay_id)
    return _limits(request)


def _limits(request: HttpRequest) -> JsonResponse:
    published = Publication.objects.of_browser(browser_of(request.session)).count()
    return JsonResponse(
        {
            "forms": list(FORMS),
            "may_publish": request.user.is_authenticated,
            "params": {
                "at_once": EXPORTS_AT_ONCE,
                "kept": EXPORTS_KEPT,
                "hours": EXPORT_HOURS_KEPT,
                "megabytes": EXPORT_BYTES_MAX // 2**20,
                "published": published,
                "published_max": quotas.BY_NAME["published"].most,
                "published_megabytes": PUBLISHED_BYTES_MAX // 2**20,
            },
        }
    )


@never_cache
@require_POST
def begin(request: HttpRequest, session_id: UUID) -> JsonResponse:
    """Begin an export of a session. POST `form`: a key of `FORMS`, or `publish`. POST `branch`: the id of the
    one branch to export; empty for all."""
    session = owned_session(request, session_id)
    wanted = request.POST.get("branch", "")
    branch = branch_in(session, wanted) if wanted else None
    return _begin(request, partial(exporting.begin, browser_of(request.session), session, branch))


@never_cache
@require_POST
def begin_of_replay(request: HttpRequest, replay_id: UUID) -> JsonResponse:
    """Begin an export of an imported replay. POST `form`: as for `begin`. POST `branch`: the id of the one
    branch in its file; empty for all."""
    replay = _imported(request, replay_id)
    line = request.POST.get("branch", "")
    if line and not recorded.has_line(replay, line):
        raise Http404
    return _begin(request, partial(exporting.begin_of_replay, browser_of(request.session), replay, line))


def _begin(request: HttpRequest, begin: Callable[[str, str], Export]) -> JsonResponse:
    form = request.POST.get("form", "")
    if form not in FORMS and form != exporting.PUBLISH:
        raise Http404
    if form == exporting.PUBLISH and not request.user.is_authenticated:
        return refusal_json(ReplayRefused("publish_signed_out"), HTTPStatus.FORBIDDEN)
    try:
        export = begin(form, language_of(get_language()))
    except ReplayRefused as refused:
        return refusal_json(refused, HTTPStatus.TOO_MANY_REQUESTS)
    make_export.delay(str(export.id))
    export.refresh_from_db()
    return JsonResponse(_state_of(export), status=HTTPStatus.ACCEPTED)


@never_cache
@require_safe
def state(request: HttpRequest, export_id: UUID) -> JsonResponse:
    return JsonResponse(_state_of(_mine(request, export_id)))


@never_cache
@require_POST
def cancel(request: HttpRequest, export_id: UUID) -> JsonResponse:
    export = _mine(request, export_id)
    exporting.cancel(export.owner, export.id)
    export.refresh_from_db()
    return JsonResponse(_state_of(export))


@never_cache
@require_safe
def file(request: HttpRequest, export_id: UUID) -> StreamedFile:
    """Sends the file of a finished export as a download."""
    export = _mine(request, export_id)
    if export.state != ExportState.DONE or not export.name:
        raise Http404
    try:
        held = exports.open(export.place)
    except FileNotFoundError:
        raise Http404 from None
    response = StreamedFile(
        held, as_attachment=True, filename=export.name, content_type="application/octet-stream"
    )
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def _imported(request: HttpRequest, replay_id: UUID) -> Replay:
    """The imported replay, if this browser owns it and its file was kept. Raises Http404 otherwise."""
    mine = Replay.objects.of_browser(browser_of(request.session)).with_file()
    return get_object_or_404(mine, id=replay_id)


def _mine(request: HttpRequest, export_id: UUID) -> Export:
    mine: Export = get_object_or_404(Export.objects.of_browser(browser_of(request.session)), id=export_id)
    return mine


def _state_of(export: Export) -> dict[str, Any]:
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
