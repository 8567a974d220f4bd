"""Opens the files of published replays by their digest. Needs neither the engine nor the database."""

from __future__ import annotations

import json
import re
from typing import Any, BinaryIO

from eosviz.replays.stores import published

DIGEST = re.compile("[0-9a-f]{64}")
PLAYER, REPLAY, ABOUT, CARD = "player.json.gz", "replay.eosviz.jsonl.gz", "about.json", "card.png"


def about(digest: str) -> dict[str, Any] | None:
    """A dict with the title, scenario, variant, engine and number of steps of a published replay; None if no
    publication has this digest."""
    found = opened(digest, ABOUT)
    if found is None:
        return None
    with found:
        content: dict[str, Any] = json.load(found)
    return content


def opened(digest: str, name: str) -> BinaryIO | None:
    """One file of a published replay, opened; None if it does not exist."""
    if DIGEST.fullmatch(digest) is None:
        return None
    try:
        return published.open(digest, name)
    except FileNotFoundError:
        return None


def has_card(digest: str) -> bool:
    """Whether the published replay has a picture."""
    return DIGEST.fullmatch(digest) is not None and published.path(digest, CARD).exists()
