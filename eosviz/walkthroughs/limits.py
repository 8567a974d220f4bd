"""How much one person may ask for. Every bound is told: in `welcome`, over HTTP, and in the error that meets
it.
"""

from __future__ import annotations

import msgspec
from django.conf import settings

from eosviz.walkthroughs.made_steps import KEYFRAME_EVERY


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`limits` of docs/websocket.md."""

    message_bytes: int = 64 * 1024
    messages_per_second: int = settings.RATES["messages.person"][0] // settings.RATES["messages.person"][1]
    """What a socket may send for long; dragging the scrubber asks for a window per painted frame at most."""
    messages_burst: int = settings.RATES["messages.person"][0]
    advance_steps: int = 500
    run_steps: int = 5_000
    window_steps: int = 500
    way_steps: int = 5_000
    """How many steps may lie between two views whose difference is asked for."""
    search_steps: int = 5_000
    """How many steps one search looks at; a longer line is searched in stretches."""
    search_hits: int = 200
    """How many of the steps that one search finds come with their sentences; all come with their numbers."""
    breakpoints: int = 32
    steps_per_session: int = 200_000
    branches_per_session: int = 64
    interventions_per_branch: int = 200
    sessions_per_browser: int = settings.QUOTAS["sessions"]
    name_characters: int = 80
    followers_heard: int = 500
    """How many of those who follow a presentation can say something in it; any number may look."""
    hand_characters: int = 200
    follower_deeds_per_minute: int = (
        settings.RATES["say.follower"][0] * 60 // settings.RATES["say.follower"][1]
    )
    """Hands raised and lowered and answers given, by one follower."""
    keyframe_every: int = KEYFRAME_EVERY


LIMITS = Limits()
