"""How a broker answers InitProducerId (PID-8, PID-9); requests with a transactional id go to its coordinator
(TXC-7)."""

from __future__ import annotations

from engine.broker.allocated_ids import AllocatedIds
from engine.broker.cluster_view import ClusterView
from engine.broker.permissions import Permissions
from engine.broker.producer_ids import ProducerIdManager
from engine.broker.request_rules import Arrived, transactional_id_denied
from engine.broker.setup import Setup
from engine.broker.transaction_requests import TransactionRequests
from engine.errors import EngineError, Error
from engine.happenings.brokers import BlockUsedUp, NoIdYet, NoProducerIdLeft, ProducerIdIssued
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.requests import RequestRefused
from engine.messages import Effects, Envelope, InitProducerIdRequest, InitProducerIdResponse, Send
from engine.rules import Rule, refusal, rules_of
from engine.topic_partition import topic_of


def idempotent_write_denied(arrived: Arrived) -> bool:
    return arrived.body.transactional_id is None and arrived.permissions.is_denied(
        "IdempotentWrite", "cluster"
    )


def every_write_denied(arrived: Arrived) -> bool:
    """The request has no transactional id, and its client has neither IdempotentWrite on the cluster nor Write
    on any topic (``AuthHelper.authorizeByResourceType``)."""
    permissions = arrived.permissions
    return idempotent_write_denied(arrived) and all(
        permissions.is_denied("Write", f"topic:{topic_of(partition)}")
        for partition in arrived.cluster.metadata
    )


_SAYS = ("broker", "client", "transactional_id")
_COMPARES = ((Compared.TRANSACTIONAL_ID, "transactional_id"), (Compared.CLIENT, "client"))
INIT_RULES: tuple[Rule[Arrived], ...] = (
    Rule(
        when=transactional_id_denied,
        answer=Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        spec="PID-9",
        why=Reason.INIT_TRANSACTIONAL_ID_DENIED,
        then=Next.CLIENT_MAY_INIT_AGAIN,
        says=_SAYS,
        compares=_COMPARES,
    ),
    Rule(
        when=idempotent_write_denied,
        answer=Error.CLUSTER_AUTHORIZATION_FAILED,
        spec="PID-9",
        why=Reason.INIT_IDEMPOTENT_WRITE_DENIED,
        then=Next.CLIENT_MAY_ASK_AGAIN,
        says=_SAYS,
        compares=_COMPARES,
        unless="any_write_suffices",
    ),
    Rule(
        when=every_write_denied,
        answer=Error.CLUSTER_AUTHORIZATION_FAILED,
        spec="PID-9",
        why=Reason.INIT_EVERY_WRITE_DENIED,
        then=Next.CLIENT_MAY_ASK_AGAIN,
        says=_SAYS,
        compares=_COMPARES,
        only_if="any_write_suffices",
    ),
)


