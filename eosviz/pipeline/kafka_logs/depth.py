"""How thoroughly the batches of a log are read."""

from enum import Enum

from engine.codec.segment import Records


class Depth(Enum):
    """Checksums are verified in both."""

    HEADERS = "headers"
    """Headers and control records; other records only if the cleaner left holes."""
    DEEP = "deep"
    """Every record, decompressed if necessary."""


RECORDS = {Depth.HEADERS: Records.HOLES, Depth.DEEP: Records.CHECK_AND_HOLES}
"""What the segment reader does with the records of the batches that it reads."""
