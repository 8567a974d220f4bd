"""Reads the fields of a key, a value or a small file one after the other. Source: Kafka's protocol types.
Numbers are big-endian, and strings have an int16 length. Since KIP-482 there are compact strings and arrays,
whose length plus one is an unsigned varint (0 means null), and tagged fields."""

import struct

from engine.codec.damage import DamageKind, damaged

_BYTE = struct.Struct(">b")
_INT16 = struct.Struct(">h")
_INT32 = struct.Struct(">i")
_INT64 = struct.Struct(">q")
_VARINT_BYTES_MAX = 5


class FieldCursor:
    """A position in `data`. Every method raises DamagedError, with the position, when the field does not fit
    there."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    @property
    def left(self) -> int:
        return len(self._data) - self.position

    def take(self, size: int) -> bytes:
        if not 0 <= size <= self.left:
            raise damaged(DamageKind.FIELD_LENGTH, self.position, f"0..{self.left}", size)
        self.position += size
        return self._data[self.position - size : self.position]

    def numbers(self, layout: struct.Struct) -> tuple[int, ...]:
        return layout.unpack(self.take(layout.size))

    def int8(self) -> int:
        return self.numbers(_BYTE)[0]

    def int16(self) -> int:
        return self.numbers(_INT16)[0]

    def int32(self) -> int:
        return self.numbers(_INT32)[0]

    def int64(self) -> int:
        return self.numbers(_INT64)[0]

    def unsigned_varint(self) -> int:
        start, number = self.position, 0
        for index in range(_VARINT_BYTES_MAX):
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return number
        raise damaged(DamageKind.VARINT, start, f"≤ {_VARINT_BYTES_MAX} B", f"> {_VARINT_BYTES_MAX} B")

    def length(self, *, compact: bool, wide: bool = False) -> int:
        """The length of a string or of bytes; -1 for null. `wide`: whether the length is an int32, as for
        bytes and arrays."""
        if compact:
            return self.unsigned_varint() - 1
        return self.int32() if wide else self.int16()

    def optional_text(self, *, compact: bool = False) -> str | None:
        length = self.length(compact=compact)
        start = self.position
        if length == -1:
            return None
        try:
            return self.take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise damaged(DamageKind.TEXT, start + error.start, "UTF-8", "?") from None

    def text(self, *, compact: bool = False) -> str:
        start = self.position
        text = self.optional_text(compact=compact)
        if text is None:
            raise damaged(DamageKind.FIELD_LENGTH, start, "≥ 0", -1)
        return text

    def optional_bytes(self, *, compact: bool = False) -> bytes | None:
        length = self.length(compact=compact, wide=True)
        return None if length == -1 else self.take(length)

    def count(self, *, compact: bool = False, item_bytes_min: int = 1) -> int:
        """The number of items of an array, 0 for null. Raises DamagedError when the remaining bytes cannot
        hold so many."""
        start = self.position
        count = self.length(compact=compact, wide=True)
        if not -1 <= count <= self.left // item_bytes_min:
            raise damaged(DamageKind.FIELD_LENGTH, start, f"-1..{self.left // item_bytes_min}", count)
        return max(0, count)

    def tagged_fields(self) -> dict[int, "FieldCursor"]:
        """The tagged fields that are present, each as a cursor over its own bytes."""
        fields = {}
        for _ in range(self.unsigned_varint()):
            tag = self.unsigned_varint()
            fields[tag] = FieldCursor(self.take(self.unsigned_varint()))
        return fields

    def end(self) -> None:
        if self.left:
            raise damaged(DamageKind.TRAILING_BYTES, self.position, "0 B", f"{self.left} B")
