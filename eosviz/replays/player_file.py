"""The player file: all that the player needs to play without a server (docs/player.md), gzipped once."""

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
    """The result of checking the file. `step`: the first step that differs; the last compared one if the check was
    stopped; else null."""

    state: Literal["verified", "as_recorded", "differs", "log"]
    engine: NotRequired[str]
    step: NotRequired[int | None]
    sentence: NotRequired[Bilingual]
    """The result as a sentence."""


class PlayedBranch(TypedDict):
    """A branch of a player file."""

    id: str
    name: str
    said: NotRequired[BranchName]
    """What pages call the branch. Absent in files of earlier releases."""
    parent: str | None
    leaves_at: int
    """The last step shared with its parent."""
    newest: int
    finished: str | None
    """Why the run ended; null while it can continue."""
    interventions: list[MadeIntervention]
    first_broken: dict[str, int]
    """Guarantee → the step that first broke it."""


class LogWhyLink(TypedDict):
    """One sentence of the answer to why readers stop (docs/websocket.md, `why`)."""

    key: str
    params: JsonObject
    rules: list[str]
    subject: JsonObject | None
    compared: list[Any]
    step: int | None
    answers: NotRequired[bool]
    """Whether this sentence answers the question. Absent in recordings of earlier releases."""


class LogWhy(TypedDict):
    """The answer to why consumers of a partition of a log case stop at `offset`, from step `first` to `last` (null:
    to the end)."""

    partition: str
    first: int
    last: int | None
    offset: int
    links: list[LogWhyLink]


class PlayerFile(TypedDict):
    """All that the player needs to play without a server (docs/player.md)."""

    v: Literal[1]
    kind: Literal["replay", "log"]
    session: PlayedSession
    verified: Verified | None
    branches: list[PlayedBranch]
    header: NotRequired[Header]
    view: NotRequired[View]
    steps: NotRequired[dict[str, list[Step]]]
    """Branch id → the steps of the branch itself, which come after `leaves_at`."""
    lines: NotRequired[str]
    """The address of a replay's lines, if header, view and steps are not in the file."""
    plans: NotRequired[dict[str, Plan]]
    """Branch id → the plan of the branch, if the file has plans."""
    derived: NotRequired[dict[str, FileDerived | None]]
    """Branch id → the derived facts of the branch, if the file has them; null means the same as a missing entry."""
    transactions: NotRequired[dict[str, TransactionLines]]
    """Branch id → the transactions of the branch, if the file has them."""
    why: NotRequired[list[LogWhy]]
    """The answers to why the consumers of a log case's partitions stop."""


def pack(fields: dict[str, Any], packed_steps: bytes) -> bytes:
    """The gzipped player file: ``fields`` and, as ``steps``, the content of ``packed_steps`` (gzipped JSON),
    which is never unpacked as a whole."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    made = [packer.compress(piece) for piece in _pieces(fields, packed_steps)]
    return b"".join((*made, packer.flush()))


def pack_steps(steps: Any) -> bytes:
    """The gzipped JSON of `steps`, a mapping from branch id to steps; ``pack`` takes it as ``packed_steps``."""
    packer = zlib.compressobj(level=6, wbits=GZIP)
    return packer.compress(canonical(steps)) + packer.flush()


def unpack(packed: bytes | BinaryIO) -> Iterator[bytes]:
    """The content of a gzipped file in pieces. An open file is closed at the end."""
    unpacker = zlib.decompressobj(wbits=GZIP)
    with io.BytesIO(packed) if isinstance(packed, bytes) else packed as file:
        rest = file.read(_PIECE)
        while rest and not unpacker.eof:
            yield unpacker.decompress(rest, _PIECE)
            rest = unpacker.unconsumed_tail or file.read(_PIECE)


def read(packed: bytes) -> Any:
    """The whole content as JSON data. For log cases, whose steps are bounded."""
    return msgspec.json.decode(b"".join(unpack(packed)))


def _pieces(fields: dict[str, Any], packed_steps: bytes) -> Iterator[bytes]:
    yield canonical(fields).removesuffix(b"}") + b',"steps":'
    yield from unpack(packed_steps)
    yield b"}"
