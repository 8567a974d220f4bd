"""The public page and files of a published replay, and the view with which its owner withdraws it. The page
is made from the published files alone and sets no cookie. All sites may show it in a frame."""

from __future__ import annotations

from typing import Any, BinaryIO
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_POST, require_safe

from eosviz.browser import browser_of
from eosviz.replays import published_files
from eosviz.replays.embed_views import framed
from eosviz.replays.models import Publication
from eosviz.replays.packed_answer import packed_answer
from eosviz.replays.publishing import withdraw as withdraw_publication
from eosviz.streamed import StreamedFile
from eosviz.walkthroughs.previewing import preview_of_file
from eosviz.walkthroughs.views import element_attributes

FOR_EVER = "public, max-age=31536000, immutable"
PAGE_SECONDS = 300
"""The page may be cached for this many seconds. The time is limited, because a release may change the page
and the owner may withdraw the replay."""


@xframe_options_exempt
@require_safe
def page(request: HttpRequest, digest: str) -> HttpResponse:
    """The page that plays a published replay."""
    about = published_files.about(digest)
    if about is None:
        raise Http404
    step = request.GET.get("step", "0")
    card = reverse("replays:published_card", args=[digest]) if published_files.has_card(digest) else ""
    context: dict[str, Any] = {
        **about,
        "file": reverse("replays:published_player", args=[digest]),
        "replay": reverse("replays:published_replay", args=[digest]),
        "open": request.build_absolute_uri(reverse("replays:published", args=[digest])),
        "in_frame": request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame"),
        "branch": request.GET.get("branch", "")[:64],
        "step": step if step.isdecimal() and len(step) < 8 else "0",
        "preview": preview_of_file(request, about["scenario"], about["title"], card),
        **element_attributes(),
    }
    response = framed(render(request, "replays/published.html", context))
    response["Cache-Control"] = f"public, max-age={PAGE_SECONDS}"
    response["Vary"] = "Accept-Language, Cookie, Sec-Fetch-Dest"
    return response


@require_safe
def player(request: HttpRequest, digest: str) -> HttpResponseBase:
    """Responds with the player file. The address contains the SHA-256 of its content."""
    return packed_answer(request, _opened(digest, published_files.PLAYER), digest, FOR_EVER)


@require_safe
def card(request: HttpRequest, digest: str) -> StreamedFile:
    """Responds with the picture of the replay's last step, for previews of links."""
    response = StreamedFile(_opened(digest, published_files.CARD), content_type="image/png")
    response["Cache-Control"] = FOR_EVER
    return response


@require_safe
def replay(request: HttpRequest, digest: str) -> StreamedFile:
    """Sends the replay file as a download. Another site can import it."""
    held, name = _opened(digest, published_files.REPLAY), f"{digest[:16]}.eosviz.jsonl.gz"
    response = StreamedFile(held, as_attachment=True, filename=name, content_type="application/gzip")
    response["Cache-Control"] = FOR_EVER
    return response


def _opened(digest: str, name: str) -> BinaryIO:
    found = published_files.opened(digest, name)
    if found is None:
        raise Http404
    return found


@require_POST
def withdraw(request: HttpRequest, publication_id: UUID) -> HttpResponse:
    """Withdraw one of the browser's own publications."""
    mine = Publication.objects.of_browser(browser_of(request.session))
    actor = request.user if request.user.is_authenticated else None
    withdraw_publication(get_object_or_404(mine, id=publication_id), actor)
    return redirect("accounts:account" if request.user.is_authenticated else "replays:import")
