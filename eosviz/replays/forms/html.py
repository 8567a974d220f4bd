"""The form of one HTML file that plays offline (`offline.py`)."""

from __future__ import annotations

from collections.abc import Iterator

from eosviz.replays.forms.form import Form, Work
from eosviz.replays.offline import offline_file


class Html(Form):
    name = "html"
    order = 2
    ending = ".html"
    passes = 2
    waits = True

    def pieces(self, work: Work) -> Iterator[bytes]:
        own, _, _ = work.checked()
        return offline_file(own, work.whole(), work.language)
