"""Serves the catalogue as a file for the player, and says how long a browser may cache a file whose address
contains a digest."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from eosviz.catalogue import LANGUAGES, catalogue_file

YEAR_SECONDS = 365 * 24 * 3600


@require_safe
def catalogue(request: HttpRequest, language: str) -> HttpResponse:
    """Responds with all texts of one language as JSON. Answers 304 if the browser has the same file, and 404
    for an unknown language."""
    if language not in LANGUAGES:
        raise Http404
    body, digest = catalogue_file(language)
    tag = f'"{digest}"'
    if request.headers.get("If-None-Match") == tag:
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(body, content_type="application/json")
    response["ETag"] = tag
    return cached(response, request, digest)


def catalogue_address(language: str) -> str:
    _, digest = catalogue_file(language)
    return f"{reverse('scenarios:catalogue', args=[language])}?v={digest}"


def cached(response: HttpResponse, request: HttpRequest, digest: str) -> HttpResponse:
    """Set the caching of a response: for a year if the request's address names this digest (`?v=`); otherwise
    the browser must ask each time."""
    named = request.GET.get("v") == digest
    response["Cache-Control"] = f"public, max-age={YEAR_SECONDS}, immutable" if named else "public, no-cache"
    return response
