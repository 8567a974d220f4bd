"""What other pages and programs show beside a link to this site: title, sentence and picture (ogp.me)."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.templatetags.static import static
from django.utils.translation import get_language

from eosviz.catalogue import language_of, say
from eosviz.scenarios.cards import Card
from eosviz.walkthroughs.links import Link

LAST_STEP = 4_999
"""Further than any run of the library goes: its picture is that of the end."""


@dataclass(frozen=True, slots=True)
class Preview:
    title: str
    about: str
    address: str
    picture: str


def preview_of_site(request: HttpRequest) -> Preview:
    """Of the site itself, at the address that was asked for."""
    return preview_of_file(request, "", {})


def preview_of_file(request: HttpRequest, scenario: str, title: dict[str, str], card: str = "") -> Preview:
    """Of a recording that everybody may see, at the address that was asked for. ``card`` is the path of its picture;
    what has none is shown with the site's own."""
    language = language_of(get_language())
    return Preview(
        title=f"{scenario} {title.get(language, '')}".strip() or say("page.name", language),
        about=say("page.description", language),
        address=request.build_absolute_uri(),
        picture=request.build_absolute_uri(card or static("preview.png")),
    )


def preview_of(request: HttpRequest, link: Link, card: Card, address: str) -> Preview:
    """Of a scenario at the link's step; ``address`` is the path that was shared."""
    language = language_of(get_language())
    return Preview(
        title=f"{card.identifier} {card.title.get(language, '')}",
        about=(card.summary or {}).get(language, ""),
        address=request.build_absolute_uri(address),
        picture=request.build_absolute_uri(link.address("replays:card")),
    )
