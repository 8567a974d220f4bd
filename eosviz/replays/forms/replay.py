"""The form of the replay file itself (docs/replay-format.md)."""

from __future__ import annotations

from collections.abc import Iterator

from eosviz.replays.forms.form import Form, Work

PIECE_BYTES = 256 * 1024


class ReplayFile(Form):
    name = "replay"
    order = 1
    ending = ".eosviz.jsonl.gz"

    def pieces(self, work: Work) -> Iterator[bytes]:
        file = work.whole()
        while piece := file.read(PIECE_BYTES):
            yield piece
