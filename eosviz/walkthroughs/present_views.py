"""Starts and ends a presentation, and shows the page for followers."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from eosviz.walkthroughs import presenting
from eosviz.walkthroughs.models import Presentation
from eosviz.walkthroughs.requested import owned_session
from eosviz.walkthroughs.views import element_attributes


@require_POST
def start(request: HttpRequest, session_id: uuid.UUID) -> JsonResponse:
    """Starts a presentation. Answers with `{"address": …}`, the address for followers."""
    presentation = presenting.start(owned_session(request, session_id))
    address = reverse("walkthroughs:follow", args=[presentation.token])
    return JsonResponse({"address": request.build_absolute_uri(address)})


@require_POST
def end(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    presenting.end(owned_session(request, session_id).id)
    return HttpResponse(status=204)


@never_cache
@require_safe
@ensure_csrf_cookie
def follow(request: HttpRequest, token: uuid.UUID) -> HttpResponse:
    """The page on which followers watch: a player that moves with the presenter. Raises Http404 after the end
    of the presentation, and while the presenter's account is blocked."""
    presentations = Presentation.objects.open_to_followers().select_related("session__version", "branch")
    presentation = get_object_or_404(presentations, token=token)
    header = presentation.session.decoded_header
    context = {"presentation": presentation, "header": header, **element_attributes()}
    return render(request, "walkthroughs/follow.html", context)