class InitProducerIdHandler:
    """Handles the InitProducerId requests at one broker. Owns the requests that wait for a block of ids."""

    __slots__ = ("cluster", "permissions", "producer_ids", "rules", "setup", "transactions", "waiting")

    def __init__(
        self,
        setup: Setup,
        producer_ids: ProducerIdManager | AllocatedIds,
        transactions: TransactionRequests | None,
        cluster: ClusterView,
        permissions: Permissions,
    ) -> None:
        self.setup = setup
        self.rules = rules_of(INIT_RULES, setup.profile)
        self.producer_ids = producer_ids
        self.transactions = transactions
        self.cluster = cluster
        self.permissions = permissions
        self.waiting: list[Envelope] = []

    def crash(self) -> None:
        self.waiting.clear()

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Respond with a new producer id and epoch 0 (PID-8), or let the coordinator handle the request
        (TXC-7). If no id is left, the request waits (PID-5)."""
        request = envelope.body
        if type(request) is not InitProducerIdRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not an InitProducerId request")
        rule = refusal(self.rules, Arrived(request, self.permissions, self.cluster))
        if rule is not None:
            facts = {
                "broker": self.setup.name,
                "client": envelope.source,
                "transactional_id": request.transactional_id,
            }
            self.setup.watch.emit(RequestRefused, rule, facts)
            body = InitProducerIdResponse(error=rule.answer)
            return [Send(envelope.source, body, envelope.correlation_id, True)]
        if not self.waiting or request.transactional_id is not None:
            answered = self._answered(envelope, request, now)
            if answered is not None:
                return answered
        return self._without_id(envelope, now)

    def _without_id(self, envelope: Envelope, now: int) -> Effects:
        """Let the request wait, and claim a block of producer ids."""
        self.waiting.append(envelope)
        block = self.producer_ids.block
        end = None if block is None else block.end
        self.setup.watch.emit(BlockUsedUp, self.setup.name, envelope.source, end)
        return self.producer_ids.claim(now)

    def _answered(self, envelope: Envelope, request: InitProducerIdRequest, now: int) -> Effects | None:
        """Handle the request, and return the effects; None: no producer id is left, so the request has to
        wait."""
        if request.transactional_id is not None:
            if self.transactions is None:
                raise EngineError(f"{self.setup.name}: this version has no transactions")
            return self.transactions.handle_init(envelope, now)
        issued = self._issue(envelope.source, envelope.correlation_id)
        return None if issued is None else [issued]

    def answer_waiting(self, now: int) -> Effects:
        """A claim of a block from ZooKeeper has ended: respond to the waiting requests in their order. A
        request for which no id is left gets UNKNOWN_SERVER_ERROR."""
        effects: Effects = []
        manager = self.producer_ids
        if not isinstance(manager, ProducerIdManager) or manager.claimed is None:
            return effects
        waiting, self.waiting = self.waiting, []
        for envelope in waiting:
            request, client = envelope.body, envelope.source
            answered = None
            if manager.claimed and type(request) is InitProducerIdRequest:
                answered = self._answered(envelope, request, now)
            if answered is None:
                response = InitProducerIdResponse(error=Error.UNKNOWN_SERVER_ERROR)
                self.setup.watch.emit(NoProducerIdLeft, self.setup.name, client)
                answered = [Send(client, response, envelope.correlation_id, True)]
            effects.extend(answered)
        return effects

    def _issue(self, client: str, correlation_id: int) -> Send | None:
        producer_id = self.producer_ids.generate()
        if producer_id is None:
            return None
        block = self.producer_ids.block
        if block is None:
            raise EngineError(f"{self.setup.name}: an id was issued without a block")
        self.setup.watch.emit(
            ProducerIdIssued, self.setup.name, client, producer_id, 0, block.start, block.end
        )
        response = InitProducerIdResponse(error=Error.NONE, producer_id=producer_id, producer_epoch=0)
        return Send(client, response, correlation_id, True)


class AllocatingInitProducerIdHandler(InitProducerIdHandler):
    """The handler in versions in which the controller hands out blocks: no request waits for a block
    (``RPCProducerIdManager``)."""

    __slots__ = ()

    def _without_id(self, envelope: Envelope, now: int) -> Effects:
        """Respond with COORDINATOR_LOAD_IN_PROGRESS, so that the client sends its request again, and request
        a block of producer ids from the controller."""
        self.setup.watch.emit(NoIdYet, self.setup.name, envelope.source, self.producer_ids.state)
        response = InitProducerIdResponse(error=Error.COORDINATOR_LOAD_IN_PROGRESS)
        answer = Send(envelope.source, response, envelope.correlation_id, True)
        return [answer, *self.producer_ids.claim(now)]


def handler_of(producer_ids: ProducerIdManager | AllocatedIds) -> type[InitProducerIdHandler]:
    """The class of the handler, which depends on where the broker gets its blocks of producer ids."""
    if isinstance(producer_ids, AllocatedIds):
        return AllocatingInitProducerIdHandler
    return InitProducerIdHandler
