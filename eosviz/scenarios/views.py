"""The library page, the words for the player, and how the site looks."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from eosviz.catalogue import LANGUAGES, catalogue_file, language_of
from eosviz.scenarios.cards import cards, matching
from eosviz.scenarios.example import example
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.models import Session

SESSIONS_SHOWN = 12
QUERY_CHARACTERS_MAX = 100
THEMES = ("light", "dark", "system")
YEAR_SECONDS = 365 * 24 * 3600


@require_safe
def library(request: HttpRequest) -> HttpResponse:
    """Every scenario as a card, and this browser's own sessions."""
    query = request.GET.get("q", "")[:QUERY_CHARACTERS_MAX].strip()
    every = cards()
    owned = Session.objects.of_browser(browser_of(request.session)).recent()
    everything = request.GET.get("sessions") == "all"
    held = owned.count()
    context: dict[str, Any] = {
        "cards": matching(every, query),
        "scenario_count": len(every),
        "query": query,
        "sessions": (owned if everything else owned[:SESSIONS_SHOWN]).lines(),
        "session_count": held,
        "example": None if held or query else example(language_of(get_language())),
        "hidden_sessions": 0 if everything else max(0, held - SESSIONS_SHOWN),
    }
    return render(request, "scenarios/library.html", context)


@require_safe
def catalogue(request: HttpRequest, language: str) -> HttpResponse:
    """All words of one language. Under the address with their digest they may be kept for ever."""
    if language not in LANGUAGES:
        raise Http404
    body, digest = catalogue_file(language)
    tag = f'"{digest}"'
    if request.headers.get("If-None-Match") == tag:
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(body, content_type="application/json")
    response["ETag"] = tag
    named = request.GET.get("v") == digest
    response["Cache-Control"] = f"public, max-age={YEAR_SECONDS}, immutable" if named else "public, no-cache"
    return response


def catalogue_address(language: str) -> str:
    _, digest = catalogue_file(language)
    return f"{reverse('scenarios:catalogue', args=[language])}?v={digest}"


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Light, dark, or as the system says; kept in a cookie, so that the first paint is right."""
    theme = request.POST.get("theme", "")
    if theme not in THEMES:
        theme = "system"
    target = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure()):
        target = "/"
    response = HttpResponseRedirect(target)
    if theme == "system":
        response.delete_cookie("theme", samesite="Lax")
    else:
        response.set_cookie("theme", theme, max_age=YEAR_SECONDS, samesite="Lax", secure=request.is_secure())
    return response
