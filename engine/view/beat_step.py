"""The fields of one step that beats and their lines use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.view.openers import Opener


@dataclass(slots=True)
class BeatStep:
    number: int
    time: int
    actor: str
    kind: str
    key: str
    said: frozenset[str]
    """The keys of the step's sentence and of its notes."""
    params: Mapping[str, Any]
    stands_out: bool
    opener: Opener | None = None
    opener_params: dict[str, Any] = field(default_factory=dict)
    sentences: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """The step's sentence and its notes, with their parameters."""
    broken: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """(Guarantee, partition, records that break it in this step)."""
    released: tuple[tuple[str, str], ...] = ()
    """For each partition whose consumers can continue at this step: the result of the marker that allows it."""
