"""A version that no scenario may name yet, on offer for one test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.profile import Profile
from engine.profiles import PROFILES
from engine.scenario.schema import SECTIONS


def offer(monkeypatch: pytest.MonkeyPatch, profile: Profile) -> None:
    """Let documents name it; nothing happens when they may already."""
    if profile.name in PROFILES:
        return
    monkeypatch.setitem(PROFILES, profile.name, profile)
    for section in ("scenario", "producer", "consumer"):
        field = SECTIONS[section]["profile"]
        offered = replace(field, choices=(*field.choices, profile.name))
        monkeypatch.setitem(SECTIONS[section], "profile", offered)
