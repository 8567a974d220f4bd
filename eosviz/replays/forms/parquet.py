"""The form of a Parquet table with a row for each step (`parquet_steps.py`)."""

from __future__ import annotations

from collections.abc import Iterator

from eosviz.replays.forms.form import Form, Work


class Parquet(Form):
    name = "parquet"
    order = 4
    ending = ".parquet"
    passes = 2

    def pieces(self, work: Work) -> Iterator[bytes]:
        # imported here, because only this form needs pyarrow
        from eosviz.replays.parquet_steps import parquet_file

        return parquet_file(work.whole(), work.each)
