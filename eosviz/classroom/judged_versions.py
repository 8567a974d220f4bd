"""Lets the instructors of a class see the version of a scenario that a learner's attempt was made with."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from eosviz.accounts.models import User
from eosviz.classroom.models import Attempt
from eosviz.scenarios.models import ScenarioVersion


def judges(version: ScenarioVersion, user: User | AnonymousUser) -> bool:
    if isinstance(user, AnonymousUser):
        return False
    return Attempt.objects.filter(session__version=version).judged_by(user).exists()
