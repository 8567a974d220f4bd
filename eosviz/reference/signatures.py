"""The known signatures (``signatures.toml``), each with its symptoms, its cause, the affected versions, and
the runs that show it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from engine.scenario.shelf import entry
from engine.scenario.tracks import Track, tracks

Words = dict[str, str]
"""A text in each language. Dict of language → text."""

ON_CALL = ("a-transaction-is-stuck", "why-am-i-fenced")
"""The names of the tracks for an engineer on call, in the order in which `lesson_of` looks for a lesson."""
PARTS = ("seen", "help", "cause", "affected", "mended")
"""The parts of a signature, in the order of its page. Their names are in the catalogue under
`reference.signature.<part>`."""


class Signature(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One signature. ``name`` is part of the address of its page."""

    name: str
    title: Words
    seen: Words
    cause: Words
    affected: Words
    mended: Words
    help: Words
    issues: tuple[str, ...]
    """The KIPs and the issues of Kafka that are about this signature."""
    errors: tuple[str, ...]
    """The names of Kafka's errors that clients get."""
    signs: tuple[str, ...]
    """Texts that appear, exactly as here, in logs and in the output of Kafka's tools."""
    verdicts: tuple[str, ...]
    """The kinds of verdicts on a partition that the signature explains (`VerdictKind`)."""
    lines: tuple[str, ...]
    """The kinds of log lines that indicate the signature (`log_lines.KINDS`)."""
    scenarios: tuple[str, ...]
    """The runs that show the signature, as scenario or scenario and variant: `SC-58`,
    `SC-58/elected-again`."""

    @property
    def parts(self) -> tuple[tuple[str, Words], ...]:
        """(key of the name, text) of each part."""
        return tuple((f"reference.signature.{part}", getattr(self, part)) for part in PARTS)

    @property
    def runs(self) -> tuple[tuple[str, str, str], ...]:
        """(name, scenario, variant) of each run. The variant is empty if there is none."""
        return tuple((name, *name.partition("/")[::2]) for name in self.scenarios)

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The tracks that contain one of its runs, in the order in which they are shown. A run without a
        variant stands for all variants of its scenario."""
        shown = {(scenario, variant) for _, scenario, variant in self.runs}
        return tuple(
            track
            for track in tracks()
            if any({(item.scenario, item.variant or ""), (item.scenario, "")} & shown for item in track.items)
        )


class Lesson(Struct, frozen=True):
    """A place in a track. ``position``: the number of the place in the track, from 1."""

    track: Track
    position: int

    @property
    def scenario(self) -> str:
        return self.track.items[self.position - 1].scenario

    @property
    def title(self) -> Words:
        title: Words = entry(self.scenario).document["title"]
        return title


@cache
def signatures() -> tuple[Signature, ...]:
    """All signatures, in the order of the file."""
    text = resources.files("eosviz.reference").joinpath("signatures.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["signatures"], tuple[Signature, ...])


def with_error(name: str) -> tuple[Signature, ...]:
    """The signatures that list this error of clients."""
    return tuple(one for one in signatures() if name in one.errors)


def fitting(verdict: str | None, lines: Iterable[str] = ()) -> tuple[Signature, ...]:
    """The signatures that may explain a verdict or log lines. ``verdict``: its kind; None if there is no
    verdict. ``lines``: kinds of log lines."""
    kinds = set(lines)
    return tuple(one for one in signatures() if verdict in one.verdicts or kinds.intersection(one.lines))


def lesson_of(found: Iterable[Signature]) -> Lesson | None:
    """A lesson of the tracks for an engineer on call that shows one of the signatures, preferably the first
    of them. None if there is no such lesson."""
    on_call = sorted(
        (one for one in tracks() if one.name in ON_CALL), key=lambda one: ON_CALL.index(one.name)
    )
    for signature in found:
        shown = {(scenario, variant) for _, scenario, variant in signature.runs}
        for track in on_call:
            for position, item in enumerate(track.items, 1):
                if (item.scenario, item.variant or "") in shown:
                    return Lesson(track, position)
    return None
