"""Divides the text of a lesson into short paragraphs, and marks what to do and what is code. The words stay
unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
_CHINESE = re.compile(r"[\u2e80-\uffff]")
_TO_DO = re.compile(
    r"\.sh(?!\w)|\bremed(?:y|ies)\b|办法|应(?:当|该|先)?(?:调|设|查看|检查|使用|在|让|保持|比较|给|把)"
    r"|^(?:Abort|Check|Choose|Close|Compare|Create|Give|Keep|Look|Lower|Raise|Send|Set|Use|Wait)\b"
)
"""Matches a sentence that says what to do: it contains a command or a word for a remedy, or begins with a
verb in the imperative."""
_CODE = re.compile(
    r"((?<![\w.-])[a-z][\w-]*\.sh"
    r"(?: (?:--[a-z][\w-]*(?: (?:…|[\w./:=-]*[\d_/:=][\w./:=-]*|[\w-]+(?= --)|[a-z](?![\w'-])))?|…"
    r"|(?:describe(?:-producers)?|find-hanging|abort|list|upgrade)\b))*"
    r"|(?<![\w.])[A-Za-z_][\w.]*\(\)"
    r"|(?<![\w.@/-])[a-z]+(?:\.[a-z]+(?:-[a-z]+)*)+(?:=[\w.-]*\w)?(?![\w/]))",
    re.ASCII,
)
"""Matches code in a text: a command with its options, a function, or a setting with its value."""


class Paragraph(NamedTuple):
    kind: str
    """``lead`` for the first sentence, ``do`` for what to do, ``more`` for everything else."""
    text: str


def paragraphs(text: str) -> list[Paragraph]:
    """The sentences of a lesson as paragraphs. The first sentence is alone; consecutive sentences that say
    what to do are together; all others come in twos."""
    between = "" if _CHINESE.search(text) else " "
    found: list[tuple[str, list[str]]] = []
    for number, sentence in enumerate(_sentences(text)):
        kind = "lead" if number == 0 else "do" if _TO_DO.search(sentence) else "more"
        if found and found[-1][0] == kind and (kind == "do" or len(found[-1][1]) < 2):
            found[-1][1].append(sentence)
        else:
            found.append((kind, [sentence]))
    return [Paragraph(kind, between.join(sentences)) for kind, sentences in found]


def parts(text: str) -> list[str]:
    """The text in pieces. Every second piece is code."""
    return _CODE.split(text)


def _sentences(text: str) -> Iterator[str]:
    return (part for part in _SENTENCE.split(text.strip()) if part)
