"""Sends stored steps to every page of a session. If a message is lost, the page asks again, so no step is
lost."""

from __future__ import annotations

import uuid
from typing import Any

from eosviz.groups import send_to_group
from eosviz.walkthroughs.messages import Answer, encode


def group_of(session_id: uuid.UUID | str) -> str:
    """Returns the name of the channel-layer group of all pages of this session."""
    return f"session.{uuid.UUID(str(session_id)).hex}"


def followers_of(session_id: uuid.UUID | str) -> str:
    """Returns the name of the group of the presenter's followers, who are in the session's group, too."""
    return f"follow.{uuid.UUID(str(session_id)).hex}"


def publish(session_id: uuid.UUID | str, frames: list[bytes], answer: Answer | None = None) -> None:
    """Sends complete messages, in order, to every socket of the session, and then the answer to the socket
    that asked. Logs errors."""
    event: dict[str, Any] = {"type": "session.frames", "frames": [frame.decode() for frame in frames]}
    if answer is not None:
        event["re"] = answer.re
        event["answer"] = encode(answer).decode()
    elif not frames:
        return
    send_to_group(group_of(session_id), event)
