"""A leader asks the coordinator before it appends the first batch of a transaction (KIP-890, first part)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.broker.broker import Broker
from engine.broker.cluster_view import ClusterView
from engine.broker.configuration import BrokerConfiguration
from engine.broker.outgoing import Outgoing
from engine.broker.producer_state import ProducerStateManager
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.broker.verification import Verification, Verified, unguarded, verify
from engine.errors import Error
from engine.messages import (
    FOR_VERIFICATION,
    AddOffsetsToTxnRequest,
    CommittedOffset,
    Connect,
    Disconnect,
    Effects,
    Envelope,
    InitProducerIdResponse,
    LeaderAndIsr,
    ProduceRequest,
    RecordBatch,
    Send,
    TransactionPartitions,
    TxnOffsetCommitRequest,
    UpdateMetadata,
    VerifyPartitionsRequest,
    VerifyPartitionsResponse,
)
from engine.profiles import K28, PROFILES
from engine.switches import Switches
from engine.watching import Watch
from tests.engine.coordinator.hand_made import Stage
from tests.engine.narrowing import of, present


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Three brokers that verify transactions with the coordinator; broker 2 coordinates ``txn-1``."""
    monkeypatch.setitem(PROFILES, "k28", replace(K28, verifies_partitions=True))
    made = Stage(watching="bare", profile="k28")
    assert made.coordinator() == AT
    return made


AT = 2


def produced(producer: InitProducerIdResponse, sequence: int, *partitions: str) -> ProduceRequest:
    """Return a Produce request with one record for each partition."""
    batch = RecordBatch(
        record_count=1,
        last_offset_delta=0,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        base_sequence=sequence,
        last_sequence=sequence,
        is_transactional=True,
        size=70,
    )
    return ProduceRequest("txn-1", -1, 30_000, dict.fromkeys(partitions, batch))


def leader(stage: Stage, partition: str = "t-0") -> int:
    return present(broker(stage, 1).cluster.leader_of(partition))


def broker(stage: Stage, number: int) -> Broker:
    return of(Broker, stage.simulation.world.roles[f"broker-{number}"])


def test_a_partition_that_was_not_added_takes_no_batch(stage: Stage) -> None:
    producer = stage.init(AT)
    assert stage.write("t-0", producer).error is Error.INVALID_TXN_STATE
    stage.add(AT, producer, "t-0")
    assert stage.write("t-0", producer).error is Error.NONE
    assert stage.write("t-0", producer, sequence=1).error is Error.NONE, "open: nothing is asked"
    assert stage.log("t-0").log_end == 2
    assert stage.end(AT, producer).error is Error.NONE
    stage.play()
    assert stage.markers("t-0") == ["COMMIT"]
    assert stage.write("t-0", producer, sequence=2).error is Error.INVALID_TXN_STATE


def test_without_verification_the_batch_hangs() -> None:
    stage = Stage(watching="bare", profile="k28")
    assert broker(stage, 1).verification is None
    producer = stage.init(stage.coordinator())
    assert stage.write("t-0", producer).error is Error.NONE
    assert stage.log("t-0").last_stable_offset == 0


def test_nothing_is_appended_before_the_answer(stage: Stage) -> None:
    producer = stage.init(AT)
    stage.add(AT, producer, "t-0")
    at = broker(stage, leader(stage))
    number = stage.ask(at.broker_id, produced(producer, 0, "t-0"))
    stage.play(lambda: bool(present(at.verification).lines))
    assert stage.log("t-0").log_end == 0
    assert list(at.replicas["t-0"].log.producers.awaited) == [producer.producer_id]
    stage.play(lambda: number in stage.hand.answers)
    assert stage.hand.answers[number].partitions["t-0"].base_offset == 0
    assert not at.replicas["t-0"].log.producers.awaited, "the first batch ends the waiting"


