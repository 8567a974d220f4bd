"""Records of `__cluster_metadata`, the log of KRaft's controllers; only the partition counts of topics are
read.

Source: KIP-500, KIP-631, Kafka's `MetadataRecordSerde`, `TopicRecord`, `PartitionRecord` and
`RemoveTopicRecord`. A value begins with the frame version (unsigned varint, 1), the API key and the version
(unsigned varints). Fields with compact lengths follow; a uuid is 16 bytes.
"""

from collections.abc import Iterable

from engine.codec.damage import DamagedError
from engine.codec.field_cursor import FieldCursor

TOPIC = "__cluster_metadata"
_FRAME_VERSION = 1
_UUID_BYTES = 16
_TOPIC_RECORD, _PARTITION_RECORD, _REMOVE_TOPIC_RECORD = 2, 3, 9


class TopicPartitions:
    """Counts the partitions of topics: pass the values of all records in the order of the log, then call `count`."""

    def __init__(self) -> None:
        self._ids: dict[str, bytes] = {}
        self._partitions: dict[bytes, set[int]] = {}

    def take(self, values: Iterable[bytes]) -> None:
        """Apply the values. Records of other kinds, and bytes that are no metadata record, are skipped."""
        for value in values:
            try:
                self._take(FieldCursor(value))
            except DamagedError:
                continue

    def count(self, topic: str) -> int | None:
        """Number of partitions of `topic`; None unless the records name every partition below the highest."""
        numbers = self._partitions.get(self._ids.get(topic, b""), set())
        return len(numbers) if numbers and max(numbers) == len(numbers) - 1 else None

    def _take(self, cursor: FieldCursor) -> None:
        if cursor.unsigned_varint() != _FRAME_VERSION:
            return
        kind = cursor.unsigned_varint()
        cursor.unsigned_varint()
        if kind == _TOPIC_RECORD:
            name = cursor.text(compact=True)
            self._ids[name] = cursor.take(_UUID_BYTES)
        elif kind == _PARTITION_RECORD:
            number = cursor.int32()
            self._partitions.setdefault(cursor.take(_UUID_BYTES), set()).add(number)
        elif kind == _REMOVE_TOPIC_RECORD:
            self._partitions.pop(cursor.take(_UUID_BYTES), None)
