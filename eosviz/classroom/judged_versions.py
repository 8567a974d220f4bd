"""Permits the instructors of a class to see the scenario version that an attempt of one of its learners
uses."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from eosviz.accounts.models import User
from eosviz.classroom.models import Attempt
from eosviz.scenarios.models import ScenarioVersion


def judges(version: ScenarioVersion, user: User | AnonymousUser) -> bool:
    if isinstance(user, AnonymousUser):
        return False
    return Attempt.objects.filter(session__version=version).judged_by(user).exists()
