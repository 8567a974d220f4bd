"""Why a file was refused: one sentence of the catalogue, with place and remedy."""

from collections.abc import Mapping
from typing import Any

from eosviz.bounded.refusing import Refused
from eosviz.catalogue import say


class ReplayRefused(Refused):
    """The file is refused and nothing of it was stored. ``key`` names the sentence (``replays.refused.…``) and
    ``params`` its parameters. The exception's text is the English sentence, for commands and logs."""

    def __init__(self, reason: str, /, **params: Any) -> None:
        super().__init__(f"replays.refused.{reason}", params)

    @classmethod
    def keyed(cls, key: str, params: Mapping[str, Any]) -> "ReplayRefused":
        """A refusal whose sentence is in another part of the catalogue."""
        refused = cls("", **params)
        refused.key = key
        return refused

    @classmethod
    def check_quota(cls, owner: str, name: str, more: int = 1) -> None:
        """Raises ReplayRefused beyond one person's quota."""
        from eosviz import quotas  # a bounded process has no database

        try:
            quotas.check(owner, name, more)
        except quotas.Full as full:
            raise cls(full.reason, **full.params) from None

    def said_in(self, language: str) -> str:
        return say(self.key, language, self.params)

    def __str__(self) -> str:
        return self.said_in("en")
