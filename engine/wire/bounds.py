"""Checks every length and count of a message before kio reads it.

kio allocates all elements of an array, as its count says, before it reads the first one: four bytes with the
count "two billion" would end the process without an exception. So one pass over the bytes, in linear time,
compares every length and count with the number of bytes left.

The pass also finds the position of a fault, which kio does not report. And it removes the tagged fields that
kio does not know: Kafka skips them (KIP-482), kio refuses them. The nesting of a message is limited by its
schema.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from engine.wire.schema import FIXED_BYTES, Entity, Field, entity_of
from engine.wire.wire_error import WireError

MESSAGE_BYTES_MAX = 16 * 1024 * 1024
ENTRIES_MAX = 100_000
"""All arrays of one message together have at most this many elements, because each becomes an object."""
VARINT_BYTES_MAX = 5

_INT16 = struct.Struct(">h")
_INT32 = struct.Struct(">i")
WHOLE = "send the whole message"


def checked(data: bytes, made: Iterable[Any]) -> bytes:
    """The bytes without the tagged fields that kio does not know. `data` must hold objects of the classes
    `made`, one after the other. Raises WireError when it cannot."""
    if len(data) > MESSAGE_BYTES_MAX:
        raise WireError(
            "the message", f"{len(data)} bytes", f"a message has at most {MESSAGE_BYTES_MAX}: send several"
        )
    scan = _Scan(data)
    for one in made:
        scan.entity(entity_of(one))
    if scan.position != len(data):
        more = len(data) - scan.position
        raise WireError(f"byte {scan.position}", f"{more} more than the message has", "send one message")
    return scan.without_unknown_tags()


class _Scan:
    """A position in the bytes, and the path of fields that leads to it."""

    __slots__ = ("data", "edits", "entries", "path", "position")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.entries = 0
        self.path: list[str] = []
        self.edits: list[tuple[int, int, bytes]] = []
        """(start, end, replacement) of each change of the bytes, by rising start."""

    def without_unknown_tags(self) -> bytes:
        if not self.edits:
            return self.data
        parts, at = [], 0
        for start, end, instead in self.edits:
            parts += [self.data[at:start], instead]
            at = end
        return b"".join([*parts, self.data[at:]])

    def entity(self, entity: Entity) -> None:
        for field in entity.fields:
            self._field(field)
        if entity.is_flexible:
            self._tagged_fields(entity)

    def _field(self, field: Field) -> None:
        self.path.append(field.name)
        if field.is_array:
            self._array(field)
        else:
            self._value(field, is_nullable=field.is_nullable)
        self.path.pop()

    def _array(self, field: Field) -> None:
        start = self.position
        count = self._length(_INT32, field.is_flexible)
        if count == -1 and field.is_nullable:
            return
        left = (len(self.data) - self.position) // field.element_bytes_min
        if not 0 <= count <= left:
            raise self._wrong(start, f"a count of {count}, where 0 to {left} entries fit", WHOLE)
        self.entries += count
        if self.entries > ENTRIES_MAX:
            raise self._wrong(
                start, f"{self.entries} entries up to here", f"a message has at most {ENTRIES_MAX}"
            )
        name = self.path[-1]
        for index in range(count):
            self.path[-1] = f"{name}[{index}]"
            self._value(field, is_nullable=False)

    def _value(self, field: Field, *, is_nullable: bool) -> None:
        kind = field.kind
        if isinstance(kind, Entity):
            if not is_nullable or self.data[self._take(1)] != 0xFF:
                self.entity(kind)
            return
        start = self.position
        size = FIXED_BYTES.get(kind)
        if size is not None:
            self._take(size)
            if kind == "bool" and self.data[start] > 1:
                raise self._wrong(start, f"{self.data[start]}, neither 0 nor 1", "send 0 or 1")
            return
        size = self._length(_INT16 if kind == "string" else _INT32, field.is_flexible)
        if size == -1 and is_nullable:
            return
        if size < 0:
            raise self._wrong(start, f"a length of {size}", "this field is never null: send a value")
        body = self._take(size)
        if kind == "string":
            try:
                self.data[body : self.position].decode()
            except UnicodeDecodeError as error:
                raise self._wrong(body + error.start, "not UTF-8", "send text in UTF-8") from None

    def _tagged_fields(self, entity: Entity) -> None:
        start, edits = self.position, len(self.edits)
        known, is_known = [], True
        for _ in range(self._count_of_tags()):
            at = self.position
            tag, size = self._varint(), self._varint()
            end = self.position + size
            field = entity.tagged.get(tag)
            if field is None:
                self._take(size)
                is_known = False
                continue
            self._field(field)
            if self.position != end:
                has = self.position - end + size
                raise self._wrong(at, f"tag {tag} has {has} bytes and announces {size}", WHOLE)
            known.append(self.data[at:end])
        if is_known:
            return
        if len(self.edits) != edits:
            raise self._wrong(start, "an unknown tagged field beside and within another", "leave it out")
        self.edits.append((start, self.position, bytes([len(known)]) + b"".join(known)))

    def _count_of_tags(self) -> int:
        """The number of tagged fields. Raises WireError if they cannot fit, or if they are more than 127."""
        start = self.position
        count, left = self._varint(), (len(self.data) - self.position) // 2
        if count > min(left, 127):
            raise self._wrong(start, f"{count} tagged fields, where {min(left, 127)} fit", WHOLE)
        return count

    def _length(self, plain: struct.Struct, is_flexible: bool) -> int:
        """A length or a count; -1 for null."""
        if is_flexible:
            return self._varint() - 1
        found: int = plain.unpack_from(self.data, self._take(plain.size))[0]
        return found

    def _varint(self) -> int:
        start, number = self.position, 0
        for step in range(VARINT_BYTES_MAX):
            byte = self.data[self._take(1)]
            number |= (byte & 0x7F) << 7 * step
            if byte < 0x80:
                return number
        raise self._wrong(start, f"a varint of more than {VARINT_BYTES_MAX} bytes", WHOLE)

    def _take(self, size: int) -> int:
        start, left = self.position, len(self.data) - self.position
        if size > left:
            raise self._wrong(start, f"{size} bytes expected, {left} left", WHOLE)
        self.position = start + size
        return start

    def _wrong(self, position: int, reason: str, remedy: str) -> WireError:
        place = ".".join(self.path)
        return WireError(f"byte {position} ({place})" if place else f"byte {position}", reason, remedy)
