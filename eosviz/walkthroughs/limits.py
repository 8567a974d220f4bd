"""The bounds of how much one person may ask for. `welcome` and the HTTP API state them."""

from __future__ import annotations

import msgspec
from django.conf import settings

from eosviz.walkthroughs.made_steps import KEYFRAME_EVERY


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds for one person, as `limits` of docs/websocket.md."""

    message_bytes: int = 64 * 1024
    messages_per_second: int = settings.RATES["messages.person"][0] // settings.RATES["messages.person"][1]
    """The rate in messages per second that the sockets of one person may keep up."""
    messages_burst: int = settings.RATES["messages.person"][0]
    advance_steps: int = 500
    run_steps: int = 5_000
    window_steps: int = 500
    difference_steps: int = 5_000
    """The most steps between two views whose difference is asked for."""
    search_steps: int = 5_000
    """How many steps one search looks at; a page searches a longer line in stretches."""
    search_hits: int = 200
    """How many of the steps found by one search come with their sentences; all come with their numbers."""
    breakpoints: int = 32
    steps_per_session: int = 200_000
    branches_per_session: int = 64
    interventions_per_branch: int = 200
    sessions_per_browser: int = settings.QUOTAS["sessions"]
    name_characters: int = 80
    followers_heard: int = 500
    """How many followers of a presentation may answer and raise hands; more may watch."""
    hand_characters: int = 200
    follower_deeds_per_minute: int = (
        settings.RATES["say.follower"][0] * 60 // settings.RATES["say.follower"][1]
    )
    """How often per minute one follower may raise a hand, lower it or answer, all together. After a pause, a
    follower may do as much at once."""
    keyframe_every: int = KEYFRAME_EVERY


LIMITS = Limits()
