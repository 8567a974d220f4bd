"""The refusal of a file, an export or a publication: one sentence of the catalogue."""

from eosviz.bounded.refusing import Refused
from eosviz.catalogue import say
from eosviz.refusals import Refusal


class ReplayRefused(Refusal, Refused):
    """A file, an export or a publication was refused. The exception's text is the English sentence."""

    words = "replays.refused"

    def text_in(self, language: str) -> str:
        return say(self.key, language, self.params)

    def __str__(self) -> str:
        return self.text_in("en")
