"""Makes an HTML file that plays a replay anywhere: it contains everything that the player needs, and refers
to no address.

The replay in it is a replay file (docs/replay-format.md), which an import can take out. The content security
policy permits only the page's own script and style, by their hashes, and fonts and pictures that are inside
the page.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO

import msgspec
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import override

from engine.explain.machines import machine_json, machines
from engine.pseudocode.documents import to_json as pseudocode
from eosviz.catalogue import LANGUAGES, offline_catalogue, offline_sources
from eosviz.replays.bounded_check import Own
from eosviz.replays.lines import canonical

_FONT_FILE = re.compile(r"""url\(["']?\./([\w-]+\.woff2)["']?\) ?format\(["']?woff2["']?\)""")
_SYSTEMS_OWN = 'local("sans-serif")'
"""The source that replaces the file with rare letters, which is larger than the rest of the typeface. No font
has this name, so browsers show rare letters in the system's typeface."""
_END = "\n</script>\n</body>\n</html>\n"
_PIECE = 3 * 256 * 1024
"""The number of bytes that are encoded at once. It is a multiple of three, so that Base64 adds no padding
between two pieces."""


class NotBuilt(Exception):
    """The front end is not built, or it contains text that would end the page's script or style element."""


def offline_file(own: Own, replay: BinaryIO, language: str) -> Iterator[bytes]:
    """The HTML file in pieces. ``replay``: a checked replay file, at its beginning."""
    yield _page(own, language).encode()
    while piece := replay.read(_PIECE):
        yield base64.b64encode(piece)
    yield _END.encode()


def _page(own: Own, language: str) -> str:
    """The part of the page before the replay."""
    script, style = _built("player-whole.js"), _with_typeface(_built("player-whole.css"))
    fields = {**msgspec.json.decode(own.fields), "lines": "#replay"}
    context = {
        "policy": policy(script, style),
        "script": mark_safe(script),  # the front end's own text, which `_built` has checked
        "style": mark_safe(style),
        "icon": base64.b64encode(_found("icon.svg").read_bytes()).decode(),
        "title": own.title,
        "scenario": own.scenario,
        "variant": own.variant,
        "as_written": own.as_written,
        "language": language,
        "held": [*_tables(), ("player", _held(canonical(fields)))],
    }
    with override(language.lower()):
        page: str = render_to_string("replays/offline.html", context)
    return page.rstrip("\n")  # The page ends with `carriers.OPENING`.


def policy(script: str, style: str) -> str:
    """The content security policy of the page. It forbids all requests. Fonts and pictures come from the page
    and its style."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash_of(script)}",
            f"style-src {_hash_of(style)}",
            "font-src data:",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _built(name: str) -> str:
    """The text of a file in `static/dist`, to be put into a page. Raises NotBuilt if the file is missing, or
    if its text would end the page's script or style element."""
    text = _found(f"dist/{name}").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if "sourceMappingURL=" not in line]
    text = "\n".join(lines)
    for forbidden in ("</script", "</style", "<!--"):
        if forbidden in text.lower():
            raise NotBuilt(f"static/dist/{name} holds {forbidden}, which would end it inside a page")
    return text


def _with_typeface(style: str) -> str:
    """The style, with the typeface's Latin letters in it in place of the address of their file."""

    def held(address: re.Match[str]) -> str:
        name = address[1]
        if "-latin-ext-" in name:
            return _SYSTEMS_OWN
        letters = base64.b64encode(_found(f"dist/{name}").read_bytes()).decode()
        return f'url(data:font/woff2;base64,{letters}) format("woff2")'

    return _FONT_FILE.sub(held, style)


def _found(name: str) -> Path:
    found = finders.find(name)
    if found is None:
        raise NotBuilt(f"static/{name} is missing; `make setup` builds the front end")
    return Path(found)


@cache
def _tables() -> tuple[tuple[str, str], ...]:
    """Tables that all offline files contain: words, state machines and pseudocode, as (name, content)."""
    words = [(f"words-{language}", offline_catalogue(language, "#sources")) for language in LANGUAGES]
    words.append(("sources", offline_sources()))
    drawn = (
        (f"machine-{name}", msgspec.json.encode(machine_json(machine)))
        for name, machine in machines().items()
    )
    return tuple(
        (name, _held(content))
        for name, content in (*words, *drawn, ("code", msgspec.json.encode(pseudocode())))
    )


def _held(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()
