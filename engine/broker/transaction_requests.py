"""Requests of transactional producers at a broker: rights first, then its coordinator (TXC-7, TXC-12 to TXC-14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.broker.internal_topics import OFFSETS_TOPIC, TRANSACTION_TOPIC
from engine.broker.request_rules import Arrived, group_read_denied, transactional_id_denied
from engine.broker.transaction_host import Asked, TransactionHost
from engine.errors import EngineError, Error
from engine.java_hash import partition_for
from engine.messages import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    Effects,
    EndTxnRequest,
    EndTxnResponse,
    Envelope,
    InitProducerIdRequest,
    Send,
    UsePartition,
)
from engine.rules import Rule, refusal, say_refused

if TYPE_CHECKING:
    from engine.broker.broker import Broker


_SAYS = ("broker", "client", "api", "resource")
_COMPARES = (("resource", "resource"), ("client", "client"))
ID_RULE: Rule[Arrived] = Rule(
    when=transactional_id_denied,
    answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    spec="PID-9",
    why="broker.transaction_denied",
    next_key="refusal.client_ends",
    says=_SAYS,
    compares=_COMPARES,
)
GROUP_RULE: Rule[Arrived] = Rule(
    when=group_read_denied,
    answer=Error.GROUP_AUTHORIZATION_FAILED,
    spec="TXC-13",
    why="broker.add_offsets_group_denied",
    next_key="refusal.client_aborts",
    says=_SAYS,
    compares=_COMPARES,
)


def host_of(broker: Broker) -> TransactionHost:
    host = broker.transactions
    if host is None:
        raise EngineError(f"{broker.name}: profile {broker.profile.name} has no transactions")
    return host


def _denied(
    broker: Broker, envelope: Envelope, rules: tuple[Rule[Arrived], ...], request: Any
) -> Error | None:
    rule = refusal(rules, Arrived(broker, request, envelope.source))
    if rule is None:
        return None
    facts = {
        "broker": broker.name,
        "client": envelope.source,
        "api": request.api,
        "resource": request.group_id if rule is GROUP_RULE else request.transactional_id,
    }
    say_refused(broker.watch, rule, facts)
    return rule.answer


def _use(broker: Broker, transactional_id: str | None) -> Effects:
    """The id's log partition is used from now on, even when nobody looked it up before."""
    count = broker.internal_topics.get(TRANSACTION_TOPIC)
    if not transactional_id or count is None:
        return []
    partition = f"{TRANSACTION_TOPIC}-{partition_for(transactional_id, count)}"
    return [UsePartition(partition)] if partition in broker.idle else []


def _handled(host: TransactionHost, transactional_id: str | None, now: int) -> Effects:
    """After the coordinator looked at a request: what it wants done."""
    if transactional_id:
        host.touch_id(transactional_id)
    return host.settle(now) + _use(host.broker, transactional_id)


def handle_transactional_init(broker: Broker, envelope: Envelope, now: int) -> Effects | None:
    """InitProducerId with a transactional id (TXC-7); None: a fresh id is needed and the block is used up."""
    request = envelope.body
    if type(request) is not InitProducerIdRequest:
        raise EngineError(f"{broker.name}: {request!r} is not an InitProducerId request")
    host = host_of(broker)
    name = request.transactional_id
    if name and host.coordinator.needs_producer_id(name) and not broker.producer_ids.has_id:
        return None
    expected = None
    if request.producer_id != NO_PRODUCER_ID or request.producer_epoch != NO_PRODUCER_EPOCH:
        expected = (request.producer_id, request.producer_epoch)
    host.coordinator.init_producer_id(
        Asked(envelope.source, envelope.correlation_id, request.api),
        name,
        request.transaction_timeout_ms,
        now,
        expected,
    )
    return _handled(host, name, now)


