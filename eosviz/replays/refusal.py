"""The error for a refused file, export or publication. Its reason is a sentence of the catalogue."""

from eosviz.bounded.refusing import Refused
from eosviz.catalogue import say
from eosviz.refusals import Refusal


class ReplayRefused(Refusal, Refused):
    """A file, an export or a publication is refused. As text, the exception is the English sentence."""

    words = "replays.refused"

    def text_in(self, language: str) -> str:
        return say(self.key, language, self.params)

    def __str__(self) -> str:
        return self.text_in("en")
