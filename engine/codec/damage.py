"""Damage in bytes: the place, the expected value and the value that was found."""

from dataclasses import dataclass
from enum import StrEnum


class DamageKind(StrEnum):
    """The kind of a damaged place. The value is its name on the command line and in bundles; `sentence_key` leads to
    the page's sentence."""

    TRUNCATED_HEADER = "file ends inside a batch header"
    TRUNCATED_BATCH = "file ends inside a batch"
    ZEROS = "only zero bytes from here to the end of the file"
    LOST = "only zero bytes where the offset index names a batch"
    LENGTH = "batch length"
    LENGTH_SUSPECT = "no batch follows where the length of this one points"
    MAGIC = "magic"
    CRC = "checksum (CRC-32C)"
    BASE_OFFSET = "base offset"
    LAST_OFFSET_DELTA = "last offset delta"
    RECORD_COUNT = "record count"
    CODEC = "compression codec"
    DECOMPRESSION = "compressed records"
    VARINT = "varint"
    FIELD_LENGTH = "length of a field"
    RECORD_LENGTH = "record length"
    RECORD_OFFSET = "offset delta of a record"
    HEADER_COUNT = "header count"
    TRAILING_BYTES = "bytes after the last record"
    CONTROL_COUNT = "number of records in a control batch"
    CONTROL_KEY = "key of a control record"
    CONTROL_VALUE = "value of a control record"
    TEXT = "text that is not UTF-8"
    VERSION = "version of a key or value"
    TRANSACTION_STATUS = "status of a transaction"
    CONTROL_VERSION = "version of a control record"
    REPORTED = "damage that a text or a bundle reports, and not what was expected and found"

    @property
    def sentence_key(self) -> str:
        """The key of the sentence in `engine/explain/catalogue/log.toml`: `log.damage.` and the member's name in
        lower case. REPORTED keeps the older key that stored log cases contain."""
        return "log.damage.told" if self is DamageKind.REPORTED else f"log.damage.{self.name.lower()}"


@dataclass(frozen=True, slots=True)
class Damage:
    """One damaged place."""

    kind: DamageKind
    position: int
    """The byte in the file (or in the given buffer), counted from 0. Inside compressed records: the byte at
    which the compressed block starts."""
    expected: str
    """The expected value: a number, a range or a size. It has no words, so that it needs no translation."""
    found: str
    """The value that was found, in the same form as ``expected``."""
    ends_file: bool = False
    """Whether nothing after this place can be read, because the next batch cannot be located."""

    def __str__(self) -> str:
        line = f"byte {self.position}: {self.kind.value}: expected {self.expected}, found {self.found}"
        return line + ("; the rest of the file cannot be read" if self.ends_file else "")


class DamagedError(ValueError):
    """The error of the functions that decode one object. When a segment is read, the damage becomes part of a
    row instead."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(str(damage))
        self.damage = damage


def damaged(kind: DamageKind, position: int, expected: object, found: object) -> DamagedError:
    """The error for one damaged place that does not end the file."""
    return DamagedError(Damage(kind, position, str(expected), str(found)))
