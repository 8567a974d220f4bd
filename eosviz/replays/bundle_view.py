"""The download of a log case as a bundle, in which pseudonyms replace names."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from eosviz.browser import browser_of
from eosviz.pipeline.kafka_logs.bundle_writing import ENDING, moved_bundle
from eosviz.replays.models import Replay


@require_safe
def bundle(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """Sends the bundle of a log case. With `?times=moved` all times are moved by the same distance, so that
    the newest is in the year 2000."""
    replay = Replay.objects.readable_by(browser_of(request.session)).filter(id=replay_id).first()
    if replay is None:
        raise Http404
    if replay.bundle is None:
        return redirect("replays:log_case", replay.id)
    content = bytes(replay.bundle)
    if request.GET.get("times") == "moved":
        content = moved_bundle(content)
    response = HttpResponse(content, content_type="application/gzip")
    # The file's name does not contain the case's title, because this may contain names.
    name = f"case-{str(replay.id)[:8]}{ENDING}"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "no-store"
    return response
