"""What is published, as it is served: files by their digest, and nothing else.

Neither the engine nor the database is asked, so a viewer costs a read of a file, and a cache in front of the site
spares that too.
"""

from __future__ import annotations

import json
import re
from typing import Any, BinaryIO

from eosviz.replays.stores import published

DIGEST = re.compile("[0-9a-f]{64}")
PLAYER, REPLAY, ABOUT, CARD = "player.json.gz", "replay.eosviz.jsonl.gz", "about.json", "card.png"


def about(digest: str) -> dict[str, Any] | None:
    """Title, scenario, variant, engine and steps; None when nothing is published there."""
    found = opened(digest, ABOUT)
    if found is None:
        return None
    with found:
        told: dict[str, Any] = json.load(found)
    return told


def opened(digest: str, name: str) -> BinaryIO | None:
    """One of its files, open."""
    if DIGEST.fullmatch(digest) is None:
        return None
    try:
        return published.open(digest, name)
    except FileNotFoundError:
        return None


def has_card(digest: str) -> bool:
    """Whether there is a picture; what was published before pictures were made has none."""
    return DIGEST.fullmatch(digest) is not None and published.path(digest, CARD).exists()
