"""How a broker handles Produce: the rules of the request, verification, the append, and the time of the
answer (LOG-1, LOG-2)."""

from __future__ import annotations

from engine.broker.appending import Appending
from engine.broker.produce_rules import (
    ACKS_ALL,
    PARTITION_RULES,
    REQUEST_RULES,
    partition_unknown,
    refused,
    topic_denied,
)
from engine.broker.setup import Setup
from engine.broker.validation import Origin
from engine.broker.verification import Verification, Verified
from engine.errors import EngineError, Error
from engine.happenings.logs import ConnectionEnded
from engine.messages import (
    Disconnect,
    Effects,
    Envelope,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    RecordBatch,
    Send,
)
from engine.rules import refusal, rules_of


class ProduceHandler:
    """Handles the Produce requests at one broker. ``verification`` None: this version does not verify
    partitions with coordinators."""

    __slots__ = ("_of_partition", "_of_request", "appending", "setup", "verification")

    def __init__(self, setup: Setup, appending: Appending, verification: Verification | None) -> None:
        self.setup = setup
        self.appending = appending
        self.verification = verification
        self._of_request = rules_of(REQUEST_RULES, setup.profile)
        self._of_partition = rules_of(PARTITION_RULES, setup.profile)

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Append the batches that the rules permit, some of them after a verification (LOG-1, LOG-2)."""
        request = envelope.body
        if type(request) is not ProduceRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a Produce request")
        arriving = self.appending.arriving(request)
        rule = refusal(self._of_request, arriving)
        if rule is not None:
            answers = {}
            for partition, batch in request.batches.items():
                arriving.partition, arriving.batch = partition, batch
                answers[partition] = refused(arriving, rule, Origin.CLIENT)
            return self._answer(envelope, request, answers)
        verification = self.verification
        if verification is None or not verification.concerns(request.transaction_version):
            return self._append(envelope, request, None, now)
        asked = verification.of_produce(envelope, request, self._permitted(request), now)
        if asked is not None:
            return verification.go_on(asked, now)
        return self._append(envelope, request, Verified(envelope), now)

    def _permitted(self, request: ProduceRequest) -> dict[str, RecordBatch]:
        """The batches for partitions that this broker knows and whose topics the client may write to."""
        arriving, permitted = self.appending.arriving(request), {}
        for partition, batch in request.batches.items():
            arriving.partition, arriving.replica = partition, self.appending.replicas.get(partition)
            if not topic_denied(arriving) and not partition_unknown(arriving):
                permitted[partition] = batch
        return permitted

    def go_on(self, verified: Verified, now: int) -> Effects:
        """Continue a Produce after the verification of its partitions."""
        request = verified.envelope.body
        if type(request) is not ProduceRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a Produce request")
        return self._append(verified.envelope, request, verified, now)

    def _append(
        self, envelope: Envelope, request: ProduceRequest, verified: Verified | None, now: int
    ) -> Effects:
        done = self.appending.append_all(
            request, self._of_partition, Origin.CLIENT, envelope.source, now, verified
        )
        if done.waits and request.acks == ACKS_ALL:
            self.appending.delayed.wait(
                done.answers,
                done.waits,
                now + request.timeout_ms,
                client=envelope.source,
                correlation_id=envelope.correlation_id,
            )
            return done.effects
        return done.effects + self._answer(envelope, request, done.answers)

    def _answer(
        self, envelope: Envelope, request: ProduceRequest, answers: dict[str, PartitionProduceResponse]
    ) -> Effects:
        """Respond, or with acks=0 close the connection if an append failed
        (``KafkaApis.handleProduceRequest``)."""
        if request.acks != 0:
            return [Send(envelope.source, ProduceResponse(partitions=answers), envelope.correlation_id, True)]
        if any(answer.error is not Error.NONE for answer in answers.values()):
            self.setup.watch.emit(ConnectionEnded, self.setup.name, envelope.source)
            return [Disconnect(envelope.source)]
        return []
