"""Decides who may see a version that a scenario of the workshop published: everyone who may see this scenario
(`DraftQuerySet.seen_by`). Some versions belong to no scenario of the workshop or the library, for example
those of comparisons and of deleted scenarios. Everyone who has the address of such a version may see it; the
address cannot be guessed."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from eosviz.accounts.models import User
from eosviz.scenarios.models import ScenarioVersion
from eosviz.scenarios.visibility import SeenBy
from eosviz.workshop.models import Draft, Edition


def published_to(version: ScenarioVersion) -> SeenBy | None:
    if not Edition.objects.filter(version=version).exists():
        return None

    def seen_by(user: User | AnonymousUser) -> bool:
        return Draft.objects.seen_by(user).filter(editions__version=version).exists()

    return seen_by
