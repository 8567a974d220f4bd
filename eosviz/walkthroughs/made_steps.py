"""Steps and views in the form in which they are stored, before they become database rows. Does not import
Django."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec

from engine.simulation import Simulation
from engine.step import Step as EngineStep
from engine.view import near_views
from engine.view.derived import Derived
from engine.view.following import following

KEYFRAME_EVERY = 500
"""A view is stored at step 0, and at every multiple of this number."""
STEPS_PER_TRANSACTION = 50
"""How many steps are stored and sent together: enough for storing to be cheap, and few enough that the first
steps of a long run appear early."""


class MadeStep(msgspec.Struct, array_like=True, frozen=True):
    """A step before it becomes a row. It has the fields of `models.Step`, without the branch."""

    number: int
    at: int
    interesting: bool
    body: bytes
    derived: bytes


class MadeKeyframe(msgspec.Struct, array_like=True, frozen=True):
    """A view before it becomes a row. It has the fields of `models.Keyframe`, without the branch."""

    number: int
    digest: str
    packed: bytes
    derived: bytes
    near: bytes | None


def encode_step(step: EngineStep) -> bytes:
    """Returns a step in its stored form."""
    return msgspec.json.encode(step.to_json())


def made_step(step: EngineStep, derived: Derived) -> MadeStep:
    """Returns a step in its stored form, with its derived facts. Also adds the step to `derived`."""
    made = step.to_json()
    encode = msgspec.json.encode
    return MadeStep(step.number, step.at, step.interesting, encode(made), encode(derived.take(made)))


def made_keyframe(simulation: Simulation, since: int | None) -> MadeKeyframe:
    """Returns a view in its stored form. `since`: see `near_views.cut`; None as long as the run is too short
    for any part to be left out."""
    number, view, derived = simulation.number, simulation.view(), following(simulation).view()
    near = None if since is None else pack_view(near_views.cut({**view, "derived": derived}, number, since))
    return MadeKeyframe(number, simulation.digest(), pack_view(view), pack_view(derived), near)


def pack_view(view: dict[str, Any]) -> bytes:
    return zlib.compress(msgspec.json.encode(view), level=1)