def test_each_partition_has_its_own_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROFILES, "k28", replace(K28, verifies_partitions=True))
    stage = Stage(watching="bare", profile="k28", cluster={"brokers": 1})
    producer = stage.init(stage.coordinator())
    stage.add(1, producer, "t-0")
    answer = stage.call(1, produced(producer, 0, "t-0", "t-1", "t-9"))
    assert {name: part.error for name, part in answer.partitions.items()} == {
        "t-0": Error.NONE,
        "t-1": Error.INVALID_TXN_STATE,
        "t-9": Error.UNKNOWN_TOPIC_OR_PARTITION,
    }
    broker(stage, 1).permissions.denied.add(("Write", "topic:t"))
    answer = stage.call(1, produced(producer, 1, "t-1"))
    assert answer.partitions["t-1"].error is Error.TOPIC_AUTHORIZATION_FAILED, "nothing is asked"


@pytest.mark.parametrize("unasked", [False, True], ids=["up to 4.0", "since 4.1"])
def test_a_leader_with_a_higher_epoch_in_its_log_need_not_ask(
    monkeypatch: pytest.MonkeyPatch, unasked: bool
) -> None:
    """KAFKA-18042: the response is the same, but the leader does not ask the coordinator."""
    profile = replace(K28, verifies_partitions=True, refuses_lower_epoch_unasked=unasked)
    monkeypatch.setitem(PROFILES, "k28", profile)
    stage = Stage(watching="bare", profile="k28")
    assert stage.coordinator() == AT
    first = stage.init(AT)
    second = stage.init(AT)
    stage.add(AT, second, "t-0")
    assert stage.write("t-0", second).error is Error.NONE
    assert stage.end(AT, second).error is Error.NONE
    stage.play()
    at = broker(stage, leader(stage))

    def is_asking() -> bool:
        return any(line.on_the_way for line in present(at.verification).lines.values())

    number = stage.ask(at.broker_id, produced(first, 0, "t-0"))
    stage.play(lambda: is_asking() or number in stage.hand.answers)
    assert is_asking() is not unasked
    stage.play(lambda: number in stage.hand.answers)
    assert stage.hand.answers[number].partitions["t-0"].error is Error.INVALID_PRODUCER_EPOCH


def test_offsets_wait_for_the_group_s_partition(stage: Stage) -> None:
    producer = stage.init(AT)
    asked = TxnOffsetCommitRequest(
        transactional_id="txn-1",
        group_id="g",
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        offsets={"t-0": CommittedOffset(offset=3), "none-0": CommittedOffset(offset=1)},
    )
    at = stage.coordinator("g", "GROUP")
    unknown = {"none-0": Error.UNKNOWN_TOPIC_OR_PARTITION}
    assert stage.call(at, asked).errors == {"t-0": Error.INVALID_TXN_STATE, **unknown}
    joins = AddOffsetsToTxnRequest(
        transactional_id="txn-1",
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        group_id="g",
    )
    assert stage.call(AT, joins).error is Error.NONE
    assert stage.call(at, asked).errors == {"t-0": Error.NONE, **unknown}


def test_a_coordinator_that_cannot_be_reached_makes_the_producer_try_again(stage: Stage) -> None:
    producer = stage.init(AT)
    stage.add(AT, producer, "t-0")
    at = broker(stage, leader(stage))
    assert at.broker_id != AT
    cluster = at.cluster
    cluster.live_brokers = tuple(number for number in cluster.live_brokers if number != AT)
    assert stage.write("t-0", producer).error is Error.NOT_ENOUGH_REPLICAS


# Verification alone, without connections --------------------------------------------------------


@dataclass
class Alone:
    """The parts of a leader of ``t-0``, without a broker around them; broker 2 coordinates every transactional id."""

    cluster: ClusterView
    replicas: Replicas
    verification: Verification


@pytest.fixture
def alone(stage: Stage) -> tuple[Alone, Verification, InitProducerIdResponse]:
    """A `Verification` with parts of its own, which the test calls directly, and a producer."""
    producer = stage.init(AT)
    cluster = ClusterView()
    cluster.learn_live(UpdateMetadata(live_brokers=(1, AT)))
    for number in range(50):
        log = LeaderAndIsr(
            partition=f"__transaction_state-{number}", leader=AT, leader_epoch=0, isr=(AT,), replicas=(AT,)
        )
        cluster.learn_leader(log, 0)
    setup = Setup(
        broker_id=1,
        profile=PROFILES["k28"],
        switches=Switches(),
        configuration=BrokerConfiguration(marker_request_timeout_ms=100),
        watch=Watch(),
    )
    replicas = broker(stage, leader(stage)).replicas
    verification = Verification(setup, cluster, replicas, Outgoing())
    return Alone(cluster, replicas, verification), verification, producer


