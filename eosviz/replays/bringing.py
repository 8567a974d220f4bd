"""A file that somebody brings, checked: to check it is to run its scenario, which may ask for anything.

    python -m eosviz.replays.bringing FILE OUT IDENTITY

prints what the row of the replay `IDENTITY` says, as JSON, and leaves two files in the folder OUT: `player`
(docs/player.md) and `replay` (docs/replay-format.md).
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from eosviz.replays import carriers, player_file
from eosviz.replays.apart import read_in_turn, within
from eosviz.replays.checking import check
from eosviz.replays.verification import SECONDS_MAX

PROCESSOR_SECONDS_MAX = 4 * int(SECONDS_MAX)
"""Beside the second run, which stops by itself, there is reading and packing."""
MEMORY_BYTES_MAX = 1536 * 1024 * 1024
PLAYER, REPLAY = "player", "replay"


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


@dataclass(frozen=True, slots=True)
class Brought:
    row: Row
    player: bytes
    file: bytes
    """The replay file of the same lines, whatever form they came in."""


def brought(file: BinaryIO, identity: str) -> Brought:
    """Read any form, check and run again, in a bounded process. Raises ReplayRefused."""
    with tempfile.TemporaryDirectory(prefix="eosviz-replay-") as place, tempfile.TemporaryFile() as told:
        read_in_turn(__name__, file, place, identity, into=told, too_much="check_too_much")
        told.seek(0)
        row = msgspec.json.decode(told.read(), type=Row)
        return Brought(row, (Path(place) / PLAYER).read_bytes(), (Path(place) / REPLAY).read_bytes())


def bring(path: Path, out: Path, identity: str) -> None:
    """Within the process."""
    with path.open("rb") as file:
        checked = check(file, carriers.read)
        file.seek(0)
        with (out / REPLAY).open("wb") as replay:
            replay.writelines(carriers.replay_file(file))
    recording, header = checked.recording, checked.recording.header
    fields = {**checked.fields(identity), "header": header.header, "view": header.view}
    (out / PLAYER).write_bytes(player_file.pack(fields, recording.packed_steps))
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
    sys.stdout.buffer.write(msgspec.json.encode(row))


def main(path: str, out: str, identity: str) -> int:
    return within(PROCESSOR_SECONDS_MAX, MEMORY_BYTES_MAX, partial(bring, Path(path), Path(out), identity))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
