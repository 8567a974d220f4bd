"""Declares the scenarios that users build as something that they own (`accounts/owning.py`). They are deleted
with the account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from eosviz.accounts.models import User
from eosviz.accounts.owning import File, Owned, register
from eosviz.workshop.models import Draft, Edition


@register
class Drafts(Owned):
    model = Draft
    kind = "drafts"

    def rows(self, user: User) -> QuerySet[Any]:
        return Draft.objects.of(user)

    def files(self, user: User) -> Iterator[File]:
        for draft in Draft.objects.of(user).iterator():
            yield f"scenarios/{draft.id}/draft.toml", (draft.text.encode(),)
            for one in Edition.objects.filter(draft=draft).defer("steps").iterator():
                yield f"scenarios/{draft.id}/version-{one.number}.toml", (one.text.encode(),)
