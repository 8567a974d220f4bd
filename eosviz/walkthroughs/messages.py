"""What the page may say and what the server answers: the schema of docs/websocket.md.

Reading is strict: an unknown field is an error, every number and text has a bound, nothing is nested deeper
than the schema. What the server says is built here too, so that the names stand in one place.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from eosviz.walkthroughs.limits import LIMITS

VERSION = 1

StepNumber = Annotated[int, Meta(ge=0, le=10_000_000)]
BranchId = Annotated[str, Meta(pattern=r"^[0-9]{1,18}$")]
Name = Annotated[str, Meta(max_length=LIMITS.name_characters)]
Word = Annotated[str, Meta(min_length=1, max_length=200)]
MessageId = Annotated[int, Meta(ge=0, le=2**53)]
Milliseconds = Annotated[int, Meta(ge=0, le=30 * 86_400_000)]
Setting = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | bool | Annotated[str, Meta(max_length=200)]


class Intervention(Struct, tag_field="action", forbid_unknown_fields=True, frozen=True):
    """What a learner does to the running world. Whether it can be done now is the engine's to say."""


class DropMessage(Intervention, tag="drop_message", frozen=True):
    message: MessageId


class DuplicateMessage(Intervention, tag="duplicate_message", frozen=True):
    message: MessageId


class DelayMessage(Intervention, tag="delay_message", frozen=True):
    message: MessageId
    by: Milliseconds


class ReorderMessage(Intervention, tag="reorder_message", frozen=True):
    message: MessageId


class Crash(Intervention, tag="crash", frozen=True):
    actor: Word


class Restart(Intervention, tag="restart", frozen=True):
    actor: Word


class PauseActor(Intervention, tag="pause", frozen=True):
    actor: Word


class ResumeActor(Intervention, tag="resume", frozen=True):
    actor: Word


class ChangeSetting(Intervention, tag="set", frozen=True):
    path: Word
    value: Setting


AnyIntervention = (
    DropMessage
    | DuplicateMessage
    | DelayMessage
    | ReorderMessage
    | Crash
    | Restart
    | PauseActor
    | ResumeActor
    | ChangeSetting
)


class Selection(Struct, forbid_unknown_fields=True, frozen=True):
    """What the reader picked (static/player/frame.ts)."""

    kind: Literal["message", "batch", "partition", "actor", "record", "timer"]
    id: Word
    partition: Word | None = None
    serials: Annotated[list[int], Meta(max_length=10_000)] | None = None


