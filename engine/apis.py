"""The table of Kafka's APIs: one row for each, with the types of its request and response and the properties
that other modules need.

Five things are derived from it: the form of a scenario document, hand-made requests, injected errors, the
partitions and errors of messages in the view, and ``engine/wire``. A new API needs a row here and a handler
in a broker; to be read from bytes, it also needs a reader and a writer in ``engine/wire/apis.py``. The
messages of two-phase commit have a table of their own (``middleware/messages.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError, Error
from engine.messages import (
    FOR_ALL_ELSE,
    FOR_GROUP,
    FOR_MARKERS,
    FOR_VERIFICATION,
    INT_MAX,
    NO_OFFSET,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlterPartitionRequest,
    AlterPartitionResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    CommittedOffset,
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    EndTxnRequest,
    EndTxnResponse,
    FetchRequest,
    FetchResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListTransactionsRequest,
    ListTransactionsResponse,
    MetadataRequest,
    MetadataResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    PartitionEnd,
    PartitionFetchResponse,
    PartitionProduceResponse,
    PartitionProducers,
    ProduceRequest,
    ProduceResponse,
    ReplicaFetchRequest,
    ReplicaFetchResponse,
    TransactionDescription,
    TxnMarkerEntry,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
    ZooKeeperRead,
    ZooKeeperReply,
    ZooKeeperWrite,
)

Names = Iterable[str]


def _about_one(body: Any) -> Names:
    partition = getattr(body, "partition", None)
    return () if partition is None else (partition,)


def _one_error(response: Any) -> Iterable[Error]:
    return (response.error,)


def _unchanged(response: Any, error: Error) -> Any:
    return response


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One API. By default, its messages name at most one partition (in the field ``partition``), its response
    has one error, and ``craft_request`` cannot send its request."""

    request: type
    response: type | None = None
    connection: str = FOR_ALL_ELSE
    """The purpose of the connection that carries the request (GEN-11)."""
    key: int | None = None
    """Kafka's number of the API; None: no client of Kafka sends the request."""
    versions: tuple[int, int] | None = None
    """The lowest and the highest version that ``engine/wire`` reads from bytes; None: it reads none."""
    asks_about: Callable[[Any], Names] = _about_one
    """A function that returns the topic-partitions of a request."""
    answers_about: Callable[[Any], Names] = _about_one
    """A function that returns the topic-partitions of a response."""
    errors: Callable[[Any], Iterable[Error]] | None = _one_error
    """A function that returns all errors in a response; None: a response of this API has no error."""
    answer: Callable[[Any, Error, int], Any] | None = None
    """A function of request, error and log start offset. It returns the response with this error for every
    part of the request. None: no script can inject an error into this API."""
    altered: Callable[[Any, Error], Any] = _unchanged
    """A function of the broker's response and an error. It returns the response with this error in place of
    the broker's. The default returns the response unchanged."""
    crafted: Mapping[str, tuple[type, Any]] = field(default_factory=dict)
    """The fields that ``craft_request`` can set, each with its type and default. Empty: ``craft_request``
    cannot send this request."""
    kept_by: str = ""
    """``zookeeper`` or ``quorum``: only brokers of clusters with that kind of controller send the request;
    empty: all do."""
    only_if: str | None = None
    """The name of a field of :class:`Profile` that is True in the versions whose brokers know the request; None: the
    brokers of all versions know it."""
    craft: Callable[[dict[str, Any]], Any] | None = None
    """A function that makes the request from the fields in ``crafted``; None: the request has exactly these
    fields."""

    @property
    def name(self) -> str:
        name: str = self.request.api  # type: ignore[attr-defined]
        return name

    def made(self, values: dict[str, Any]) -> Any:
        """The request with ``values``, a dict of field in ``crafted`` → value. The values must have been checked
        before (``check_crafted``)."""
        return self.request(**values) if self.craft is None else self.craft(values)


# Structures that several APIs share ----------------------------------------------------------------


def _of_partitions(body: Any) -> Names:
    return tuple(body.partitions)


def _of_offsets(body: Any) -> Names:
    return tuple(body.offsets)


def _of_errors(body: Any) -> Names:
    return tuple(body.errors)


def _of_none(body: Any) -> Names:
    return ()


def _each_error(response: Any) -> Iterable[Error]:
    found: Iterable[Error] = response.errors.values()
    return found


