"""Values that are decoded one after the other by one reader have the same results as each of them alone, whole or
damaged.
"""

import random
from collections.abc import Iterator

import pytest

from engine.codec import transaction_log_record
from engine.codec.damage import DamagedError
from engine.codec.segment import BatchRow, SegmentReader
from engine.codec.transaction_log_record import TransactionLogValue, ValueReader, decode_value
from tests.engine.codec.kafka_dump import KAFKA_LOGS


def recorded() -> Iterator[bytes]:
    """Yield the values that brokers wrote, of versions 0 and 1."""
    for path in sorted(KAFKA_LOGS.rglob("__transaction_state-*/*.log")):
        for row in SegmentReader().rows(path.read_bytes()):
            if isinstance(row, BatchRow):
                yield from (one.value for one in row.records if one.value is not None)


def said(reader: ValueReader | None, data: bytes) -> TransactionLogValue | str:
    try:
        return decode_value(data) if reader is None else reader.decode(data)
    except DamagedError as error:
        return str(error)


def test_one_behind_the_other_they_say_what_each_says_alone() -> None:
    values, reader, chance = list(recorded()), ValueReader(), random.Random(1)
    assert len(values) > 100
    damaged = 0
    for data in values:
        altered = bytearray(data)
        altered[chance.randrange(len(data))] = chance.choice((0, 1, 9, 0x7F, 0xFF))
        # The reader learns the form of values that it reads. So a damaged value comes before and after an undamaged
        # one of the same form.
        for one in (data, bytes(altered), data, data[:-1], data + b"\0"):
            alone = said(None, one)
            assert said(reader, one) == alone
            damaged += isinstance(alone, str)
    assert damaged > 100


def test_the_forms_that_are_known_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction_log_record, "FORMS_KEPT_MAX", 3)
    reader = ValueReader()
    for data in recorded():
        assert reader.decode(data) == decode_value(data)
        assert len(reader._forms) <= 3
