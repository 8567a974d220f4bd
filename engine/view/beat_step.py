"""What of one step the beats and their lines go by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.view.openers import Opener


@dataclass(slots=True)
class BeatStep:
    number: int
    actor: str
    kind: str
    key: str
    said: frozenset[str]
    """Its sentence and its notes."""
    params: Mapping[str, Any]
    stands_out: bool
    opener: Opener | None = None
    opener_params: dict[str, Any] = field(default_factory=dict)
    broken: bool = False
