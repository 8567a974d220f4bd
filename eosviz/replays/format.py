"""The lines of a replay (docs/replay-format.md) as types, which decoding enforces.

The steps in them are those of the engine (docs/frame.md). Unknown fields are refused.
"""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from eosviz.replays.lines import canonical

SCHEMA = 1

Count = Annotated[int, Meta(ge=0)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
CatalogueKey = Annotated[str, Meta(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)+$", max_length=120)]
RequirementId = Annotated[str, Meta(pattern=r"^[A-Z]{2,4}-[0-9]{1,3}$")]
Params = dict[str, Any]


class _Shape(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Change(_Shape, frozen=True):
    """A change of the view. ``before`` is missing if the path did not exist before, ``after`` if it does not
    exist any more."""

    path: Annotated[list[str], Meta(min_length=1, max_length=12)]
    before: Any | UnsetType = UNSET
    after: Any | UnsetType = UNSET


class Note(_Shape, frozen=True):
    key: CatalogueKey
    params: Params
    rules: list[RequirementId]


class DecisionRow(_Shape, frozen=True):
    rule: RequirementId
    key: CatalogueKey
    params: Params
    outcome: Literal["passed", "decided", "not_reached", "off"]


class Decision(_Shape, frozen=True):
    by: Name
    subject: Name
    machine: Name
    arrived: Params
    stored: Params | None
    rows: list[DecisionRow]


class Refusal(_Shape, frozen=True):
    rule: RequirementId
    error: Name
    compared: list[list[Any]]
    next: CatalogueKey
    next_params: Params


class MessageFate(_Shape, frozen=True):
    id: Count
    event: Literal["sent", "delivered", "dropped", "delayed", "duplicated", "lost"]


class Transition(_Shape, frozen=True, rename={"source": "from", "target": "to"}):
    machine: Name
    of: Name
    source: str
    target: str
    on: str
    row: Count


class Broken(_Shape, frozen=True):
    """A guarantee that the step broke. The first three fields are always present; the others depend on the
    guarantee (docs/frame.md)."""

    guarantee: Name
    partition: Name | None
    serials: list[int]
    transaction: Name | UnsetType = UNSET
    producer_id: int | UnsetType = UNSET
    first_offset: int | UnsetType = UNSET
    nodes: list[Name] | UnsetType = UNSET
    producer: Name | UnsetType = UNSET
    marker: Name | UnsetType = UNSET
    reported: bool | UnsetType = UNSET


class Step(_Shape, frozen=True):
    """One step of a run. ``at``: its virtual time in milliseconds."""

    number: Annotated[int, Meta(ge=1)]
    at: Count
    actor: Name
    kind: Literal["api_call", "sender_phase", "delivery", "replication", "zookeeper", "timer", "fault", "log"]
    key: CatalogueKey
    params: Params
    rules: list[RequirementId]
    notes: list[Note]
    decision: Decision | None
    refusal: Refusal | None
    messages: list[MessageFate]
    transition: Transition | None
    interesting: bool
    broken: list[Broken]
    changes: list[Change]
    earlier_transitions: list[Transition] = []


TitleText = Annotated[str, Meta(min_length=1, max_length=4000)]
"""The limits are those of texts in a scenario (engine.scenario.schema)."""


class Title(_Shape, frozen=True, rename={"zh_hans": "zh-Hans"}):
    en: TitleText
    zh_hans: TitleText


class Intervened(_Shape, frozen=True):
    """An intervention on this branch after the step with the number ``after``."""

    after: Count
    intervention: dict[str, Any]


class Branch(_Shape, frozen=True):
    id: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]
    name: Annotated[str, Meta(max_length=200)]
    parent: str | None
    leaves_at: Count
    newest: Count
    finished: Annotated[str, Meta(max_length=200)] | None
    interventions: list[Intervened]


def made_on(branch: Branch, known: Mapping[str, Branch]) -> list[Intervened]:
    """All interventions on a branch and on its ancestors before the branch leaves them, in order. `known`:
    the branches by id."""
    parent = known.get(branch.parent or "")
    earlier = [] if parent is None else made_on(parent, known)
    return [*(one for one in earlier if one.after < branch.leaves_at), *branch.interventions]


class Header(_Shape, frozen=True, tag_field="type", tag="header"):
    schema: int
    engine: Annotated[str, Meta(min_length=1, max_length=40)]
    title: Title
    scenario: dict[str, Any]
    variant: Name | None
    profile: Name
    header: dict[str, Any]
    view: dict[str, Any]
    branches: Annotated[list[Branch], Meta(min_length=1)]


class StepLine(_Shape, frozen=True, tag_field="type", tag="step"):
    branch: str
    step: Step
    digest: Digest


class End(_Shape, frozen=True, tag_field="type", tag="end"):
    steps: Count
    digest: Digest


def encode(line: Header | StepLine | End) -> bytes:
    """The bytes of a line in their canonical form, without the line feed."""
    return canonical(line)


def header_digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def next_digest(previous: str, branch: str, step: Any) -> str:
    """The next digest of the chain. ``previous``: the digest before it. ``step``: decoded JSON or a
    :class:`Step`."""
    content = canonical({"branch": branch, "step": step})
    return hashlib.sha256(previous.encode("ascii") + content).hexdigest()


def convert(value: Any, shape: type[Any]) -> Any:
    """Converts a decoded line to the type ``shape``. Raises ``msgspec.ValidationError``, which says where the
    line does not fit."""
    return msgspec.convert(value, shape)


def as_json(shape: Struct) -> Any:
    """Converts a value of these types to plain JSON data."""
    return msgspec.to_builtins(shape)
