"""The active controller: registrations, heartbeats, in-sync replicas, producer ids (KIP-497, KIP-631, KIP-730)."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

from engine.broker.configuration import BrokerConfiguration
from engine.broker.quorum_controller import QuorumController
from engine.errors import Error, Refused
from engine.messages import (
    LONG_MAX,
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlteredPartition,
    AlterPartitionRequest,
    AlterPartitionResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    Envelope,
    FetchingStopped,
    Send,
    UpdateMetadata,
    WantedIsr,
)
from tests.engine.broker.watched import StrictWatch
from tests.engine.narrowing import of, present

SESSION, INTERVAL = 9000, 2000
Answer = TypeVar("Answer")


def controller(*, brokers: tuple[int, ...] = (1, 2, 3), **settings: int) -> QuorumController:
    made = QuorumController(
        watch=StrictWatch(),
        configuration=BrokerConfiguration(session_timeout_ms=SESSION, **settings),
        broker_ids=brokers,
    )
    made.create_partition("t-0", list(brokers))
    for broker in brokers:
        made.read(broker, 0)
    return made


def ask(
    to: QuorumController,
    body: object,
    kind: type[Answer],
    now: int = 0,
) -> Answer:
    source = f"broker-{getattr(body, 'broker', 0)}"
    (answer,) = to.handle(Envelope(0, source, "controller", body, 1, False, now, now), now)
    return of(kind, of(Send, answer).body)


def beat(
    to: QuorumController, broker: int, now: int = 0, *, read: int | None = None, stop: bool = False
) -> BrokerHeartbeatResponse:
    epoch = to.registrations[broker].epoch
    offset = to.log.end if read is None else read
    request = BrokerHeartbeatRequest(
        broker=broker, broker_epoch=epoch, metadata_offset=offset, want_shut_down=stop
    )
    return ask(to, request, BrokerHeartbeatResponse, now)


def fence(to: QuorumController, broker: int, now: int = 0) -> None:
    to.on_broker_stopped(broker, now)
    to.on_timer(present(to.next_timer()))


def alter(
    to: QuorumController,
    isr: tuple[int, ...],
    *,
    leader: int = 1,
    leader_epoch: int | None = None,
    partition_epoch: int | None = None,
    epochs: tuple[int, int] | None = None,
) -> AlteredPartition:
    state = to.partitions["t-0"]
    wanted = WantedIsr(
        leader_epoch=state.leader_epoch if leader_epoch is None else leader_epoch,
        partition_epoch=state.version if partition_epoch is None else partition_epoch,
        isr=tuple(isr),
        broker_epochs=tuple(epochs or (to.registrations[one].epoch for one in isr)),
    )
    request = AlterPartitionRequest(
        broker=leader, broker_epoch=to.registrations[leader].epoch, changes={"t-0": wanted}
    )
    return ask(to, request, AlterPartitionResponse).partitions["t-0"]


def kinds(to: QuorumController) -> list[str]:
    return [record.kind for record in to.log.records]


@pytest.mark.parametrize("silent_from", [0, 1, 1999, 2000, 5300])
def test_a_broker_is_fenced_a_session_after_its_last_heartbeat(silent_from: int) -> None:
    quorum = controller()
    quorum.on_broker_stopped(1, silent_from)
    last = silent_from - silent_from % INTERVAL
    assert quorum.next_timer() == last + SESSION
    quorum.on_timer(last + SESSION - 1)
    assert quorum.is_live(1)
    quorum.on_timer(last + SESSION)
    assert not quorum.is_live(1)
    assert quorum.registrations[1].state == "FENCED"


def test_the_fencing_of_a_leader_is_a_change_of_its_partitions_and_then_of_its_registration() -> None:
    quorum = controller()
    before = quorum.log.end
    fence(quorum, 1)
    assert [record.kind for record in quorum.log.behind(before)] == [
        "PartitionChangeRecord",
        "BrokerRegistrationChangeRecord",
    ]
    state = quorum.partitions["t-0"]
    assert (state.leader, state.leader_epoch, state.isr) == (2, 1, (2, 3))


def test_the_last_in_sync_replica_stays_in_sync_and_leads_again_once_it_is_unfenced() -> None:
    quorum = controller(brokers=(1,))
    fence(quorum, 1)
    state = quorum.partitions["t-0"]
    assert (state.leader, state.isr) == (None, (1,))
    ask(quorum, BrokerRegistrationRequest(broker=1, incarnation=2), BrokerRegistrationResponse)
    beat(quorum, 1)
    assert (state.leader, state.leader_epoch) == (1, 2)


def test_a_broker_may_not_register_while_the_session_of_its_earlier_start_lasts() -> None:
    quorum = controller()
    quorum.on_broker_stopped(1, 100)
    refused = ask(quorum, BrokerRegistrationRequest(broker=1, incarnation=2), BrokerRegistrationResponse, 200)
    assert refused.error is Error.DUPLICATE_BROKER_REGISTRATION
    quorum.on_timer(SESSION)
    registered = ask(
        quorum, BrokerRegistrationRequest(broker=1, incarnation=2), BrokerRegistrationResponse, SESSION
    )
    assert registered.error is Error.NONE
    assert registered.broker_epoch == quorum.log.end - 1, "the offset of its own record"


def test_a_broker_stays_fenced_until_it_has_read_its_own_registration() -> None:
    quorum = controller()
    fence(quorum, 1)
    epoch = ask(
        quorum, BrokerRegistrationRequest(broker=1, incarnation=2), BrokerRegistrationResponse
    ).broker_epoch
    assert beat(quorum, 1, read=epoch).is_fenced
    assert not beat(quorum, 1, read=epoch + 1).is_fenced
    assert quorum.is_live(1)


def test_requests_of_an_earlier_start_are_refused() -> None:
    quorum = controller()
    old = quorum.registrations[1].epoch
    fence(quorum, 1)
    ask(quorum, BrokerRegistrationRequest(broker=1, incarnation=2), BrokerRegistrationResponse)
    heartbeat = BrokerHeartbeatRequest(broker=1, broker_epoch=old, metadata_offset=quorum.log.end)
    allocate = AllocateProducerIdsRequest(broker=1, broker_epoch=old)
    alters = AlterPartitionRequest(broker=1, broker_epoch=old, changes={})
    end = quorum.log.end
    errors = [
        ask(quorum, heartbeat, BrokerHeartbeatResponse).error,
        ask(quorum, allocate, AllocateProducerIdsResponse).error,
        ask(quorum, alters, AlterPartitionResponse).error,
    ]
    assert errors == [Error.STALE_BROKER_EPOCH] * 3
    assert quorum.log.end == end, "nothing was written"


def test_a_broker_that_stops_in_order_goes_when_others_have_read_who_leads() -> None:
    quorum = controller()
    assert not beat(quorum, 1, stop=True).should_shut_down
    state = quorum.partitions["t-0"]
    assert (state.leader, state.isr) == (2, (2, 3))
    quorum.read(2, 0)
    assert not beat(quorum, 1, stop=True).should_shut_down, "broker 3 has not read it"
    quorum.read(3, 0)
    assert beat(quorum, 1, stop=True).should_shut_down
    assert quorum.registrations[1].state == "FENCED"
    assert beat(quorum, 1, stop=True).should_shut_down, "its answer was lost"


def test_clients_learn_of_a_broker_that_is_about_to_stop_and_it_may_not_lead() -> None:
    quorum = controller()
    beat(quorum, 1, stop=True)
    word = of(
        UpdateMetadata,
        next(record.word for record in quorum.log.records if record.fields.get("in_controlled_shutdown")),
    )
    assert word.live_brokers == (1, 2, 3)
    assert dict(word.broker_epochs).keys() == {2, 3}


def test_the_in_sync_replicas_change_as_the_leader_asks() -> None:
    quorum = controller()
    answer = alter(quorum, (1, 2))
    assert (answer.error, answer.isr, answer.partition_epoch) == (Error.NONE, (1, 2), 1)
    assert quorum.partitions["t-0"].leader_epoch == 0, "since 3.6 a smaller set begins no leader epoch"
    assert alter(quorum, (1, 3, 2)).isr == (1, 2, 3)


def test_a_change_that_changes_nothing_writes_nothing() -> None:
    quorum = controller()
    end = quorum.log.end
    assert alter(quorum, (3, 2, 1)).partition_epoch == 0
    assert quorum.log.end == end


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"leader_epoch": -1}, Error.FENCED_LEADER_EPOCH),
        ({"partition_epoch": -1}, Error.INVALID_UPDATE_VERSION),
        ({"leader_epoch": -1, "partition_epoch": -1}, Error.FENCED_LEADER_EPOCH),
        ({"epochs": (0, 77)}, Error.INELIGIBLE_REPLICA),
        ({"partition_epoch": -1, "epochs": (0, 77)}, Error.INVALID_UPDATE_VERSION),
    ],
)
def test_a_leader_that_knows_an_old_state_is_refused_in_kafkas_order(
    given: dict[str, Any], error: Error
) -> None:
    quorum = controller()
    before = quorum.log.end
    assert alter(quorum, (1, 2), **given).error is error
    assert quorum.log.end == before


@pytest.mark.parametrize("how", ["fenced", "stopping", "deleted"])
def test_a_replica_that_may_not_be_in_sync_makes_the_change_void(how: str) -> None:
    quorum = controller()
    if how == "deleted":
        quorum.delete_topic("t", 0)
        assert alter(quorum, (1, 2, 3)).error is Error.UNKNOWN_TOPIC_ID
        return
    if how == "fenced":
        fence(quorum, 3)
    else:
        beat(quorum, 3, stop=True)
    assert alter(quorum, (1, 2, 3)).error is Error.INELIGIBLE_REPLICA
    assert quorum.partitions["t-0"].isr == (1, 2)


def test_a_replica_that_has_restarted_is_not_named_as_one_that_may_be_in_sync() -> None:
    quorum = controller()
    of(StrictWatch, quorum.watch).finished()
    alter(quorum, (1, 2), epochs=(0, 77))
    assert of(StrictWatch, quorum.watch).finished().params["eligible"] == [1, 3]


def test_blocks_of_producer_ids_follow_each_other_whichever_broker_requests_them() -> None:
    quorum = controller()
    starts = [
        ask(
            quorum,
            AllocateProducerIdsRequest(broker=broker, broker_epoch=broker - 1),
            AllocateProducerIdsResponse,
        ).producer_id_start
        for broker in (1, 2, 1)
    ]
    assert starts == [0, 1000, 2000]
    assert kinds(quorum)[-1] == "ProducerIdsRecord"


@pytest.mark.parametrize(("start", "given"), [(LONG_MAX - 1000, True), (LONG_MAX - 999, False)])
def test_the_last_block_ends_below_the_largest_id(start: int, given: bool) -> None:
    quorum = controller()
    quorum.preset_block(1, 0, start - 1)
    answer = ask(quorum, AllocateProducerIdsRequest(broker=1, broker_epoch=0), AllocateProducerIdsResponse)
    assert (answer.error is Error.NONE) == given
    assert answer.error in (Error.NONE, Error.UNKNOWN_SERVER_ERROR)


def test_the_next_controller_has_the_whole_log_a_higher_epoch_and_gives_whole_sessions() -> None:
    quorum = controller()
    quorum.on_broker_stopped(1, 100)
    quorum.crash(8000)
    assert quorum.next_timer() is None
    before, ids = kinds(quorum), quorum.next_producer_id
    quorum.restart(10_000)
    assert (kinds(quorum)[:-1], quorum.next_producer_id, quorum.epoch) == (before, ids, 2)
    assert quorum.log.records[-1].epoch == 2
    assert quorum.next_timer() == 10_000 + SESSION


def test_only_one_controller_fails_at_a_time_and_no_other_broker_takes_a_block_between() -> None:
    quorum = controller()
    with pytest.raises(Refused, match="controller"):
        quorum.restart(0)
    with pytest.raises(Refused, match="controller"):
        quorum.competing_write(0)
    quorum.crash(0)
    with pytest.raises(Refused, match="controller"):
        quorum.crash(0)


def test_a_follower_that_stops_fetching_is_in_sync_until_its_leader_asks() -> None:
    quorum = controller()
    quorum.take_announcements()
    quorum.shrink_isr("t-0", 3, 0)
    assert quorum.partitions["t-0"].isr == (1, 2, 3)
    assert quorum.take_announcements() == [FetchingStopped(partition="t-0", replicas=(3,))]
