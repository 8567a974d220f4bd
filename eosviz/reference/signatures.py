"""Known signatures (``signatures.toml``): what is seen, where it comes from, which versions do it, what shows it."""

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

TOLD = ("seen", "cause", "affected", "mended", "help")
"""The parts of an entry in the order in which its page tells them; their names are `reference.signature.<part>`."""


class Signature(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of the table. ``name`` stands in addresses."""

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
    """What to look for in logs and in the output of Kafka's tools, literally."""
    verdicts: tuple[str, ...]
    """Verdicts on a partition that are explained by it (`VerdictKind`)."""
    lines: tuple[str, ...]
    """Lines of logs that are a sign of it (`log_lines.KINDS`)."""
    scenarios: tuple[str, ...]
    """Runs that show it: `SC-58`, or `SC-58/elected-again`."""

    @property
    def told(self) -> tuple[tuple[str, Words], ...]:
        """(catalogue key of the part's name, its text)."""
        return tuple((f"reference.signature.{part}", getattr(self, part)) for part in TOLD)

    @property
    def runs(self) -> tuple[tuple[str, str, str], ...]:
        """Of each run its name, its scenario and its variant; the last empty where it has none."""
        return tuple((name, *name.partition("/")[::2]) for name in self.scenarios)

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The tracks that play one of its runs, in the order in which they are offered."""
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
    """The signatures in which clients get this error."""
    return tuple(one for one in signatures() if name in one.errors)


def fitting(verdict: str | None, lines: Iterable[str] = ()) -> tuple[Signature, ...]:
    """The signatures that a verdict, or one of the kinds of lines beside it, may be explained by."""
    told = set(lines)
    return tuple(one for one in signatures() if verdict in one.verdicts or told.intersection(one.lines))
