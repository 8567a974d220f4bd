"""The form of the replay file's lines without compression."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from eosviz.replays.forms.form import Form, Work
from eosviz.replays.forms.replay import PIECE_BYTES
from eosviz.replays.lines import GZIP


class JsonLines(Form):
    name = "jsonl"
    order = 3
    ending = ".eosviz.jsonl"

    def pieces(self, work: Work) -> Iterator[bytes]:
        unpacker = zlib.decompressobj(wbits=GZIP)
        file = work.whole()
        while piece := file.read(PIECE_BYTES):
            yield unpacker.decompress(piece)
