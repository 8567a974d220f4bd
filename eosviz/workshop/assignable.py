"""The scenarios of the workshop that a teacher may assign to a class: the newest version of each of the
teacher's own scenarios."""

from __future__ import annotations

from collections.abc import Iterator

from eosviz.accounts.models import User
from eosviz.scenarios.models import ScenarioVersion
from eosviz.workshop.models import Edition


class NewestEditions:
    """The newest editions, as a `Source` of `classroom/material.py`."""

    def built_by(self, teacher: User) -> Iterator[tuple[ScenarioVersion, str]]:
        return ((one.version, str(one.pk)) for one in Edition.objects.usable_by(teacher))

    def built(self, teacher: User, key: str) -> ScenarioVersion | None:
        edition = Edition.objects.usable_by(teacher).filter(pk=key).first()
        return None if edition is None else edition.version
