"""Announces changed roles: they may end rights of the person's open sockets (`eosviz/rights.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eosviz.accounts.models import User
from eosviz.rights import changed, of_owner


def roles_changed(
    sender: Any, instance: Any, action: str, pk_set: Iterable[int] | None, **kwargs: Any
) -> None:
    if not action.startswith("post_"):
        return
    if isinstance(instance, User):
        changed(of_owner(instance.owner_key))
        return
    # The change was made on the group, so `pk_set` contains the ids of accounts.
    users = User.objects.filter(pk__in=pk_set or ())
    changed(*(of_owner(key) for key in users.values_list("owner_key", flat=True)))
