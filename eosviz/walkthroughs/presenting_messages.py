"""Messages of a presentation: the presenter's place, hands of followers, and polls. docs/websocket.md, *Following a
presentation* and *Hands and polls*."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from engine.shapes.questions import QuestionChoice, Reason
from eosviz.names import NAME_PATTERN
from eosviz.server_message import FromServer
from eosviz.walkthroughs.interventions import Word
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.message_base import BranchId, FromPage, Selection, StepNumber

ShownState = Literal["open", "closed", "revealed"]
"""The states of a poll that is not over."""
View = Literal["stage", "lanes", "spacetime", "spacetime:time", "text", "code", "transactions"]
"""What the middle of the page shows; the space-time diagram's rows are spaced by steps or by virtual time."""
ZOOM_PATTERN = r"(transaction|decision(:[1-9][0-9]{0,3})?)?"
"""The zoom as addresses spell it (docs/links.md); empty: steps."""


class ShownLink(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One sentence of an answer that a presenter shows."""

    key: Annotated[str, Meta(pattern=r"^[a-z0-9_.]{1,100}$")]
    params: dict[str, Any]
    rules: Annotated[list[Word], Meta(max_length=20)]
    subject: Selection | None
    compared: Annotated[list[tuple[Any, Any]], Meta(max_length=20)]
    step: StepNumber | None
    answers: bool = False


class ShownWhy(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The question that a presenter asked, and the engine's answer; followers cannot ask."""

    key: Annotated[str, Meta(pattern=r"^[a-z0-9_.]{1,100}$")]
    params: dict[str, Any]
    links: Annotated[list[ShownLink], Meta(max_length=40)]


class Present(FromPage, tag="present", frozen=True, kw_only=True):
    """The presenter's place now; all followers move there."""

    branch: BranchId
    step: StepNumber
    view: View = "stage"
    zoom: Annotated[str, Meta(pattern=f"^{ZOOM_PATTERN}$")] = ""
    selection: Selection | None = None
    why: ShownWhy | None = None


class Look(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """How a presenter looks at the step that a command makes."""

    view: View = "stage"
    selection: Selection | None = None


ShownWhyJson = Annotated[dict[str, Any], Meta(title="ShownWhy")]


class Presented(FromServer, tag="presented", frozen=True, kw_only=True):
    """To followers: the presenter's place. `number` grows with each move, so a late older message is ignored."""

    number: int
    branch: str
    step: int
    view: View
    selection: Selection | None
    zoom: str = ""
    why: ShownWhyJson | None = None
    ended: bool = False


# -- of those who follow ---------------------------------------------------------------------------------------


class RaiseHand(FromPage, tag="raise_hand", frozen=True, kw_only=True):
    """Raise a hand at the step that the follower sees. A hand that is up already moves there and gets the new
    text."""

    branch: BranchId
    step: StepNumber
    text: Annotated[str, Meta(max_length=LIMITS.hand_characters, pattern=NAME_PATTERN)] = ""


class LowerHand(FromPage, tag="lower_hand", frozen=True, kw_only=True):
    pass


class AnswerPoll(FromPage, tag="answer_poll", frozen=True, kw_only=True):
    """`poll` is the number that came with the question; another choice replaces an earlier one."""

    poll: Annotated[int, Meta(ge=1)]
    choice: Annotated[str, Meta(min_length=1, max_length=80)]


# -- of who presents -------------------------------------------------------------------------------------------


class Attend(FromPage, tag="attend", frozen=True, kw_only=True):
    """Asks that this page gets hands and answers from now on."""


class LowerHands(FromPage, tag="lower_hands", frozen=True, kw_only=True):
    """Lower the hands of these followers; without a list, all."""

    followers: (
        Annotated[list[Annotated[int, Meta(ge=1)]], Meta(min_length=1, max_length=LIMITS.followers_heard)]
        | None
    ) = None


class OpenPoll(FromPage, tag="open_poll", frozen=True, kw_only=True):
    """Ask the engine's question after step `at`. If the poll on it is open already, nothing changes.
    Otherwise a new poll replaces the present one and its answers."""

    branch: BranchId
    at: StepNumber


PollChange = Literal["show", "hide", "close", "reveal", "end"]


class ChangePoll(FromPage, tag="change_poll", frozen=True, kw_only=True):
    """Changes the poll. A change that `POLL_CHANGES` (`eosviz/audience/models.py`) does not allow in its
    state is refused."""

    poll: Annotated[int, Meta(ge=1)]
    change: PollChange


OfFollower = RaiseHand | LowerHand | AnswerPoll
OfPresenter = Attend | LowerHands | OpenPoll | ChangePoll

# -- from the server -------------------------------------------------------------------------------------------


class RaisedAt(Struct, frozen=True, kw_only=True):
    branch: str
    step: int
    text: str


class OwnHand(FromServer, tag="hand", frozen=True, kw_only=True):
    """To one follower: their hand, and the name or number under which the presenter sees them."""

    raised: RaisedAt | None
    follower: int | None
    name: str | None
    re: str | None = None


class PollView(Struct, frozen=True, kw_only=True):
    """The engine's question. Followers get `right` and `reasons` only once the answer is revealed, and
    `counts` and `answers` only then or while they are shown."""

    id: int
    branch: str
    at: int
    state: ShownState
    shown: bool
    key: str
    params: dict[str, Any]
    choices: list[QuestionChoice]
    answers: int | None
    counts: dict[str, int] | None
    right: str | None
    reasons: dict[str, list[Reason]] | None


class CurrentPoll(FromServer, tag="poll", frozen=True, kw_only=True):
    """To followers. `number` grows with each change of the poll. `poll` is null once the poll is over."""

    number: int
    poll: PollView | None


class Answered(FromServer, tag="answered", frozen=True, kw_only=True):
    """To one follower: the last choice of this follower, which counts."""

    poll: int
    choice: str | None
    re: str | None = None


class HandSeen(RaisedAt, frozen=True, kw_only=True):
    """`follower`: the follower's number. `name`: null if there is none that the presenter may read."""

    follower: int
    name: str | None
    away: bool
    """The follower's connection is lost; the hand is lowered unless the follower returns in time."""


class Audience(FromServer, tag="audience", frozen=True, kw_only=True):
    """To the presenter: every hand, the earliest first, and the poll with its counts. `names`: choice → the
    names of the followers who chose it, as far as the presenter may read them."""

    hands: list[HandSeen]
    poll: PollView | None
    names: dict[str, list[str]]
    re: str | None = None


FromPresenting = Presented | OwnHand | CurrentPoll | Answered | Audience
