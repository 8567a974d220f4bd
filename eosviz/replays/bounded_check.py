"""Checks a replay file in a bounded process (`eosviz/bounded`). A separate process is needed because the
check runs the file's scenario, which may take any amount of time and memory.

`check_import` checks a file that a user imports, and writes `player` (docs/player.md) and `replay`
(docs/replay-format.md) to the process's folder. `verify` checks a file that the site is exporting. It writes
its progress to `counted` and, if they are wanted, `player` and the picture `card`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from eosviz.replays.checking import Checked

PLAYER, REPLAY, COUNTED, CARD = "player", "replay", "counted", "card"
"""Names of files in the process's folder. `counted` contains the number of steps that the process has
read."""
STEPS_BETWEEN_COUNTS = 250
PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""


class Row(msgspec.Struct):
    """Those columns of a replay's row that the check determines."""

    title: dict[str, str]
    scenario: str
    variant: str
    engine: str
    digest: str
    steps: int
    state: str
    finding: dict[str, Any]
    as_written: bool


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """The question of `check_import`. `path`: the file, in any form. `identity`: the id that the replay will
    have."""

    path: str
    identity: str


def check_import(question: bytes, folder: Path) -> bytes:
    """The function of a bounded process. `question`: an `Asked` as JSON. Returns a `Row` as JSON. Raises
    ReplayRefused."""
    from eosviz.replays import carriers
    from eosviz.replays.checking import check

    asked = msgspec.json.decode(question, type=Asked)
    with Path(asked.path).open("rb") as file:
        checked = check(file, carriers.read)
        file.seek(0)
        with (folder / REPLAY).open("wb") as replay:
            replay.writelines(carriers.replay_file(file))
    recording, header = checked.recording, checked.recording.header
    (folder / PLAYER).write_bytes(player_of(checked, asked.identity))
    row = Row(
        title=checked.title,
        scenario=checked.scenario,
        variant=header.variant or "",
        engine=header.engine,
        digest=recording.digest,
        steps=recording.steps,
        state=checked.finding.state,
        finding=checked.sentence_params,
        as_written=checked.as_written,
    )
    return msgspec.json.encode(row)


def player_of(checked: Checked, identity: str) -> bytes:
    """The gzipped player file. `identity`: the replay's id in it."""
    from eosviz.replays import player_file

    header = checked.recording.header
    fields = {**checked.fields(identity), "header": header.header, "view": header.view}
    return player_file.pack(fields, checked.recording.packed_steps)


# -- the site's own ------------------------------------------------------------------------------------------


class AskedOwn(msgspec.Struct, forbid_unknown_fields=True):
    """The question of `verify`. `path`: the replay file that the site is exporting. `player`: whether the
    player file and the picture are wanted."""

    path: str
    player: bool


class Own(msgspec.Struct, frozen=True):
    """The answer of `verify`: what is known about the replay file. `fields`: the player file as JSON, without
    header, view and steps."""

    title: dict[str, str]
    scenario: str
    variant: str
    engine: str
    steps: int
    as_written: bool
    fields: msgspec.Raw


def verify(question: bytes, folder: Path) -> bytes:
    """The function of a bounded process. `question`: an `AskedOwn` as JSON. Returns an `Own` as JSON. If they
    are wanted, writes the player file and the picture to `folder`. Raises ReplayRefused."""
    from eosviz.replays.checking import check

    asked = msgspec.json.decode(question, type=AskedOwn)
    with Path(asked.path).open("rb") as file:
        checked = check(file, each=_Counter(folder / COUNTED).one)
    if asked.player:
        (folder / PLAYER).write_bytes(player_of(checked, identity_of(checked)))
        (folder / CARD).write_bytes(_card_of(checked))
    return msgspec.json.encode(own_of(checked))


def _card_of(checked: Checked) -> bytes:
    """The picture of the recording's last view. Empty if the recording is not verified, because such a view
    may have any form."""
    from eosviz.replays.card_picture import draw_card

    if checked.finding.state != "verified":
        return b""
    view, step = checked.recording.end
    header = checked.recording.header
    return draw_card(header.header, view, step, checked.plans[header.branches[-1].id]["hues"])


def own_of(checked: Checked) -> Own:
    from eosviz.replays.lines import canonical

    header = checked.recording.header
    return Own(
        title=checked.title,
        scenario=checked.scenario,
        variant=header.variant or "",
        engine=header.engine,
        steps=checked.recording.steps,
        as_written=checked.as_written,
        fields=msgspec.Raw(canonical(checked.fields(identity_of(checked)))),
    )


def identity_of(checked: Checked) -> str:
    return checked.recording.digest[:32]


class _Counter:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._count = 0

    def one(self) -> None:
        self._count += 1
        if self._count % STEPS_BETWEEN_COUNTS == 0:
            self._file.write_text(str(self._count))


def counted(folder: Path) -> int:
    """The number of steps that the process with this folder has read, as a multiple of STEPS_BETWEEN_COUNTS;
    0 if it is unknown."""
    try:
        return int((folder / COUNTED).read_text())
    except (FileNotFoundError, ValueError):  # The file does not exist yet, or is just being written.
        return 0