def ask(
    alone: tuple[Alone, Verification, InitProducerIdResponse], name: str, sequence: int = 0, epoch: int = 0
) -> tuple[Effects, list[Verified]] | None:
    _, verification, producer = alone
    request = produced(replace(producer, producer_epoch=epoch), sequence, "t-0")
    envelope = Envelope(0, name, "broker-1", request, 1, False, 0, 0)
    return verification.of_produce(envelope, request, request.batches, 0)


def test_a_connection_comes_first_and_one_question_at_a_time_goes(
    alone: tuple[Alone, Verification, InitProducerIdResponse],
) -> None:
    _, verification, producer = alone
    assert ask(alone, "first") == ([Connect("broker-2", FOR_VERIFICATION)], [])
    assert verification.on_connected(2, 0) == [
        Send(
            "broker-2",
            VerifyPartitionsRequest(
                entries=(
                    TransactionPartitions(
                        transactional_id="txn-1",
                        producer_id=producer.producer_id,
                        producer_epoch=0,
                        partitions=("t-0",),
                    ),
                )
            ),
            1,
        )
    ]
    assert ask(alone, "second", 1) == ([], []), "behind the first"
    _, ended = present(ask(alone, "third", 2))
    assert [(one.envelope.source, one.errors) for one in ended] == [
        ("second", {"t-0": Error.NETWORK_EXCEPTION})
    ]
    _, ended = present(ask(alone, "fourth", 0, epoch=1))
    assert [(one.envelope.source, one.errors) for one in ended] == [
        ("third", {"t-0": Error.INVALID_PRODUCER_EPOCH})
    ]
    _, ended = present(ask(alone, "fifth", 0))
    assert [(one.envelope.source, one.errors) for one in ended] == [
        ("fifth", {"t-0": Error.INVALID_PRODUCER_EPOCH})
    ]
    answer = VerifyPartitionsResponse(errors={"txn-1": {"t-0": Error.PRODUCER_FENCED}})
    assert verification.on_response(2, 7, answer, 5) == ([], []), "the answer to no question"
    effects, ended = verification.on_response(2, 1, answer, 5)
    assert [(one.envelope.source, one.errors) for one in ended] == [
        ("first", {"t-0": Error.INVALID_PRODUCER_EPOCH})
    ]
    assert [of(Send, effect).correlation_id for effect in effects] == [2], "the fourth goes"
    assert verification.next_timer() == 105


def test_a_lost_connection_and_a_silent_coordinator_end_what_waits(
    alone: tuple[Alone, Verification, InitProducerIdResponse],
) -> None:
    _, verification, _ = alone
    ask(alone, "first")
    assert [one.envelope.source for one in verification.on_disconnected(2)] == ["first"]
    ask(alone, "second")
    verification.on_connected(2, 0)
    assert verification.on_timer(99) == ([], [])
    effects, ended = verification.on_timer(100)
    assert effects == [Disconnect("broker-2", FOR_VERIFICATION)]
    assert [one.errors for one in ended] == [{"t-0": Error.NETWORK_EXCEPTION}]
    assert verification.next_timer() is None


def refused(producers: ProducerStateManager, batch: RecordBatch, guard: int) -> Error | None:
    found = unguarded(producers, batch, guard)
    return None if found is None else found[0]


def test_an_answer_does_not_count_after_a_marker(
    alone: tuple[Alone, Verification, InitProducerIdResponse],
) -> None:
    """While the response was in transit, the transaction ended, and perhaps another one began."""
    at, _, producer = alone
    ask(alone, "first")
    producers = at.replicas["t-0"].log.producers
    batch = produced(producer, 0, "t-0").batches["t-0"]
    guard = producers.awaited[producer.producer_id].guard
    assert unguarded(producers, batch, guard) is None
    assert refused(producers, batch, guard + 1) is Error.INVALID_TXN_STATE
    producers.awaited.pop(producer.producer_id)
    assert refused(producers, batch, guard) is Error.INVALID_TXN_STATE
    ask(alone, "second")
    assert refused(producers, batch, guard) is Error.INVALID_TXN_STATE, "the guard of another question"


