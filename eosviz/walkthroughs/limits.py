"""The limits of what one user may ask for. `welcome` and the HTTP API contain them."""

from __future__ import annotations

import msgspec
from django.conf import settings

from eosviz.walkthroughs.made_steps import KEYFRAME_EVERY


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits in `welcome` and `GET /api/limits` (docs/websocket.md, *Limits*)."""

    message_bytes: int = 64 * 1024
    messages_per_second: int = settings.RATES["messages.person"][0] // settings.RATES["messages.person"][1]
    """How many messages per second the sockets of one user may send without a pause."""
    messages_burst: int = settings.RATES["messages.person"][0]
    advance_steps: int = 500
    run_steps: int = 5_000
    window_steps: int = 500
    difference_steps: int = 5_000
    """The numbers of two steps between whose views a page asks for the difference may differ by at most this."""
    search_steps: int = 5_000
    """One search reads at most this many steps. A page that searches more steps sends several searches."""
    search_hits: int = 200
    """The answer to a search contains the numbers of all steps found, and the sentences of at most this many."""
    breakpoints: int = 32
    steps_per_session: int = 200_000
    branches_per_session: int = 64
    interventions_per_branch: int = 200
    sessions_per_browser: int = settings.QUOTAS["sessions"]
    name_characters: int = 80
    followers_heard: int = 500
    """At most this many followers of a presentation may answer and raise their hands. More may watch."""
    hand_characters: int = 200
    follower_deeds_per_minute: int = (
        settings.RATES["say.follower"][0] * 60 // settings.RATES["say.follower"][1]
    )
    """How often per minute one follower may raise a hand, lower it or answer, all together. After a pause, a
    follower may do this many at once."""
    keyframe_every: int = KEYFRAME_EVERY


LIMITS = Limits()
