"""One person drives, everybody with the link follows.

Where the presenter is stands in one row, so that whoever comes, or comes back, finds it; each move is one update
and one message to the group of the followers, however many they are. What the followers see of the steps comes
through the session's own group, as to every page of it.
"""

from __future__ import annotations

import uuid
from typing import Any, cast

import msgspec
from channels.layers import get_channel_layer
from django.db import transaction
from django.db.models import F

from eosviz.walkthroughs.messages import Problem, encode
from eosviz.walkthroughs.models import Branch, Presentation, Session
from eosviz.walkthroughs.presenting_messages import Present, Presented, View
from eosviz.walkthroughs.streaming import followers_of


def start(session: Session) -> Presentation:
    """Let others follow; the same presentation when it is being presented already."""
    first = Branch.objects.of_session(session.id)[0]
    at = {"branch": first, "step": first.newest, "view": "stage"}
    with transaction.atomic():
        presentation, _ = Presentation.objects.get_or_create(session=session, defaults=at)
    return presentation


def move(session_id: uuid.UUID, at: Present) -> Presented:
    """The presenter is here now. Raises Problem when nobody presents this session or it has no such branch."""
    selection, why = msgspec.to_builtins(at.selection), msgspec.to_builtins(at.why)
    if not Branch.objects.filter(id=int(at.branch), session_id=session_id).exists():
        raise Problem("not_found", "no_branch", branch=at.branch)
    presented = Presentation.objects.filter(session_id=session_id)
    moved = presented.update(
        number=F("number") + 1,
        branch_id=int(at.branch),
        step=at.step,
        view=at.view,
        zoom=at.zoom,
        selection=selection,
        why=why,
    )
    if not moved:
        raise Problem("refused", "not_presented")
    return told(presented.get())


def end(session_id: uuid.UUID) -> None:
    """The address leads nowhere from now on, and the sockets of those who follow are closed."""
    Presentation.objects.filter(session_id=session_id).delete()


def told(presentation: Presentation) -> Presented:
    """The message that takes a follower there."""
    return Presented(
        number=presentation.number,
        branch=str(presentation.branch_id),
        step=presentation.step,
        view=cast(View, presentation.view),
        zoom=presentation.zoom,
        selection=presentation.selection,
        why=presentation.why,
    )


async def tell(session_id: uuid.UUID, message: Presented) -> None:
    """Raises what the layer raises; the presenter's next move says everything again."""
    await get_channel_layer().group_send(followers_of(session_id), _event(message))


def _event(message: Presented) -> dict[str, Any]:
    return {"type": "session.presented", "frame": encode(message).decode()}
