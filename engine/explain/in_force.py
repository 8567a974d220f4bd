"""Says, as JSON, which versions of Kafka have a row of a machine, a test of a decision, or a line of pseudocode.

A page shows beside a run only the rows, tests and lines that the run's versions have. ``versions`` and ``level``
say what a row, test or line needs; the header of a run and its derived facts say which versions and which level
the run has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from engine.machine import Machine
from engine.messages import RAISING_VERSION
from engine.profile import Profile, holds
from engine.profiles import PROFILES


def needs(exists: Callable[[Profile], bool]) -> dict[str, Any]:
    """The needs of a row, test or line that exists in the versions for which ``exists`` is true. ``versions``: these
    versions; absent if all versions have it. ``level``: the level of ``transaction.version`` that it needs in
    these versions; absent if it needs none."""
    having = [profile for profile in PROFILES.values() if exists(profile)]
    found: dict[str, Any] = {}
    if len(having) < len(PROFILES):
        found["versions"] = [profile.version for profile in having]
    if having and not any(exists(profile.at_level(RAISING_VERSION - 1)) for profile in having):
        found["level"] = RAISING_VERSION
    return found


@cache
def needs_of(only_if: str | None, unless: str | None) -> dict[str, Any]:
    """The ``needs`` of a row, test or line that exists only if the profile's field ``only_if`` is set and its field
    ``unless`` is not."""
    return needs(lambda profile: holds(profile, only_if, unless))


def states_in(machine: Machine[Any], cluster: Profile, clients: Iterable[Profile] = ()) -> list[str]:
    """The states of a machine that the rows of these versions connect, and its initial state. ``cluster`` and
    ``clients``: the versions. Empty if none of the versions has the machine."""
    versions = [cluster, *(replace(one, quorum_controller=cluster.quorum_controller) for one in clients)]
    rows = [row for row in machine.rows if any(row.exists_in(version) for version in versions)]
    joined = {machine.initial, *(state for row in rows if row.target for state in (row.source, row.target))}
    return [state for state in machine.states if state in joined] if rows else []
