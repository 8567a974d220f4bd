"""Random choices that use only ``random()``, so that a seed gives the same world on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any


def below(generator: Random, bound: int) -> int:
    return int(generator.random() * bound)


def one_of(generator: Random, choices: Sequence[Any]) -> Any:
    return choices[below(generator, len(choices))]


def perhaps(generator: Random, chance: float) -> bool:
    return generator.random() < chance
