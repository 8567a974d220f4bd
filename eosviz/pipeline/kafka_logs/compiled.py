"""Compiled functions that replace the engine's own ones, which are in Python: CRC-32C, and a decompressor for
each codec.

They accept the formats that Kafka uses: a stream for gzip and zstd, a frame for LZ4. For snappy there are two
formats: Java clients write the blocks of snappy-java (its 16-byte header, then pairs of length and block),
other clients write one block without a header. Every decompressor stops when its result exceeds a limit, so
that a small file cannot fill the memory.
"""

import struct
from collections.abc import Mapping
from types import MappingProxyType

import google_crc32c

from engine.codec.buffers import Buffer, Decompressor
from engine.codec.segment import Records, SegmentReader

_SNAPPY_JAVA_MAGIC = b"\x82SNAPPY\x00"
_SNAPPY_JAVA_HEADER_BYTES = 16
_BLOCK_LENGTH = struct.Struct(">I")
_VARINT_BYTES_MAX = 5
_CHUNK_BYTES = 1 << 18


def checksum(data: Buffer) -> int:
    """CRC-32C of `data`, computed in C."""
    return int(google_crc32c.value(data if isinstance(data, bytes) else bytes(data)))


def segment_reader(records: Records = Records.KEEP) -> SegmentReader:
    """A reader of segments that uses the compiled functions."""
    return SegmentReader(records=records, checksum=checksum, decompressors=DECOMPRESSORS)


def _stream(codec: str) -> Decompressor:
    def decompress(data: bytes, size_max: int) -> bytes:
        # pyarrow is imported here and in `_snappy_block`, because the import takes longer than reading a short
        # log, and most logs are not compressed.
        import pyarrow

        chunks: list[bytes] = []
        size = 0
        try:
            with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), codec) as stream:
                while chunk := stream.read(_CHUNK_BYTES):
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > size_max:
                        raise ValueError(f"more than {size_max} B")
        except OSError as error:
            raise ValueError(_one_line(error)) from None
        return b"".join(chunks)

    return decompress


def _snappy(data: bytes, size_max: int) -> bytes:
    if not data.startswith(_SNAPPY_JAVA_MAGIC):
        return _snappy_block(data, size_max)
    blocks: list[bytes] = []
    size, position = 0, _SNAPPY_JAVA_HEADER_BYTES
    while position < len(data):
        if len(data) - position < _BLOCK_LENGTH.size:
            raise ValueError("cut short in a block's length")
        (length,) = _BLOCK_LENGTH.unpack_from(data, position)
        position += _BLOCK_LENGTH.size
        if length > len(data) - position:
            raise ValueError("cut short in a block")
        block = _snappy_block(data[position : position + length], size_max - size)
        blocks.append(block)
        size, position = size + len(block), position + length
    return b"".join(blocks)


def _snappy_block(block: bytes, size_max: int) -> bytes:
    """The decompressed content of one snappy block. Raises ValueError if the block is damaged or the content
    has more than `size_max` bytes."""
    import pyarrow

    size = _result_size(block)
    if size > size_max:
        raise ValueError(f"more than {size_max} B")
    if size == 0:
        return b""
    try:
        return bytes(pyarrow.decompress(block, size, codec="snappy", asbytes=True))
    except (OSError, ValueError) as error:
        raise ValueError(_one_line(error)) from None


def _result_size(block: bytes) -> int:
    size = 0
    for index, byte in enumerate(block[:_VARINT_BYTES_MAX]):
        size |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return size
    raise ValueError("no size in front of the block")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


DECOMPRESSORS: Mapping[str, Decompressor] = MappingProxyType(
    {"gzip": _stream("gzip"), "snappy": _snappy, "lz4": _stream("lz4"), "zstd": _stream("zstd")}
)
"""Dict of Kafka's name of a codec → its decompressor."""
