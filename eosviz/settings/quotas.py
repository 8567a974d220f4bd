"""How much one person may have. `eosviz/quotas.py` enforces these numbers, and the page *Your usage* shows
them."""

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()

MEBIBYTE = 2**20

QUOTAS: dict[str, int] = {
    "sessions": 200,
    "steps": 1_000_000,
    "replays": 50,
    "cases": 50,
    "replay_bytes": 512 * MEBIBYTE,
    "published": 50,
    "published_bytes": 512 * MEBIBYTE,
    "drafts": 100,
    "editions": 500,
    "classes": 50,
    "sweeps": 100,
    "sweep_runs": 2_000_000,
    "shrinks": 100,
}
"""Dict of name of a quota → the largest number for one account, or for one browser without an account.
EOSVIZ_QUOTAS changes single quotas: `sessions=500,steps=3000000`."""

for _name, _most in env.dict("EOSVIZ_QUOTAS", default={}).items():
    if _name not in QUOTAS or not _most.isdecimal():
        raise ImproperlyConfigured(
            f"EOSVIZ_QUOTAS: {_name}={_most}: a name of {', '.join(QUOTAS)} and a whole number"
        )
    QUOTAS[_name] = int(_most)
