"""One user presents a session, and everyone who has the link follows.

The presenter's position is stored in one row, which a follower who joins or reconnects reads. Each move needs
one update and one message, even if there are many followers. Followers get steps through the session's own
group, like every page of the session. If the presenter goes to a step that was made ahead, the message with
the step contains the new position, too.
"""

from __future__ import annotations

import uuid
from typing import Any, cast

import msgspec
from channels.layers import get_channel_layer
from django.db import transaction
from django.db.models import F

from eosviz.refusals import Problem
from eosviz.walkthroughs.messages import Advance, encode
from eosviz.walkthroughs.models import Branch, Presentation, Session
from eosviz.walkthroughs.presenting_messages import Present, Presented, View
from eosviz.walkthroughs.streaming import followers_of


def start(session: Session) -> Presentation:
    """Starts a presentation at the newest step of the first branch if the session has none. Returns the
    presentation."""
    first = Branch.objects.of_session(session.id)[0]
    at = {"branch": first, "step": first.newest, "view": "stage"}
    with transaction.atomic():
        presentation, _ = Presentation.objects.get_or_create(session=session, defaults=at)
    return presentation


def move(session_id: uuid.UUID, at: Present) -> Presented | None:
    """Stores the presenter's position. Returns None if the presenter is already there. Raises Problem if the
    session is not being presented or has no such branch."""
    if not Branch.objects.filter(id=int(at.branch), session_id=session_id).exists():
        raise Problem("not_found", "no_branch", branch=at.branch)
    presentation = Presentation.objects.filter(session_id=session_id).first()
    if presentation is None:
        raise Problem("refused", "not_presented")
    place = _place(at)
    if all(getattr(presentation, field) == value for field, value in place.items()):
        return None
    return _go_to(session_id, place)


def go_along(session_id: uuid.UUID, command: Advance) -> Presented | None:
    """If the command says so, stores that the presenter goes to the step that it made. Returns None if it
    does not say so, or if the session is no longer presented."""
    look = command.present
    if look is None:
        return None
    step = command.after + 1
    at = Present(
        v=1, id=command.id, branch=command.branch, step=step, view=look.view, selection=look.selection
    )
    return _go_to(session_id, _place(at))


def _place(at: Present) -> dict[str, Any]:
    return {
        "branch_id": int(at.branch),
        "step": at.step,
        "view": at.view,
        "zoom": at.zoom,
        "selection": msgspec.to_builtins(at.selection),
        "why": msgspec.to_builtins(at.why),
    }


def _go_to(session_id: uuid.UUID, place: dict[str, Any]) -> Presented | None:
    presented = Presentation.objects.filter(session_id=session_id)
    if not presented.update(number=F("number") + 1, **place):
        return None
    return place_of(presented.get())


def end(session_id: uuid.UUID) -> None:
    """Ends the presentation. Its address is then no longer valid, and the sockets of its followers are
    closed."""
    Presentation.objects.filter(session_id=session_id).delete()


def place_of(presentation: Presentation) -> Presented:
    """Returns the message with the presenter's position, to which the page of a follower moves."""
    return Presented(
        number=presentation.number,
        branch=str(presentation.branch_id),
        step=presentation.step,
        view=cast(View, presentation.view),
        zoom=presentation.zoom,
        selection=presentation.selection,
        why=presentation.why,
    )


async def send_place(session_id: uuid.UUID, message: Presented) -> None:
    """Sends the presenter's position to the followers. Raises what the channel layer raises."""
    await get_channel_layer().group_send(followers_of(session_id), _event(message))


def _event(message: Presented) -> dict[str, Any]:
    return {"type": "session.presented", "frame": encode(message).decode()}
