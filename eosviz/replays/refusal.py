"""Why a file was not taken: one sentence of the catalogue, with place and remedy."""

from typing import Any


class ReplayRefused(Exception):
    """The file is not taken and nothing of it was stored.

    ``key`` names the sentence (``replays.refused.…``) and ``params`` its parameters. The text of the
    exception is the English sentence, for commands and logs.
    """

    def __init__(self, reason: str, **params: Any) -> None:
        self.key = f"replays.refused.{reason}"
        self.params = params
        super().__init__(self.key)

    def __str__(self) -> str:
        from eosviz.replays.words import sentence

        return sentence(self.key, self.params, "en")
