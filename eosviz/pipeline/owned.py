"""Registers jobs among what people own (`accounts/owning.py`)."""

from __future__ import annotations

from eosviz.accounts.models import User
from eosviz.accounts.owning import OwnedByKey, register
from eosviz.pipeline.actions import forget_sweep
from eosviz.pipeline.models import Shrink, Sweep


@register
class Shrinks(OwnedByKey):
    model = Shrink


@register
class Sweeps(OwnedByKey):
    model = Sweep
    kind = "sweeps"

    def delete(self, user: User) -> None:
        for sweep in self.rows(user):
            forget_sweep(sweep)
