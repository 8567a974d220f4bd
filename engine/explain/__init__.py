"""The words: one catalogue of sentences in English and Simplified Chinese, and how they are filled in."""

from engine.explain.sentences import LANGUAGES, Sentence, catalogue, read_catalogue, sentence
from engine.explain.transcript import transcript_lines

__all__ = ["LANGUAGES", "Sentence", "catalogue", "read_catalogue", "sentence", "transcript_lines"]
