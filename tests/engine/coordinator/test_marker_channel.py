"""Which markers the channel queues separately, and which partitions remain after an unexpected response (MRK-1,
MRK-8).
"""

from __future__ import annotations

import pytest

from engine.coordinator.coordinator_effects import SendMarkers
from engine.coordinator.marker_channel import MarkerChannel
from engine.errors import Error
from engine.events import MarkersGivenUp
from engine.messages import WriteTxnMarkersResponse
from engine.recording import Judged
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from tests.engine.broker.watched import NoJudges
from tests.engine.narrowing import of, present

LOG_PARTITIONS = {"a": 7, "b": 3, "c": 7}
PRODUCERS = {"a": 1, "b": 2, "c": 3}


class Around:
    """Broker 1 leads all partitions but ``far-0``, whose leader, broker 2, cannot be reached."""

    def leader_of(self, partition: str) -> int:
        return 2 if partition == "far-0" else 1

    def knows(self, partition: str) -> bool:
        return True

    def is_reachable(self, broker_id: int) -> bool:
        return broker_id == 1

    def log_partition(self, transactional_id: str) -> int:
        return LOG_PARTITIONS[transactional_id]

    def coordinator_epoch(self, transactional_id: str) -> int:
        return 4

    def has_metadata(self, transactional_id: str) -> bool:
        return True


class Judging(Judged):
    def __init__(self) -> None:
        super().__init__(NoJudges())
        self.facts: list[object] = []

    def fact(self, fact: object) -> None:
        self.facts.append(fact)


def channel_with(newer_completion_stays: bool = False, **partitions_of: tuple[str, ...]) -> MarkerChannel:
    made = MarkerChannel(
        "broker-1",
        Around(),
        watch=Judging(),
        retries_storage_error=True,
        newer_completion_stays=newer_completion_stays,
        retry=True,
    )
    for name, partitions in partitions_of.items():
        made.hand_over(
            SendMarkers(
                transactional_id=name,
                result="COMMIT",
                producer_id=PRODUCERS[name],
                producer_epoch=0,
                coordinator_epoch=4,
                partitions=partitions,
            )
        )
    return made


def queued(made: MarkerChannel) -> list[str]:
    return [marker.transactional_id for marker in made.queue_of(1)]


def test_a_queue_is_in_the_order_of_the_log_partitions_and_of_handing_over() -> None:
    made = channel_with(a=("t-0",), b=("t-0",), c=("t-0",))
    assert queued(made) == ["b", "a", "c"]
    assert [entry.producer_id for entry in made.drain(1, 9, 100)] == [2, 1, 3]


def test_resigning_a_log_partition_takes_its_markers_out_of_every_queue() -> None:
    made = channel_with(a=("t-0", "far-0"), b=("t-0", "far-0"), c=("t-0",))
    made.resign(7)
    assert queued(made) == ["b"]
    assert [marker.transactional_id for marker in made.parked] == ["b"]
    assert list(made.waiting) == ["b"]


def test_after_an_answer_that_throws_the_rest_of_it_is_not_looked_at() -> None:
    made = channel_with(a=("t-0", "t-1", "t-2"), b=("t-0",), c=("t-0",))
    made.drain(1, 9, 100)
    answers = {
        2: {"t-0": Error.NONE},
        1: {"t-0": Error.NONE, "t-1": Error.NOT_ENOUGH_REPLICAS, "t-2": Error.INVALID_REQUIRED_ACKS},
        3: {"t-0": Error.NONE},
    }
    made.on_response(1, 9, WriteTxnMarkersResponse(errors=answers))
    # In the response, b comes before the unexpected error and c after it; of a, the partitions that might be sent
    # again are not.
    assert made.finished == ["b"]
    assert {name: waiting.passed_over for name, waiting in made.waiting.items()} == {
        "a": ("t-2", "t-1"),
        "c": ("t-0",),
    }
    assert list(made.waiting["a"].remaining) == ["t-1", "t-2"]
    assert not made.again and made.wanted_brokers() == []
    assert [
        (fact.producer_id, fact.partitions)
        for fact in of(Judging, made.watch).facts
        if type(fact) is MarkersGivenUp
    ] == [
        (1, ("t-2", "t-1")),
        (3, ("t-0",)),
    ]


