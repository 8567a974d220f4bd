"""The messages of pages and of the server: the schema of docs/websocket.md.

Reading is strict: an unknown field is an error, and numbers and texts have limits. The server's messages are
declared here too, so that each name is written only once.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from engine.shapes.transactions import TransactionLine
from engine.shapes.words import Bilingual
from eosviz.names import NAME_PATTERN
from eosviz.refusals import Problem
from eosviz.server_message import VERSION, ErrorMessage, FromServer
from eosviz.unreadable_json import UNREADABLE
from eosviz.walkthroughs.branch_names import BranchName
from eosviz.walkthroughs.conditions import AnyCondition
from eosviz.walkthroughs.interventions import (
    AnyIntervention,
    InterventionJson,
    MadeIntervention,
    Milliseconds,
)
from eosviz.walkthroughs.limits import LIMITS, Limits
from eosviz.walkthroughs.malformed import choices_of, explained
from eosviz.walkthroughs.message_base import (
    BranchId,
    FromPage,
    HeaderJson,
    NearViewJson,
    PlanJson,
    Selection,
    SelectionJson,
    StepJson,
    StepNumber,
    ViewJson,
)
from eosviz.walkthroughs.presenting_messages import (
    FromPresenting,
    Look,
    OfFollower,
    OfPresenter,
    Present,
    Presented,
)
from eosviz.walkthroughs.view_differences import NetChange

Name = Annotated[str, Meta(max_length=LIMITS.name_characters, pattern=NAME_PATTERN)]
Stopped = Literal["count", "interesting", "time", "breakpoint", "end", "limit", "pause"]
"""Why a command stopped making steps."""


class Hello(FromPage, tag="hello", frozen=True, kw_only=True):
    have: Annotated[dict[BranchId, StepNumber], Meta(max_length=LIMITS.branches_per_session)] = msgspec.field(
        default_factory=dict
    )
    follower: uuid.UUID | None = None
    """The token of a follower's page. The page creates it once and keeps it, so that a follower who comes
    back is recognised."""


class Advance(FromPage, tag="advance", frozen=True, kw_only=True):
    branch: BranchId
    after: StepNumber
    count: Annotated[int, Meta(ge=1, le=LIMITS.advance_steps)]
    ahead: bool = False
    """Used only by the WebSocket. True: also send the step after the last step of this command, before the
    page asks for it. It is not stored."""
    present: Look | None = None
    """Used only by the WebSocket: what the presenter looks at. If the step was made ahead and the presenter's
    socket stores it, the `steps` message also moves the followers to the step. Otherwise this field has no
    effect, and the page sends `present`."""


class RunUntil(FromPage, tag="run_until", frozen=True, kw_only=True):
    branch: BranchId
    after: StepNumber
    until: Literal["interesting", "end", "time", "breakpoint"]
    time: Milliseconds | None = None
    conditions: Annotated[list[AnyCondition], Meta(max_length=LIMITS.breakpoints)] = msgspec.field(
        default_factory=list
    )
    """With `breakpoint`: the run stops at a step at which any of these conditions holds."""
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


class AskNearView(FromPage, tag="near_view", frozen=True, kw_only=True):
    """Asks for the view after exactly this step: the parts that a page draws or, with `whole`, the whole
    view."""

    branch: BranchId
    number: StepNumber
    whole: bool = False


class AskDifference(
    FromPage, tag="difference", frozen=True, kw_only=True, rename={"first": "from", "last": "to"}
):
    """Asks what changes from the view after step `from` to the view after step `to`, which may be earlier or
    later."""

    branch: BranchId
    first: StepNumber
    last: StepNumber


class Search(FromPage, tag="search", frozen=True, kw_only=True, rename={"first": "from", "last": "to"}):
    """Asks which of the stored steps `from` to `to` of a branch and its ancestors fulfil all conditions or,
    with `any`, at least one."""

    branch: BranchId
    first: StepNumber
    last: StepNumber
    conditions: Annotated[list[AnyCondition], Meta(min_length=1, max_length=LIMITS.breakpoints)]
    any: bool = False


class Rename(FromPage, tag="rename", frozen=True, kw_only=True):
    branch: BranchId
    name: Annotated[str, Meta(min_length=1, max_length=LIMITS.name_characters, pattern=NAME_PATTERN)]


class AskTransactions(FromPage, tag="transactions", frozen=True, kw_only=True):
    branch: BranchId


class AskPlan(FromPage, tag="plan", frozen=True, kw_only=True):
    """Asks for the plan of a branch's run: the position of each drawn object, and the beats (docs/frame.md,
    *Plan*)."""

    branch: BranchId


class AskAhead(FromPage, tag="ahead", frozen=True, kw_only=True):
    """Asks for the step that follows the newest step, `after`, if there is no intervention before it."""

    branch: BranchId
    after: StepNumber


class AskActions(FromPage, tag="actions", frozen=True, kw_only=True):
    branch: BranchId
    number: StepNumber
    selection: Selection


class AskWhy(FromPage, tag="why", frozen=True, kw_only=True):
    """Asks for the questions about a selected object (null: about what is remarkable at the step), and for
    the answer to `question` or, without it, to the first of them."""

    branch: BranchId
    number: StepNumber
    selection: Selection | None = None
    question: Annotated[str, Meta(min_length=1, max_length=20)] | None = None
    subject: Annotated[str, Meta(max_length=300)] = ""


class Ping(FromPage, tag="ping", frozen=True, kw_only=True):
    pass


class NewSession(Struct, forbid_unknown_fields=True, frozen=True):
    """The body of `POST /api/sessions`."""

    scenario: Annotated[str, Meta(min_length=1, max_length=64)]
    variant: Annotated[str, Meta(max_length=100)] | None = None


Command = Advance | RunUntil | MakeBranch | Intervene
"""A message that makes steps or a branch. Each id is carried out only once."""

Question = (
    Hello
    | Pause
    | Window
    | AskKeyframe
    | AskNearView
    | AskDifference
    | Search
    | Rename
    | AskTransactions
    | AskPlan
    | AskAhead
    | AskActions
    | AskWhy
    | Present
    | Ping
    | OfFollower
    | OfPresenter
)
"""A message that makes no steps and no branch. It may be sent again."""

AnyFromPage = Command | Question


class BranchSummary(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    said: BranchName
    """How pages name the branch."""
    parent: str | None
    leaves_at: int
    newest: int
    finished: str | None
    interventions: list[MadeIntervention]
    first_broken: dict[str, int]


class SessionSummary(Struct, frozen=True, kw_only=True):
    id: str
    title: Bilingual
    scenario: str
    variant: str | None
    continues: bool = True


class Welcome(FromServer, tag="welcome", frozen=True, kw_only=True):
    re: str
    session: SessionSummary
    header: HeaderJson
    branches: list[BranchSummary]
    limits: Limits
    other_engine: str | None = None
    """The version of the engine that made the session, if it is not the version of this server. The steps are
    then shown as they were recorded, and the server may refuse to make more (`problem.engine_differs`)."""


class Branches(FromServer, tag="branches", frozen=True, kw_only=True):
    branches: list[BranchSummary]


class Steps(FromServer, tag="steps", frozen=True, kw_only=True, rename={"first": "from"}):
    """`steps`: each step is JSON with derived facts (docs/frame.md, *Derived*)."""

    branch: str
    first: int
    steps: list[StepJson]
    finished: str | None
    newest: int
    re: str | None = None
    presented: Presented | None = None
    """Set if the presenter went to the last of these steps."""


class Ahead(FromServer, tag="ahead", frozen=True, kw_only=True):
    """The step that follows step `after` if there is no intervention before it; null if none was made. It is
    not stored."""

    re: str | None = None
    branch: str
    after: int
    step: StepJson | None


class KeyframeAnswer(FromServer, tag="keyframe", frozen=True, kw_only=True):
    re: str
    branch: str
    number: int
    view: ViewJson


class NearViewAnswer(FromServer, tag="near_view", frozen=True, kw_only=True):
    """`step`: the step with this `number`; null at 0."""

    re: str
    branch: str
    number: int
    view: NearViewJson
    step: StepJson | None


class DifferenceAnswer(
    FromServer, tag="difference", frozen=True, kw_only=True, rename={"first": "from", "last": "to"}
):
    """`step`: the step with the number `to`; null at 0."""

    re: str
    branch: str
    first: int
    last: int
    changes: list[NetChange]
    step: StepJson | None


class Done(FromServer, tag="done", frozen=True, kw_only=True):
    """A command was carried out. `reached`: the step at which it stopped. `stopped`: why it stopped."""

    re: str
    branch: str
    newest: int
    reached: int
    stopped: Stopped
    created: str | None = None
    hits: list[int] = msgspec.field(default_factory=list)
    """With `breakpoint`: the positions of the conditions that hold at step `reached`."""


class Hit(Struct, frozen=True, kw_only=True):
    """A step that a search found, with its sentence."""

    number: int
    at: int
    actor: str
    key: str
    params: dict[str, Any]


class FoundSteps(FromServer, tag="found", frozen=True, kw_only=True, rename={"first": "from", "last": "to"}):
    """The result of a search in the steps `from` to `to`: the numbers of all steps found, and the first of
    these steps with their sentences."""

    re: str
    branch: str
    first: int
    last: int
    newest: int
    numbers: list[int]
    hits: list[Hit]


class Transactions(FromServer, tag="transactions", frozen=True, kw_only=True):
    """The transactions in the steps up to step `through`. `folded`: how many older transactions are left
    out."""

    re: str
    branch: str
    through: int
    folded: int
    lines: list[TransactionLine]


class PlanAnswer(FromServer, tag="plan", frozen=True, kw_only=True):
    """`interventions`: how many of the branch's interventions the plan includes. `plan`: null if no plan can
    be made. A message without `re` is sent before the welcome."""

    re: str | None = None
    branch: str
    interventions: int
    plan: PlanJson | None


class Renamed(FromServer, tag="renamed", frozen=True, kw_only=True):
    re: str
    branch: str
    name: str


class Offer(Struct, frozen=True, kw_only=True):
    """An action on the selected object. `enabled`: whether the action is possible. `why_key`: the reason if
    it is not possible; otherwise null."""

    action: str
    enabled: bool
    key: str
    params: dict[str, Any]
    why_key: str | None
    intervention: InterventionJson


class Actions(FromServer, tag="actions", frozen=True, kw_only=True):
    re: str
    actions: list[Offer]


class WhyQuestion(Struct, frozen=True, kw_only=True):
    """A question, with its sentence. To ask it, a page sends `why` with the same `question` and `subject`."""

    question: str
    subject: str
    key: str
    params: dict[str, Any]


class WhyLink(Struct, frozen=True, kw_only=True):
    """One sentence of an answer. `subject`: an object that the reader can select. `step`: the earlier step
    that the sentence is about. `answers`: true for the sentence that alone answers the question."""

    key: str
    params: dict[str, Any]
    rules: list[str]
    subject: SelectionJson | None
    compared: list[tuple[Any, Any]]
    step: int | None
    answers: bool


class Why(FromServer, tag="why", frozen=True, kw_only=True):
    re: str
    questions: list[WhyQuestion]
    question: str | None
    subject: str
    links: list[WhyLink]


class Pong(FromServer, tag="pong", frozen=True, kw_only=True):
    re: str


AnyFromServer = (
    Welcome
    | Branches
    | Steps
    | Ahead
    | KeyframeAnswer
    | NearViewAnswer
    | DifferenceAnswer
    | Done
    | FoundSteps
    | Transactions
    | PlanAnswer
    | Renamed
    | Actions
    | Why
    | ErrorMessage
    | Pong
    | FromPresenting
)
"""Every message that the server sends."""

CommandAnswer = Done | ErrorMessage
Answer = Done | ErrorMessage | Ahead | Actions | Why | PlanAnswer
"""The answers that workers give. Each is sent to the page that asked."""

read_command_answer = msgspec.json.Decoder(CommandAnswer).decode


class _Envelope(Struct, frozen=True):
    """The fields that are needed to report that a message cannot be read."""

    v: Any = None
    id: Any = None
    type: Any = None


_envelope_decoder = msgspec.json.Decoder(_Envelope)
_message_decoder = msgspec.json.Decoder(AnyFromPage)
_types = {kind.__struct_config__.tag for kind in get_args(AnyFromPage)}
_choices = choices_of(AnyFromPage)
encode = msgspec.json.encode


class Unreadable(Exception):
    """Raised for a message that cannot be read. Contains the message's id, if the id can be read."""

    def __init__(self, problem: Problem, re: str | None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.re = re


def read_message(text: str | bytes) -> AnyFromPage:
    """Reads one message of a page. Raises Unreadable."""
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
    except UNREADABLE as error:
        raise Unreadable(_malformed(error), re) from None
    _check_together(message, re)
    return message


def read_new_session(body: bytes) -> NewSession:
    """Reads the body of `POST /api/sessions`. Raises Unreadable."""
    if len(body) > LIMITS.message_bytes:
        raise Unreadable(Problem("too_large", "too_large", bytes=LIMITS.message_bytes), None)
    try:
        return msgspec.json.decode(body, type=NewSession)
    except UNREADABLE as error:
        raise Unreadable(_malformed(error), None) from None


def ask_actions(branch: str, number: int, kind: str, name: str) -> AskActions:
    """Returns the `actions` question that came over HTTP. Raises Unreadable."""
    fields = {"v": VERSION, "id": uuid.UUID(int=0), "type": "actions", "branch": branch, "number": number}
    fields["selection"] = {"kind": kind, "id": name}
    try:
        return msgspec.convert(fields, AskActions)
    except msgspec.ValidationError as error:
        raise Unreadable(_malformed(error), None) from None


def ask_why(branch: str, number: int, **wanted: Any) -> AskWhy:
    """Returns the `why` question that came over HTTP. Raises Unreadable."""
    fields = {"v": VERSION, "id": uuid.UUID(int=0), "type": "why", "branch": branch, "number": number}
    try:
        return msgspec.convert(fields | wanted, AskWhy)
    except msgspec.ValidationError as error:
        raise Unreadable(_malformed(error), None) from None


def id_of(text: str | None) -> str | None:
    """Returns the id of a message without reading the rest. Returns None if the message is too long or if its
    id cannot be read."""
    if text is None or len(text) > LIMITS.message_bytes:
        return None
    try:
        return _readable_id(_envelope_decoder.decode(text).id)
    except UNREADABLE:
        return None


def _check_together(message: AnyFromPage, re: str | None) -> None:
    """Checks the rules that the types of the fields cannot express. Raises Unreadable."""
    if isinstance(message, Window) and not 0 <= message.last - message.first < LIMITS.window_steps:
        raise Unreadable(Problem("limit", "window_too_wide", steps=LIMITS.window_steps), re)
    if isinstance(message, AskDifference) and abs(message.last - message.first) > LIMITS.difference_steps:
        raise Unreadable(Problem("limit", "difference_too_long", steps=LIMITS.difference_steps), re)
    if isinstance(message, Search) and not 0 <= message.last - message.first < LIMITS.search_steps:
        raise Unreadable(Problem("limit", "search_too_wide", steps=LIMITS.search_steps), re)
    if isinstance(message, RunUntil) and (message.until == "time") != (message.time is not None):
        raise Unreadable(Problem("malformed", "time_and_until"), re)
    if isinstance(message, RunUntil) and (message.until == "breakpoint") != bool(message.conditions):
        raise Unreadable(Problem("malformed", "breakpoint_and_conditions"), re)
    if isinstance(message, Rename) and not message.name.strip():
        raise Unreadable(Problem("malformed", "blank_name"), re)


def _readable_id(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= 64 else None


def _malformed(error: Exception) -> Problem:
    key, params = explained(error, _choices)
    return Problem("malformed", key, **params)


def asked(command: Command) -> bytes:
    """Returns the content of a command, without version and id. It is the same when the command is sent
    again, and different for any other command."""
    fields = msgspec.to_builtins(command)
    del fields["v"], fields["id"]
    return encode(fields)
