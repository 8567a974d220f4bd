"""Replication, acknowledgements, leader change: LOG-2, LOG-7, LOG-10."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest

from engine.apis import error_of, partitions_of
from engine.broker.broker import Broker
from engine.errors import Refused
from engine.events import LeaderChanged, LogAppended, LogTruncated
from engine.explain.sentences import sentence
from engine.messages import (
    Envelope,
    FetchRequest,
    FetchResponse,
    MetadataResponse,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    describe,
)
from engine.profile import Profile
from engine.profiles import K20, K28
from tests.engine.broker.watched import Cluster, answer, batch_of
from tests.engine.narrowing import of, present

F = TypeVar("F")


def facts(cluster: Cluster, kind: type[F]) -> list[F]:
    return [fact for fact in cluster.strict.facts_seen.facts if isinstance(fact, kind)]


def test_acks_all_answers_when_every_in_sync_replica_has_it() -> None:
    cluster = Cluster()
    assert cluster.produce(1, batch_of(0, 3)) == []
    assert cluster.log(1).high_watermark == 0
    cluster.fetch_once("t-0", 2)
    cluster.fetch_once("t-0", 3)
    assert cluster.sent == [], "the leader does not know yet that they have it"
    cluster.fetch_once("t-0", 2)
    assert cluster.sent == []
    cluster.fetch_once("t-0", 3)
    assert answer([cluster.sent[0][1]]) == ("NONE", 0)
    assert cluster.log(1).high_watermark == 3
    cluster.replicate()
    assert [cluster.log(broker).high_watermark for broker in (1, 2, 3)] == [3, 3, 3]
    assert cluster.replicate() == 0, "no fetch is of use any more"


def test_acks_one_answers_after_the_leader_and_acks_zero_never() -> None:
    cluster = Cluster()
    assert answer(cluster.produce(1, batch_of(0), acks=1)) == ("NONE", 0)
    assert cluster.produce(1, batch_of(1), acks=0) == []
    assert cluster.log(1).log_end == 2


def test_a_failed_request_without_acks_ends_the_connection() -> None:
    cluster = Cluster()
    broker = cluster.brokers[2]
    effects = broker.handle(
        cluster_envelope(
            broker, ProduceRequest(transactional_id=None, acks=0, timeout_ms=1, batches={"t-0": batch_of(0)})
        ),
        0,
    )
    assert [type(effect).__name__ for effect in effects] == ["Disconnect"]
    assert "broker.connection_ended" in cluster.strict.keys


def cluster_envelope(broker: Broker, body: ProduceRequest) -> Envelope:
    from engine.messages import Envelope

    return Envelope(1, "p1", broker.name, body, 1, False, 0, 0)


def test_a_fetch_of_two_partitions_gets_one_response_in_which_each_has_its_own_error() -> None:
    cluster = Cluster(partitions={"t-0": (1,), "t-1": (1,)})
    cluster.produce(1, batch_of(0, 2), acks=1)
    request = FetchRequest(offsets={"t-0": 0, "t-1": 9}, isolation="read_uncommitted")
    (send,) = cluster.deliver(1, request, "c1")
    found = of(FetchResponse, send.body).partitions
    assert {name: one.error.name for name, one in found.items()} == {
        "t-0": "NONE",
        "t-1": "OFFSET_OUT_OF_RANGE",
    }
    assert partitions_of(send.body) == partitions_of(request) == ("t-0", "t-1")
    assert error_of(send.body) == "OFFSET_OUT_OF_RANGE"
    assert describe(request) == {"offsets": {"t-0": 0, "t-1": 9}, "isolation": "read_uncommitted"}
    assert list(describe(send.body)["partitions"]) == ["t-0", "t-1"]


def test_a_request_for_two_partitions_waits_for_the_slower_one() -> None:
    cluster = Cluster(partitions={"t-0": (1, 2), "t-1": (1, 3)})
    request = ProduceRequest(
        transactional_id=None, acks=-1, timeout_ms=30, batches={"t-0": batch_of(0), "t-1": batch_of(0)}
    )
    assert cluster.deliver(1, request) == []
    cluster.replicate("t-0")
    assert cluster.sent == []
    assert cluster.brokers[1].replicas["t-0"].waiting == []
    cluster.replicate("t-1")
    (sent,) = cluster.sent
    assert [item.error.name for item in of(ProduceResponse, sent[1].body).partitions.values()] == [
        "NONE",
        "NONE",
    ]
    assert list(of(ProduceResponse, sent[1].body).partitions) == ["t-0", "t-1"]
    assert cluster.brokers[1].delayed.by_deadline == []


def test_a_refused_partition_does_not_hold_up_the_other_and_is_answered_with_it() -> None:
    cluster = Cluster(partitions={"t-0": (1, 2), "t-1": (2, 1)})
    request = ProduceRequest(
        transactional_id=None, acks=-1, timeout_ms=30, batches={"t-1": batch_of(0), "t-0": batch_of(0)}
    )
    assert cluster.deliver(1, request) == []
    cluster.replicate("t-0")
    (sent,) = cluster.sent
    assert {name: item.error.name for name, item in of(ProduceResponse, sent[1].body).partitions.items()} == {
        "t-1": "NOT_LEADER_OR_FOLLOWER",
        "t-0": "NONE",
    }


def test_time_out_leaves_the_data_and_a_retry_is_a_duplicate() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0), timeout_ms=50)
    broker = cluster.brokers[1]
    assert broker.next_timer() == 50
    cluster.now = 50
    cluster.strict.finished()
    effects = broker.on_timer(50)
    assert answer(effects)[0] == "REQUEST_TIMED_OUT"
    step = cluster.strict.finished()
    assert step.key == "broker.produce_timed_out"
    assert [list(pair) for pair in present(step.refusal)["compared"]] == [
        ["high watermark waited for", 1],
        ["high watermark", 0],
    ]
    assert broker.next_timer() is None
    assert cluster.log(1).log_end == 1
    cluster.replicate()
    assert answer(cluster.produce(1, batch_of(0))) == ("NONE", 0)
    assert cluster.log(1).log_end == 1


def test_without_idempotence_the_retry_after_a_time_out_is_stored_twice() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(-1, serials=(1,)), timeout_ms=50)
    cluster.carry_out(cluster.brokers[1], cluster.brokers[1].on_timer(50))
    cluster.produce(1, batch_of(-1, serials=(1,)))
    assert cluster.serials(1) == [1, 1]


def test_too_few_in_sync_before_and_after_the_append() -> None:
    cluster = Cluster(min_isr=2)
    cluster.produce(1, batch_of(0))
    cluster.controller.shrink_isr("t-0", 3, 0)
    cluster.announce()
    assert cluster.sent == []
    cluster.controller.shrink_isr("t-0", 2, 0)
    cluster.announce()
    assert answer([cluster.sent[0][1]])[0] == "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
    assert cluster.log(1).log_end == 1, "the data stays"
    assert answer(cluster.produce(1, batch_of(1)))[0] == "NOT_ENOUGH_REPLICAS"
    assert cluster.log(1).log_end == 1
    assert answer(cluster.produce(1, batch_of(1), acks=1))[0] == "NONE", "acks=1 does not ask"


def test_since_3_7_the_high_watermark_waits_until_enough_replicas_are_in_sync() -> None:
    """KAFKA-15583: the append waits until another replica has returned, or times out."""
    cluster = Cluster(min_isr=2, profile=replace(K28, watermark_needs_min_isr=True))
    cluster.produce(1, batch_of(0))
    for follower in (3, 2):
        cluster.controller.shrink_isr("t-0", follower, 0)
        cluster.announce()
    assert cluster.sent == []
    assert answer(cluster.produce(1, batch_of(1), acks=1))[0] == "NONE"
    assert cluster.log(1).high_watermark == 0
    assert "broker.high_watermark_held" in cluster.strict.keys
    cluster.controller.restore_isr("t-0", 2, 0)
    cluster.announce()
    cluster.replicate()
    assert answer([cluster.sent[0][1]])[0] == "NONE"
    assert cluster.log(1).high_watermark == 2


def test_a_shrunk_replica_stays_behind_until_restored_and_returns_when_it_caught_up() -> None:
    cluster = Cluster()
    cluster.controller.shrink_isr("t-0", None, 0)
    cluster.announce()
    assert list(cluster.controller.partitions["t-0"].isr) == [1, 2]
    cluster.produce(1, batch_of(0, 5))
    cluster.replicate()
    assert cluster.log(3).log_end == 0
    assert answer([cluster.sent[0][1]]) == ("NONE", 0), "two in sync are enough"
    cluster.controller.restore_isr("t-0", None, 0)
    cluster.announce()
    cluster.replicate()
    assert cluster.log(3).log_end == 5
    assert cluster.controller.partitions["t-0"].isr == (1, 2, 3)
    assert cluster.brokers[1].replicas["t-0"].isr == (1, 2, 3)
    assert cluster.replicate() == 0


def test_restoring_a_follower_that_never_stopped_is_refused() -> None:
    cluster = Cluster()
    with pytest.raises(Refused, match="there is none"):
        cluster.controller.restore_isr("t-0", 3, 0)
    cluster.controller.shrink_isr("t-0", 2, 0)
    with pytest.raises(Refused, match=r"3.*2"):
        cluster.controller.restore_isr("t-0", 3, 0)
    assert cluster.controller.partitions["t-0"].not_fetching == {2}


def test_shrinking_and_changing_leader_refuse_what_cannot_be() -> None:
    cluster = Cluster(partitions={"t-0": (1, 2)})
    with pytest.raises(Refused, match="choose one of"):
        cluster.controller.shrink_isr("t-0", 1, 0)
    with pytest.raises(Refused, match="no partition t-9"):
        cluster.controller.shrink_isr("t-9", None, 0)
    with pytest.raises(Refused, match="choose one of"):
        cluster.controller.change_leader("t-0", 3, 0)
    cluster.controller.shrink_isr("t-0", 2, 0)
    with pytest.raises(Refused, match="no other in-sync replica"):
        cluster.controller.change_leader("t-0", None, 0)


def test_leader_change_tells_waiting_clients_and_truncates_the_old_leader() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0, 2, serials=(1, 2)))
    cluster.replicate()
    cluster.sent.clear()
    cluster.produce(1, batch_of(2, 3, serials=(3, 4, 5)))
    cluster.controller.change_leader("t-0", 2, 0)
    cluster.announce()
    assert answer([cluster.sent[0][1]])[0] == "NOT_LEADER_OR_FOLLOWER"
    assert cluster.log(1).log_end == 5
    cluster.produce(2, batch_of(2, 4, serials=(6, 7, 8, 9)))
    cluster.replicate()
    assert [cluster.serials(broker) for broker in (1, 2, 3)] == [[1, 2, 6, 7, 8, 9]] * 3
    assert facts(cluster, LogTruncated) == [LogTruncated(partition="t-0", replica=1, to=2)]
    assert cluster.log(1).producers.entries[0].last_sequence == 5
    assert [batch.leader_epoch for batch in cluster.log(1).batches] == [0, 1]
    assert facts(cluster, LeaderChanged)[-1] == LeaderChanged(partition="t-0", leader=2, leader_epoch=1)


def test_an_old_leaders_longer_log_is_cut_where_the_logs_parted() -> None:
    """The lengths of the logs do not show where they differ: the new leader's log may be longer when the old leader
    returns.
    """
    cluster = Cluster()
    cluster.produce(1, batch_of(-1, 1, serials=(1,)), acks=1)
    cluster.replicate()
    cluster.produce(1, batch_of(-1, 2, serials=(2, 3)), acks=1)
    cluster.crash(1)
    cluster.end_sessions()
    for serial in (10, 11, 12, 13):
        cluster.produce(2, batch_of(-1, 1, serials=(serial,)), acks=1)
    cluster.restart(1)
    cluster.replicate()
    assert cluster.serials(1) == cluster.serials(2) == cluster.serials(3) == [1, 10, 11, 12, 13]
    assert cluster.controller.partitions["t-0"].isr == (1, 2, 3)


def test_suppression_survives_a_failover() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0, 3))
    cluster.replicate()
    cluster.crash(1)
    assert cluster.controller.next_timer() == 300
    cluster.end_sessions()
    assert cluster.now == 300
    assert present(cluster.leader()).broker_id == 2
    cluster.produce(3, batch_of(0, 3))
    sends = cluster.produce(2, batch_of(0, 3))
    assert answer(sends) == ("NONE", 0)
    assert cluster.log(2).log_end == 3


@pytest.mark.parametrize(("acks", "survives"), [(1, False), (-1, True)])
def test_acks_one_loses_what_acks_all_keeps(acks: int, survives: bool) -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(-1, serials=(1,)), acks=acks)
    if acks == -1:
        cluster.replicate()
    assert answer([cluster.sent[0][1]])[0] == "NONE", "reported successful"
    cluster.crash(1)
    cluster.end_sessions()
    cluster.restart(1)
    cluster.replicate()
    assert ([1] in [cluster.serials(broker) for broker in (1, 2, 3)]) is survives


def test_the_last_in_sync_replica_leads_again_when_it_is_back() -> None:
    cluster = Cluster(partitions={"t-0": (1, 2)})
    cluster.controller.shrink_isr("t-0", 2, 0)
    cluster.announce()
    cluster.produce(1, batch_of(0))
    cluster.crash(1)
    cluster.end_sessions()
    assert cluster.leader() is None
    assert cluster.controller.partitions["t-0"].isr == (1,)
    assert answer(cluster.produce(2, batch_of(0)))[0] == "NOT_LEADER_OR_FOLLOWER"
    cluster.restart(1)
    assert present(cluster.leader()).broker_id == 1
    assert cluster.log(1).log_end == 1


def test_a_pause_within_the_session_changes_nothing_and_beyond_it_moves_the_leader() -> None:
    cluster = Cluster()
    cluster.brokers[1].pause(0)
    cluster.controller.on_broker_paused(1, 0)
    cluster.controller.on_broker_resumed(1, 200)
    assert cluster.controller.next_timer() is None
    assert present(cluster.leader()).broker_id == 1
    cluster.controller.on_broker_paused(1, 300)
    cluster.end_sessions()
    assert cluster.now == 600
    assert present(cluster.leader()).broker_id == 2
    assert cluster.brokers[1].replicas["t-0"].is_leader, "a zombie: it has not heard of it"
    cluster.brokers[1].resume(700)
    cluster.controller.on_broker_resumed(1, 700)
    cluster.announce()
    for word in cluster.controller.announcements_for():
        cluster.carry_out(cluster.brokers[1], cluster.brokers[1].learn(word, 700))
    assert not cluster.brokers[1].replicas["t-0"].is_leader


def test_a_crashed_broker_that_returns_at_once_has_lost_its_leadership() -> None:
    """The old session of the broker ends before its new one begins, so another broker was elected in between."""
    cluster = Cluster()
    cluster.produce(1, batch_of(0))
    cluster.replicate()
    cluster.crash(1)
    cluster.now = 10
    cluster.restart(1)
    assert present(cluster.leader()).broker_id == 2
    assert cluster.controller.partitions["t-0"].leader_epoch == 1
    assert cluster.controller.next_timer() is None


def test_a_clean_stop_keeps_only_the_newest_batch_of_each_producer() -> None:
    """Known case 19: of the recent batches of a producer, only the newest is remembered."""
    cluster = Cluster(brokers=1)
    for first in range(5):
        cluster.produce(1, batch_of(first))
    cluster.crash(1, clean=True)
    assert cluster.log(1).producers.entries == {}, "memory is gone"
    cluster.restart(1)
    assert len(cluster.log(1).producers.entries[0].batches) == 1
    assert answer(cluster.produce(1, batch_of(4))) == ("NONE", 4)
    assert answer(cluster.produce(1, batch_of(1)))[0] == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    assert cluster.log(1).high_watermark == 5


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("segment_records", [None, 3])
def test_a_log_that_is_opened_knows_each_producers_newest_batch_alone(
    clean: bool, segment_records: int | None
) -> None:
    """A crash has the same result as a clean stop: Kafka reads what was not flushed, writes a snapshot at the log end
    and loads it.
    """
    cluster = Cluster(brokers=1, segment_records=segment_records)
    for first in range(7):
        cluster.produce(1, batch_of(first))
    cluster.crash(1, clean=clean)
    cluster.restart(1)
    assert [batch.first_sequence for batch in cluster.log(1).producers.entries[0].batches] == [6]
    assert answer(cluster.produce(1, batch_of(6))) == ("NONE", 6), "the newest is recognised"
    assert answer(cluster.produce(1, batch_of(2)))[0] == "OUT_OF_ORDER_SEQUENCE_NUMBER"


@pytest.mark.parametrize("profile", [K20, K28], ids=lambda profile: profile.name)
def test_deleting_the_head(profile: Profile) -> None:
    cluster = Cluster(profile=profile, segment_records=2)
    for first in range(5):
        cluster.produce(1, batch_of(first))
    cluster.replicate()
    with pytest.raises(Refused, match="high watermark"):
        cluster.brokers[1].replicas.delete_head("t-0", 6, 0)
    with pytest.raises(Refused, match="is not the leader"):
        cluster.brokers[2].replicas.delete_head("t-0", 1, 0)
    cluster.brokers[1].replicas.delete_head("t-0", None, 0)
    cluster.replicate()
    for broker in (1, 2, 3):
        log = cluster.log(broker)
        assert (log.log_start, log.log_end) == (5, 5)
        assert (0 in log.producers.entries) is (profile is K28)
    sends = cluster.produce(1, batch_of(5), acks=1)
    assert answer(sends)[0] == ("UNKNOWN_PRODUCER_ID" if profile is K20 else "NONE")
    (partition,) = of(ProduceResponse, sends[0].body).partitions.values()
    assert partition.log_start_offset == 5, "the client compares it (SND-12)"


def test_a_follower_below_the_leaders_log_start_starts_over() -> None:
    cluster = Cluster(segment_records=1)
    cluster.produce(1, batch_of(0), acks=1)
    cluster.replicate()
    cluster.controller.shrink_isr("t-0", 3, 0)
    cluster.announce()
    for first in range(1, 6):
        cluster.produce(1, batch_of(first), acks=1)
    cluster.replicate()
    cluster.brokers[1].replicas.delete_head("t-0", 4, 0)
    cluster.controller.restore_isr("t-0", 3, 0)
    cluster.announce()
    cluster.replicate()
    assert (cluster.log(3).log_start, cluster.log(3).log_end) == (4, 6)
    assert cluster.log(3).producers.entries[0].last_sequence == 5
    assert cluster.controller.partitions["t-0"].isr == (1, 2, 3)


@pytest.mark.parametrize("profile", [K20, K28], ids=lambda profile: profile.name)
def test_idle_producers_are_forgotten_on_the_scan_grid(profile: Profile) -> None:
    cluster = Cluster(brokers=1, profile=profile)
    broker = cluster.brokers[1]
    assert broker.next_background_timer() is None
    cluster.produce(1, batch_of(0, timestamp=1234))
    at = present(broker.next_background_timer())
    assert at % 600_000 == 0
    assert at - 600_000 < 1234 + 604_800_000 <= at
    cluster.strict.finished()
    assert broker.on_background_timer(at) == []
    assert cluster.strict.finished().key == "broker.producers_expired"
    assert broker.next_background_timer() is None
    first = answer(cluster.produce(1, batch_of(1, timestamp=at)))[0]
    assert first == ("UNKNOWN_PRODUCER_ID" if profile is K20 else "NONE")


def test_an_idle_scan_that_finds_no_producer_says_nothing() -> None:
    cluster = Cluster(brokers=1)
    broker = cluster.brokers[1]
    cluster.produce(1, batch_of(0, timestamp=0))
    at = present(broker.next_background_timer())
    cluster.produce(1, batch_of(1, timestamp=at - 5))
    cluster.strict.finished()
    broker.on_background_timer(at)
    assert cluster.watch.said is None
    assert present(broker.next_background_timer()) > at


def test_expiry_by_order_needs_no_check() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0))
    cluster.replicate()
    for broker in cluster.brokers.values():
        broker.replicas.expire_producers("t-0", 0)
    assert all(cluster.log(broker).producers.entries == {} for broker in (1, 2, 3))
    assert answer(cluster.produce(1, batch_of(7), acks=1))[0] == "NONE"


def test_expiry_in_every_partition_is_said_so() -> None:
    cluster = Cluster(brokers=1)
    cluster.produce(1, batch_of(0))
    cluster.strict.finished()
    cluster.brokers[1].replicas.expire_producers(None, 0)
    step = cluster.strict.finished()
    assert sentence(step.key, step.params).startswith("Fault: in every partition, broker-1 drops")


def test_a_refusal_without_any_leader_names_none() -> None:
    params = {"broker": "broker-1", "partition": "t-0", "leader": None, "leader_epoch": 1}
    assert "leader epoch 1, leader: none" in sentence("broker.not_leader", params)


def test_facts_for_judges_name_serials_and_replicas() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0, 2, serials=(1, 2)))
    cluster.replicate()
    appended = facts(cluster, LogAppended)
    assert [(fact.replica, fact.serials, fact.base_offset) for fact in appended] == [
        (1, (1, 2), 0),
        (2, (1, 2), 0),
        (3, (1, 2), 0),
    ]


def test_metadata_names_leaders_and_live_brokers() -> None:
    from engine.messages import MetadataRequest

    cluster = Cluster(partitions={"t-0": (1, 2), "u-0": (3,)})
    cluster.crash(3)
    cluster.end_sessions()
    (send,) = cluster.deliver(1, MetadataRequest(topics=("t", "u", "x")))
    assert of(MetadataResponse, send.body).brokers == (1, 2)
    found = {
        name: (item.leader, item.error.name)
        for name, item in of(MetadataResponse, send.body).partitions.items()
    }
    assert found == {
        "t-0": (1, "NONE"),
        "u-0": (None, "LEADER_NOT_AVAILABLE"),
        "x-0": (None, "UNKNOWN_TOPIC_OR_PARTITION"),
    }
    (send,) = cluster.deliver(1, MetadataRequest())
    assert sorted(of(MetadataResponse, send.body).partitions) == ["t-0", "u-0"]


def test_a_deleted_topic_is_gone_everywhere() -> None:
    cluster = Cluster(partitions={"t-0": (1, 2, 3), "u-0": (1, 2, 3)})
    cluster.produce(1, batch_of(0))
    cluster.controller.delete_topic("t", 0)
    cluster.announce()
    assert answer([cluster.sent[0][1]])[0] == "NOT_LEADER_OR_FOLLOWER"
    assert answer(cluster.produce(1, batch_of(1)))[0] == "UNKNOWN_TOPIC_OR_PARTITION"
    assert list(cluster.brokers[2].replicas) == ["u-0"]
    with pytest.raises(Refused):
        cluster.controller.delete_topic("t", 0)


def test_reading() -> None:
    cluster = Cluster(segment_records=4)
    for first in (0, 2, 4):
        cluster.produce(1, batch_of(first, 2), acks=1)
    assert cluster.fetch(1, 0).batches == (), "nothing is below the high watermark"
    cluster.replicate()
    response = cluster.fetch(1, 1)
    assert [(batch.base_offset, batch.last_offset) for batch in response.batches] == [(0, 1), (2, 3)]
    assert (response.high_watermark, response.last_stable_offset, response.log_start_offset) == (6, 6, 0)
    assert [batch.base_offset for batch in cluster.fetch(1, 4).batches] == [4]
    assert cluster.fetch(1, 6).batches == ()
    assert cluster.fetch(1, 7).error.name == "OFFSET_OUT_OF_RANGE"
    assert cluster.fetch(2, 0).error.name == "NOT_LEADER_OR_FOLLOWER"
    assert cluster.fetch(1, 0, partition="x-0").error.name == "UNKNOWN_TOPIC_OR_PARTITION"
    cluster.brokers[1].replicas.delete_head("t-0", 4, 0)
    below = cluster.fetch(1, 0)
    assert (below.error.name, below.log_start_offset) == ("OFFSET_OUT_OF_RANGE", 4)


def test_an_answer_is_typed() -> None:
    cluster = Cluster()
    (send,) = cluster.produce(1, batch_of(0), acks=1)
    assert isinstance(send.body, ProduceResponse)
    assert isinstance(send.body.partitions["t-0"], PartitionProduceResponse)
    assert send.is_response
