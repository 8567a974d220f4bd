"""Frames on pages of other sites: the page inside a frame, its player file, and the oEmbed response that
describes it.

The page inside a frame sets no cookie and uses no session. The views of files use the session only for
scenarios that are not public.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import Resolver404, resolve, reverse
from django.utils.html import format_html
from django.utils.translation import get_language
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from eosviz.bounded.register import caller
from eosviz.callers import address_of
from eosviz.catalogue import language_of, say
from eosviz.rates import take
from eosviz.refusal_pages import refusal_json, refusal_page
from eosviz.refusals import Problem
from eosviz.replays import linked
from eosviz.replays.card_size import HEIGHT, WIDTH
from eosviz.replays.models import LinkedFile, Replay
from eosviz.replays.packed_answer import packed_answer
from eosviz.scenarios.cards import card_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.security import EMBEDDED_POLICY
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link, read_link, version_of
from eosviz.walkthroughs.opening import check_open
from eosviz.walkthroughs.views import element_attributes

FRAME_WIDTH, FRAME_HEIGHT = 1000, 700
KEPT_SECONDS = 3600


def framed(response: HttpResponse) -> HttpResponse:
    """Permit all sites to show the page in a frame, and prevent middleware from setting a cookie. Returns the
    response."""
    response["Content-Security-Policy"] = EMBEDDED_POLICY
    # This site's own middleware reads the attribute. No class of Django declares it.
    response.without_cookies = True  # type: ignore[attr-defined]
    return response


@xframe_options_exempt
@require_safe
def embed(request: HttpRequest, scenario: str, version: str) -> HttpResponse:
    """The page with a read-only player that plays the run of a link."""
    try:
        link = read_link(scenario, version, request.GET)
        check_open(link, None)
        found, _ = version_of(link)
    except Problem as problem:
        return _refused(request, problem)
    context: dict[str, Any] = {
        "title": card_of(found).title,
        "scenario": found.identifier,
        "version": found,
        "variant": link.variant,
        "as_written": True,  # not computed, since the version is given
        "file": link.address("replays:linked_player"),
        "step": link.step,
        "plays": request.GET.get("play") == "1",
        "view": link.view,
        "zoom": link.zoom,
        "selection": link.selection,
        "open": request.build_absolute_uri(link.address()),
        "text": request.build_absolute_uri(link.address("replays:text")),
        **element_attributes(),
    }
    return framed(render(request, "replays/embed.html", context))


@xframe_options_exempt
@require_safe
def embed_replay(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """The page with a player that plays a stored replay. The replay must have no owner."""
    replay = get_object_or_404(Replay.objects.public(), id=replay_id)
    step = request.GET.get("step", "0")
    context: dict[str, Any] = {
        "title": replay.title,
        "scenario": replay.scenario,
        "version": None,
        "variant": replay.variant,
        "as_written": replay.as_written,
        "file": reverse("replays:public_player", args=[replay.id]),
        "step": step if step.isdecimal() and len(step) < 8 else "0",
        "open": request.build_absolute_uri(reverse("replays:play", args=[replay.id])),
        **element_attributes(),
    }
    return framed(render(request, "replays/embed.html", context))


def _refused(request: HttpRequest, problem: Problem) -> HttpResponse:
    return framed(refusal_page(request, "replays/embed_refused.html", problem))


@require_safe
def linked_player(request: HttpRequest, scenario: str, version: str) -> HttpResponseBase:
    """Responds with the player file (docs/player.md) of a link's run."""
    try:
        file, kept = linked_file("player", request, scenario, version)
    except Problem as problem:
        return refusal_json(problem)
    return packed_answer(request, bytes(file.content), file.key, kept)


def linked_file(kind: str, request: HttpRequest, scenario: str, version: str) -> tuple[LinkedFile, str]:
    """The file of a link, of the kind `player` or `card`, and its Cache-Control, which is private if the
    scenario is not public. Raises Problem."""
    link = read_link(scenario, version, request.GET)
    to_all = check_open(link, request)
    # Only making a file counts against the rate of the network address. Sending one that exists does not.
    address = address_of(request)
    file = linked.kept(kind, link, lambda: take("embed.address", address), caller("", address))
    return file, f"{'public' if to_all else 'private'}, max-age={KEPT_SECONDS}"


