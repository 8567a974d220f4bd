"""A recorded watch that fails if a sentence is missing or incomplete, and a small cluster that tests drive by hand."""

from __future__ import annotations

import string
from collections.abc import Iterable
from typing import Any

from engine.broker.broker import Broker
from engine.broker.configuration import BrokerConfiguration
from engine.broker.replication import fetch_is_useful, make_fetch
from engine.broker.sequence import increment
from engine.broker.startup import start_quietly
from engine.broker.zookeeper_controller import ZooKeeperController
from engine.explain.sentences import catalogue
from engine.messages import (
    Effect,
    Effects,
    Envelope,
    FetchRequest,
    FetchResponse,
    InitProducerIdRequest,
    PartitionFetchResponse,
    ProduceRequest,
    ProduceResponse,
    RecordBatch,
    Send,
)
from engine.profile import Profile
from engine.profiles import K28
from engine.recording import Recorded
from engine.shapes.steps import Broken, Decision
from engine.step import Step
from engine.switches import Switches
from engine.watching import Part, Watch


class NoJudges:
    """Collects the facts of a run, so that a test can check them."""

    def __init__(self) -> None:
        self.facts: list[object] = []

    def take(self, fact: object) -> None:
        self.facts.append(fact)

    def broken(self, step: int) -> list[Broken]:
        return []

    def changed(self) -> list[Part]:
        return []

    def parts(self) -> list[Part]:
        return []


