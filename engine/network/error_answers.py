"""The answer with an error to any request: what a fault script puts in a receiver's mouth (GEN-6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.errors import Error, Refused
from engine.messages import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    FetchRequest,
    FetchResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)


def _produce(request: ProduceRequest, error: Error, log_start: int) -> ProduceResponse:
    answer = PartitionProduceResponse(error=error, log_start_offset=log_start)
    return ProduceResponse(partitions=dict.fromkeys(request.batches, answer))


def _markers(request: WriteTxnMarkersRequest, error: Error, log_start: int) -> WriteTxnMarkersResponse:
    errors: dict[int, dict[str, Error]] = {}
    for entry in request.entries:
        errors.setdefault(entry.producer_id, {}).update(dict.fromkeys(entry.partitions, error))
    return WriteTxnMarkersResponse(errors=errors)


def _find(request: FindCoordinatorRequest, error: Error, log_start: int) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(key=request.key, key_type=request.key_type, error=error)


def _init(request: InitProducerIdRequest, error: Error, log_start: int) -> InitProducerIdResponse:
    return InitProducerIdResponse(error=error)


def _add(request: AddPartitionsToTxnRequest, error: Error, log_start: int) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(errors=dict.fromkeys(request.partitions, error))


def _add_offsets(request: AddOffsetsToTxnRequest, error: Error, log_start: int) -> AddOffsetsToTxnResponse:
    return AddOffsetsToTxnResponse(error=error)


def _end(request: EndTxnRequest, error: Error, log_start: int) -> EndTxnResponse:
    return EndTxnResponse(error=error)


def _txn_offsets(request: TxnOffsetCommitRequest, error: Error, log_start: int) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(errors=dict.fromkeys(request.offsets, error))


def _offsets(request: OffsetCommitRequest, error: Error, log_start: int) -> OffsetCommitResponse:
    return OffsetCommitResponse(errors=dict.fromkeys(request.offsets, error))


def _offset_fetch(request: OffsetFetchRequest, error: Error, log_start: int) -> OffsetFetchResponse:
    return OffsetFetchResponse(error=error, offsets={})


def _fetch(request: FetchRequest, error: Error, log_start: int) -> FetchResponse:
    return FetchResponse(partition=request.partition, error=error, log_start_offset=max(0, log_start))


_ANSWERS: dict[type, Callable[[Any, Error, int], object]] = {
    ProduceRequest: _produce,
    WriteTxnMarkersRequest: _markers,
    FindCoordinatorRequest: _find,
    InitProducerIdRequest: _init,
    AddPartitionsToTxnRequest: _add,
    AddOffsetsToTxnRequest: _add_offsets,
    EndTxnRequest: _end,
    TxnOffsetCommitRequest: _txn_offsets,
    OffsetCommitRequest: _offsets,
    OffsetFetchRequest: _offset_fetch,
    FetchRequest: _fetch,
}


def error_answer(request: object, error: Error, log_start: int) -> object:
    """The response to ``request`` in which everything failed with ``error``; Refused when there is none."""
    make = _ANSWERS.get(type(request))
    if make is None:
        known = sorted(found.api for found in _ANSWERS)  # type: ignore[attr-defined]
        asked = type(request).__name__
        raise Refused("GEN-6", "faults.error", "no_error_answer", request=asked, known=known)
    return make(request, error, log_start)


def with_error(response: object, error: Error) -> object:
    """A real answer with its error replaced: what was done stays done."""
    if isinstance(response, ProduceResponse):
        return ProduceResponse(
            partitions={name: PartitionProduceResponse(error=error) for name in response.partitions}
        )
    if isinstance(response, WriteTxnMarkersResponse):
        return WriteTxnMarkersResponse(
            errors={producer: dict.fromkeys(answers, error) for producer, answers in response.errors.items()}
        )
    if isinstance(response, AddPartitionsToTxnResponse | TxnOffsetCommitResponse | OffsetCommitResponse):
        return type(response)(errors=dict.fromkeys(response.errors, error))
    if isinstance(response, FindCoordinatorResponse):
        return FindCoordinatorResponse(key=response.key, key_type=response.key_type, error=error)
    if isinstance(response, InitProducerIdResponse | AddOffsetsToTxnResponse | EndTxnResponse):
        return type(response)(error=error)
    return response
