"""The interface through which a recording's player reads the files beside the recording. The caller opens them."""

from __future__ import annotations

from typing import Protocol


class Beside(Protocol):
    """The files beside a recording, by path relative to the folder of the recording: ``t-0/00000000000000000000.log``
    or ``../_internal/…``."""

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder, sorted; empty when there is no such folder."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None when there is no such file."""


class Nothing:
    """The implementation for a recording without files beside it."""

    def names(self, folder: str) -> tuple[str, ...]:
        return ()

    def read(self, path: str) -> bytes | None:
        return None


NOTHING = Nothing()
