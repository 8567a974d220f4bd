"""Registers what people own. Each app registers its models in its module `owned.py`, which is imported when all
models are loaded. A registered class says how rows of a browser become rows of an account, and how rows are counted,
packed and deleted.

An owner is a key (`eosviz/browser.py`), either an account's or that of a browser without an account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils.module_loading import autodiscover_modules

from eosviz.accounts.models import User
from eosviz.catalogue import words
from eosviz.language import say_here

File = tuple[str, Iterable[bytes]]
"""The path of a file in the account's package, and the content in pieces."""


class Owned:
    """The rows of one model as something that people own. By default the owner is an account: the row refers to the
    account and is deleted with it."""

    model: ClassVar[type[Model]]
    kind: ClassVar[str] = ""
    """The name of these rows in keys of the catalogue. Empty if the account's page does not list them."""
    fate: ClassVar[str] = "deleted"
    """What happens to the rows when the account is deleted: `deleted` or `anonymised`."""

    @property
    def name(self) -> str:
        """The name of the rows on the account's page, in the reader's language: the sentence
        `accounts.holding.<kind>` or, if there is none, the plural of the model's name in `operating/names.toml`."""
        if (key := f"accounts.holding.{self.kind}") in words():
            return say_here(key)
        plural = str(self.model._meta.verbose_name_plural)
        return f"{plural[:1].upper()}{plural[1:]}"

    def rows(self, user: User) -> QuerySet[Any]:
        """The account's rows."""
        raise NotImplementedError

    def claim(self, browser: str, account: str) -> None:
        """Give what the key `browser` owns to the key `account`. Called in a transaction."""

    def page(self, user: User) -> dict[str, Any]:
        """The context with which the template of the account's page shows these rows."""
        return {}

    def facts(self, user: User) -> dict[str, Any]:
        """The entries of these rows in `account.json`, by name."""
        return {}

    def files(self, user: User) -> Iterator[File]:
        """The files of the account's rows, for the account's ZIP."""
        return iter(())

    def let_go(self, user: User) -> None:
        """Do what is needed before the account is deleted. Called outside the transaction."""

    def delete(self, user: User) -> None:
        """Delete or anonymise the rows, in the transaction that deletes the account."""

    def left_behind(self, before: datetime) -> QuerySet[Any] | None:
        """The rows of browsers without an account that are to be deleted: made before this time and, where use is
        recorded, not used since. None if such rows are not deleted by their age."""
        return None

    def lost(self, rows: QuerySet[Any]) -> dict[str, int]:
        """The counts of what is deleted with these rows: a word that the command `retention` prints → count."""
        return {self.kind: rows.count()}

    def delete_left(self, before: datetime, keys: list[Any]) -> None:
        """Delete the rows with these primary keys, which are among `left_behind(before)`."""
        self.model._base_manager.filter(pk__in=keys).delete()


class OwnedByKey(Owned):
    """The owned rows of a model with a field `owner`, which holds the owner's key."""

    def rows(self, user: User) -> QuerySet[Any]:
        return self.of(user.owner_key)

    def of(self, key: str) -> QuerySet[Any]:
        """The rows of this key. An empty key owns nothing."""
        return self.model._default_manager.filter(owner=key, owner__gt="")

    def claim(self, browser: str, account: str) -> None:
        self.of(browser).update(owner=account)

    def delete(self, user: User) -> None:
        self.rows(user).delete()


_registered: list[Owned] = []


def register(owned: type[Owned]) -> type[Owned]:
    """Register the decorated class of an app's `owned.py`."""
    _registered.append(owned())
    return owned


def everything() -> tuple[Owned, ...]:
    """All registered classes, in the order of the apps. Those whose rows outlive the account come last."""
    return tuple(sorted(_registered, key=lambda owned: owned.fate != "deleted"))


def without_account(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows whose owner is the key of a browser without an account."""
    accounts = User.objects.filter(owner_key=OuterRef("owner"))
    return rows.exclude(owner="").exclude(Exists(accounts))


def load() -> None:
    autodiscover_modules("owned")
