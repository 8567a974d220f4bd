"""Makes and reads the player file: all data that the player needs to play without a server (docs/player.md),
gzipped."""

import io
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Literal, NotRequired, TypedDict

import msgspec

from engine.shapes.derived import FileDerived
from engine.shapes.headers import Header
from engine.shapes.plans import Plan
from engine.shapes.steps import Step
from engine.shapes.transactions import TransactionLines
from engine.shapes.views import View
from engine.shapes.words import Bilingual, JsonObject
from eosviz.replays.lines import GZIP, canonical
from eosviz.walkthroughs.branch_names import BranchName
from eosviz.walkthroughs.interventions import MadeIntervention

_PIECE = 1024 * 1024


class PlayedSession(TypedDict):
    """The run or log case that the file plays."""

    id: str
    title: Bilingual | str | None
    scenario: str | None
    variant: str | None


class Verified(TypedDict):
    """What checking the file has found. `step`: the first step that differs; if the check was stopped, the
    last step that was compared; otherwise null."""

    state: Literal["verified", "as_recorded", "differs", "log"]
    engine: NotRequired[str]
    step: NotRequired[int | None]
    sentence: NotRequired[Bilingual]
    """The same as a sentence."""


class PlayedBranch(TypedDict):
    """One branch of the run or log case."""

    id: str
    name: str
    said: NotRequired[BranchName]
    """The branch's name for pages. Absent in files of earlier releases."""
    parent: str | None
    leaves_at: int
    """The number of the last step that the branch shares with its parent."""
    newest: int
    finished: str | None
    """How the branch's run ended; null while it can continue."""
    interventions: list[MadeIntervention]
    first_broken: dict[str, int]
    """Guarantee → the number of the step that first broke it."""


class LogWhyLink(TypedDict):
    """One sentence of the answer to the question why consumers stop (docs/websocket.md, `why`)."""

    key: str
    params: JsonObject
    rules: list[str]
    subject: JsonObject | None
    compared: list[Any]
    step: int | None
    answers: NotRequired[bool]
    """Whether this sentence answers the question by itself. Absent in files of earlier releases."""


class LogWhy(TypedDict):
    """The answer to the question why consumers of a partition of a log case stop at `offset`. It holds from
    step `first` to step `last` (null: to the end)."""

    partition: str
    first: int
    last: int | None
    offset: int
    links: list[LogWhyLink]


class PlayerFile(TypedDict):
    """All data that the player needs to play without a server (docs/player.md)."""

    v: Literal[1]
    kind: Literal["replay", "log"]
    session: PlayedSession
    verified: Verified | None
    branches: list[PlayedBranch]
    header: NotRequired[Header]
    view: NotRequired[View]
    steps: NotRequired[dict[str, list[Step]]]
    """Branch id → the branch's own steps, which come after `leaves_at`."""
    lines: NotRequired[str]
    """Where the page has the lines of a replay, if header, view and steps are not in the file."""
    plans: NotRequired[dict[str, Plan]]
    """Branch id → the plan of the branch. Absent if the file has no plans."""
    derived: NotRequired[dict[str, FileDerived | None]]
    """Branch id → the derived facts of the branch's steps. Null means the same as a missing entry. Absent if
    the file has no derived facts."""
    transactions: NotRequired[dict[str, TransactionLines]]
    """Branch id → the transactions of the branch. Absent if the file has none."""
    why: NotRequired[list[LogWhy]]
    """The answers to the question why consumers of a log case's partitions stop."""


def pack(fields: dict[str, Any], packed_steps: bytes) -> bytes:
    """The gzipped player file: ``fields`` and, as the field ``steps``, the content of ``packed_steps``
    (gzipped JSON). The content is unpacked piece by piece, never as a whole."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    made = [packer.compress(piece) for piece in _pieces(fields, packed_steps)]
    return b"".join((*made, packer.flush()))


def pack_steps(steps: Any) -> bytes:
    """The gzipped JSON of `steps` (branch id → its steps), for the parameter ``packed_steps`` of `pack`."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    return packer.compress(canonical(steps)) + packer.flush()


def unpack(packed: bytes | BinaryIO) -> Iterator[bytes]:
    """The content of a gzipped file in pieces. If `packed` is an open file, it is closed at the end."""
    unpacker = zlib.decompressobj(wbits=GZIP)
    with io.BytesIO(packed) if isinstance(packed, bytes) else packed as file:
        rest = file.read(_PIECE)
        while rest and not unpacker.eof:
            yield unpacker.decompress(rest, _PIECE)
            rest = unpacker.unconsumed_tail or file.read(_PIECE)


def read(packed: bytes) -> Any:
    """The content of a gzipped player file as JSON data. For log cases, which have a limited number of
    steps."""
    return msgspec.json.decode(b"".join(unpack(packed)))


def _pieces(fields: dict[str, Any], packed_steps: bytes) -> Iterator[bytes]:
    yield canonical(fields).removesuffix(b"}") + b',"steps":'
    yield from unpack(packed_steps)
    yield b"}"
