"""A table with a row for each step (`parquet_steps.py`)."""

from __future__ import annotations

from collections.abc import Iterator

from eosviz.replays.forms.form import Form, Work


class Parquet(Form):
    name = "parquet"
    order = 4
    ending = ".parquet"
    passes = 2

    def pieces(self, work: Work) -> Iterator[bytes]:
        from eosviz.replays.parquet_steps import parquet_file  # only this form needs pyarrow

        return parquet_file(work.whole(), work.each)
