"""The pages and downloads of replays."""

from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.codec.log_case import STEPS_MAX
from eosviz.browser import browser_making, browser_of
from eosviz.callers import address_of
from eosviz.refusal_pages import form_page
from eosviz.replays import actions, uploads
from eosviz.replays.bounds import BOUNDS
from eosviz.replays.forms import FORMS
from eosviz.replays.log_files import NOT_READ, PASTED
from eosviz.replays.log_options import LogOptions, fields_of, options_of
from eosviz.replays.log_page import log_case_page
from eosviz.replays.log_upload import ALL_BYTES_MAX, FILE_BYTES_MAX, FILES_MAX, KeepPaths, LogFiles
from eosviz.replays.models import Replay, Upload
from eosviz.replays.packed_answer import packed_answer
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.sample_case import is_sample, sample_case, sample_page
from eosviz.replays.spool import GiveBody, move
from eosviz.replays.tasks import take_upload
from eosviz.scenarios.cards import shelved
from eosviz.streamed import Streamed
from eosviz.walkthroughs.previewing import Preview, preview_of_file
from eosviz.walkthroughs.requested import owned_session
from eosviz.walkthroughs.views import element_attributes

EXAMPLE = "SC-03"
"""The scenario that the import page offers as an example. In it, the leader recognises a duplicate."""


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    """Sends a session as a replay file. GET is permitted, so that a plain link works."""
    session = owned_session(request, session_id)
    response = Streamed(actions.export_session(session), content_type="application/gzip")
    response["Content-Disposition"] = (
        content_disposition_header(True, actions.file_name(session)) or "attachment"
    )
    response["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """The page with the form for importing a file. If the file is refused, it shows the form with the
    reason."""
    if request.method != "POST":
        return _show_import_page(request, None)
    try:
        file = _uploaded(request)
        with uploads.arriving() as coming:
            move(file, coming.folder / uploads.FILE)
            return _begin(request, coming, "replay", file.size or 0)
    except ReplayRefused as refused:
        return _show_import_page(request, refused)


def _show_import_page(request: HttpRequest, refused: ReplayRefused | None) -> HttpResponse:
    context = {
        **_kept(request),
        "megabytes": BOUNDS.compressed_bytes // 2**20,
        "endings": ",".join(Path(form.ending).suffix for form in FORMS.values() if form.is_replay),
        "example": shelved(EXAMPLE),
    }
    return form_page(request, "replays/import.html", context, refused)


def _uploaded(request: HttpRequest) -> "UploadedFile[bytes]":
    uploaded = request.FILES.get("file")
    if uploaded is None:
        raise ReplayRefused("no_file")
    return uploaded


def _begin(
    request: HttpRequest,
    coming: uploads.Arriving,
    kind: str,
    size: int,
    options: LogOptions | None = None,
) -> HttpResponse:
    """Give the uploaded files to a worker, and redirect to the page that shows the progress. Raises
    ReplayRefused."""
    stated = {} if options is None else msgspec.to_builtins(options)
    upload = uploads.begin(coming, kind, browser_making(request), address_of(request), size, stated)
    take_upload.delay(upload.place)
    return redirect("replays:upload", upload.id)


@csrf_exempt  # The view's own handlers must parse the form first; `_open_log` then checks the token.
@require_http_methods(["GET", "HEAD", "POST"])
def log_page(request: HttpRequest) -> HttpResponse:
    """The page *Open a log*, with a form for partition folders, single files and pasted text."""
    if request.method != "POST":
        return _show_log_page(request, None)
    try:
        with uploads.arriving() as coming:
            collector = LogFiles(coming.folder, request)
            request.upload_handlers = [KeepPaths(request, GiveBody(request), collector)]
            try:
                request.POST  # noqa: B018  reads the form
                return _open_log(request, coming, collector)
            finally:
                collector.close()
    except ReplayRefused as refused:
        return _show_log_page(request, refused)
    except RequestDataTooBig:
        return _show_log_page(request, ReplayRefused("log_text_too_long"))
    except TooManyFilesSent:
        return _show_log_page(request, ReplayRefused("log_too_many_files", limit=FILES_MAX))


@csrf_protect
def _open_log(request: HttpRequest, coming: uploads.Arriving, collector: LogFiles) -> HttpResponse:
    if "sample" in request.POST:
        return redirect("replays:log_case", sample_case().id)
    pasted = request.POST.get("text", "")
    if pasted.strip():
        collector.add(PASTED, pasted.encode())
    if collector.is_empty:
        raise ReplayRefused("no_log_file")
    options = options_of(request.POST.dict())
    collector.finish()
    return _begin(request, coming, "log", collector.total_bytes, options)


@require_safe
def log_case(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """The page of a log case, with its transactions, verdicts, evidence and remedies."""
    replay = _readable(request, replay_id)
    if replay.analysis is None or not replay.has_verdicts:
        return redirect("replays:play", replay.id)
    sample = is_sample(replay)
    context = {
        "replay": replay,
        "case": log_case_page(replay.analysis, sample),
        "is_sample": sample,
        "preview": _preview(request, replay),
    }
    return render(request, "replays/case.html", context)


def _preview(request: HttpRequest, replay: Replay) -> Preview | None:
    """The preview that other sites show for a link to this replay. None if the replay has an owner."""
    return None if replay.owner else preview_of_file(request, replay.scenario, replay.title)


def _show_log_page(request: HttpRequest, refused: ReplayRefused | None) -> HttpResponse:
    if refused:
        stated = {name: request.POST.get(name, "") for name in LogOptions.__struct_fields__}
    else:
        stated = _stated_before(request)
    context = {
        **_kept(request),
        **log_bounds(),
        "declared": any(stated.values()) and stated,
        "again": bool(request.GET.get("again")),
        "text": request.POST.get("text", "") if refused else "",
        "example": sample_page(),
    }
    return form_page(request, "replays/log.html", context, refused)


def _stated_before(request: HttpRequest) -> dict[str, str]:
    """The values of the form's fields in the log upload that `?again=` names, if it is the reader's own;
    otherwise empty."""
    named = request.GET.get("again", "")
    try:
        wanted = UUID(named)
    except ValueError:
        return {}
    upload = Upload.objects.of_browser(browser_of(request.session)).filter(id=wanted, kind="log").first()
    return {} if upload is None else fields_of(LogOptions(**upload.options))


def log_bounds() -> dict[str, Any]:
    """The limits that the page states before a person uploads anything."""
    return {
        "files_max": FILES_MAX,
        "file_bytes_max": FILE_BYTES_MAX,
        "all_bytes_max": ALL_BYTES_MAX,
        "not_read": " ".join(NOT_READ),
        "megabytes_each": FILE_BYTES_MAX // 2**20,
        "megabytes": ALL_BYTES_MAX // 2**20,
        "steps_max": STEPS_MAX,
        "text_megabytes": f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE / 2**20:g}",
    }


def _kept(request: HttpRequest) -> dict[str, Any]:
    browser = browser_of(request.session)
    return {
        "replays": Replay.objects.of_browser(browser).with_lack(),
        "uploads": Upload.objects.of_browser(browser).unfinished(),
    }


@require_safe
def play(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """The page that plays a stored replay."""
    replay = _readable(request, replay_id)
    if replay.kind == "log" and not replay.steps:
        return redirect("replays:log_case", replay.id)
    step = request.GET.get("step", "0")
    context = {
        "replay": replay,
        "branch": request.GET.get("branch", "")[:64],
        "step": step if step.isdecimal() and len(step) < 8 else "0",
        "preview": _preview(request, replay),
        **_exporting(request, replay),
        **element_attributes(),
    }
    return render(request, "replays/play.html", context)


def _exporting(request: HttpRequest, replay: Replay) -> dict[str, bool]:
    """`is_own`: whether the replay is a session that this reader imported. `may_export`: whether, in
    addition, its file was kept."""
    mine = Replay.objects.of_browser(browser_of(request.session)).filter(id=replay.id, kind="session")
    return {"is_own": mine.exists(), "may_export": mine.with_file().exists()}


@require_safe
def player_json(request: HttpRequest, replay_id: UUID) -> HttpResponseBase:
    """Responds with the player file, or with 304 if the browser has the same file."""
    replay = _readable(request, replay_id)
    tag = f"{replay.digest}-{replay.state}"
    response = packed_answer(request, bytes(replay.player), tag, "private, max-age=3600")
    response["Vary"] = "Accept-Encoding, Cookie"
    return response


@require_POST
def delete(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """Delete one of the browser's own replays."""
    get_object_or_404(Replay.objects.of_browser(browser_of(request.session)), id=replay_id).delete()
    return redirect("replays:import")


def _readable(request: HttpRequest, replay_id: UUID) -> Replay:
    found = Replay.objects.readable_by(browser_of(request.session)).filter(id=replay_id).first()
    if found is None:
        raise Http404
    return found
