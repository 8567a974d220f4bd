"""Bytes that are no message are refused before anything is built from them; the refusal names byte, field and
remedy.
"""

from __future__ import annotations

import struct
import tracemalloc

import pytest

from engine.wire import records
from engine.wire.bounds import ENTRIES_MAX, MESSAGE_BYTES_MAX
from engine.wire.exchange import read_request
from engine.wire.message import decode_request, decode_response
from engine.wire.records import KeptRecords
from engine.wire.wire_error import WireError
from tests.engine.wire.recorded import exchanges
from tests.engine.wire.test_exchange import one_batch, produced


def each_kind() -> dict[tuple[str, int], bytes]:
    """Return one recorded request of every API and version."""
    return {(api, version): data for api, version, data, _ in exchanges()}


def test_cut_or_lengthened_bytes_name_their_byte() -> None:
    for data in each_kind().values():
        for end in range(len(data)):
            with pytest.raises(WireError, match="byte"):
                read_request(data[:end], KeptRecords())
        with pytest.raises(
            WireError, match=f"byte {len(data)}: 1 more than the message has; send one message"
        ):
            read_request(data + b"\0", KeptRecords())


def test_a_changed_byte_is_another_request_or_a_wire_error() -> None:
    """Whatever value a byte has, no other exception is raised, and no more memory is used than the size of the bytes
    justifies.
    """
    for data in each_kind().values():
        for place in range(len(data)):
            for value in (0x00, 0x01, 0x7F, 0x80, 0xFF):
                changed = data[:place] + bytes([value]) + data[place + 1 :]
                try:
                    read_request(changed, KeptRecords())
                except WireError:
                    continue


def test_a_changed_response_is_another_response_or_a_wire_error() -> None:
    kinds = {(api, version): (data, answer) for api, version, data, answer in exchanges() if answer}
    for data, answer in kinds.values():
        header = decode_request(data).header
        for place in range(min(len(answer), 200)):
            for value in (0x00, 0x7F, 0xFF):
                changed = answer[:place] + bytes([value]) + answer[place + 1 :]
                try:
                    decode_response(changed, header.request_api_key, header.request_api_version)
                except WireError:
                    continue


@pytest.mark.parametrize(
    "count", [b"\x7f\xff\xff\xff", b"\x00\x10\x00\x00", b"\xff\xff\xff\xff", b"\x80\0\0\0"]
)
def test_a_count_that_the_bytes_cannot_hold_costs_nothing(count: bytes) -> None:
    data = produced()[:-4] + count
    tracemalloc.start()
    with pytest.raises(WireError, match=r"byte 18 \(topic_data\): a count of .*, where 0 to 0 entries fit"):
        read_request(data, KeptRecords())
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_compact_count_of_billions_costs_nothing() -> None:
    data = struct.pack(">hhihB", 24, 3, 1, -1, 0) + b"\x02a" + struct.pack(">qh", 1, 1)
    with pytest.raises(WireError, match=r"\(v3_and_below_topics\): a count of"):
        read_request(data + b"\xff\xff\xff\xff\x7f\0", KeptRecords())
    with pytest.raises(WireError, match="a varint of more than 5 bytes"):
        read_request(data + b"\xff\xff\xff\xff\xff\x01\0", KeptRecords())


def test_a_message_has_bounds_of_bytes_and_entries() -> None:
    with pytest.raises(WireError, match=f"at most {MESSAGE_BYTES_MAX}: send several"):
        read_request(each_kind()["Produce", 8] + bytes(MESSAGE_BYTES_MAX), KeptRecords())
    numbers = struct.pack(">i", ENTRIES_MAX) + bytes(4 * ENTRIES_MAX)
    asked = struct.pack(">hhih", 9, 1, 1, -1) + b"\0\1g" + struct.pack(">i", 1) + b"\0\1t" + numbers
    with pytest.raises(WireError, match=f"a message has at most {ENTRIES_MAX}"):
        read_request(asked, KeptRecords())


def test_records_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "KEPT_BYTES_MAX", 2 * len(one_batch()))
    kept, data = KeptRecords(), produced(("t", [(0, one_batch())]))
    read_request(data, kept)
    read_request(data, kept)
    with pytest.raises(WireError, match="bytes are kept already; at most"):
        read_request(data, kept)


def with_tags(tags: bytes) -> bytes:
    """Return a recorded EndTxn of a flexible version, with these tagged fields at its end."""
    data = each_kind()["EndTxn", 3]
    assert data[-1] == 0
    return data[:-1] + tags


def test_an_unknown_tagged_field_is_passed_over() -> None:
    plain = read_request(with_tags(b"\0"), KeptRecords())
    assert read_request(with_tags(b"\x02\x07\x01x\x09\0"), KeptRecords()) == plain
    with pytest.raises(WireError, match="3 bytes expected, 1 left"):
        read_request(with_tags(b"\x01\x07\x03x"), KeptRecords())
    with pytest.raises(WireError, match="127 tagged fields, where 0 fit"):
        read_request(with_tags(b"\x7f"), KeptRecords())


def test_a_text_that_is_no_text_and_a_flag_that_is_no_flag_are_named() -> None:
    data = each_kind()["EndTxn", 3]
    text = data.index(b"w-")
    with pytest.raises(WireError, match=rf"byte {text} \(transactional_id\): not UTF-8"):
        read_request(data[:text] + b"\xff" + data[text + 1 :], KeptRecords())
    with pytest.raises(WireError, match=r"\(committed\): 2, neither 0 nor 1"):
        read_request(data[:-2] + b"\2\0", KeptRecords())


def test_a_field_that_is_never_null_is_named() -> None:
    asked = struct.pack(">hhih", 26, 0, 1, -1) + struct.pack(">h", -1) + struct.pack(">qhb", 1, 1, 1)
    with pytest.raises(
        WireError, match=r"byte 10 \(transactional_id\): a length of -1; this field is never null"
    ):
        read_request(asked, KeptRecords())
