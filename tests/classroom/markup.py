"""Finds what the Content-Security-Policy would refuse in a page: style attributes, style sheets, scripts and event
handlers. Browser tests open only some pages; `test_permissions.py` applies this to each address of the site.
"""

from __future__ import annotations

from html.parser import HTMLParser

DATA = {"application/json", "application/ld+json"}
"""A `<script>` of one of these types contains data and is not run."""


class Refused(HTMLParser):
    """Collects the elements and attributes of a page that the policy would refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        if tag == "style" or (tag == "script" and "src" not in named and named.get("type") not in DATA):
            self.found.append(f"<{tag}>")
        self.found += [f"<{tag} {name}>" for name in named if name == "style" or name.startswith("on")]


def refused_in(html: str) -> list[str]:
    reader = Refused()
    reader.feed(html)
    return reader.found
