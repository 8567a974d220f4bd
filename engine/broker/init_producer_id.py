"""How a broker answers InitProducerId (PID-8, PID-9); transactional ids are its coordinator's (TXC-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.broker.request_rules import Arrived, transactional_id_denied
from engine.broker.transaction_requests import handle_transactional_init
from engine.errors import EngineError, Error
from engine.messages import Effects, Envelope, InitProducerIdRequest, InitProducerIdResponse, Send
from engine.rules import Rule, refusal, say_refused

if TYPE_CHECKING:
    from engine.broker.broker import Broker


def idempotent_write_denied(arrived: Arrived) -> bool:
    return arrived.body.transactional_id is None and arrived.broker.is_denied("IdempotentWrite", "cluster")


_SAYS = ("broker", "client", "transactional_id")
_COMPARES = (("transactional id", "transactional_id"), ("client", "client"))
INIT_RULES: tuple[Rule[Arrived], ...] = (
    Rule(
        when=transactional_id_denied,
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        spec="PID-9",
        why="broker.init_transactional_id_denied",
        next_key="refusal.client_ends",
        says=_SAYS,
        compares=_COMPARES,
    ),
    Rule(
        when=idempotent_write_denied,
        answer=Error.CLUSTER_AUTHORIZATION_FAILED,
        spec="PID-9",
        why="broker.init_idempotent_write_denied",
        next_key="refusal.client_ends",
        says=_SAYS,
        compares=_COMPARES,
    ),
)


def handle_init_producer_id(broker: Broker, envelope: Envelope, now: int) -> Effects:
    """A fresh id and epoch 0, no state kept; waits for a claim when the block is used up (PID-5, PID-8)."""
    request = envelope.body
    if type(request) is not InitProducerIdRequest:
        raise EngineError(f"{broker.name}: {request!r} is not an InitProducerId request")
    rule = refusal(INIT_RULES, Arrived(broker, request, envelope.source))
    if rule is not None:
        facts = {
            "broker": broker.name,
            "client": envelope.source,
            "transactional_id": request.transactional_id,
        }
        say_refused(broker.watch, rule, facts)
        body = InitProducerIdResponse(error=rule.answer)
        return [Send(envelope.source, body, envelope.correlation_id, True)]
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