def handle_add_partitions(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """AddPartitionsToTxn; one denied or unknown topic keeps the others from being tried (TXC-12)."""
    request = envelope.body
    if type(request) is not AddPartitionsToTxnRequest:
        raise EngineError(f"{broker.name}: {request!r} is not an AddPartitionsToTxn request")
    host = host_of(broker)
    asked = Asked(envelope.source, envelope.correlation_id, request.api, request.partitions)
    error = _denied(broker, envelope, (ID_RULE,), request)
    if error is not None:
        errors = dict.fromkeys(request.partitions, error)
    else:
        errors = _topic_errors(broker, request)
        if errors:
            _say_not_attempted(broker, envelope, errors)
    if errors:
        body = AddPartitionsToTxnResponse(errors=errors)
        return [Send(envelope.source, body, envelope.correlation_id, True)]
    host.coordinator.add_partitions(
        asked,
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        frozenset(request.partitions),
        now,
    )
    return _handled(host, request.transactional_id, now)


def _topic_errors(broker: Broker, request: AddPartitionsToTxnRequest) -> dict[str, Error]:
    """Every partition's error when one of them may not or cannot be written; empty: go on."""
    found: dict[str, Error] = {}
    for partition in request.partitions:
        if broker.denied and broker.is_denied("Write", f"topic:{partition.rpartition('-')[0]}"):
            found[partition] = Error.TOPIC_AUTHORIZATION_FAILED
        elif partition not in broker.metadata and partition not in broker.idle:
            found[partition] = Error.UNKNOWN_TOPIC_OR_PARTITION
    if not found:
        return {}
    return {name: found.get(name, Error.OPERATION_NOT_ATTEMPTED) for name in request.partitions}


def _say_not_attempted(broker: Broker, envelope: Envelope, errors: dict[str, Error]) -> None:
    shown = [f"{name}: {error.name}" for name, error in errors.items()]
    broker.watch.say(
        "broker.partitions_not_added", ("TXC-12",), broker=broker.name, client=envelope.source, errors=shown
    )
    first = next(error for error in errors.values() if error is not Error.OPERATION_NOT_ATTEMPTED)
    if broker.watch.recording:
        broker.watch.refuse("TXC-12", first.name, [["partitions", shown]], "refusal.client_aborts")


def handle_add_offsets(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """AddOffsetsToTxn: the group's partition of ``__consumer_offsets`` joins the transaction (TXC-13)."""
    request = envelope.body
    if type(request) is not AddOffsetsToTxnRequest:
        raise EngineError(f"{broker.name}: {request!r} is not an AddOffsetsToTxn request")
    host = host_of(broker)
    error = _denied(broker, envelope, (ID_RULE, GROUP_RULE), request)
    if error is not None:
        body = AddOffsetsToTxnResponse(error=error)
        return [Send(envelope.source, body, envelope.correlation_id, True)]
    number = partition_for(request.group_id, broker.configuration.offsets_partitions)
    partition = f"{OFFSETS_TOPIC}-{number}"
    host.coordinator.add_partitions(
        Asked(envelope.source, envelope.correlation_id, request.api),
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        frozenset((partition,)),
        now,
    )
    if broker.watch.recording:
        broker.watch.note(
            "broker.offsets_partition_joins",
            ("TXC-13", "CTR-36"),
            group=request.group_id,
            partition=partition,
        )
    effects = _handled(host, request.transactional_id, now)
    return [*effects, UsePartition(partition)] if partition in broker.idle else effects


def handle_end_transaction(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """EndTxn (TXC-14)."""
    request = envelope.body
    if type(request) is not EndTxnRequest:
        raise EngineError(f"{broker.name}: {request!r} is not an EndTxn request")
    host = host_of(broker)
    error = _denied(broker, envelope, (ID_RULE,), request)
    if error is not None:
        return [Send(envelope.source, EndTxnResponse(error=error), envelope.correlation_id, True)]
    host.coordinator.end_transaction(
        Asked(envelope.source, envelope.correlation_id, request.api),
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        request.committed,
        now,
    )
    return _handled(host, request.transactional_id, now)
