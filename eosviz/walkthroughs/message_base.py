"""The base class of the messages that a page sends (docs/websocket.md), and types of fields that both sides
use. The messages are in `messages.py` and `presenting_messages.py`. The base class of the server's messages
is in `eosviz/server_message.py`."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from eosviz.walkthroughs.interventions import Word

Json = msgspec.Raw | dict[str, Any]
"""A JSON object that is passed on as it is stored, without being read."""
HeaderJson = Annotated[Json, Meta(title="Header")]
"""The title of this type, and of the types below, is the name of the JSON object's type in the schema
(eosviz/contract)."""
StepJson = Annotated[Json, Meta(title="SentStep")]
ViewJson = Annotated[Json, Meta(title="View")]
NearViewJson = Annotated[Json, Meta(title="NearView")]
PlanJson = Annotated[Json, Meta(title="Plan")]
SelectionJson = Annotated[dict[str, Any], Meta(title="Selection")]

StepNumber = Annotated[int, Meta(ge=0, le=10_000_000)]
BranchId = Annotated[str, Meta(pattern=r"^[0-9]{1,18}$")]


class Selection(Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The object that the reader selected. It does not need to exist."""

    kind: Literal["message", "batch", "partition", "actor", "record", "timer", "transaction"]
    id: Word
    partition: Word | None = None
    serials: Annotated[list[int], Meta(max_length=10_000)] | None = None


class FromPage(Struct, tag_field="type", forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The base class of every message that a page sends."""

    v: Literal[1]
    id: uuid.UUID
