"""Every message between real clients and a real Kafka is read from its bytes and written back to the same bytes."""

from __future__ import annotations

from engine.wire.message import decode_request, decode_response, encode
from tests.engine.wire.recorded import KEYS, exchanges


def test_every_recorded_message_is_written_as_it_was_read() -> None:
    messages = 0
    for api, version, request, response in exchanges():
        found = decode_request(request)
        key = found.header.request_api_key
        assert (key, found.header.request_api_version) == (KEYS[api], version)
        assert encode(found) == request
        messages += 1
        if response is not None:
            assert encode(decode_response(response, key, version)) == response
            messages += 1
    assert messages == 1620
