"""Functions that change a whole account: one notes the person's request to become an instructor, one deletes
the account."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone

from eosviz.accounts.models import User
from eosviz.accounts.owning import everything
from eosviz.accounts.roles import Role, role_of

logger = logging.getLogger(__name__)


def ask_to_teach(user: User) -> None:
    """Store the time of a learner's request for the role of an instructor, and log the request. Does nothing
    if the person has already asked or has a higher role."""
    if user.asked_to_teach is not None or role_of(user) is not Role.LEARNER:
        return
    user.asked_to_teach = timezone.now()
    user.save(update_fields=["asked_to_teach"])
    logger.warning(
        "%s asks to become an instructor: manage.py give_role %s instructor", user.email, user.email
    )


def delete_account(user: User) -> None:
    """Delete the account with all that it owns. Rows whose `fate` is `anonymised` stay, without the person's
    name."""
    for owned in everything():
        owned.let_go(user)
    with transaction.atomic():
        # Rows of later apps refer to rows of earlier ones, as attempts do to sessions, so they are deleted
        # first.
        for owned in reversed(everything()):
            owned.delete(user)
        user.delete()
