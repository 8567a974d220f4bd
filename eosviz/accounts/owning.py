"""Registers what people own. Each app registers its models in its module `owned.py`, which is imported when
all models are loaded. A registered class says how rows of a browser become rows of an account, and how rows
are counted, packed and deleted.

An owner is a key (`eosviz/browser.py`): the key of an account, or of a browser without an account.
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
    """The rows of one model that people own. In this base class the owner is an account: each row refers to
    it and is deleted with it."""

    model: ClassVar[type[Model]]
    kind: ClassVar[str] = ""
    """The word for these rows in keys of the catalogue. Empty if the account's page does not list them."""
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
        """The rows that this account owns."""
        raise NotImplementedError

    def claim(self, browser: str, account: str) -> None:
        """Give what the key `browser` owns to the key `account`. Called in a transaction."""

    def page(self, user: User) -> dict[str, Any]:
        """The context with which the template of the account's page shows these rows."""
        return {}

    def facts(self, user: User) -> dict[str, Any]:
        """What `account.json` says about these rows: name of an entry → its value."""
        return {}

    def files(self, user: User) -> Iterator[File]:
        """The files of the account's rows, for the account's ZIP."""
        return iter(())

    def let_go(self, user: User) -> None:
        """Do what must happen before the account is deleted, outside the transaction that deletes it."""

    def delete(self, user: User) -> None:
        """Delete or anonymise the rows, in the transaction that deletes the account."""

    def left_behind(self, before: datetime) -> QuerySet[Any] | None:
        """The rows that are to be deleted because of their age: they belong to browsers without an account,
        were made before this time and, where use is recorded, have not been used since. None if rows of this
        model are not deleted by age."""
        return None

    def lost(self, rows: QuerySet[Any]) -> dict[str, int]:
        """Counts what would be deleted with these rows. Dict of word that the command `retention` prints →
        number."""
        return {self.kind: rows.count()}

    def delete_left(self, before: datetime, keys: list[Any]) -> None:
        """Delete the rows with these primary keys, which are among `left_behind(before)`."""
        self.model._base_manager.filter(pk__in=keys).delete()


class OwnedByKey(Owned):
    """The owned rows of a model with a field `owner`, which holds the owner's key."""

    def rows(self, user: User) -> QuerySet[Any]:
        return self.of(user.owner_key)

    def of(self, key: str) -> QuerySet[Any]:
        """The rows whose owner is this key. An empty key owns nothing."""
        return self.model._default_manager.filter(owner=key, owner__gt="")

    def claim(self, browser: str, account: str) -> None:
        self.of(browser).update(owner=account)

    def delete(self, user: User) -> None:
        self.rows(user).delete()


_registered: list[Owned] = []


def register(owned: type[Owned]) -> type[Owned]:
    """A class decorator for an app's `owned.py`: registers the class."""
    _registered.append(owned())
    return owned


def everything() -> tuple[Owned, ...]:
    """All registered classes, in the order of the apps; those whose rows are anonymised and not deleted come
    last."""
    return tuple(sorted(_registered, key=lambda owned: owned.fate != "deleted"))


def without_account(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows whose owner is the key of a browser without an account."""
    accounts = User.objects.filter(owner_key=OuterRef("owner"))
    return rows.exclude(owner="").exclude(Exists(accounts))


def load() -> None:
    autodiscover_modules("owned")
