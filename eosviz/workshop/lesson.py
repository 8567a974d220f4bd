"""Turns the Markdown of a lesson into safe HTML.

HTML that the author wrote is shown as text, and the HTML made from the Markdown is sanitised. An image is a
picture of a step, `![what it shows](step:41)` or `(step:variant/41)`; any other image is replaced by its text
in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

LESSON_CHARACTERS_MAX = 20_000
_STEP = re.compile(r"step:(?:([a-z][a-z0-9_-]{0,31})/)?([0-9]{1,7})")
_TAGS = {
    "p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "a", "img", "hr", "br",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt", "loading", "width", "height"}, "ol": {"start"}}
_ADDRESS = re.compile(r"(https?://|/(?!/))", re.IGNORECASE)

Picture = Callable[[str | None, int], str | None]
"""A function: (variant, step) → the address of the picture on this site; None if there is no picture yet."""
Waiting = Callable[[str, int], str]
"""A function: (description, step) of a picture → the text that is shown until the picture exists."""

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


def lesson_html(text: str, picture: Picture, waiting: Waiting = lambda words, step: f"[{words}]") -> str:
    tokens = _markdown.parse(text[:LESSON_CHARACTERS_MAX])
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            # The page uses the first two levels for its own headings.
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
        for inner in token.children or ():
            if inner.type == "image":
                _place(inner, picture, waiting)
    made = _markdown.renderer.render(tokens, _markdown.options, {})
    return nh3.clean(
        made,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_filtered,
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow ugc",
    )


def _place(token: Token, picture: Picture, waiting: Waiting) -> None:
    found = _STEP.fullmatch(str(token.attrGet("src") or ""))
    words = token.content
    address = None if found is None else picture(found.group(1), int(found.group(2)))
    if address is None:
        token.type, token.tag, token.children = "text", "", None
        token.content = f"[{words}]" if found is None else waiting(words, int(found.group(2)))
        return
    token.attrs = {"src": address, "alt": words, "loading": "lazy", "width": "600", "height": "315"}
    token.children = [Token("text", "", 0, content=words)]


def _filtered(tag: str, name: str, value: str) -> str | None:
    if name in ("href", "src"):
        if tag == "img" and not value.startswith("/"):
            return None
        return value if _ADDRESS.match(value) else None
    return value


__all__ = ["Picture", "lesson_html"]
