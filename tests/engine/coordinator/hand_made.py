"""A client that a test controls: it sends requests to the brokers of a real run and keeps their responses."""

from __future__ import annotations

from typing import Any

from engine.explain.sentences import catalogue
from engine.messages import (
    AddPartitionsToTxnRequest,
    EndTxnRequest,
    FindCoordinatorRequest,
    InitProducerIdRequest,
    ProduceRequest,
    RecordBatch,
    Send,
)
from engine.scenario.document import load
from engine.simulation import Simulation
from engine.step import place, pruned
from tests.engine.narrowing import present


class Hand:
    """A role for the component ``crafter``, which keeps every response by its correlation id."""

    name = "crafter"
    alive = True

    def __init__(self, watch: Any) -> None:
        self.watch = watch
        self.answers: dict[int, Any] = {}

    def handle(self, envelope: Any, now: int) -> list[Any]:
        self.answers[envelope.correlation_id] = envelope.body
        return []

    def next_timer(self) -> None:
        return None

    def on_timer(self, now: int) -> list[Any]:
        return []

    def parts(self) -> list[Any]:
        return []


class Stage:
    """A run of three brokers and no other component than the test's client. ``steps`` holds every step as JSON."""

    def __init__(self, watching: str = "recorded", **document: Any) -> None:
        title = {"en": "A stage", "zh-Hans": "舞台"}
        self.simulation = Simulation(load({"id": "SC-TEST", "title": title, **document}), watching=watching)
        self.hand = Hand(self.simulation.watch)
        self.simulation.world.roles["crafter"] = self.hand
        self.steps: list[dict[str, Any]] = []
        self.folded = self.simulation.view() if watching == "recorded" else {}
        self.correlation = 0

    def ask(self, broker: int, body: object) -> int:
        """Send a request. Returns its number; after the response has arrived, ``answer(number)`` returns it."""
        self.correlation += 1
        self.simulation.send("crafter", Send(f"broker-{broker}", body, self.correlation))
        return self.correlation

    def call(self, broker: int, body: object) -> Any:
        """Send a request, step until its response has arrived, and return the response."""
        number = self.ask(broker, body)
        self.play(lambda: number in self.hand.answers)
        return self.hand.answers[number]

    def play(self, until: Any = None, steps: int = 3000) -> None:
        """Step until the condition holds, or to the end of the run. Fails if the condition does not hold then."""
        for _ in range(steps):
            if until is not None and until():
                return
            step = self.simulation.step()
            if step is None:
                break
            if self.simulation.watching == "recorded":
                self._check(step)
        if until is not None:
            assert until(), f"the run ended ({self.simulation.finished}) before it came to that"

    def _check(self, step: Any) -> None:
        shown = step.to_json()
        self.steps.append(shown)
        for sentence in [shown, *shown["notes"]]:
            found = catalogue().get(sentence["key"])
            assert found is not None, f"{sentence['key']} has no sentence"
            for language in ("en", "zh-Hans"):
                missing = found.slots(language) - set(sentence["params"])
                assert not missing, f"{sentence['key']} wants {missing}"
        if shown["refusal"]:
            assert catalogue().get(shown["refusal"]["next"]), shown["refusal"]
            for label, _ in shown["refusal"]["compared"]:
                assert catalogue().get("compared." + label.replace(" ", "_").replace("'", "_")), label
        for path, _, after in step.changes:
            place(self.folded, path, after)
        assert pruned(self.folded) == pruned(self.simulation.view()), shown["key"]

    def said(self) -> list[str]:
        return [item["key"] for step in self.steps for item in [step, *step["notes"]]]

    def error_keys(self) -> list[str]:
        return [step["refusal"]["error"] for step in self.steps if step["refusal"]]

    # -- what a client does ----------------------------------------------------------------------------

    def coordinator(self, key: str = "txn-1", key_type: str = "TRANSACTION") -> int:
        answer = self.call(1, FindCoordinatorRequest(key=key, key_type=key_type))
        assert answer.node is not None, answer
        return int(answer.node)

    def init(self, at: int, name: str = "txn-1", timeout_ms: int = 60_000) -> Any:
        return self.call(at, InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=timeout_ms))

    def add(self, at: int, producer: Any, *partitions: str, name: str = "txn-1") -> Any:
        return self.call(
            at,
            AddPartitionsToTxnRequest(
                transactional_id=name,
                producer_id=producer.producer_id,
                producer_epoch=producer.producer_epoch,
                partitions=partitions,
            ),
        )

    def end(self, at: int, producer: Any, committed: bool = True, name: str = "txn-1") -> Any:
        return self.call(at, self.end_request(producer, committed, name))

    def end_request(self, producer: Any, committed: bool = True, name: str = "txn-1") -> EndTxnRequest:
        return EndTxnRequest(
            transactional_id=name,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            committed=committed,
        )

    def write(self, partition: str, producer: Any, sequence: int = 0, name: str = "txn-1") -> Any:
        """Send one transactional record to the leader of the partition, and return the response."""
        batch = RecordBatch(
            record_count=1,
            last_offset_delta=0,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            base_sequence=sequence,
            last_sequence=sequence,
            is_transactional=True,
            size=161,
            max_timestamp=self.simulation.now,
        )
        leader = self.simulation.world.controller.partitions[partition].leader
        request = ProduceRequest(
            transactional_id=name, acks=-1, timeout_ms=30_000, batches={partition: batch}
        )
        return self.call(present(leader), request).partitions[partition]

    # -- what is there ---------------------------------------------------------------------------------

    def metadata(self, name: str = "txn-1") -> Any:
        """Return what the only coordinator of the transactional id knows about it."""
        found = [
            host.coordinator.metadata[name]
            for host in (broker.transactions for broker in self.simulation.world.brokers.values())
            if host is not None and name in host.coordinator.metadata
        ]
        assert len(found) == 1, f"{len(found)} coordinators hold {name}"
        return found[0]

    def log(self, partition: str, broker: int | None = None) -> Any:
        world = self.simulation.world
        leader = world.controller.partitions[partition].leader if broker is None else broker
        return world.brokers[f"broker-{leader}"].replicas[partition].log

    def markers(self, partition: str) -> list[str]:
        return [batch.control_type for batch in self.log(partition).batches if batch.is_control]

    def images(self, name: str = "txn-1", partition: int = 10) -> list[str | None]:
        """Return the states of the id in the log of ``__transaction_state``, in their order; None for a tombstone."""
        return [
            None if value is None else value.state
            for batch in self.log(f"__transaction_state-{partition}").batches
            for key, value in zip(batch.content.keys, batch.content.values, strict=True)
            if key == name
        ]
