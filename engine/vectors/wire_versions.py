"""Where a recorded Kafka 4.1 broker with transaction version 0 differs from the engine's 3.9 profile.

No step needs another rule than those of 3.9. What a recording leaves open stands in :data:`DIFFERENCES`, by name and
with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.profiles import K39

RECORDED = K39


@dataclass(frozen=True, slots=True)
class Difference:
    """``here``: what the player does about it."""

    name: str
    reason: str
    here: str


DIFFERENCES = (
    Difference(
        "first producer id",
        "a recorded cluster has handed out ids before, and its controller hands out blocks (KIP-730)",
        "the block of the engine's broker starts at the first id of the recording; the later ones are its own",
    ),
    Difference(
        "partitions of internal topics",
        "a recording does not say how many a cluster has, so neither which of them a group has",
        "compared by topic",
    ),
)