@require_safe
def card(request: HttpRequest, scenario: str, version: str) -> HttpResponse:
    """Responds with the preview picture of a link, a PNG file without words."""
    try:
        file, kept = linked_file("card", request, scenario, version)
    except Problem as problem:
        return refusal_json(problem)
    response = HttpResponse(bytes(file.content), content_type="image/png")
    response["Cache-Control"] = kept
    return response


@require_safe
def public_player(request: HttpRequest, replay_id: UUID) -> HttpResponseBase:
    """Responds with the player file of a replay that has no owner."""
    replay = get_object_or_404(Replay.objects.public(), id=replay_id)
    tag = f"{replay.digest}-{replay.state}"
    return packed_answer(request, bytes(replay.player), tag, f"public, max-age={KEPT_SECONDS}")


# -- oEmbed --------------------------------------------------------------------------------------------------


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """Describes, as oEmbed (oembed.com, version 1.0, JSON), how another site can embed the page of this site
    whose address is `?url=…`."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse("only format=json is answered", status=501, content_type="text/plain")
    title, address, picture = _shown_at(request, request.GET.get("url", "")[:10_000])
    width = _size(request, "maxwidth", FRAME_WIDTH)
    height = _size(request, "maxheight", FRAME_HEIGHT)
    answer: dict[str, Any] = {
        "version": "1.0",
        "type": "rich",
        "provider_name": "eosviz",
        "provider_url": request.build_absolute_uri("/"),
        "title": title,
        "width": width,
        "height": height,
        "html": frame_html(address, title, width, height),
    }
    if picture is not None:
        answer |= {"thumbnail_url": picture, "thumbnail_width": WIDTH, "thumbnail_height": HEIGHT}
    return JsonResponse(answer)


def _size(request: HttpRequest, name: str, most: int) -> int:
    asked = request.GET.get(name, "")
    return min(int(asked), most) if asked.isdecimal() and 0 < len(asked) < 6 and int(asked) > 0 else most


def _shown_at(request: HttpRequest, url: str) -> tuple[str, str, str | None]:
    """The title, the address of the frame, and the address of the picture (or None) for an address of this
    site. Raises Http404 if it cannot be embedded."""
    parts = urlsplit(url)
    if parts.netloc != request.get_host():
        raise Http404
    try:
        found = resolve(unquote(parts.path))
    except Resolver404:
        raise Http404 from None
    query = QueryDict(parts.query)
    if found.view_name in ("replays:play", "replays:embed_replay"):
        replay = get_object_or_404(Replay.objects.public(), id=found.kwargs["replay_id"])
        address = reverse("replays:embed_replay", args=[replay.id])
        return _in_language(replay.title), request.build_absolute_uri(address), None
    if found.view_name == "walkthroughs:new":
        link = _link_of_scenario(query)
    elif found.view_name in ("walkthroughs:open", "replays:embed"):
        link = _readable_link(found.kwargs["scenario"], found.kwargs["version"], query)
    else:
        raise Http404
    version, _ = _named_version(link)
    title = f"{version.identifier} {_in_language(card_of(version).title)}"
    picture = request.build_absolute_uri(link.address("replays:card"))
    return title, request.build_absolute_uri(link.address("replays:embed")), picture


def _link_of_scenario(query: QueryDict) -> Link:
    library = ScenarioVersion.objects.library()
    version = get_object_or_404(library, identifier__iexact=query.get("scenario", "")[:64])
    return Link(
        scenario=version.identifier,
        version=version.digest[:VERSION_CHARACTERS],
        variant=query.get("variant") or card_of(version).usual_variant,
    )


def _readable_link(scenario: str, version: str, query: QueryDict) -> Link:
    try:
        link = read_link(scenario, version, query)
        check_open(link, None)
        return link
    except Problem:
        raise Http404 from None


def _named_version(link: Link) -> tuple[ScenarioVersion, bool]:
    try:
        return version_of(link)
    except Problem:
        raise Http404 from None


def _in_language(title: dict[str, str]) -> str:
    return title.get(language_of(get_language()), "")


def frame_html(address: str, title: str, width: int = FRAME_WIDTH, height: int = FRAME_HEIGHT) -> str:
    """The HTML that a person pastes into another page to embed the frame."""
    return format_html(
        '<iframe src="{}" title="{}" width="{}" height="{}" style="border:1px solid #999;max-width:100%"'
        ' loading="lazy" allowfullscreen></iframe>',
        address,
        title or say("page.name", "en"),
        width,
        height,
    )
