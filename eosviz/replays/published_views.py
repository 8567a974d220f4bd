"""What everybody sees of a published replay, made of its files alone, and the owner's way to take it back.

The page sets and reads nothing but the reader's language; it may stand in a frame anywhere.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_POST, require_safe

from eosviz.replays import published_files
from eosviz.replays.embed_views import framed
from eosviz.replays.models import Publication
from eosviz.replays.packed_answer import packed_answer
from eosviz.walkthroughs.browser import browser_of
from eosviz.walkthroughs.views import element_attributes

FOR_EVER = "public, max-age=31536000, immutable"
PAGE_SECONDS = 300
"""The page around a replay may change with a release, and be gone when its owner takes it back."""


@xframe_options_exempt
@require_safe
def page(request: HttpRequest, digest: str) -> HttpResponse:
    """The player over a published replay."""
    about = published_files.about(digest)
    if about is None:
        raise Http404
    step = request.GET.get("step", "0")
    context: dict[str, Any] = {
        **about,
        "file": reverse("replays:published_player", args=[digest]),
        "replay": reverse("replays:published_replay", args=[digest]),
        "open": request.build_absolute_uri(reverse("replays:published", args=[digest])),
        "in_frame": request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame"),
        "branch": request.GET.get("branch", "")[:64],
        "step": step if step.isdecimal() and len(step) < 8 else "0",
        **element_attributes(),
    }
    response = framed(render(request, "replays/published.html", context))
    response["Cache-Control"] = f"public, max-age={PAGE_SECONDS}"
    response["Vary"] = "Accept-Language, Cookie, Sec-Fetch-Dest"
    return response


@require_safe
def player(request: HttpRequest, digest: str) -> HttpResponseBase:
    """The player file. Its address is the SHA-256 of its content."""
    return packed_answer(request, _content(digest, published_files.PLAYER), digest, FOR_EVER)


@require_safe
def replay(request: HttpRequest, digest: str) -> HttpResponse:
    """The replay file, to be kept or imported elsewhere."""
    response = HttpResponse(_content(digest, published_files.REPLAY), content_type="application/gzip")
    name = f"{digest[:16]}.eosviz.jsonl.gz"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = FOR_EVER
    return response


def _content(digest: str, name: str) -> bytes:
    found = published_files.content(digest, name)
    if found is None:
        raise Http404
    return found


@require_POST
def withdraw(request: HttpRequest, publication_id: UUID) -> HttpResponse:
    """Take back what one published."""
    mine = Publication.objects.of_browser(browser_of(request.session))
    get_object_or_404(mine, id=publication_id).delete()
    return redirect("accounts:account" if request.user.is_authenticated else "replays:import")
