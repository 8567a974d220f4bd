"""How thoroughly the batches of a log are read."""

from enum import Enum

from engine.codec.segment import Records


class Depth(Enum):
    """How much of each batch is read. Checksums are verified at both depths."""

    HEADERS = "headers"
    """Headers and control records are read. The records of a data batch are read only if some of its offsets
    are missing."""
    DEEP = "deep"
    """Every record is read, decompressed if necessary."""


RECORDS = {Depth.HEADERS: Records.HOLES, Depth.DEEP: Records.CHECK_AND_HOLES}
"""Dict of depth → what the segment reader does with the records of a batch."""
