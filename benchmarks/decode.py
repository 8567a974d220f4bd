"""How fast segments are decoded: prints `name value unit` lines.

Two segments are made in memory: one of many small batches (5 records of 100 bytes, as a producer writes that does not
wait for more records) and one of few large batches (100 records of 1,000 bytes). Each segment is read five times,
with records and checksums; the fastest reading counts. The checksum alone is also measured once; that time includes
the building of its tables.
"""

import time

from engine.codec.crc32c import crc32c
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from engine.codec.segment import BatchRow, SegmentReader

ROUNDS = 5
MEGABYTE = 1_000_000


def segment(batches: int, records: int, value_bytes: int) -> bytes:
    """Return the bytes of a segment of ``batches`` idempotent batches with ``records`` records each."""
    value, made = bytes(range(256)) * (value_bytes // 256 + 1), []
    for number in range(batches):
        first = number * records
        content = [
            Record(first + index, 1_600_000_000_000 + index, b"key", value[:value_bytes])
            for index in range(records)
        ]
        made.append(
            encode_batch(content, base_offset=first, producer_id=1, producer_epoch=0, base_sequence=first)
        )
    return b"".join(made)


def best_seconds(data: bytes, records: int) -> float:
    """Read the whole segment `ROUNDS` times and return the seconds of the fastest reading."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        read = sum(len(row.records) for row in SegmentReader().rows(data) if isinstance(row, BatchRow))
        best = min(best, time.perf_counter() - begin)
        assert read == records
    return best


def main() -> None:
    for name, batches, records, value_bytes in (("small", 2000, 5, 100), ("large", 50, 100, 1000)):
        data = segment(batches, records, value_bytes)
        seconds = best_seconds(data, batches * records)
        print(f"decode_{name}_batches {len(data) / MEGABYTE / seconds:.1f} MB/s")
        print(f"decode_{name}_batches_records {batches * records / seconds:.0f} records/s")
    data = bytes(range(256)) * 4096
    begin = time.perf_counter()
    crc32c(data)
    print(f"crc32c_pure_python {len(data) / MEGABYTE / (time.perf_counter() - begin):.1f} MB/s")


if __name__ == "__main__":
    main()
