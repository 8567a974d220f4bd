"""Kafka's requests and responses: from bytes and to bytes."""

from engine.wire.exchange import read_request, write_response
from engine.wire.records import KeptRecords
from engine.wire.request import WireRequest
from engine.wire.wire_error import WireError

__all__ = ["KeptRecords", "WireError", "WireRequest", "read_request", "write_response"]
