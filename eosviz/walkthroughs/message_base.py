"""What every message of docs/websocket.md is made of; `messages.py` and `presenting_messages.py` hold the messages."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from eosviz.walkthroughs.interventions import Word

VERSION = 1

Json = msgspec.Raw | dict[str, Any]
"""An object that is passed on as stored, without being read."""
HeaderJson = Annotated[Json, Meta(title="Header")]
"""The titles name the shape that it has (engine/shapes), for the schema (eosviz/contract)."""
StepJson = Annotated[Json, Meta(title="SentStep")]
ViewJson = Annotated[Json, Meta(title="View")]
SightJson = Annotated[Json, Meta(title="Sight")]
PlanJson = Annotated[Json, Meta(title="Plan")]
SelectionJson = Annotated[dict[str, Any], Meta(title="Selection")]

StepNumber = Annotated[int, Meta(ge=0, le=10_000_000)]
BranchId = Annotated[str, Meta(pattern=r"^[0-9]{1,18}$")]


class Selection(Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """What the reader picked; what it has not is not sent: a page asks whether it is there."""

    kind: Literal["message", "batch", "partition", "actor", "record", "timer", "transaction"]
    id: Word
    partition: Word | None = None
    serials: Annotated[list[int], Meta(max_length=10_000)] | None = None


class FromPage(Struct, tag_field="type", forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Every message of the page."""

    v: Literal[1]
    id: uuid.UUID


class FromServer(Struct, tag_field="type", frozen=True, kw_only=True):
    """Every message of the server. Within a version fields may be added, so a page ignores unknown ones."""

    v: int = VERSION