class FromPage(Struct, tag_field="type", forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Every message of the page."""

    v: Literal[1]
    id: uuid.UUID


class Hello(FromPage, tag="hello", frozen=True, kw_only=True):
    have: Annotated[dict[BranchId, StepNumber], Meta(max_length=LIMITS.branches_per_session)] = {}


class Advance(FromPage, tag="advance", frozen=True, kw_only=True):
    branch: BranchId
    after: StepNumber
    count: Annotated[int, Meta(ge=1, le=LIMITS.advance_steps)]


class RunUntil(FromPage, tag="run_until", frozen=True, kw_only=True):
    branch: BranchId
    after: StepNumber
    until: Literal["interesting", "end", "time"]
    time: Milliseconds | None = None
    limit: Annotated[int, Meta(ge=1, le=LIMITS.run_steps)] = LIMITS.run_steps


class Pause(FromPage, tag="pause", frozen=True, kw_only=True):
    branch: BranchId


class MakeBranch(FromPage, tag="branch", frozen=True, kw_only=True):
    branch: BranchId
    at: StepNumber
    name: Name | None = None


class Intervene(FromPage, tag="intervene", frozen=True, kw_only=True):
    branch: BranchId
    after: StepNumber
    intervention: AnyIntervention


class Window(FromPage, tag="window", frozen=True, kw_only=True, rename={"first": "from", "last": "to"}):
    branch: BranchId
    first: StepNumber
    last: StepNumber


class AskKeyframe(FromPage, tag="keyframe", frozen=True, kw_only=True):
    branch: BranchId
    number: StepNumber


class AskActions(FromPage, tag="actions", frozen=True, kw_only=True):
    branch: BranchId
    number: StepNumber
    selection: Selection


class Ping(FromPage, tag="ping", frozen=True, kw_only=True):
    pass


Command = Advance | RunUntil | MakeBranch | Intervene
"""What is carried out once per id."""

Question = Hello | Pause | Window | AskKeyframe | AskActions | Ping
"""What changes no step and may simply be asked again."""

AnyFromPage = Command | Question


class _Envelope(Struct, frozen=True):
    """As much of a message as is needed to say what is wrong with the rest."""

    v: Any = None
    id: Any = None
    type: Any = None


_envelope_decoder = msgspec.json.Decoder(_Envelope)
_message_decoder = msgspec.json.Decoder(AnyFromPage)
_types = {
    kind.__struct_config__.tag
    for kind in (
        Hello,
        Advance,
        RunUntil,
        Pause,
        MakeBranch,
        Intervene,
        Window,
        AskKeyframe,
        AskActions,
        Ping,
    )
}
encode = msgspec.json.encode


class Problem(Exception):
    """Something that could not be done, as the `error` message tells it.

    `code` is one of docs/websocket.md. `key` and `remedy_key` are in eosviz/catalogue/problems.toml, where
    each `<key>` has a `<key>.remedy`; `params` fill both.
    """

    def __init__(self, code: str, key: str, **params: Any) -> None:
        super().__init__(f"{code}: {key} {params}")
        self.code = code
        self.key = f"problem.{key}"
        self.params = params

    def to_json(self, re: str | None) -> dict[str, Any]:
        return {
            "v": VERSION,
            "type": "error",
            "re": re,
            "code": self.code,
            "key": self.key,
            "params": self.params,
            "remedy_key": f"{self.key}.remedy",
        }


class Unreadable(Exception):
    """A message that was not understood, with the id to answer to, where one could be read."""

    def __init__(self, problem: Problem, re: str | None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.re = re


def read_message(text: str | bytes) -> AnyFromPage:
    """Decode one message of the page. Raises Unreadable."""
    if len(text if isinstance(text, bytes) else text.encode()) > LIMITS.message_bytes:
        raise Unreadable(Problem("too_large", "too_large", bytes=LIMITS.message_bytes), None)
    re: str | None = None
    try:
        envelope = _envelope_decoder.decode(text)
        re = _readable_id(envelope.id)
        if envelope.v != VERSION or isinstance(envelope.v, bool):
            raise Unreadable(Problem("unsupported_version", "unsupported_version", supported=VERSION), re)
        if envelope.type not in _types if isinstance(envelope.type, str) else True:
            raise Unreadable(Problem("unknown_type", "unknown_type", known=sorted(_types)), re)
        message: AnyFromPage = _message_decoder.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise Unreadable(Problem("malformed", "malformed", wrong=_short(error)), re) from None
    _check_together(message, re)
    return message


def id_of(text: str | None) -> str | None:
    """The id of a message that is not read any further."""
    if text is None or len(text) > LIMITS.message_bytes:
        return None
    try:
        return _readable_id(_envelope_decoder.decode(text).id)
    except (msgspec.DecodeError, RecursionError):
        return None


def _check_together(message: AnyFromPage, re: str | None) -> None:
    """Rules between fields, which a schema of single fields cannot hold."""
    if isinstance(message, Window) and not 0 <= message.last - message.first < LIMITS.window_steps:
        raise Unreadable(Problem("limit", "window_too_wide", steps=LIMITS.window_steps), re)
    if isinstance(message, RunUntil) and (message.until == "time") != (message.time is not None):
        raise Unreadable(Problem("malformed", "malformed", wrong="`time` belongs to `until: time`"), re)


def _readable_id(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= 64 else None


def _short(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"


def asked(command: Command) -> bytes:
    """What a command asks for, without version and id: equal for a repeat, different for anything else."""
    fields = msgspec.to_builtins(command)
    del fields["v"], fields["id"]
    return encode(fields)


def steps_message(
    branch: str, first: int, bodies: Iterable[bytes], finished: str | None, newest: int, re: str | None = None
) -> bytes:
    """The bodies are JSON already, as stored, and are not read again."""
    return encode(
        {
            "v": VERSION,
            "type": "steps",
            "re": re,
            "branch": branch,
            "from": first,
            "steps": [msgspec.Raw(body) for body in bodies],
            "finished": finished,
            "newest": newest,
        }
    )


def branches_message(summaries: list[dict[str, Any]]) -> bytes:
    return encode({"v": VERSION, "type": "branches", "branches": summaries})


def done_message(
    re: str, branch: str, newest: int, reached: int, stopped: str, created: str | None = None
) -> dict[str, Any]:
    return {
        "v": VERSION,
        "type": "done",
        "re": re,
        "branch": branch,
        "newest": newest,
        "reached": reached,
        "stopped": stopped,
        "created": created,
    }


def keyframe_message(re: str, branch: str, number: int, view: bytes) -> bytes:
    return encode(
        {
            "v": VERSION,
            "type": "keyframe",
            "re": re,
            "branch": branch,
            "number": number,
            "view": msgspec.Raw(view),
        }
    )
