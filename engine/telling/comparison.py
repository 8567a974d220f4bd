"""Compares two-phase commit over middleware with Kafka's transactions (MW-15, CTR-43). ``title``, ``here``
and ``kafka`` are keys of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Aspect:
    name: str
    spec: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"comparison.{self.name}"

    @property
    def here(self) -> str:
        return f"comparison.{self.name}_here"

    @property
    def kafka(self) -> str:
        return f"comparison.{self.name}_kafka"


COMPARISON = (
    Aspect(name="votes", spec=("MW-4", "CTR-43")),
    Aspect(name="prepare", spec=("MW-5", "TXC-16")),
    Aspect(name="decision", spec=("MW-7", "TXC-15")),
    Aspect(name="missing_answer", spec=("MW-10", "MRK-8")),
    Aspect(name="silent_source", spec=("MW-13", "TXC-20")),
    Aspect(name="visibility", spec=("MW-14", "CON-6")),
    Aspect(name="restart", spec=("MW-14", "TXC-22")),
)
