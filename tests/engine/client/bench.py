"""One producer or consumer on a test bench: the test is its kernel, its network and its broker.

Time moves only by `until`; requests lie in `sent` until the test answers or loses them.
"""

from __future__ import annotations

from engine.client.application import Call
from engine.client.ledger import Ledger
from engine.client.producer_client import ProducerClient
from engine.errors import Error
from engine.messages import (
    Connect,
    Disconnect,
    Envelope,
    InitProducerIdResponse,
    MetadataResponse,
    PartitionMetadata,
    PartitionProduceResponse,
    ProduceResponse,
    Send,
)
from engine.profiles import K28
from engine.switches import Switches
from engine.watching import Watch
from tests.engine.watches import SaysAtOnce

PASSES_MAX = 200


class Listening(SaysAtOnce, Watch):
    """Hears every sentence."""

    def __init__(self):
        super().__init__(judging=True, recording=True)
        self.heard = []
        self.facts = []
        self.refusals = []

    def say(self, key, rules, /, **params):
        if self.said is None:
            self.said = key
        self.heard.append((key, params))

    def note(self, key, rules, /, **params):
        self.heard.append((key, params))

    def refuse(self, rule, error, compared, next_key, /, **next_params):
        self.refusals.append((rule, error))

    def fact(self, fact):
        self.facts.append(fact)


class Bench:
    def __init__(self, profile=K28, switches=None, leaders=None, connected=True, **settings):
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
        self.sent = []
        self.effects = []
        self.client.start(0)
        self.settle()

    # -- kernel ----------------------------------------------------------------------------------------

    def settle(self):
        """Run passes and timers that are due now; a Sender that never rests is an error."""
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

    def one_pass(self):
        for _ in range(PASSES_MAX):
            self.watch.said = None
            effects, more = self.client.run_phase(self.now)
            self.carry_out(effects)
            if not more:
                return
        raise AssertionError("a pass does not end")

    def carry_out(self, effects):
        self.effects += effects
        self.sent += [effect for effect in effects if isinstance(effect, Send)]

    def until(self, at):
        """Let time pass; everything due on the way happens."""
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

    def send(self, partition="t-0", size=100):
        self.serial += 1
        return self.call("send", partition=partition, serial=self.serial, size=size)

    def call(self, kind, **args):
        call = Call(kind, args)
        self.carry_out(self.client.call(call, self.now))
        self.settle()
        return call

    # -- network ---------------------------------------------------------------------------------------

    def take(self, api):
        """The oldest request of this kind that was sent."""
        for request in self.sent:
            if request.body.api == api:
                self.sent.remove(request)
                return request
        raise AssertionError(f"no {api} among {[request.body.api for request in self.sent]}")

    def deliver(self, request, body):
        envelope = Envelope(
            0, request.destination, "p1", body, request.correlation_id, True, self.now, self.now
        )
        self.carry_out(self.client.handle(envelope, self.now))
        self.settle()

    def give_producer_id(self, producer_id=7, error=Error.NONE):
        self.deliver(
            self.take("InitProducerId"),
            InitProducerIdResponse(error=error, producer_id=producer_id, producer_epoch=0),
        )

    def answer(self, error=Error.NONE, base_offset=0, log_start_offset=0):
        request = self.take("Produce")
        result = PartitionProduceResponse(
            error=error, base_offset=base_offset, log_start_offset=log_start_offset
        )
        self.deliver(request, ProduceResponse(partitions=dict.fromkeys(request.body.batches, result)))
        return request

    def answer_metadata(self, leaders):
        partitions = {
            name: PartitionMetadata(leader=leader, leader_epoch=0, isr=(1,))
            for name, leader in leaders.items()
        }
        self.deliver(self.take("Metadata"), MetadataResponse(brokers=(1, 2), partitions=partitions))

    def disconnect(self, peer="broker-1"):
        self.sent = [request for request in self.sent if request.destination != peer]
        self.carry_out(self.client.on_disconnected(peer, self.now))
        self.settle()

    def connect(self, peer="broker-1"):
        self.carry_out(self.client.on_connected(peer, self.now))
        self.settle()

    # -- looking ---------------------------------------------------------------------------------------

    def said(self, prefix="client."):
        return [key for key, _ in self.watch.heard if key.startswith(prefix)]

    def forget(self):
        self.watch.heard.clear()

    def connects(self):
        return [effect.peer for effect in self.effects if isinstance(effect, Connect)]

    def disconnects(self):
        return [effect.peer for effect in self.effects if isinstance(effect, Disconnect)]

    def status(self, serial):
        return self.ledger.records[serial].status

    def sequences(self, api="Produce"):
        return [
            (partition, batch.producer_epoch, batch.base_sequence, batch.last_sequence)
            for request in self.sent
            if request.body.api == api
            for partition, batch in request.body.batches.items()
        ]