def test_a_later_batch_does_not_take_the_place_of_the_first(
    alone: tuple[Alone, Verification, InitProducerIdResponse],
) -> None:
    at, _, producer = alone
    ask(alone, "second", 1)
    producers = at.replicas["t-0"].log.producers
    guard = producers.awaited[producer.producer_id].guard
    ask(alone, "first", 0)
    later = produced(producer, 1, "t-0").batches["t-0"]
    assert refused(producers, later, guard) is Error.OUT_OF_ORDER_SEQUENCE_NUMBER
    ask(alone, "of a new epoch", 4, epoch=1)
    assert producers.awaited[producer.producer_id].lowest_sequence == 4


def test_what_waits_for_too_long_is_forgotten(
    alone: tuple[Alone, Verification, InitProducerIdResponse],
) -> None:
    at, _, _ = alone
    ask(alone, "first")
    producers = at.replicas["t-0"].log.producers
    producers.expire(producers.expiration_ms - 1)
    assert producers.awaited
    producers.expire(producers.expiration_ms)
    assert not producers.awaited


def test_a_request_of_two_producers_is_refused_as_a_whole(
    alone: tuple[Alone, Verification, InitProducerIdResponse],
) -> None:
    _, verification, producer = alone
    batches = {
        **produced(producer, 0, "t-0").batches,
        **produced(replace(producer, producer_id=99), 0, "t-1").batches,
    }
    request = replace(produced(producer, 0, "t-0"), batches=batches)
    envelope = Envelope(0, "both", "broker-1", request, 1, False, 0, 0)
    effects, ended = present(verification.of_produce(envelope, request, batches, 0))
    assert effects == []
    assert ended[0].errors == dict.fromkeys(("t-0", "t-1"), Error.INVALID_PRODUCER_ID_MAPPING)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({}, Error.NONE),
        ({"partitions": ("t-1",)}, Error.TRANSACTION_ABORTABLE),
        ({"producer_id": 5}, Error.INVALID_PRODUCER_ID_MAPPING),
        ({"transactional_id": "txn-2"}, Error.NOT_COORDINATOR),
        ({"transactional_id": ""}, Error.INVALID_REQUEST),
        ({"producer_epoch": 5}, Error.PRODUCER_FENCED),
    ],
)
def test_the_coordinator_s_answer(stage: Stage, changed: dict[str, Any], error: Error) -> None:
    producer = stage.init(AT)
    stage.add(AT, producer, "t-0")
    asked = TransactionPartitions(
        transactional_id="txn-1", producer_id=producer.producer_id, producer_epoch=0, partitions=("t-0",)
    )
    asked = replace(asked, **changed)
    found = verify(present(broker(stage, AT).transactions).coordinator, asked)
    assert found == {asked.partitions[0]: error}


def test_a_transaction_that_ends_is_answered_as_concurrent(stage: Stage) -> None:
    producer = stage.init(AT)
    stage.add(AT, producer, "t-0")
    stage.end(AT, producer)
    coordinator = present(broker(stage, AT).transactions).coordinator
    assert coordinator.metadata["txn-1"].state == "PrepareCommit"
    asked = TransactionPartitions(
        transactional_id="txn-1", producer_id=producer.producer_id, producer_epoch=0, partitions=("t-0",)
    )
    assert verify(coordinator, asked) == {"t-0": Error.CONCURRENT_TRANSACTIONS}


@pytest.mark.parametrize(
    ("knows", "error"), [(frozenset(), Error.INVALID_TXN_STATE), ({"p1"}, Error.TRANSACTION_ABORTABLE)]
)
def test_who_knows_transaction_abortable_is_answered_so(
    alone: tuple[Alone, Verification, InitProducerIdResponse], knows: frozenset[str] | set[str], error: Error
) -> None:
    """Produce 11 and TxnOffsetCommit 4 know the error (Kafka 3.8); older requests get another one."""
    _, verification, _ = alone
    verification.understand_abortable = frozenset(knows)
    ask(alone, "p1")
    verification.on_connected(AT, 0)
    answer = VerifyPartitionsResponse(errors={"txn-1": {"t-0": Error.TRANSACTION_ABORTABLE}})
    _, (ended,) = verification.on_response(AT, 1, answer, 5)
    assert ended.errors == {"t-0": error}
