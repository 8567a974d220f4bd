"""Computes how every scenario of the library ends, once after each change of the engine's sources, and stores
the endings in `.endings`.

Without them, a new database would have to run the whole library, which takes seconds.
`eosviz/scenarios/endings.py` computes and reads the endings.
"""

from collections.abc import Iterator
from pathlib import Path

from eosviz.launch.commands import require, say
from eosviz.launch.places import ENDINGS, ROOT, environment_python
from eosviz.launch.stamps import digest_of, is_fresh, stamp, unstamp


def prepare_endings() -> None:
    """Compute `.endings` with the engine of this checkout, unless that was done already."""
    sources = engine_digest()
    if is_fresh(ENDINGS, sources):
        return
    say("Running every scenario of the library once …")
    ENDINGS.mkdir(exist_ok=True)
    unstamp(ENDINGS)
    require(
        [environment_python(), "-m", "eosviz.scenarios.endings"], "the last line above says what is wrong"
    )
    stamp(ENDINGS, sources)


def engine_digest() -> str:
    return digest_of(engine_sources())


def engine_sources() -> Iterator[Path]:
    for suffix in ("py", "toml"):
        yield from (ROOT / "engine").rglob(f"*.{suffix}")
