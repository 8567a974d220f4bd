"""How thoroughly the batches of a log are read."""

from enum import Enum

from engine.codec.segment import Records


class Depth(Enum):
    """How much of each batch is read. Checksums are verified at both depths."""

    HEADERS = "headers"
    """Headers and control records are read, and other records only if the log cleaner left holes."""
    DEEP = "deep"
    """Every record is read, decompressed if necessary."""


RECORDS = {Depth.HEADERS: Records.HOLES, Depth.DEEP: Records.CHECK_AND_HOLES}
"""Depth → what the segment reader does with the records of a batch."""
