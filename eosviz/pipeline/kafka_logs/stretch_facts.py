"""Reads the batches of a stretch, as facts or as rows. A long stretch is read in blocks of columns, except as
rows without their records. Everything else is read row by row.

Both ways give the same result. Columns need numpy, whose import takes longer than reading a short stretch.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any

from engine.codec.segment import Records, Row, SegmentReader
from eosviz.pipeline.kafka_logs.batch_facts import BatchFacts, batch_facts, every_offset
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.depth import RECORDS, Depth
from eosviz.pipeline.kafka_logs.stretches import Stretch, read_rows

SHORT_BYTES_MAX = 128 * 1024
"""Stretches up to this size are read row by row."""


def stretch_facts(partition: str, stretch: Stretch, depth: Depth) -> Iterator[BatchFacts]:
    """The facts of a stretch's batches, in order. Damage is in the facts and raises no error. Raises
    LogsError if the file cannot be opened."""
    file = file_name(partition, stretch.base_offset)
    if _is_short(stretch):
        for row in read_rows(stretch, segment_reader(RECORDS[depth])):
            yield batch_facts(file, row)
        return
    # Imported here, because most folders have no long stretch.
    from eosviz.pipeline.kafka_logs.header_blocks import HeaderBlock, lists_of, parts_of

    for part in parts_of(file, stretch, depth):
        yield from facts_in([file] * len(part), lists_of(part)) if isinstance(part, HeaderBlock) else part


def stretch_rows(stretch: Stretch, reader: SegmentReader) -> Iterator[Row]:
    """The rows of a stretch, in order. Damage is in the rows and raises no error. Raises LogsError if the
    file cannot be opened."""
    if reader.records is not Records.KEEP or _is_short(stretch):
        return read_rows(stretch, reader)
    from eosviz.pipeline.kafka_logs.row_blocks import rows_in_blocks

    return rows_in_blocks(stretch, reader)


def _is_short(stretch: Stretch) -> bool:
    return stretch.stop - stretch.start <= SHORT_BYTES_MAX


def file_name(partition: str, segment: int) -> str:
    """The name of a segment's file, as facts contain it."""
    return f"{partition}/{segment:020}.log"


def facts_in(files: Sequence[str], lists: Mapping[str, Sequence[Any]]) -> Iterator[BatchFacts]:
    """The facts of batches, from one list for each field of `BatchFacts` except `file`. None in the list
    `offsets`: the batch has a record for every offset, or none."""
    spans = zip(lists["base_offset"], lists["last_offset"], lists["records"], lists["offsets"], strict=True)
    offsets = [every_offset(*span) if holes is None else holes for *span, holes in spans]
    columns = {**lists, "file": files, "offsets": offsets}
    return starmap(BatchFacts, zip(*(columns[name] for name in BatchFacts._fields), strict=True))
