"""The buffer types of the codec, and the types of the functions that a caller may replace by compiled ones."""

from collections.abc import Callable, Mapping

Buffer = bytes | bytearray | memoryview
"""Bytes in memory. Nothing in this package opens a file."""

Checksum = Callable[[Buffer], int]
"""A function that returns the CRC-32C of a buffer, as an unsigned 32-bit number."""

Decompressor = Callable[[bytes, int], bytes]
"""A function from (compressed bytes, largest allowed size of the result) to the records' bytes. Raises
ValueError when the result is larger or the bytes are damaged."""

Decompressors = Mapping[str, Decompressor]
"""Dict of codec name (`gzip`, `snappy`, `lz4`, `zstd`) → its decompressor. Records whose codec is absent here
are not read."""
