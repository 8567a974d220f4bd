"""The files that lie beside a recording, as its player asks for them; whoever opens files gives them."""

from __future__ import annotations

from typing import Protocol


class Beside(Protocol):
    """Files by their path from the recording's own folder, ``wire/t-0/00000000000000000000.log``."""

    def names(self, folder: str) -> tuple[str, ...]:
        """The names of what a folder holds, sorted; empty when there is no such folder."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None when there is no such file."""


class Nothing:
    """A recording that came without files."""

    def names(self, folder: str) -> tuple[str, ...]:
        return ()

    def read(self, path: str) -> bytes | None:
        return None


NOTHING = Nothing()
