"""Why a file, an export or a publication was refused: one sentence of the catalogue."""

from eosviz.bounded.refusing import Refused
from eosviz.catalogue import say
from eosviz.refusals import Refusal


class ReplayRefused(Refusal, Refused):
    """A file, an export or a publication was refused. A bounded process may raise this. The exception's text is the
    English sentence, for commands and the server's log."""

    words = "replays.refused"

    def text_in(self, language: str) -> str:
        return say(self.key, language, self.params)

    def __str__(self) -> str:
        return self.text_in("en")
