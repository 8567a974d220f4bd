"""The buffer types of the codec, and the two functions that may be passed in compiled."""

from collections.abc import Callable, Mapping

Buffer = bytes | bytearray | memoryview
"""Bytes in memory. Nothing in this package opens a file."""

Checksum = Callable[[Buffer], int]
"""CRC-32C of a buffer as an unsigned 32-bit number."""

Decompressor = Callable[[bytes, int], bytes]
"""Compressed bytes and the largest result allowed → the records' bytes; raises ValueError beyond it or if
damaged.
"""

Decompressors = Mapping[str, Decompressor]
"""Codec name (`gzip`, `snappy`, `lz4`, `zstd`) → its decompressor. A codec that is absent is not read."""
