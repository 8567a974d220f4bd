"""The requests that a broker of Kafka lists as supported, whether or not this project can read them.

Source: the message definitions of the release (``validVersions`` of the requests with the listener
``broker``, without unstable versions). A client requests this list before anything else (KIP-35,
KIP-511).
"""

from __future__ import annotations

import re

from engine.profile import Profile
from engine.wire.api_versions import ApiVersionsResponse, Feature

TRANSACTION_VERSION = "transaction.version"
_LISTED = {
    "k41": """
    0:0-13 1:4-18 2:1-10 3:0-13 8:2-9 9:1-9 10:0-6 11:0-9 12:0-4 13:0-5 14:0-5 15:0-6 16:0-5 17:0-1
    18:0-4 19:2-7 20:1-6 21:0-2 22:0-5 23:2-4 24:0-5 25:0-4 26:0-5 27:1-1 28:0-5 29:1-3 30:1-3
    31:1-3 32:1-4 33:0-2 34:1-2 35:1-4 36:0-2 37:0-3 38:1-3 39:1-2 40:1-2 41:1-3 42:0-2 43:0-2
    44:0-1 45:0-1 46:0-0 47:0-0 48:0-1 49:0-1 50:0-0 51:0-0 55:0-2 57:0-2 60:0-2 61:0-0 64:0-0
    65:0-0 66:0-2 68:0-1 69:0-1 74:0-1 75:0-0 76:1-1 77:1-1 78:1-1 79:1-1 80:0-0 81:0-0 83:0-0
    84:0-0 85:0-0 86:0-0 87:0-0 90:0-0 91:0-0 92:0-0
    """
}
"""Dict of version of Kafka → text with `API key:lowest version-highest version` of each API. Keys that a broker
lists only in some configurations are left out: 71 and 72 (telemetry, KIP-714) need a plugin that receives them, 88
and 89 (groups of streams, KIP-1071) an enabled feature."""


def _versions(text: str) -> dict[int, tuple[int, int]]:
    found = {}
    for row in text.split():
        key, lowest, highest = map(int, re.split("[:-]", row))
        found[key] = (lowest, highest)
    return found


LISTED: dict[str, dict[int, tuple[int, int]]] = {name: _versions(text) for name, text in _LISTED.items()}


def listed(profile: Profile, level: int, epoch: int) -> ApiVersionsResponse:
    """A broker's response in a cluster with this level of ``transaction.version``. ``epoch`` increases with
    each change of a feature (KIP-584). Raises KeyError for a version without a list."""
    return ApiVersionsResponse(
        versions=LISTED[profile.name],
        features=(Feature(name=TRANSACTION_VERSION, lowest=0, highest=profile.transaction_version),),
        finalized={TRANSACTION_VERSION: level} if level else {},
        features_epoch=epoch,
    )