class StrictWatch(Recorded):
    """Fails if something that was reported has no sentence, or if its sentence lacks a parameter."""

    def __init__(self) -> None:
        self.facts_seen = NoJudges()
        super().__init__(self.facts_seen)
        self.keys: set[str] = set()

    def say(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        self._check(key, params)
        assert rules, f"{key} names no requirement"
        super().say(key, rules, **params)

    def note(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        self._check(key, params)
        assert rules, f"{key} names no requirement"
        super().note(key, rules, **params)

    def decide(self, decision: Decision) -> None:
        for row in decision["rows"]:
            self._check(row["key"], row["params"])
        super().decide(decision)

    def refuse(
        self, rule: str, error: str, compared: list[list[Any]], next_key: str, /, **next_params: Any
    ) -> None:
        self._check(next_key, next_params)
        for label, _ in compared:
            self._check("compared." + "_".join(_words(label)), {})
        super().refuse(rule, error, compared, next_key, **next_params)

    def _check(self, key: str, params: dict[str, Any]) -> None:
        self.keys.add(key)
        sentence = catalogue().get(key)
        assert sentence is not None, f"{key} has no sentence"
        for language in ("en", "zh-Hans"):
            missing = sentence.slots(language) - set(params)
            assert not missing, f"{key} in {language} wants {missing}, was given {sorted(params)}"

    def finished(self) -> Step:
        """Finish the current step and return it; the next one begins."""
        step = self.finish(1, 0, "test", "delivery")
        self.said = None
        return step


def _words(label: str) -> list[str]:
    kept = "".join(letter if letter in string.ascii_lowercase else " " for letter in label)
    return kept.split()


class Cluster:
    """Brokers and a controller without a kernel: the test itself carries out announcements, fetches and deliveries."""

    def __init__(
        self,
        *,
        brokers: int = 3,
        profile: Profile = K28,
        switches: Switches | None = None,
        watch: Watch | None = None,
        partitions: dict[str, tuple[int, ...]] | None = None,
        min_isr: int = 1,
        segment_records: int | None = None,
        configuration: BrokerConfiguration | None = None,
        started: bool = True,
    ) -> None:
        self.watch = StrictWatch() if watch is None else watch
        self.now = 0
        self.switches = switches or Switches()
        ids = list(range(1, brokers + 1))
        configuration = configuration or BrokerConfiguration()
        self.controller = ZooKeeperController(watch=self.watch, configuration=configuration, broker_ids=ids)
        self.brokers = {
            broker_id: Broker(
                broker_id,
                profile=profile,
                switches=self.switches,
                watch=self.watch,
                configuration=configuration,
            )
            for broker_id in ids
        }
        for name, replicas in (partitions or {"t-0": tuple(ids)}).items():
            self.controller.create_partition(name, replicas, min_isr=min_isr, segment_records=segment_records)
        self.sent: list[tuple[str, Send]] = []
        """The name of the broker and the effect, for everything that a broker sent to a client, in order."""
        self.announce()
        for broker in self.brokers.values():
            for word in self.controller.announcements_for():
                broker.learn(word, 0)
        if started:
            start_quietly(self.controller, self.brokers.values())
        self._correlation = 0

    @property
    def strict(self) -> StrictWatch:
        assert isinstance(self.watch, StrictWatch)
        return self.watch

    def parts(self) -> list[Part]:
        found = list(self.controller.parts())
        for broker in self.brokers.values():
            found.extend(broker.parts())
        return found

    def announce(self) -> None:
        """Deliver the controller's announcements to every live broker that is not paused."""
        while self.controller.announcements:
            for word in self.controller.take_announcements():
                for broker in self.brokers.values():
                    if broker.alive and not broker.paused:
                        self.carry_out(broker, broker.learn(word, self.now))

    def carry_out(self, broker: Broker, effects: Effects) -> None:
        """Carry out requests to the controller at once, and keep all other messages in `sent`."""
        for effect in effects:
            assert isinstance(effect, Send), effect
            if effect.destination in ("controller", "zookeeper"):
                envelope = Envelope(
                    0, broker.name, effect.destination, effect.body, effect.correlation_id, False, 0, 0
                )
                for reply in self.controller.handle(envelope, self.now):
                    assert isinstance(reply, Send)
                    answer = Envelope(
                        0, "zookeeper", broker.name, reply.body, reply.correlation_id, True, 0, 0
                    )
                    self.carry_out(broker, broker.handle(answer, self.now))
                self.announce()
            else:
                self.sent.append((broker.name, effect))

    def deliver(self, broker_id: int, body: object, client: str = "p1") -> list[Send]:
        """Deliver one request to a broker. Returns the messages that were sent to clients because of it."""
        self._correlation += 1
        broker = self.brokers[broker_id]
        envelope = Envelope(0, client, broker.name, body, self._correlation, False, self.now, self.now)
        before = len(self.sent)
        self.carry_out(broker, broker.handle(envelope, self.now))
        return [send for _, send in self.sent[before:]]

    def produce(
        self,
        broker_id: int,
        batch: RecordBatch,
        *,
        partition: str = "t-0",
        acks: int = -1,
        timeout_ms: int = 30_000,
        transactional_id: str | None = None,
    ) -> list[Send]:
        request = ProduceRequest(
            transactional_id=transactional_id, acks=acks, timeout_ms=timeout_ms, batches={partition: batch}
        )
        return self.deliver(broker_id, request)

    def init_producer_id(self, broker_id: int, client: str = "p1") -> list[Send]:
        return self.deliver(broker_id, InitProducerIdRequest(), client)

    def fetch(
        self, broker_id: int, offset: int, partition: str = "t-0", committed: bool = False
    ) -> PartitionFetchResponse:
        isolation = "read_committed" if committed else "read_uncommitted"
        (send,) = self.deliver(
            broker_id, FetchRequest(offsets={partition: offset}, isolation=isolation), "c1"
        )
        assert isinstance(send.body, FetchResponse)
        return send.body.partitions[partition]

    def leader(self, partition: str = "t-0") -> Broker | None:
        leader = self.controller.partitions[partition].leader
        return None if leader is None else self.brokers[leader]

    def fetch_once(self, partition: str, follower_id: int) -> bool:
        """Let the follower fetch once from its leader. Returns False if that is impossible or would change nothing."""
        leader, follower = self.leader(partition), self.brokers[follower_id]
        if leader is None or leader is follower or not (leader.alive and follower.alive):
            return False
        if leader.paused or follower.paused:
            return False
        if not fetch_is_useful(leader.replicas[partition], follower.replicas[partition]):
            return False
        request = make_fetch(follower.replicas[partition])
        response, effects = leader.copying.on_fetch(request, self.now)
        follower.copying.on_response(response, self.now)
        self.carry_out(leader, effects)
        return True

    def replicate(self, partition: str = "t-0", rounds: int = 20) -> int:
        """Let the followers fetch until no fetch changes anything. Returns the number of fetches."""
        made = 0
        for _ in range(rounds):
            before = made
            for follower_id in self.controller.partitions[partition].replicas:
                made += self.fetch_once(partition, follower_id)
            if made == before:
                return made
        raise AssertionError(f"{partition}: fetches of use never end")

    def crash(self, broker_id: int, *, clean: bool = False) -> None:
        self.brokers[broker_id].crash(self.now, clean=clean)
        self.controller.on_broker_stopped(broker_id, self.now, clean=clean)
        self.announce()

    def end_sessions(self) -> None:
        """Let virtual time pass until the sessions of all silent brokers have ended."""
        while (at := self.controller.next_timer()) is not None:
            self.now = max(self.now, at)
            self.controller.on_timer(self.now)
            self.announce()

    def restart(self, broker_id: int) -> None:
        broker = self.brokers[broker_id]
        self.carry_out(broker, broker.restart(self.now))
        self.controller.on_broker_started(broker_id, self.now)
        for word in self.controller.announcements_for():
            self.carry_out(broker, broker.learn(word, self.now))
        self.announce()

    def log(self, broker_id: int, partition: str = "t-0") -> Any:
        return self.brokers[broker_id].replicas[partition].log

    def serials(self, broker_id: int, partition: str = "t-0") -> list[int]:
        return [serial for batch in self.log(broker_id, partition).batches for serial in batch.serials]


def batch_of(
    first: int = -1,
    count: int = 1,
    *,
    producer_id: int = 0,
    epoch: int = 0,
    serials: Iterable[int] = (),
    transactional: bool = False,
    timestamp: int = 0,
    size: int = 100,
) -> RecordBatch:
    """Return a batch as a client sends it; with ``first`` -1, it is of a producer without idempotence."""
    plain = first == -1
    return RecordBatch(
        record_count=count,
        last_offset_delta=count - 1,
        producer_id=-1 if plain else producer_id,
        producer_epoch=-1 if plain else epoch,
        base_sequence=first,
        last_sequence=-1 if plain else increment(first, count - 1),
        is_transactional=transactional,
        max_timestamp=timestamp,
        size=size,
        serials=tuple(serials),
    )


def answer(sends: Iterable[Effect], partition: str = "t-0") -> tuple[str, int]:
    """Return the error and the base offset in the only response."""
    (send,) = sends
    assert isinstance(send, Send) and isinstance(send.body, ProduceResponse)
    found = send.body.partitions[partition]
    return found.error.name, found.base_offset
