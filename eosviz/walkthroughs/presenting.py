"""One person presents, and everyone with the link follows.

The presenter's place is one row, so that a follower who joins or reconnects reads it there. Each move is one
update and one message, however many followers there are. Followers get steps through the session's own group,
like every page of the session; if the presenter goes to a step that was made ahead, the message with the step
contains the place, too.
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
    """Start a presentation at the newest step of the first branch, if there is none. Returns the
    presentation."""
    first = Branch.objects.of_session(session.id)[0]
    at = {"branch": first, "step": first.newest, "view": "stage"}
    with transaction.atomic():
        presentation, _ = Presentation.objects.get_or_create(session=session, defaults=at)
    return presentation


def move(session_id: uuid.UUID, at: Present) -> Presented | None:
    """Store the presenter's place. None if the presenter is there already. Raises Problem when the session is not
    presented or has no such branch."""
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
    """Store that the presenter goes to the step that the command made. None if the command does not say so, or if
    the session is no longer presented."""
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
    """End the presentation: its address stops working, and the followers' sockets are closed."""
    Presentation.objects.filter(session_id=session_id).delete()


def place_of(presentation: Presentation) -> Presented:
    """The message with the presenter's place, to which a follower's page moves."""
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
    """Send the presenter's place to the followers. Raises what the channel layer raises."""
    await get_channel_layer().group_send(followers_of(session_id), _event(message))


def _event(message: Presented) -> dict[str, Any]:
    return {"type": "session.presented", "frame": encode(message).decode()}
