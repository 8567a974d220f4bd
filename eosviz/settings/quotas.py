"""How much one person may have, and how often they may ask: the numbers. What is counted stands in `eosviz/quotas.py`
and `eosviz/rates.py`; the page *What you have used* tells all of them."""

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
"""Of one account, or of one browser without one. EOSVIZ_QUOTAS changes some of them: `sessions=500,steps=3000000`."""

for _name, _most in env.dict("EOSVIZ_QUOTAS", default={}).items():
    if _name not in QUOTAS or not _most.isdecimal():
        raise ImproperlyConfigured(
            f"EOSVIZ_QUOTAS: {_name}={_most}: a name of {', '.join(QUOTAS)} and a whole number"
        )
    QUOTAS[_name] = int(_most)

RATES: dict[str, tuple[int, int, int]] = {
    "create": (120, 1200, 600),
    "import": (30, 300, 600),
    "export": (60, 300, 600),
    "download_everything": (6, 60, 3600),
    "join_class": (20, 1000, 3600),
}
"""Name to how often in how many seconds: one person, all who come from one address with nothing of their own yet,
seconds. A class begins behind one address; one program that forgets its cookies is one address too. Signing up and in
have rates of their own (`accounts.py`), and so have messages of a socket (`walkthroughs/limits.py`)."""
