"""Where a recorded Kafka 4.1 broker with transaction version 0 differs from the engine's 2.8 profile.

What is a rule of the broker stands in its profile, :data:`RECORDED`; what a recording leaves open in
:data:`DIFFERENCES`, by name and with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.profiles import K28

RECORDED = replace(K28, version="4.1", verifies_partitions=True)


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