def _verify_answer(
    request: VerifyPartitionsRequest, error: Error, log_start: int
) -> VerifyPartitionsResponse:
    return VerifyPartitionsResponse(
        errors={entry.transactional_id: dict.fromkeys(entry.partitions, error) for entry in request.entries}
    )


def _each_inner_error(response: Any) -> Iterable[Error]:
    return (error for answers in response.errors.values() for error in answers.values())


def _with_one(response: Any, error: Error) -> Any:
    return type(response)(error=error)


def _with_each(response: Any, error: Error) -> Any:
    return type(response)(errors=dict.fromkeys(response.errors, error))


def _tuple_of_partitions(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "partitions": tuple(values["partitions"])}


# The APIs whose responses have a structure of their own ---------------------------------------------


def _of_changes(request: AlterPartitionRequest) -> Names:
    return tuple(request.changes)


def _altered_errors(response: AlterPartitionResponse) -> Iterable[Error]:
    return (response.error, *(answer.error for answer in response.partitions.values()))


def _batches(request: ProduceRequest) -> Names:
    return tuple(request.batches)


def _partition_errors(
    response: ProduceResponse | FetchResponse | ListOffsetsResponse | DescribeProducersResponse,
) -> Iterable[Error]:
    return (answer.error for answer in response.partitions.values())


def _produce_answer(request: ProduceRequest, error: Error, log_start: int) -> ProduceResponse:
    answer = PartitionProduceResponse(error=error, log_start_offset=log_start)
    return ProduceResponse(partitions=dict.fromkeys(request.batches, answer))


def _produce_altered(response: ProduceResponse, error: Error) -> ProduceResponse:
    return ProduceResponse(
        partitions={name: PartitionProduceResponse(error=error) for name in response.partitions}
    )


def _fetch_answer(request: FetchRequest, error: Error, log_start: int) -> FetchResponse:
    answer = PartitionFetchResponse(error=error, log_start_offset=max(0, log_start))
    return FetchResponse(partitions=dict.fromkeys(request.offsets, answer))


def _ends_answer(request: ListOffsetsRequest, error: Error, log_start: int) -> ListOffsetsResponse:
    return ListOffsetsResponse(partitions=dict.fromkeys(request.partitions, PartitionEnd(error=error)))


def _ends_altered(response: ListOffsetsResponse, error: Error) -> ListOffsetsResponse:
    return ListOffsetsResponse(partitions=dict.fromkeys(response.partitions, PartitionEnd(error=error)))


def _find_answer(request: FindCoordinatorRequest, error: Error, log_start: int) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(key=request.key, key_type=request.key_type, error=error)


def _find_altered(response: FindCoordinatorResponse, error: Error) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(key=response.key, key_type=response.key_type, error=error)


def _init_answer(request: InitProducerIdRequest, error: Error, log_start: int) -> InitProducerIdResponse:
    return InitProducerIdResponse(error=error)


def _add_answer(
    request: AddPartitionsToTxnRequest, error: Error, log_start: int
) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(errors=dict.fromkeys(request.partitions, error))


def _craft_add(values: dict[str, Any]) -> AddPartitionsToTxnRequest:
    return AddPartitionsToTxnRequest(**_tuple_of_partitions(values))


def _add_offsets_answer(
    request: AddOffsetsToTxnRequest, error: Error, log_start: int
) -> AddOffsetsToTxnResponse:
    return AddOffsetsToTxnResponse(error=error)


def _end_answer(request: EndTxnRequest, error: Error, log_start: int) -> EndTxnResponse:
    return EndTxnResponse(error=error)


def _of_entries(request: WriteTxnMarkersRequest) -> Names:
    return tuple(partition for entry in request.entries for partition in entry.partitions)


def _of_inner_errors(response: WriteTxnMarkersResponse) -> Names:
    return tuple(partition for answers in response.errors.values() for partition in answers)


def _markers_answer(request: WriteTxnMarkersRequest, error: Error, log_start: int) -> WriteTxnMarkersResponse:
    errors: dict[int, dict[str, Error]] = {}
    for entry in request.entries:
        errors.setdefault(entry.producer_id, {}).update(dict.fromkeys(entry.partitions, error))
    return WriteTxnMarkersResponse(errors=errors)


def _markers_altered(response: WriteTxnMarkersResponse, error: Error) -> WriteTxnMarkersResponse:
    return WriteTxnMarkersResponse(
        errors={producer: dict.fromkeys(answers, error) for producer, answers in response.errors.items()}
    )


def _craft_markers(values: dict[str, Any]) -> WriteTxnMarkersRequest:
    return WriteTxnMarkersRequest(entries=(TxnMarkerEntry(**_tuple_of_partitions(values)),))


