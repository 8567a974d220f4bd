"""What people own. Each app registers its models in its module `owned.py`, which is imported when all apps are
loaded: how what a browser owns goes to an account, and how the account's part is counted, packed and deleted.

An owner is a key (`eosviz/browser.py`), an account's or that of a browser without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils.module_loading import autodiscover_modules

from eosviz.accounts.models import User

File = tuple[str, Iterable[bytes]]
"""A path in the account's package, and the content in pieces."""


class Owned:
    """What people own of one model. By default only accounts own it, and only the deletion of the account deletes
    it."""

    model: ClassVar[type[Model]]
    kind: ClassVar[str] = ""
    """Listed on the account's page as `accounts.holding.<kind>`; empty: not listed."""
    fate: ClassVar[str] = "deleted"
    """What deleting the account does to it: `deleted` or `anonymised`."""

    def rows(self, user: User) -> QuerySet[Any]:
        """The account's rows."""
        raise NotImplementedError

    def claim(self, browser: str, account: str) -> None:
        """What the key `browser` owns belongs to the key `account` from now on. In a transaction."""

    def page(self, user: User) -> dict[str, Any]:
        """What the template of the account's page shows of it."""
        return {}

    def facts(self, user: User) -> dict[str, Any]:
        """Its entries in `account.json`, by name."""
        return {}

    def files(self, user: User) -> Iterator[File]:
        """Its files in the account's package."""
        return iter(())

    def let_go(self, user: User) -> None:
        """What happens before the account is deleted, outside the transaction."""

    def delete(self, user: User) -> None:
        """In the transaction that deletes the account. Rows that refer to the account go with it."""

    def left_behind(self, before: datetime) -> QuerySet[Any] | None:
        """The rows of browsers without an account that were last used before this time. None: such rows are kept."""
        return None

    def lost(self, rows: QuerySet[Any]) -> dict[str, int]:
        """What is deleted with these rows, counted: words of the command `retention`."""
        return {self.kind: rows.count()}

    def delete_left(self, before: datetime, keys: list[Any]) -> None:
        """Delete these rows, which were left behind."""
        self.model._base_manager.filter(pk__in=keys).delete()


class OwnedByKey(Owned):
    """Of a model with a field `owner`: a browser owns it too, and it is deleted with the account."""

    def rows(self, user: User) -> QuerySet[Any]:
        return self.of(user.owner_key)

    def of(self, key: str) -> QuerySet[Any]:
        """An empty key owns nothing."""
        return self.model._default_manager.filter(owner=key, owner__gt="")

    def claim(self, browser: str, account: str) -> None:
        self.of(browser).update(owner=account)

    def delete(self, user: User) -> None:
        self.rows(user).delete()


_registered: list[Owned] = []


def register(owned: type[Owned]) -> type[Owned]:
    """Decorates a class of an app's `owned.py`."""
    _registered.append(owned())
    return owned


def everything() -> tuple[Owned, ...]:
    """In the order of the apps; what outlives the account comes last."""
    return tuple(sorted(_registered, key=lambda owned: owned.fate != "deleted"))


def without_account(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Those of these rows whose owner is the key of a browser."""
    accounts = User.objects.filter(owner_key=OuterRef("owner"))
    return rows.exclude(owner="").exclude(Exists(accounts))


def load() -> None:
    autodiscover_modules("owned")