def test_the_sender_goes_on_after_an_answer_that_throws() -> None:
    made = channel_with(a=("t-0",))
    made.drain(1, 9, 100)
    made.on_response(1, 9, WriteTxnMarkersResponse(errors={1: {"t-0": Error.CORRUPT_MESSAGE}}))
    made.hand_over(
        SendMarkers(
            transactional_id="b",
            result="ABORT",
            producer_id=2,
            producer_epoch=0,
            coordinator_epoch=4,
            partitions=("t-0",),
        )
    )
    assert made.wanted_brokers() == [1]


def test_what_is_queued_elsewhere_is_sent_though_one_leader_refused_for_good() -> None:
    made = channel_with(a=("t-0", "far-0"))
    made.drain(1, 9, 100)
    made.on_response(1, 9, WriteTxnMarkersResponse(errors={1: {"t-0": Error.INVALID_PRODUCER_EPOCH}}))
    assert not made.waiting and not made.finished
    assert [marker.partitions for marker in made.parked] == [("far-0",)]


def test_a_topic_that_is_gone_when_the_connection_ends_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The partitions are removed from the list; if they were the last ones, the transaction is finished
    (``addTxnMarkersToBrokerQueue``).
    """
    made = channel_with(a=("t-0",))
    made.drain(1, 9, 100)
    monkeypatch.setattr(Around, "leader_of", lambda self, partition: None)
    monkeypatch.setattr(Around, "knows", lambda self, partition: False)
    made.on_disconnected(1)
    assert (made.finished, made.waiting) == (["a"], {})


@pytest.mark.parametrize("stays", [False, True])
def test_the_response_to_an_older_elections_marker_cancels_the_newer_completion_up_to_3_7(
    stays: bool,
) -> None:
    """KAFKA-16352: while a marker of coordinator epoch 3 was under way, the coordinator was elected again, with epoch
    4.
    """
    made = channel_with(newer_completion_stays=stays)
    for epoch in (3, 4):
        made.hand_over(
            SendMarkers(
                transactional_id="a",
                result="COMMIT",
                producer_id=1,
                producer_epoch=0,
                coordinator_epoch=epoch,
                partitions=("t-0",),
            )
        )
        if epoch == 3:
            made.drain(1, 9, 100)
    made.on_response(1, 9, WriteTxnMarkersResponse(errors={1: {"t-0": Error.NONE}}))
    assert list(made.waiting) == (["a"] if stays else [])
    made.drain(1, 10, 110)
    made.on_response(1, 10, WriteTxnMarkersResponse(errors={1: {"t-0": Error.NONE}}))
    assert made.finished == (["a"] if stays else [])


def test_only_a_request_that_repeats_a_marker_is_called_sent_again() -> None:
    simulation = Simulation(entry("SC-58").scenario("request-lost"))
    sent = []
    while (step := simulation.step()) is not None:
        if step.key == "markers.sent":
            again = [
                note["params"]["partitions"] for note in step.notes if note["key"] == "markers.sent_before"
            ]
            sent.append((step.params["partitions"], again))
    assert sent == [(["t-0"], []), (["t-0"], [["t-0"]])]


def test_a_denied_marker_is_not_said_to_be_refused_for_an_epoch() -> None:
    simulation = Simulation(entry("SC-44").scenario("k28"))
    for broker in simulation.world.brokers.values():
        broker.permissions.deny("ClusterAction", "cluster", 0)
    steps = list(iter(simulation.step, None))
    refused = [present(step.refusal)["next"] for step in steps if step.key == "broker.markers_denied"]
    assert refused == ["refusal.coordinator_discards_response"] * 2
    assert sum(step.key == "markers.unexpected_answer" for step in steps) == 2