def _txn_offsets_answer(
    request: TxnOffsetCommitRequest, error: Error, log_start: int
) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(errors=dict.fromkeys(request.offsets, error))


def _offsets_answer(request: OffsetCommitRequest, error: Error, log_start: int) -> OffsetCommitResponse:
    return OffsetCommitResponse(errors=dict.fromkeys(request.offsets, error))


def _one_offset(values: dict[str, Any]) -> dict[str, Any]:
    partition, offset = values.pop("partition"), values.pop("offset")
    return {**values, "offsets": {partition: CommittedOffset(offset=offset)}}


def _craft_txn_offsets(values: dict[str, Any]) -> TxnOffsetCommitRequest:
    return TxnOffsetCommitRequest(**_one_offset(values))


def _craft_offsets(values: dict[str, Any]) -> OffsetCommitRequest:
    return OffsetCommitRequest(**_one_offset(values))


def _offset_fetch_errors(response: OffsetFetchResponse) -> Iterable[Error]:
    return (response.error,) if response.errors is None else response.errors.values()


def _offset_fetch_answer(request: OffsetFetchRequest, error: Error, log_start: int) -> OffsetFetchResponse:
    return OffsetFetchResponse(error=error, offsets={})


def _leave_answer(request: LeaveGroupRequest, error: Error, log_start: int) -> LeaveGroupResponse:
    return LeaveGroupResponse(error=error)


def _craft_offset_fetch(values: dict[str, Any]) -> OffsetFetchRequest:
    return OffsetFetchRequest(**_tuple_of_partitions(values))


def _producers_answer(
    request: DescribeProducersRequest, error: Error, log_start: int
) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        partitions={name: PartitionProducers(error=error) for name in request.partitions}
    )


def _producers_altered(response: DescribeProducersResponse, error: Error) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        partitions={name: PartitionProducers(error=error) for name in response.partitions}
    )


def _of_described(response: DescribeTransactionsResponse) -> Names:
    return tuple(name for found in response.transactions.values() for name in found.partitions)


def _description_errors(response: DescribeTransactionsResponse) -> Iterable[Error]:
    return (found.error for found in response.transactions.values())


def _description_answer(
    request: DescribeTransactionsRequest, error: Error, log_start: int
) -> DescribeTransactionsResponse:
    return DescribeTransactionsResponse(
        transactions={name: TransactionDescription(error=error) for name in request.transactional_ids}
    )


def _description_altered(
    response: DescribeTransactionsResponse, error: Error
) -> DescribeTransactionsResponse:
    return DescribeTransactionsResponse(
        transactions={name: TransactionDescription(error=error) for name in response.transactions}
    )


def _list_answer(request: ListTransactionsRequest, error: Error, log_start: int) -> ListTransactionsResponse:
    return ListTransactionsResponse(error=error, transactions={})


def _list_altered(response: ListTransactionsResponse, error: Error) -> ListTransactionsResponse:
    return ListTransactionsResponse(error=error, transactions={})


_PRODUCER: dict[str, tuple[type, Any]] = {
    "producer_id": (int, NO_PRODUCER_ID),
    "producer_epoch": (int, NO_PRODUCER_EPOCH),
}
_OFFSET: dict[str, tuple[type, Any]] = {"partition": (str, "t-0"), "offset": (int, 0)}
_VERSION: dict[str, tuple[type, Any]] = {"transaction_version": (int, 0)}
_MEMBER: dict[str, tuple[type, Any]] = {
    "generation_id": (int, -1),
    "member_id": (str, ""),
    "group_instance_id": (str, None),
}

