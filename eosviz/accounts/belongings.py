"""Counts what an account owns for the account's page, lists it before the account is deleted, and packs it as
a ZIP file."""

from __future__ import annotations

import tempfile
import zipfile
from dataclasses import dataclass
from typing import IO, Any

import msgspec

from eosviz.accounts.models import User
from eosviz.accounts.owning import everything
from eosviz.accounts.roles import role_of

KEPT_IN_MEMORY_BYTES = 4 * 1024 * 1024
"""A package that is larger than this is a temporary file on disk."""


@dataclass(frozen=True, slots=True)
class Holding:
    """The rows of one kind that an account owns. `kind`: the kind's name in keys of the catalogue. `name`:
    its name in the reader's language. `count`: how many rows there are. `fate`: what happens to them when the
    account is deleted, `deleted` or `anonymised`."""

    kind: str
    name: str
    count: int
    fate: str = "deleted"

    @property
    def fate_key(self) -> str:
        return f"accounts.fate.{self.fate}"


def holdings(user: User) -> list[Holding]:
    """A `Holding` for every kind that the account's page lists. Kinds with count 0 are included, because the
    page says what would happen to each kind."""
    listed = [owned for owned in everything() if owned.kind]
    return [Holding(owned.kind, owned.name, owned.rows(user).count(), owned.fate) for owned in listed]


def shown(user: User) -> dict[str, Any]:
    """The context with which the template of the account's page shows the account's belongings."""
    return {name: value for owned in everything() for name, value in owned.page(user).items()}


def account_file(user: User) -> dict[str, Any]:
    """The content of `account.json`: the account's own data that its person may have, and the facts of
    everything that it owns."""
    return {
        "email": user.email,
        "name": user.name,
        "joined": user.date_joined.isoformat(),
        "role": role_of(user).value,
        "counted": user.counted,
        "asked_to_teach": None if user.asked_to_teach is None else user.asked_to_teach.isoformat(),
        **{name: value for owned in everything() for name, value in owned.facts(user).items()},
    }


def packed(user: User) -> IO[bytes]:
    """A ZIP file with `account.json` and every file that the account owns. The caller closes it."""
    file = tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY_BYTES)  # noqa: SIM115
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "account.json", msgspec.json.format(msgspec.json.encode(account_file(user)), indent=2)
        )
        for owned in everything():
            for name, pieces in owned.files(user):
                with archive.open(name, "w", force_zip64=True) as entry:
                    entry.writelines(pieces)
    file.seek(0)
    return file
