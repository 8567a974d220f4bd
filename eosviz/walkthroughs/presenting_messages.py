"""The messages of a presentation: the presenter's position, the hands of followers, and polls. See
docs/websocket.md, *Following a presentation* and *Hands and polls*."""

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
"""The states of a poll that has not ended."""
View = Literal["stage", "lanes", "spacetime", "spacetime:time", "text", "code", "transactions"]
"""What the middle of the page shows. In the space-time diagram, the rows are spaced by steps (`spacetime`)
or by virtual time (`spacetime:time`)."""
ZOOM_PATTERN = r"(transaction|decision(:[1-9][0-9]{0,3})?)?"
"""The zoom, as addresses contain it (docs/links.md). An empty zoom means steps."""


class ShownLink(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One sentence of an answer that the presenter shows."""

    key: Annotated[str, Meta(pattern=r"^[a-z0-9_.]{1,100}$")]
    params: dict[str, Any]
    rules: Annotated[list[Word], Meta(max_length=20)]
    subject: Selection | None
    compared: Annotated[list[tuple[Any, Any]], Meta(max_length=20)]
    step: StepNumber | None
    answers: bool = False


class ShownWhy(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The question that the presenter asked, and the engine's answer. Followers cannot ask questions."""

    key: Annotated[str, Meta(pattern=r"^[a-z0-9_.]{1,100}$")]
    params: dict[str, Any]
    links: Annotated[list[ShownLink], Meta(max_length=40)]


class Present(FromPage, tag="present", frozen=True, kw_only=True):
    """The presenter's current position. All followers move there."""

    branch: BranchId
    step: StepNumber
    view: View = "stage"
    zoom: Annotated[str, Meta(pattern=f"^{ZOOM_PATTERN}$")] = ""
    selection: Selection | None = None
    why: ShownWhy | None = None


class Look(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """How the presenter looks at the step that a command makes."""

    view: View = "stage"
    selection: Selection | None = None


ShownWhyJson = Annotated[dict[str, Any], Meta(title="ShownWhy")]


class Presented(FromServer, tag="presented", frozen=True, kw_only=True):
    """To followers: the presenter's position. `number` grows with each move, so that an older message that
    arrives late is ignored."""

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
    """Raises a hand at the step that the follower sees. A hand that is already raised moves to this step and
    gets the new text."""

    branch: BranchId
    step: StepNumber
    text: Annotated[str, Meta(max_length=LIMITS.hand_characters, pattern=NAME_PATTERN)] = ""


class LowerHand(FromPage, tag="lower_hand", frozen=True, kw_only=True):
    pass


class AnswerPoll(FromPage, tag="answer_poll", frozen=True, kw_only=True):
    """`poll`: the number that was sent with the question. A further choice replaces the earlier one."""

    poll: Annotated[int, Meta(ge=1)]
    choice: Annotated[str, Meta(min_length=1, max_length=80)]


# -- of who presents -------------------------------------------------------------------------------------------


class Attend(FromPage, tag="attend", frozen=True, kw_only=True):
    """Asks that this page gets hands and answers from now on."""


class LowerHands(FromPage, tag="lower_hands", frozen=True, kw_only=True):
    """Lowers the hands of these followers; without a list, all hands."""

    followers: (
        Annotated[list[Annotated[int, Meta(ge=1)]], Meta(min_length=1, max_length=LIMITS.followers_heard)]
        | None
    ) = None


class OpenPoll(FromPage, tag="open_poll", frozen=True, kw_only=True):
    """Asks the engine's question after step `at`. If a poll on this question is already open, nothing
    changes. Otherwise a new poll replaces the current poll and its answers."""

    branch: BranchId
    at: StepNumber


PollChange = Literal["show", "hide", "close", "reveal", "end"]


class ChangePoll(FromPage, tag="change_poll", frozen=True, kw_only=True):
    """Changes the poll. A change that `POLL_CHANGES` (`eosviz/audience/models.py`) does not allow in the
    poll's state is refused."""

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
    """To one follower: whether their hand is raised, and the name or number with which the presenter sees
    them."""

    raised: RaisedAt | None
    follower: int | None
    name: str | None
    re: str | None = None


class PollView(Struct, frozen=True, kw_only=True):
    """The engine's question. Followers get `right` and `reasons` only after the answer was revealed. They get
    `counts` and `answers` only after that, or while the counts are shown."""

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
    """To followers. `number` grows with each change of the poll. `poll` is null after the poll has ended."""

    number: int
    poll: PollView | None


class Answered(FromServer, tag="answered", frozen=True, kw_only=True):
    """To one follower: the last choice of this follower. Only the last choice counts."""

    poll: int
    choice: str | None
    re: str | None = None


class HandSeen(RaisedAt, frozen=True, kw_only=True):
    """`follower`: the number of the follower. `name`: null if there is no name that the presenter may see."""

    follower: int
    name: str | None
    away: bool
    """True while the follower's connection is lost. The hand is lowered if the follower does not come back in
    time."""


class Audience(FromServer, tag="audience", frozen=True, kw_only=True):
    """To the presenter: all raised hands, the earliest first, and the poll with its counts. `names`: a dict
    of choice → the names of the followers who chose it, without names that the presenter may not see."""

    hands: list[HandSeen]
    poll: PollView | None
    names: dict[str, list[str]]
    re: str | None = None


FromPresenting = Presented | OwnHand | CurrentPoll | Answered | Audience
