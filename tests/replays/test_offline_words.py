"""The texts inside an offline file: all that the player may show there, and none of other pages."""

from __future__ import annotations

import json
import re

from eosviz.catalogue import LANGUAGES, offline_catalogue, words
from eosviz.launch.places import STATIC

PARTS = ("diagrams", "player", "stage", "typeface")
_KEY = re.compile(r"""["'`]([a-z_]+(?:\.[\w-]+)+)["'`]""")
_BEGINNING = re.compile(r"""["'`]([a-z_]+(?:\.[\w-]+)*\.)\$\{""")


def source_of_the_player() -> str:
    """Return the source of the player without the page of comparisons, which a file does not contain."""
    files = [path for part in PARTS for path in (STATIC / part).rglob("*.ts")]
    return "\n".join(
        path.read_text(encoding="utf-8") for path in files if not path.name.startswith("compare")
    )


def test_each_key_that_the_player_names_is_among_them() -> None:
    source = source_of_the_player()
    named, begun = set(_KEY.findall(source)), tuple(_BEGINNING.findall(source))
    # The player only compares with the keys of problems; problems come from a server.
    wanted = {key for key in words() if key in named or key.startswith(begun)}
    wanted = {key for key in wanted if not key.startswith("problem.")}
    assert len(wanted) > 1_000
    for language in LANGUAGES:
        assert wanted - json.loads(offline_catalogue(language, "#sources"))["texts"].keys() == set()
