"""The views of the front page, the library, the visitor's own sessions, and the theme."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from eosviz.browser import browser_of
from eosviz.catalogue import language_of
from eosviz.catalogue.served import YEAR_SECONDS
from eosviz.front.resuming import PLACE_COOKIE, newest_of
from eosviz.scenarios import choices, trailer, trailer_picture
from eosviz.scenarios.cards import shelf, shelved
from eosviz.tracks.progress import progress_of
from eosviz.walkthroughs.models import Session
from eosviz.walkthroughs.previewing import preview_of_site

SESSIONS_SHOWN = 12
EXAMPLE = "SC-03"
"""The scenario that the front page shows to readers without a session."""
QUERY_CHARACTERS_MAX = 100
THEMES = ("light", "dark", "system")


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """The front page: what this site is, an animation, links into the site, and where this visitor
    continues."""
    if "q" in request.GET:
        return _to_search(request)
    if request.GET.get("sessions") == "all":  # Earlier releases used this address.
        return redirect("scenarios:sessions")
    browser, language = browser_of(request.session), language_of(get_language())
    library, progress = shelf(), progress_of(browser)
    context: dict[str, Any] = {
        "preview": preview_of_site(request),
        "resumed": newest_of(browser, request.COOKIES.get(PLACE_COOKIE, "")),
        "session_count": Session.objects.of_browser(browser).count(),
        "tracks": progress,
        "first": next((one for one in progress if one.following is not None), progress[0]),
        "scenario_count": len(library),
        "questions": choices.questions(library, choices.Chosen({})),
        "sentences": trailer_picture.sentences(language),
        "drawings": [trailer_picture.drawing(form, language) for form in trailer_picture.FORMS],
        "shown": trailer.SHOWN,
    }
    return render(request, "scenarios/front.html", context)


@require_safe
def library(request: HttpRequest) -> HttpResponse:
    """The library's page: the scenarios, grouped by the questions that they answer. The filters are in the
    address."""
    if "q" in request.GET:
        return _to_search(request)
    every, chosen = shelf(), choices.read(request.GET.dict())
    questions = choices.questions(every, chosen)
    context: dict[str, Any] = {
        "questions": questions,
        "filters": choices.filters(every, chosen, reverse("scenarios:library")),
        "chosen": chosen,
        "found": sum(len(question.shown) for question in questions),
        "scenario_count": len(every),
    }
    response = render(request, "scenarios/library.html", context)
    if chosen.query:
        response.set_cookie(choices.CHOSEN_COOKIE, chosen.query, samesite="Lax", secure=request.is_secure())
    elif choices.CHOSEN_COOKIE in request.COOKIES:
        response.delete_cookie(choices.CHOSEN_COOKIE, samesite="Lax")
    return response


def _to_search(request: HttpRequest) -> HttpResponse:
    """Redirect an address that earlier releases used for searching to the search page."""
    asked = urlencode({"q": request.GET["q"][:QUERY_CHARACTERS_MAX]})
    return redirect(f"{reverse('reference:search')}?{asked}")


@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    """The page with this browser's own sessions, the newest first. It lists SESSIONS_SHOWN of them or, with
    `?sessions=all`, all."""
    owned = Session.objects.of_browser(browser_of(request.session)).recent()
    everything = request.GET.get("sessions") == "all"
    held = owned.count()
    context: dict[str, Any] = {
        "sessions": (owned if everything else owned[:SESSIONS_SHOWN]).lines(),
        "session_count": held,
        "hidden_sessions": 0 if everything else max(0, held - SESSIONS_SHOWN),
        "example": None if held else shelved(EXAMPLE),
    }
    return render(request, "scenarios/sessions.html", context)


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store the theme `light` or `dark` in a cookie, so that the page is drawn with it at once. Any other
    theme deletes the cookie. Redirects to `next`."""
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
