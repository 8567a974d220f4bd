"""The page of an upload, with its place in the queue, a button to cancel it, and the link to its result."""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from eosviz.accounts.request_types import HtmxRequest
from eosviz.bounded.waiting_rows import is_forgotten, place_of
from eosviz.browser import browser_of
from eosviz.replays import uploads
from eosviz.replays.models import ExportState, Replay, Upload
from eosviz.replays.tasks import take_upload

FORMS = {"log": "replays:open_log", "replay": "replays:import"}
"""Dict of kind of an upload → the page with the form for uploading another one."""


@never_cache
@require_safe
def upload(request: HtmxRequest, upload_id: UUID) -> HttpResponse:
    """The page that shows the state of an upload. While it is open, it requests its changing part every
    second, with htmx."""
    mine = _mine(request, upload_id)
    if is_forgotten(mine):
        take_upload.delay(mine.place)
        mine.refresh_from_db()
    if mine.state == ExportState.DONE and mine.result is not None:
        target = address_of_result(mine.result)
        return HttpResponseClientRedirect(target) if request.htmx else redirect(target)
    context = {
        "upload": mine,
        "place": place_of(mine),
        "working": mine.state in ("waiting", "working"),
        "again": _form_again(mine),
        "belongs_to": FORMS[mine.kind],
    }
    part = request.htmx and not request.htmx.boosted
    template = "replays/upload_state.html" if part else "replays/upload.html"
    failed = mine.state == ExportState.FAILED and not part  # htmx ignores responses with an error status.
    status = HTTPStatus.UNPROCESSABLE_ENTITY if failed else HTTPStatus.OK
    return render(request, template, context, status=status)


def _form_again(upload: Upload) -> str:
    """The address of the form from which the upload was sent."""
    form = reverse(FORMS[upload.kind])
    return f"{form}?again={upload.id}" if upload.kind == "log" else form


def address_of_result(replay: Replay) -> str:
    return reverse("replays:log_case" if replay.has_verdicts else "replays:play", args=[replay.id])


@never_cache
@require_POST
def cancel(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Cancel an upload and delete its files."""
    mine = _mine(request, upload_id)
    uploads.cancel(mine)
    return redirect("replays:upload", mine.id)


def _mine(request: HttpRequest, upload_id: UUID) -> Upload:
    own = Upload.objects.of_browser(browser_of(request.session))
    mine: Upload = get_object_or_404(own.select_related("result"), id=upload_id)
    return mine
