"""The versions of Kafka that a run may follow, oldest first: what the files of ``versions/`` define, but for those
that are not complete."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from engine import versions
from engine.profile import Profile, age
from engine.versions.k010 import PROFILE as K010
from engine.versions.k20 import PROFILE as K20
from engine.versions.k28 import PROFILE as K28
from engine.versions.k39 import PROFILE as K39
from engine.versions.k41 import PROFILE as K41

INCOMPLETE = ("k39", "k41")
"""Versions for recorded cases alone, which no scenario may name: some of their differences are still missing."""


def _found() -> list[Profile]:
    modules = (
        import_module(f"{versions.__name__}.{found.name}") for found in iter_modules(versions.__path__)
    )
    return sorted((module.PROFILE for module in modules), key=lambda profile: age(profile.version))


EVERY: dict[str, Profile] = {profile.name: profile for profile in _found()}
"""With those that are not complete: recorded cases are played in them."""
PROFILES: dict[str, Profile] = {name: profile for name, profile in EVERY.items() if name not in INCOMPLETE}


def profile_of(name: str) -> Profile:
    """The behaviour under a name that a scenario may have, or a recorded case."""
    return PROFILES.get(name) or EVERY[name]


__all__ = ["EVERY", "K010", "K20", "K28", "K39", "K41", "PROFILES", "profile_of"]
