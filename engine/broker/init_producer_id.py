"""How a broker answers InitProducerId (PID-8, PID-9); transactional ids are its coordinator's (TXC-7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.broker.transaction_requests import handle_transactional_init
from engine.errors import EngineError, Error
from engine.messages import Effects, Envelope, InitProducerIdRequest, InitProducerIdResponse, Send

if TYPE_CHECKING:
    from engine.broker.broker import Broker


@dataclass(frozen=True, slots=True, kw_only=True)
class InitCheck:
    """One row: when the guard holds the request is answered ``answer`` and no id is issued."""

    when: Callable[[Broker, InitProducerIdRequest], bool]
    answer: Error
    spec: str
    why: str
    next_key: str


def transactional_id_denied(broker: Broker, request: InitProducerIdRequest) -> bool:
    name = request.transactional_id
    return name is not None and broker.is_denied("Write", f"transactional_id:{name}")


def idempotent_write_denied(broker: Broker, request: InitProducerIdRequest) -> bool:
    return request.transactional_id is None and broker.is_denied("IdempotentWrite", "cluster")


INIT_CHECKS = (
    InitCheck(
        when=transactional_id_denied,
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        spec="PID-9",
        why="broker.init_transactional_id_denied",
        next_key="refusal.client_ends",
    ),
    InitCheck(
        when=idempotent_write_denied,
        answer=Error.CLUSTER_AUTHORIZATION_FAILED,
        spec="PID-9",
        why="broker.init_idempotent_write_denied",
        next_key="refusal.client_ends",
    ),
)


def handle_init_producer_id(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """A fresh id and epoch 0, no state kept; waits for a claim when the block is used up (PID-5, PID-8)."""
    request = envelope.body
    if type(request) is not InitProducerIdRequest:
        raise EngineError(f"{broker.name}: {request!r} is not an InitProducerId request")
    for check in INIT_CHECKS:
        if check.when(broker, request):
            return [_refused(broker, envelope, request, check)]
    if not broker.waiting_for_ids or request.transactional_id is not None:
        answered = _answered(broker, envelope, request, now)
        if answered is not None:
            return answered
    broker.waiting_for_ids.append(envelope)
    block = broker.producer_ids.block
    broker.watch.say(
        "broker.block_used_up",
        ("PID-5", "PID-6"),
        broker=broker.name,
        client=envelope.source,
        end=None if block is None else block.end,
    )
    return broker.producer_ids.claim(now)


def _answered(broker: Broker, envelope: Envelope, request: InitProducerIdRequest, now: int) -> Effects | None:
    """The answer; None when an id is needed and a claim must come first."""
    if request.transactional_id is not None:
        return handle_transactional_init(broker, envelope, now)
    issued = _issue(broker, envelope.source, envelope.correlation_id)
    return None if issued is None else [issued]


def answer_waiting(broker: Broker, now: int) -> Effects:
    """After a claim: issue ids to those who waited, in their order; an exhausted node is a broker error."""
    effects: Effects = []
    if broker.producer_ids.claimed is None:
        return effects
    waiting, broker.waiting_for_ids = broker.waiting_for_ids, []
    for envelope in waiting:
        request, client = envelope.body, envelope.source
        answered = None
        if broker.producer_ids.claimed and type(request) is InitProducerIdRequest:
            answered = _answered(broker, envelope, request, now)
        if answered is None:
            response = InitProducerIdResponse(error=Error.UNKNOWN_SERVER_ERROR)
            broker.watch.say("broker.no_producer_id_left", ("PID-3",), broker=broker.name, client=client)
            answered = [Send(client, response, envelope.correlation_id, True)]
        effects.extend(answered)
    return effects


def _issue(broker: Broker, client: str, correlation_id: int) -> Send | None:
    producer_id = broker.producer_ids.generate()
    if producer_id is None:
        return None
    broker.touch()
    block = broker.producer_ids.block
    if block is None:
        raise EngineError(f"{broker.name}: an id was issued without a block")
    broker.watch.say(
        "broker.producer_id_issued",
        ("PID-1", "PID-5", "PID-8"),
        broker=broker.name,
        client=client,
        producer_id=producer_id,
        producer_epoch=0,
        start=block.start,
        end=block.end,
    )
    if producer_id < 0:
        broker.watch.note(
            "broker.producer_id_overflowed", ("PID-5",), broker=broker.name, producer_id=producer_id
        )
    response = InitProducerIdResponse(error=Error.NONE, producer_id=producer_id, producer_epoch=0)
    return Send(client, response, correlation_id, True)


def _refused(broker: Broker, envelope: Envelope, request: InitProducerIdRequest, check: InitCheck) -> Send:
    watch = broker.watch
    watch.say(
        check.why,
        (check.spec,),
        broker=broker.name,
        client=envelope.source,
        transactional_id=request.transactional_id,
    )
    if watch.recording:
        watch.refuse(
            check.spec,
            check.answer.name,
            [["transactional id", request.transactional_id], ["client", envelope.source]],
            check.next_key,
        )
    return Send(envelope.source, InitProducerIdResponse(error=check.answer), envelope.correlation_id, True)
