"""Makes the text that ``python -m engine explain`` prints for a machine, component, key, requirement or error."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Error
from engine.explain.errors import error_lines
from engine.explain.machines import machine_lines, machines, summary_lines
from engine.explain.requirements import text_key, text_keys_by_keeper
from engine.explain.sentences import LANGUAGES, Sentence, catalogue
from engine.pseudocode.documents import components
from engine.pseudocode.listing import component_lines, lines_about
from engine.telling.rows import row_key


def explanation(word: str | None, language: str) -> Iterator[str]:
    """The lines of text about the name ``word``; without a name, one line for each machine and component. Raises
    ValueError for an unknown name."""
    if word is None:
        yield from summary_lines()
        for component in components().values():
            yield f"{component.name:<26} {catalogue()[component.title].text(language)}"
        return
    found = False
    if word in machines():
        found = True
        yield from machine_lines(machines()[word], language)
    if word in components():
        found = True
        yield from component_lines(components()[word], language)
    error = Error.__members__.get(word.upper())
    if error is not None:
        found = True
        for each in LANGUAGES:
            yield from error_lines(error, each)
    for key in (word, text_key(word.upper())):
        known = catalogue().get(key)
        if known is not None:
            found = True
            yield from _sentence_lines(key, known)
            for kept in text_keys_by_keeper(key.removeprefix("requirement.")).values():
                yield from _sentence_lines(kept, catalogue()[kept])
            yield from _rows_about(key.removeprefix("requirement."))
            for component in components().values():
                yield from lines_about(component, key.removeprefix("requirement."))
    if not found:
        raise ValueError(
            f"{word}: no machine, component, key, requirement or error has this name; {_near(word)}"
        )


def _sentence_lines(key: str, known: Sentence) -> Iterator[str]:
    yield key
    for language in LANGUAGES:
        yield f"  {language}: {known.text(language)}"
    if known.source:
        yield f"  source: {known.source}"


def _rows_about(identifier: str) -> Iterator[str]:
    """The lines about the rows of machines that cite this requirement or have this sentence."""
    for machine in machines().values():
        for row in machine.rows:
            if identifier in (row.spec, row_key(row)):
                yield f"  row: {row.name(machine.name)}"


def _near(word: str) -> str:
    like = [key for key in (*machines(), *components(), *catalogue()) if word.lower() in key.lower()][:8]
    return f"perhaps {', '.join(like)}" if like else f"machines are {', '.join(machines())}"
