"""A replay file that is brought, checked in a bounded process (`eosviz/bounded`): to check it is to run its scenario,
which may ask for anything.

The process leaves two files in its folder: `player` (docs/player.md) and `replay` (docs/replay-format.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

PLAYER, REPLAY = "player", "replay"
PARQUET = b"PAR1"
"""What such a file begins with."""


class Row(msgspec.Struct):
    """What a replay's row says of its file."""

    title: dict[str, str]
    scenario: str
    variant: str
    engine: str
    digest: str
    steps: int
    state: str
    finding: dict[str, Any]


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """`path`: the file in any of its forms. `identity`: the id of the replay that is made of it."""

    path: str
    identity: str


def bring(question: bytes, folder: Path) -> bytes:
    """The task of the process: `Asked` in, `Row` out, both as JSON. Raises ReplayRefused."""
    from eosviz.replays import carriers, player_file
    from eosviz.replays.checking import check

    asked = msgspec.json.decode(question, type=Asked)
    with Path(asked.path).open("rb") as file:
        checked = check(file, carriers.read)
        file.seek(0)
        with (folder / REPLAY).open("wb") as replay:
            replay.writelines(carriers.replay_file(file))
    recording, header = checked.recording, checked.recording.header
    fields = {**checked.fields(asked.identity), "header": header.header, "view": header.view}
    (folder / PLAYER).write_bytes(player_file.pack(fields, recording.packed_steps))
    row = Row(
        title=checked.title,
        scenario=checked.scenario,
        variant=header.variant or "",
        engine=header.engine,
        digest=recording.digest,
        steps=recording.steps,
        state=checked.finding.state,
        finding=checked.told,
    )
    return msgspec.json.encode(row)
