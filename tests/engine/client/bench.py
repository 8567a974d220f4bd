"""A test bench for one producer or consumer: the test takes the place of the kernel, the network and the broker.

Time advances only by `until`; requests stay in `sent` until the test answers or drops them.
"""

from __future__ import annotations

from typing import Any

from engine.client.application import Call
from engine.client.ledger import Ledger
from engine.client.producer_client import ProducerClient
from engine.errors import Error
from engine.messages import (
    Connect,
    Disconnect,
    Effect,
    Envelope,
    InitProducerIdResponse,
    MetadataResponse,
    PartitionMetadata,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    Send,
)
from engine.profile import Profile
from engine.profiles import K28
from engine.switches import Switches
from tests.engine.broker.watched import NoJudges
from tests.engine.narrowing import api_of, of
from tests.engine.watches import SaysAtOnce

PASSES_MAX = 200


class Listening(SaysAtOnce):
    """Keeps every sentence, fact and refusal that the client reports."""

    def __init__(self) -> None:
        super().__init__(NoJudges(), recording=True)
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.facts: list[object] = []
        self.refusals: list[tuple[str, str]] = []

    def say(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        if self.said is None:
            self.said = key
        self.heard.append((key, params))

    def note(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        self.heard.append((key, params))

    def refuse(
        self, rule: str, error: str, compared: list[list[Any]], next_key: str, /, **next_params: Any
    ) -> None:
        self.refusals.append((rule, error))

    def fact(self, fact: object) -> None:
        self.facts.append(fact)


class Bench:
    def __init__(
        self,
        profile: Profile = K28,
        switches: Switches | None = None,
        leaders: dict[str, int | None] | None = None,
        connected: bool = True,
        **settings: Any,
    ) -> None:
        self.watch = Listening()
        self.ledger = Ledger(self.watch)
        self.client = ProducerClient(
            "p1", settings, profile, switches or Switches(), self.watch, self.ledger, (1, 2)
        )
        self.client.preset_metadata({"t-0": 1, "t-1": 1} if leaders is None else leaders, (1, 2))
        if connected:
            self.client.preset_connected(("broker-1", "broker-2"))
        self.now = 0
        self.serial = 0
        self.sent: list[Send] = []
        self.effects: list[Effect] = []
        self.client.start(0)
        self.settle()

    # -- kernel ----------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Run the passes and timers that are due now; a Sender that never comes to rest is an error."""
        for _ in range(PASSES_MAX):
            timer = self.client.next_timer()
            if timer is not None and timer <= self.now:
                self.carry_out(self.client.on_timer(self.now))
                continue
            due = self.client.pass_due()
            if due is None or due > self.now:
                return
            self.one_pass()
        raise AssertionError(f"the Sender does not rest at {self.now}")

    def one_pass(self) -> None:
        for _ in range(PASSES_MAX):
            self.watch.said = None
            effects, more = self.client.run_phase(self.now)
            self.carry_out(effects)
            if not more:
                return
        raise AssertionError("a pass does not end")

    def carry_out(self, effects: list[Effect]) -> None:
        self.effects += effects
        self.sent += [effect for effect in effects if isinstance(effect, Send)]

    def until(self, at: int) -> None:
        """Let time pass until ``at``; whatever becomes due before happens at its time."""
        while True:
            times = [time for time in (self.client.pass_due(), self.client.next_timer()) if time is not None]
            soonest = min(times, default=at + 1)
            if soonest > at:
                break
            assert soonest > self.now, "time must advance"
            self.now = soonest
            self.settle()
        self.now = at

    # -- application -----------------------------------------------------------------------------------

    def send(self, partition: str = "t-0", size: int = 100) -> Call:
        self.serial += 1
        return self.call("send", partition=partition, serial=self.serial, size=size)

    def call(self, kind: str, **args: Any) -> Call:
        call = Call(kind, args)
        self.carry_out(self.client.call(call, self.now))
        self.settle()
        return call

    # -- network ---------------------------------------------------------------------------------------

    def take(self, api: str) -> Send:
        """Remove the oldest request of this API from `sent` and return it."""
        for request in self.sent:
            if api_of(request.body) == api:
                self.sent.remove(request)
                return request
        raise AssertionError(f"no {api} among {[api_of(request.body) for request in self.sent]}")

    def deliver(self, request: Send, body: object) -> None:
        envelope = Envelope(
            0, request.destination, "p1", body, request.correlation_id, True, self.now, self.now
        )
        self.carry_out(self.client.handle(envelope, self.now))
        self.settle()

    def give_producer_id(self, producer_id: int = 7, error: Error = Error.NONE) -> None:
        self.deliver(
            self.take("InitProducerId"),
            InitProducerIdResponse(error=error, producer_id=producer_id, producer_epoch=0),
        )

    def answer(self, error: Error = Error.NONE, base_offset: int = 0, log_start_offset: int = 0) -> Send:
        request = self.take("Produce")
        result = PartitionProduceResponse(
            error=error, base_offset=base_offset, log_start_offset=log_start_offset
        )
        self.deliver(
            request,
            ProduceResponse(partitions=dict.fromkeys(of(ProduceRequest, request.body).batches, result)),
        )
        return request

    def answer_metadata(self, leaders: dict[str, int | None]) -> None:
        partitions = {
            name: PartitionMetadata(leader=leader, leader_epoch=0, isr=(1,))
            for name, leader in leaders.items()
        }
        self.deliver(self.take("Metadata"), MetadataResponse(brokers=(1, 2), partitions=partitions))

    def disconnect(self, peer: str = "broker-1") -> None:
        self.sent = [request for request in self.sent if request.destination != peer]
        self.carry_out(self.client.on_disconnected(peer, self.now))
        self.settle()

    def connect(self, peer: str = "broker-1") -> None:
        self.carry_out(self.client.on_connected(peer, self.now))
        self.settle()

    # -- looking ---------------------------------------------------------------------------------------

    def said(self, prefix: str = "client.") -> list[str]:
        return [key for key, _ in self.watch.heard if key.startswith(prefix)]

    def forget(self) -> None:
        self.watch.heard.clear()

    def connects(self) -> list[str]:
        return [effect.peer for effect in self.effects if isinstance(effect, Connect)]

    def disconnects(self) -> list[str]:
        return [effect.peer for effect in self.effects if isinstance(effect, Disconnect)]

    def status(self, serial: int) -> str:
        return self.ledger.records[serial].status

    def sequences(self, api: str = "Produce") -> list[tuple[str, int, int, int]]:
        return [
            (partition, batch.producer_epoch, batch.base_sequence, batch.last_sequence)
            for request in self.sent
            if api_of(request.body) == api
            for partition, batch in of(ProduceRequest, request.body).batches.items()
        ]
