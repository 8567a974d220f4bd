"""The buffer types of the codec, and the types of the functions that a caller may replace by compiled ones."""

from collections.abc import Callable, Mapping

Buffer = bytes | bytearray | memoryview
"""Bytes in memory. Nothing in this package opens a file."""

Checksum = Callable[[Buffer], int]
"""CRC-32C of a buffer as an unsigned 32-bit number."""

Decompressor = Callable[[bytes, int], bytes]
"""Compressed bytes and the largest allowed result → the records' bytes; raises ValueError when the result is
larger or the bytes are damaged."""

Decompressors = Mapping[str, Decompressor]
"""Codec name (`gzip`, `snappy`, `lz4`, `zstd`) → its decompressor. Records with an absent codec are not read."""
