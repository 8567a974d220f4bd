"""Java's hash of a string. From it Kafka computes a partition, or the order of a map (FND-2, ACC-8)."""

from __future__ import annotations

from functools import lru_cache


def java_string_hash(text: str) -> int:
    """``java.lang.String.hashCode`` as a signed 32-bit number, over UTF-16 code units."""
    result = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for index in range(0, len(units), 2):
        result = (31 * result + (units[index] << 8 | units[index + 1])) & 0xFFFFFFFF
    return result - (1 << 32) if result >= 1 << 31 else result


def absolute(value: int) -> int:
    """``Utils.abs``. The smallest integer becomes 0, because no positive integer corresponds to it."""
    return 0 if value == -(1 << 31) else abs(value)


@lru_cache(maxsize=4096)
def partition_for(key: str, partitions: int) -> int:
    """The partition of an internal topic to which a transactional id or group id belongs (FND-2)."""
    return absolute(java_string_hash(key)) % partitions
