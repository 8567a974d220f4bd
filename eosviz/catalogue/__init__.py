"""The engine's sentences and those of the pages, in both languages.

The format is that of docs/frame.md. `engine.explain.sentences` reads it and fills in parameters; the player does the
same with `/catalogue/<language>.json`. Pages use `{% say "key" name=value %}`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from engine.explain.sentences import LANGUAGES, Sentence, fill, read_catalogue, words_of
from engine.explain.sentences import catalogue as engine_catalogue

NOT_OFFLINE = frozenset(
    f"{name}.toml"
    for name in (
        *(
            "accounts",
            "actions",
            "analytics",
            "asked",
            "bounded",
            "builder",
            "classroom",
            "compare",
            "crafted",
            "form",
            "front",
            "logs",
        ),
        *("generations", "pages", "problems", "quotas", "rates", "reference", "replays"),
        *("sweeps", "terms", "tracks", "workshop"),
    )
)
"""The files whose texts a player without a server does not get, except those of OFFLINE_TERMS."""
OF_SERVER, OF_CHECKS = ("event.", "predict.", "scenario."), "predict.outcome."
"""OF_SERVER: the prefixes of the engine's keys whose sentences only a server shows, such as its questions and the
mistakes in a document. OF_CHECKS: the prefix of those among them that the player shows with a check."""
OFFLINE_TERMS = (
    "difference.",
    "logs.todo.only_if",
    "page.name",
    "predict.",
    "reference.error.",
    "term.read_committed",
    "term.read_uncommitted",
    "term.window",
    "workshop.from_branch",
)
"""Beginnings of the keys in NOT_OFFLINE's files whose texts a player without a server gets nevertheless."""


@cache
def interface_words(without: frozenset[str] = frozenset()) -> dict[str, Sentence]:
    """The pages' own texts, from the files beside this module. `without`: the names of files to leave out."""
    files = sorted(
        (item for item in resources.files(__name__).iterdir() if item.name.endswith(".toml")),
        key=lambda item: item.name,
    )
    return read_catalogue(
        (item.name, item.read_text(encoding="utf-8")) for item in files if item.name not in without
    )


@cache
def words() -> dict[str, Sentence]:
    """Every key with its sentence. Raises ValueError if a key of the pages is also one of the engine's."""
    engine, interface = engine_catalogue(), interface_words()
    twice = engine.keys() & interface.keys()
    if twice:
        raise ValueError(f"{', '.join(sorted(twice))}: in the engine's catalogue and in the pages' own")
    return {**engine, **interface}


def say(key: str, language: str, params: Mapping[str, Any] | None = None) -> str:
    """The sentence of a key. A missing key is shown in brackets, so that it is noticed."""
    known = words()
    if key not in known:
        return f"[{key}]"
    return fill(known[key].text(language), dict(params or {}), words_of(known, language))


def say_shortly(key: str, language: str, params: Mapping[str, Any] | None = None) -> str:
    """Like `say`, for a command that needs only a few sentences about logs."""
    known = _of_logs()
    missing = False

    def word(wanted: str) -> str | None:
        nonlocal missing
        missing |= wanted not in known
        return known[wanted].text(language) if wanted in known else None

    if key in known:
        text = fill(known[key].text(language), dict(params or {}), word)
        if not missing:
            return text
    return say(key, language, params)


@cache
def _of_logs() -> dict[str, Sentence]:
    """The texts about logs from the catalogues of the pages and of the engine, and the words for times."""
    files = (
        resources.files(__name__) / "logs.toml",
        resources.files("engine.explain") / "catalogue" / "joins.toml",
        resources.files("engine.explain") / "catalogue" / "log.toml",
    )
    return read_catalogue((item.name, item.read_text(encoding="utf-8")) for item in files)


def language_of(code: str | None) -> str:
    """Converts Django's language code (`zh-hans`, `en-gb`) to the catalogue's."""
    return "zh-Hans" if (code or "").lower().startswith("zh") else "en"


@cache
def catalogue_file(language: str) -> tuple[bytes, str]:
    """`{"texts": {key: text}, "sources": {key: …}}` of docs/player.md, and the digest of its content."""
    body = _as_file(words(), language)
    return body, hashlib.sha256(body).hexdigest()[:16]


def offline_catalogue(language: str) -> bytes:
    """The catalogue file without the texts that a player without a server never shows."""
    known = interface_words()
    terms = {key: known[key] for key in known if key.startswith(OFFLINE_TERMS)}
    engine = {key: one for key, one in engine_catalogue().items() if not key.startswith(OF_SERVER)}
    engine |= {key: one for key, one in engine_catalogue().items() if key.startswith(OF_CHECKS)}
    return _as_file({**engine, **interface_words(NOT_OFFLINE), **terms}, language)


def _as_file(known: Mapping[str, Sentence], language: str) -> bytes:
    # Imported here, because a command with a few sentences does not need it.
    import msgspec

    return msgspec.json.encode(
        {
            "texts": {key: known[key].text(language) for key in sorted(known)},
            "sources": {key: source for key in sorted(known) if (source := known[key].source)},
        }
    )


__all__ = [
    "LANGUAGES",
    "catalogue_file",
    "interface_words",
    "language_of",
    "offline_catalogue",
    "say",
    "say_shortly",
    "words",
]
