"""The texts of the engine and of the pages, in both languages.

docs/frame.md describes the format. `engine.explain.sentences` reads it and fills in parameters; the player
does the same with `/catalogue/<language>.json`. Templates write `{% say "key" name=value %}`.
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
"""Names of files. A player without a server gets no texts of these files, except those whose keys begin as in
OFFLINE_TERMS."""
OF_SERVER, OF_CHECKS = ("event.", "predict.", "scenario."), "predict.outcome."
"""Prefixes of keys of the engine's texts. OF_SERVER: texts that need a server, such as the engine's
questions and the mistakes in a document. OF_CHECKS: those among them that a player without a server needs
for a check."""
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
"""Prefixes of keys. A player without a server gets these texts, although their files are in NOT_OFFLINE."""


@cache
def interface_words(without: frozenset[str] = frozenset()) -> dict[str, Sentence]:
    """Dict of key → text of the pages, from the files beside this module. `without`: names of files to leave
    out."""
    files = sorted(
        (item for item in resources.files(__name__).iterdir() if item.name.endswith(".toml")),
        key=lambda item: item.name,
    )
    return read_catalogue(
        (item.name, item.read_text(encoding="utf-8")) for item in files if item.name not in without
    )


@cache
def words() -> dict[str, Sentence]:
    """Dict of key → text, of the engine and of the pages. Raises ValueError if both have the same key."""
    engine, interface = engine_catalogue(), interface_words()
    twice = engine.keys() & interface.keys()
    if twice:
        raise ValueError(f"{', '.join(sorted(twice))}: in the engine's catalogue and in the pages' own")
    return {**engine, **interface}


def say(key: str, language: str, params: Mapping[str, Any] | None = None) -> str:
    """The text of a key, with its parameters filled in. If there is no such key, the key in brackets, so that
    the mistake is noticed."""
    known = words()
    if key not in known:
        return f"[{key}]"
    return fill(known[key].text(language), dict(params or {}), words_of(known, language))


def say_shortly(key: str, language: str, params: Mapping[str, Any] | None = None) -> str:
    """Like `say`, for a command that needs only a few texts about logs: reads only the files that have these,
    if possible."""
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
    """Dict of key → text about logs, from the files of the pages and of the engine, and the words that join
    parts."""
    files = (
        resources.files(__name__) / "logs.toml",
        resources.files("engine.explain") / "catalogue" / "joins.toml",
        resources.files("engine.explain") / "catalogue" / "log.toml",
    )
    return read_catalogue((item.name, item.read_text(encoding="utf-8")) for item in files)


def language_of(code: str | None) -> str:
    """The catalogue's language for a language code of Django (`zh-hans`, `en-gb`)."""
    return "zh-Hans" if (code or "").lower().startswith("zh") else "en"


@cache
def catalogue_file(language: str) -> tuple[bytes, str]:
    """The JSON file `{"texts": {key: text}, "sources": {key: …}}` (docs/player.md), and a digest of it."""
    body = _json({"texts": _texts(words(), language), "sources": _sources(words())})
    return body, hashlib.sha256(body).hexdigest()[:16]


def offline_catalogue(language: str, sources: str) -> bytes:
    """The catalogue file for a player without a server, without the texts that it never shows. ``sources``: the
    address of the table `offline_sources`, which is the same in every language."""
    return _json({"texts": _texts(_offline(), language), "sources": sources})


def offline_sources() -> bytes:
    """The table `{key: …}` of the sources of the texts in `offline_catalogue`."""
    return _json(_sources(_offline()))


@cache
def _offline() -> dict[str, Sentence]:
    known = interface_words()
    terms = {key: known[key] for key in known if key.startswith(OFFLINE_TERMS)}
    engine = {key: one for key, one in engine_catalogue().items() if not key.startswith(OF_SERVER)}
    engine |= {key: one for key, one in engine_catalogue().items() if key.startswith(OF_CHECKS)}
    return {**engine, **interface_words(NOT_OFFLINE), **terms}


def _texts(known: Mapping[str, Sentence], language: str) -> dict[str, str]:
    return {key: known[key].text(language) for key in sorted(known)}


def _sources(known: Mapping[str, Sentence]) -> dict[str, str]:
    return {key: source for key in sorted(known) if (source := known[key].source)}


def _json(table: Mapping[str, Any]) -> bytes:
    # `msgspec` is imported here, because a command with a few texts does not need it.
    import msgspec

    return msgspec.json.encode(table)


__all__ = [
    "LANGUAGES",
    "catalogue_file",
    "interface_words",
    "language_of",
    "offline_catalogue",
    "offline_sources",
    "say",
    "say_shortly",
    "words",
]