APIS: list[Api] = [
    Api(request=MetadataRequest, response=MetadataResponse, key=3, errors=None),
    Api(
        request=FindCoordinatorRequest,
        response=FindCoordinatorResponse,
        key=10,
        answer=_find_answer,
        altered=_find_altered,
        crafted={"key": (str, ""), "key_type": (str, "TRANSACTION")},
    ),
    Api(
        request=InitProducerIdRequest,
        response=InitProducerIdResponse,
        key=22,
        versions=(0, 5),
        answer=_init_answer,
        altered=_with_one,
        crafted={"transactional_id": (str, None), "transaction_timeout_ms": (int, INT_MAX), **_PRODUCER},
    ),
    Api(
        request=AddPartitionsToTxnRequest,
        response=AddPartitionsToTxnResponse,
        key=24,
        versions=(0, 3),
        asks_about=_of_partitions,
        answers_about=_of_errors,
        errors=_each_error,
        answer=_add_answer,
        altered=_with_each,
        crafted={"transactional_id": (str, ""), **_PRODUCER, "partitions": (list, ())},
        craft=_craft_add,
    ),
    Api(
        request=AddOffsetsToTxnRequest,
        response=AddOffsetsToTxnResponse,
        key=25,
        versions=(0, 4),
        answer=_add_offsets_answer,
        altered=_with_one,
        crafted={"transactional_id": (str, ""), **_PRODUCER, "group_id": (str, "")},
    ),
    Api(
        request=TxnOffsetCommitRequest,
        response=TxnOffsetCommitResponse,
        key=28,
        versions=(0, 5),
        asks_about=_of_offsets,
        answers_about=_of_errors,
        errors=_each_error,
        answer=_txn_offsets_answer,
        altered=_with_each,
        crafted={
            "transactional_id": (str, ""),
            "group_id": (str, ""),
            **_PRODUCER,
            **_OFFSET,
            **_MEMBER,
            **_VERSION,
        },
        craft=_craft_txn_offsets,
    ),
    Api(
        request=EndTxnRequest,
        response=EndTxnResponse,
        key=26,
        versions=(0, 5),
        answer=_end_answer,
        altered=_with_one,
        crafted={"transactional_id": (str, ""), **_PRODUCER, "committed": (bool, True), **_VERSION},
    ),
    Api(
        request=WriteTxnMarkersRequest,
        response=WriteTxnMarkersResponse,
        connection=FOR_MARKERS,
        key=27,
        asks_about=_of_entries,
        answers_about=_of_inner_errors,
        errors=_each_inner_error,
        answer=_markers_answer,
        altered=_markers_altered,
        crafted={
            **_PRODUCER,
            "coordinator_epoch": (int, 0),
            "result": (str, "COMMIT"),
            "partitions": (list, ()),
        },
        craft=_craft_markers,
    ),
    Api(
        request=OffsetCommitRequest,
        response=OffsetCommitResponse,
        connection=FOR_GROUP,
        key=8,
        asks_about=_of_offsets,
        answers_about=_of_errors,
        errors=_each_error,
        answer=_offsets_answer,
        altered=_with_each,
        crafted={"group_id": (str, ""), **_OFFSET, **_MEMBER},
        craft=_craft_offsets,
    ),
    Api(
        request=OffsetFetchRequest,
        response=OffsetFetchResponse,
        connection=FOR_GROUP,
        key=9,
        versions=(1, 7),
        asks_about=_of_none,
        answers_about=_of_offsets,
        errors=_offset_fetch_errors,
        answer=_offset_fetch_answer,
        crafted={"group_id": (str, ""), "partitions": (list, ()), "require_stable": (bool, True)},
        craft=_craft_offset_fetch,
    ),
    Api(
        request=LeaveGroupRequest,
        response=LeaveGroupResponse,
        connection=FOR_GROUP,
        key=13,
        answer=_leave_answer,
        altered=_with_one,
        crafted={"group_id": (str, ""), "member_id": (str, "")},
    ),
    Api(
        request=ProduceRequest,
        response=ProduceResponse,
        key=0,
        versions=(3, 12),
        asks_about=_batches,
        answers_about=_of_partitions,
        errors=_partition_errors,
        answer=_produce_answer,
        altered=_produce_altered,
    ),
    Api(
        request=FetchRequest,
        response=FetchResponse,
        key=1,
        versions=(4, 12),
        asks_about=_of_offsets,
        answers_about=_of_partitions,
        errors=_partition_errors,
        answer=_fetch_answer,
    ),
    Api(
        request=ListOffsetsRequest,
        response=ListOffsetsResponse,
        key=2,
        asks_about=_of_partitions,
        answers_about=_of_partitions,
        errors=_partition_errors,
        answer=_ends_answer,
        altered=_ends_altered,
    ),
    Api(
        request=DescribeProducersRequest,
        response=DescribeProducersResponse,
        key=61,
        versions=(0, 0),
        only_if="describes_producers",
        asks_about=_of_partitions,
        answers_about=_of_partitions,
        errors=_partition_errors,
        answer=_producers_answer,
        altered=_producers_altered,
    ),
    Api(
        request=DescribeTransactionsRequest,
        response=DescribeTransactionsResponse,
        key=65,
        versions=(0, 0),
        only_if="describes_transactions",
        asks_about=_of_none,
        answers_about=_of_described,
        errors=_description_errors,
        answer=_description_answer,
        altered=_description_altered,
    ),
    Api(
        request=ListTransactionsRequest,
        response=ListTransactionsResponse,
        key=66,
        versions=(0, 1),
        only_if="describes_transactions",
        asks_about=_of_none,
        answers_about=_of_none,
        answer=_list_answer,
        altered=_list_altered,
    ),
    Api(request=ReplicaFetchRequest, response=ReplicaFetchResponse),
    Api(request=ZooKeeperRead, kept_by="zookeeper"),
    Api(request=ZooKeeperWrite, kept_by="zookeeper"),
    Api(request=ZooKeeperReply, kept_by="zookeeper"),
    Api(request=BrokerRegistrationRequest, response=BrokerRegistrationResponse, kept_by="quorum"),
    Api(request=BrokerHeartbeatRequest, response=BrokerHeartbeatResponse, kept_by="quorum"),
    Api(request=AllocateProducerIdsRequest, response=AllocateProducerIdsResponse, kept_by="quorum"),
    Api(
        request=AlterPartitionRequest,
        response=AlterPartitionResponse,
        kept_by="quorum",
        asks_about=_of_changes,
        answers_about=_of_partitions,
        errors=_altered_errors,
    ),
]
"""The APIs that clients, brokers and controllers use, in a fixed order; those in ``BETWEEN_BROKERS`` are not among
them."""

