"""CRC-32C (Castagnoli), the checksum of record batches with magic 2, in pure Python.

Source: RFC 3720 appendix B.4; Kafka uses it from `DefaultRecordBatch.computeChecksum`. A compiled function
with the same signature may be passed wherever this module's `crc32c` is the default.

Theory of operation. The checksum is a register of 32 bits. If the register starts at zero, the checksum is
linear: it is the exclusive or of one contribution for each 32-bit word, and a word's contribution depends
only on how many words follow it. So the first half of a message can be *folded* onto the second half: each
word of the first half is advanced over half a message of zeros, and then added to the word at the same place
of the second half.

To advance a word is linear, too, so it takes four table look-ups, one for each byte. `bytes.translate` does
one look-up for a whole message in compiled code. The message is therefore kept as four *planes* (all first
bytes of the words, all second bytes, …), and halved until it is short. The rest is processed byte by byte.
Zeros in front of a message change nothing, so a message of any length can be padded there.
"""

from functools import cache

from engine.codec.buffers import Buffer

POLYNOMIAL = 0x82F63B78
"""The Castagnoli polynomial, lowest bit first."""

FOLD_BYTES_MIN = 320
"""A message shorter than this is processed byte by byte, because folding would take longer."""

FOLD_WORDS_LAST = 32
"""Folding stops when this many words are left."""

Planes = tuple[bytes, bytes, bytes, bytes]
Operator = tuple[int, ...]
"""A linear map of 32-bit words, given by the image of each of the 32 bits, lowest first."""


def _byte_table() -> tuple[int, ...]:
    """For each of the 256 bytes: the change of the register by that byte."""
    table = []
    for value in range(256):
        register = value
        for _ in range(8):
            register = (register >> 1) ^ POLYNOMIAL if register & 1 else register >> 1
        table.append(register)
    return tuple(table)


_TABLE = _byte_table()


def crc32c(data: Buffer) -> int:
    """The CRC-32C of `data`, as an unsigned 32-bit number."""
    if len(data) < FOLD_BYTES_MIN:
        return _advance(0xFFFFFFFF, data) ^ 0xFFFFFFFF
    message = bytes(data)
    word_bytes = len(message) & ~3
    # The register starts with all ones. That is the same as to start at zero with the first word inverted.
    inverted = bytes(byte ^ 0xFF for byte in message[:4])
    planes: Planes = (
        inverted[0:1] + message[4:word_bytes:4],
        inverted[1:2] + message[5:word_bytes:4],
        inverted[2:3] + message[6:word_bytes:4],
        inverted[3:4] + message[7:word_bytes:4],
    )
    register = _advance(0, _interleaved(_folded(planes)))
    return _advance(register, message[word_bytes:]) ^ 0xFFFFFFFF


def _advance(register: int, data: Buffer) -> int:
    """The register after the bytes of `data`, one at a time."""
    table = _TABLE
    for byte in data:
        register = (register >> 8) ^ table[(register ^ byte) & 0xFF]
    return register


def _folded(planes: Planes) -> Planes:
    """Shorter planes, of at most FOLD_WORDS_LAST words, that give the register the same value as `planes`."""
    words = len(planes[0])
    while words > FOLD_WORDS_LAST:
        kept_words = 1 << (words - 1).bit_length() - 1
        planes = _fold_once(planes, words - kept_words, kept_words)
        words = kept_words
    return planes


def _fold_once(planes: Planes, head_words: int, kept_words: int) -> Planes:
    """Advance the first `head_words` words over `kept_words` words of zeros, and add them to the last words."""
    heads = [plane[:head_words] for plane in planes]
    tables = _fold_tables(kept_words)
    folded = []
    for target in range(4):
        total = int.from_bytes(planes[target][head_words:], "big")
        for source in range(4):
            total ^= int.from_bytes(heads[source].translate(tables[source][target]), "big")
        folded.append(total.to_bytes(kept_words, "big"))
    return folded[0], folded[1], folded[2], folded[3]


def _interleaved(planes: Planes) -> bytes:
    """The words of four planes, in the order of the message."""
    message = bytearray(4 * len(planes[0]))
    for index, plane in enumerate(planes):
        message[index::4] = plane
    return bytes(message)


def _apply(operator: Operator, word: int) -> int:
    image, bit = 0, 0
    while word:
        if word & 1:
            image ^= operator[bit]
        word >>= 1
        bit += 1
    return image


@cache
def _advance_operator(words_log2: int) -> Operator:
    """The map that advances a register over 2**words_log2 words of zeros."""
    if words_log2 == 0:
        return tuple(_advance(1 << bit, b"\0\0\0\0") for bit in range(32))
    half = _advance_operator(words_log2 - 1)
    return tuple(_apply(half, image) for image in half)


@cache
def _fold_tables(words: int) -> tuple[tuple[bytes, ...], ...]:
    """Tables[source][target][byte]: take the word that has `byte` at position `source` and zeros elsewhere,
    advance it by `words` words, and return its byte `target`. `words` is a power of two."""
    operator = _advance_operator(words.bit_length() - 1)
    tables = []
    for source in range(4):
        images = [_apply(operator, byte << 8 * source) for byte in range(256)]
        tables.append(tuple(bytes(image >> 8 * target & 0xFF for image in images) for target in range(4)))
    return tuple(tables)
