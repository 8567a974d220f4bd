"""What changes an account as a whole."""

from __future__ import annotations

from django.db import transaction

from eosviz.accounts.models import User
from eosviz.accounts.owning import everything


def delete_account(user: User) -> None:
    """Delete the account and all it made, as its page announced."""
    for owned in everything():
        owned.let_go(user)
    with transaction.atomic():
        # An app that builds on another one comes after it and is asked first.
        for owned in reversed(everything()):
            owned.delete(user)
        user.delete()
