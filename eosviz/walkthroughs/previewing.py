"""Describes a page to other sites, which show a preview (title, sentence and picture) with a link to it
(ogp.me)."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.templatetags.static import static
from django.utils.translation import get_language

from eosviz.catalogue import language_of, say
from eosviz.scenarios.cards import Card
from eosviz.walkthroughs.links import Link

LAST_STEP = 4_999
"""A number that is higher than the last step of any run of the library, so that the picture shows the end of
the run."""


@dataclass(frozen=True, slots=True)
class Preview:
    title: str
    about: str
    address: str
    picture: str


def preview_of_site(request: HttpRequest) -> Preview:
    """Returns the preview of the site itself, at the requested address."""
    return preview_of_file(request, "", {})


def preview_of_file(request: HttpRequest, scenario: str, title: dict[str, str], card: str = "") -> Preview:
    """Returns the preview of a public recording, at the requested address. ``card``: the path of its picture,
    if it has one."""
    language = language_of(get_language())
    return Preview(
        title=f"{scenario} {title.get(language, '')}".strip() or say("page.name", language),
        about=say("page.description", language),
        address=request.build_absolute_uri(),
        picture=request.build_absolute_uri(card or static("preview.png")),
    )


def preview_of(request: HttpRequest, link: Link, card: Card, address: str) -> Preview:
    """Returns the preview of a scenario at the step of the link. ``address``: the path that was shared."""
    language = language_of(get_language())
    return Preview(
        title=f"{card.identifier} {card.title.get(language, '')}",
        about=(card.summary or {}).get(language, ""),
        address=request.build_absolute_uri(address),
        picture=request.build_absolute_uri(link.address("replays:card")),
    )
