"""The versions of Kafka that a run can use, oldest first; each is defined by a file in ``versions/``."""

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


def _found() -> list[Profile]:
    modules = (
        import_module(f"{versions.__name__}.{found.name}") for found in iter_modules(versions.__path__)
    )
    return sorted((module.PROFILE for module in modules), key=lambda profile: age(profile.version))


PROFILES: dict[str, Profile] = {profile.name: profile for profile in _found()}

__all__ = ["K010", "K20", "K28", "K39", "K41", "PROFILES"]
