"""Known signatures (``signatures.toml``): symptoms, cause, affected versions, and runs that show them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources

import msgspec
from msgspec import Struct

from engine.scenario.tracks import Track, tracks

Words = dict[str, str]
"""Language to text."""

PARTS = ("seen", "cause", "affected", "mended", "help")
"""The parts of an entry in the order of its page; their names are `reference.signature.<part>`."""


class Signature(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of the table. ``name`` is part of its address."""

    name: str
    title: Words
    seen: Words
    cause: Words
    affected: Words
    mended: Words
    help: Words
    issues: tuple[str, ...]
    """KIPs and issues of Kafka."""
    errors: tuple[str, ...]
    """Kafka's errors that clients get."""
    signs: tuple[str, ...]
    """Literal texts in logs and in the output of Kafka's tools."""
    verdicts: tuple[str, ...]
    """Verdicts on a partition that it explains (`VerdictKind`)."""
    lines: tuple[str, ...]
    """Log lines that indicate it (`log_lines.KINDS`)."""
    scenarios: tuple[str, ...]
    """Runs that show it: `SC-58`, or `SC-58/elected-again`."""

    @property
    def parts(self) -> tuple[tuple[str, Words], ...]:
        """(catalogue key of the part's name, its text)."""
        return tuple((f"reference.signature.{part}", getattr(self, part)) for part in PARTS)

    @property
    def runs(self) -> tuple[tuple[str, str, str], ...]:
        """Each run's name, scenario and variant; the last empty if there is none."""
        return tuple((name, *name.partition("/")[::2]) for name in self.scenarios)

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The tracks with one of its runs, in display order."""
        shown = {(scenario, variant) for _, scenario, variant in self.runs}
        return tuple(
            track
            for track in tracks()
            if any({(item.scenario, item.variant or ""), (item.scenario, "")} & shown for item in track.items)
        )


@cache
def signatures() -> tuple[Signature, ...]:
    """Every signature, in the order of the table."""
    text = resources.files("eosviz.reference").joinpath("signatures.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["signatures"], tuple[Signature, ...])


def with_error(name: str) -> tuple[Signature, ...]:
    """The signatures with this client error."""
    return tuple(one for one in signatures() if name in one.errors)


def fitting(verdict: str | None, lines: Iterable[str] = ()) -> tuple[Signature, ...]:
    """The signatures that may explain a verdict, or one of the kinds of log lines beside it."""
    kinds = set(lines)
    return tuple(one for one in signatures() if verdict in one.verdicts or kinds.intersection(one.lines))
