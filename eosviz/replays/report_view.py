"""The download of a log case as a report for a ticket, in the language of the page."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from eosviz.browser import browser_of
from eosviz.catalogue import language_of
from eosviz.pipeline.kafka_logs.ticket import ticket_lines
from eosviz.replays.models import Replay


@require_safe
def report(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """Sends the report, in Markdown. A case without verdicts has no report; the response then redirects to
    its page."""
    replay = Replay.objects.readable_by(browser_of(request.session)).filter(id=replay_id).first()
    if replay is None:
        raise Http404
    analysis = replay.analysis if replay.has_verdicts else None
    if analysis is None or "too_much" in analysis:
        return redirect("replays:log_case", replay.id)
    body = "".join(f"{line}\n" for line in ticket_lines(analysis, language_of(get_language())))
    response = HttpResponse(body, content_type="text/markdown; charset=utf-8")
    name = f"case-{str(replay.id)[:8]}.md"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "no-store"
    return response