BETWEEN_BROKERS: list[Api] = [
    Api(
        request=VerifyPartitionsRequest,
        response=VerifyPartitionsResponse,
        connection=FOR_VERIFICATION,
        key=24,
        versions=(4, 5),
        asks_about=_of_none,
        answers_about=_of_none,
        answer=_verify_answer,
        errors=_each_inner_error,
    ),
]
"""Later versions of APIs in ``APIS``, with the same names. Only brokers send them. Scripts treat both
versions as one API."""


def names() -> tuple[str, ...]:
    """The names of the APIs in ``APIS``, in the same order."""
    return tuple(api.name for api in APIS)


BY_NAME: dict[str, Api] = {api.name: api for api in APIS}
_BY_REQUEST: dict[type, Api] = {api.request: api for api in (*APIS, *BETWEEN_BROKERS)}
_BY_RESPONSE: dict[type, Api] = {
    api.response: api for api in (*APIS, *BETWEEN_BROKERS) if api.response is not None
}
_CONNECTIONS: dict[type, str] = {
    body: api.connection
    for api in (*APIS, *BETWEEN_BROKERS)
    if api.connection
    for body in (api.request, api.response)
    if body is not None
}


def add(api: Api) -> None:
    """Add a row to the table. Call this only before a run begins."""
    APIS.append(api)
    BY_NAME[api.name] = _BY_REQUEST[api.request] = api
    if api.response is not None:
        _BY_RESPONSE[api.response] = api
    if api.connection:
        _CONNECTIONS.update(
            {body: api.connection for body in (api.request, api.response) if body is not None}
        )


def of_request(body: object) -> Api | None:
    """The row of a request; None for a message that is not in the table."""
    return _BY_REQUEST.get(type(body))


def connection_of(body: object) -> str:
    """The purpose of the connection that carries this request or response (``Api.connection``)."""
    return _CONNECTIONS.get(type(body), FOR_ALL_ELSE)


def of_response(body: object) -> Api | None:
    """The row of a response; None for a message that is not in the table."""
    return _BY_RESPONSE.get(type(body))


def answer_with(request: object, error: Error, log_start: int = NO_OFFSET) -> Any:
    """The response with this error for every part of the request; with NONE, a success for every part. Raises
    EngineError if no error can be injected for this request."""
    api = of_request(request)
    if api is None or api.answer is None:
        raise EngineError(f"{request!r} has no answer with an error")
    return api.answer(request, error, log_start)


def partitions_of(body: object) -> tuple[str, ...]:
    """The topic-partitions that a request or response is about; empty if it names none."""
    made = type(body)
    api = _BY_REQUEST.get(made)
    if api is not None:
        return tuple(api.asks_about(body))
    api = _BY_RESPONSE.get(made)
    return tuple(_about_one(body) if api is None else api.answers_about(body))


def error_of(body: object) -> str | None:
    """The first error in a response, ``NONE`` for success; None for a message that has no error."""
    api = _BY_RESPONSE.get(type(body))
    if api is None or api.errors is None:
        return None
    return next((error.name for error in api.errors(body) if error is not Error.NONE), "NONE")
