"""The rules that a broker applies before it asks the log, in their order; and the rules of InitProducerId and Fetch
(LOG-1, PID-9).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.broker.appending import Appending
from engine.broker.cluster_view import ClusterView
from engine.broker.configuration import BrokerConfiguration
from engine.broker.delayed_appends import DelayedAppends
from engine.broker.fetch import FETCH_RULES
from engine.broker.init_producer_id import INIT_RULES
from engine.broker.permissions import Permissions
from engine.broker.produce import ProduceHandler
from engine.broker.produce_rules import PARTITION_RULES, REQUEST_RULES
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.errors import NO_ERROR, EngineError
from engine.messages import (
    Envelope,
    InitProducerIdRequest,
    InitProducerIdResponse,
    LeaderAndIsr,
    ProduceRequest,
    ProduceResponse,
    RecordBatch,
    Send,
    ZooKeeperRead,
)
from engine.profile import Profile
from engine.profiles import K20, K28
from engine.rules import Rule, rules_of
from engine.switches import Switches
from engine.telling.requests import next_key, reason_key
from engine.watching import Watch
from tests.engine.broker.watched import Cluster, answer, batch_of
from tests.engine.narrowing import of, present


def arrange(name: str, profile: Profile = K28) -> tuple[Cluster, int, RecordBatch, dict[str, Any]]:
    """Return a cluster, the broker to ask, a batch, and further fields of a request that only the rule ``name``
    refuses.
    """
    options: dict[str, Any] = {}
    batch = batch_of(0)
    cluster = Cluster(profile=profile, min_isr=3)
    broker = 1
    if name == "transactional_write_denied":
        cluster.brokers[1].permissions.deny("Write", "transactional_id:x", 0)
        options["transactional_id"] = "x"
    elif name == "transactional_id_missing":
        batch = replace(batch, is_transactional=True)
    elif name == "idempotent_write_denied":
        cluster.brokers[1].permissions.deny("IdempotentWrite", "cluster", 0)
    elif name == "topic_denied":
        cluster.brokers[1].permissions.deny("Write", "topic:t", 0)
    elif name == "partition_unknown":
        options["partition"] = "x-0"
    elif name == "not_leader":
        broker = 2
    elif name == "too_few_in_sync":
        cluster.controller.shrink_isr("t-0", 3, 0)
        cluster.announce()
    elif name == "too_large":
        batch = batch_of(0, size=2_000_000)
    elif name == "producer_without_sequence":
        batch = batch_of(0)
        batch = type(batch)(record_count=1, last_offset_delta=0, producer_id=1, producer_epoch=0)
    elif name == "format_without_producers":
        cluster.brokers[1].replicas["t-0"].record_version = 1
    return cluster, broker, batch, options


KIP_679 = replace(K28, any_write_suffices=True)


@pytest.mark.parametrize(
    ("rule", "profile"),
    [
        pytest.param(rule, profile, id=f"{rule.when.__name__}-{profile.name}")
        for profile in (K20, K28)
        for rule in rules_of((*REQUEST_RULES, *PARTITION_RULES), profile)
    ],
)
def test_every_rule_refuses_what_it_names(rule: Rule[Any], profile: Profile) -> None:
    cluster, broker, batch, options = arrange(rule.when.__name__, profile)
    cluster.strict.finished()
    sends = cluster.produce(broker, batch, **options)
    error, offset = answer(sends, options.get("partition", "t-0"))
    assert (error, offset) == (rule.answer.name, -1)
    step = cluster.strict.finished()
    assert step.key == reason_key(rule.why)
    assert present(step.refusal)["rule"] == rule.spec
    assert present(step.refusal)["next"] == next_key(rule.then)
    assert all(path[0] != "partitions" for path, _, _ in step.changes)
    (partition,) = of(ProduceResponse, sends[0].body).partitions.values()
    assert partition.log_start_offset == (0 if rule.by_log else -1)


def test_a_client_that_gets_no_response_learns_nothing_of_a_refusal() -> None:
    cluster, broker, batch, _ = arrange("not_leader")
    cluster.strict.finished()
    request = ProduceRequest(None, 0, 30_000, {"t-0": batch})
    cluster.brokers[broker].handle(Envelope(0, "p1", f"broker-{broker}", request, 1, False, 0, 0), 0)
    assert present(cluster.strict.finished().refusal)["next"] == "refusal.connection_ends"


def test_every_rule_belongs_to_a_profile() -> None:
    rules = (*REQUEST_RULES, *PARTITION_RULES)
    assert {rule for profile in (K20, K28) for rule in rules_of(rules, profile)} == set(rules)


def test_since_kip_679_produce_asks_for_no_permission_on_the_cluster() -> None:
    cluster = Cluster(profile=KIP_679)
    cluster.brokers[1].permissions.deny("IdempotentWrite", "cluster", 0)
    assert answer(cluster.produce(1, batch_of(0), acks=1))[0] == "NONE"


def test_since_kip_679_one_topic_that_may_be_written_is_enough_for_an_id() -> None:
    cluster = Cluster(profile=KIP_679, partitions={"t-0": (1,), "u-0": (1,)})
    for operation, resource in (("IdempotentWrite", "cluster"), ("Write", "topic:t")):
        cluster.brokers[1].permissions.deny(operation, resource, 0)
    (send,) = cluster.deliver(1, InitProducerIdRequest())
    assert of(InitProducerIdResponse, send.body).error.name != "CLUSTER_AUTHORIZATION_FAILED"


def test_the_first_rule_in_order_decides() -> None:
    """A request that several rules refuse gets the error of the first (LOG-1)."""
    cluster, _, batch, _ = arrange("too_few_in_sync")
    broker = cluster.brokers[1]
    assert answer(cluster.produce(1, batch))[0] == "NOT_ENOUGH_REPLICAS"
    broker.permissions.deny("Write", "topic:t", 0)
    assert answer(cluster.produce(1, batch))[0] == "TOPIC_AUTHORIZATION_FAILED"
    broker.permissions.deny("IdempotentWrite", "cluster", 0)
    assert answer(cluster.produce(1, batch))[0] == "CLUSTER_AUTHORIZATION_FAILED"
    assert answer(cluster.produce(1, batch_of(-1)))[0] == "TOPIC_AUTHORIZATION_FAILED"
    broker.permissions.allow("IdempotentWrite", "cluster", 0)
    broker.permissions.allow("Write", "topic:t", 0)
    assert answer(cluster.produce(1, batch))[0] == "NOT_ENOUGH_REPLICAS"
    assert broker.view()["denied"] == []


def test_a_denied_request_is_refused_for_all_its_partitions() -> None:
    cluster = Cluster(partitions={"t-0": (1,), "t-1": (1,)})
    cluster.brokers[1].permissions.deny("IdempotentWrite", "cluster", 0)
    request = ProduceRequest(
        transactional_id=None, acks=1, timeout_ms=1, batches={"t-0": batch_of(0), "t-1": batch_of(-1)}
    )
    (send,) = cluster.deliver(1, request)
    assert {item.error.name for item in of(ProduceResponse, send.body).partitions.values()} == {
        "CLUSTER_AUTHORIZATION_FAILED"
    }
    assert cluster.log(1, "t-1").log_end == 0


INIT_CASES = {
    "transactional_id_empty": InitProducerIdRequest(transactional_id=""),
    "transactional_id_denied": InitProducerIdRequest(transactional_id="x"),
    "idempotent_write_denied": InitProducerIdRequest(),
    "every_write_denied": InitProducerIdRequest(),
    "no_coordinator": InitProducerIdRequest(transactional_id="y"),
}


@pytest.mark.parametrize("rule", INIT_RULES, ids=lambda rule: rule.when.__name__)
def test_every_rule_of_init_producer_id(rule: Rule[Any]) -> None:
    cluster = Cluster(brokers=1, profile=K28 if rule.only_if is None else KIP_679)
    cluster.brokers[1].permissions.deny("Write", "transactional_id:x", 0)
    cluster.brokers[1].permissions.deny("Write", "topic:t", 0)
    cluster.brokers[1].permissions.deny("IdempotentWrite", "cluster", 0)
    before = cluster.brokers[1].producer_ids.next_id
    cluster.strict.finished()
    (send,) = cluster.deliver(1, INIT_CASES[rule.when.__name__])
    assert send.body == InitProducerIdResponse(error=rule.answer)
    step = cluster.strict.finished()
    assert (step.key, present(step.refusal)["next"]) == (reason_key(rule.why), next_key(rule.then))
    assert cluster.brokers[1].producer_ids.next_id == before


def test_every_rule_of_fetch_has_a_case() -> None:
    """The cases are in test_replication.test_reading; this test fails if a rule was added without one."""
    assert [rule.when.__name__ for rule in FETCH_RULES] == [
        "partition_unknown",
        "not_leader",
        "out_of_range",
    ]


def test_a_message_that_no_handler_knows_is_an_engine_error() -> None:
    cluster = Cluster(brokers=1)
    with pytest.raises(EngineError, match="cannot handle"):
        cluster.deliver(1, ZooKeeperRead(path="/x"))
    assert ZooKeeperRead not in cluster.brokers[1].handlers


def test_a_topic_of_an_older_format_takes_what_names_no_producer() -> None:
    cluster, broker, _, _ = arrange("format_without_producers")
    plain = batch_of(-1)
    assert plain.producer_id == -1
    assert answer(cluster.produce(broker, plain, acks=1)) == ("NONE", 0)


def test_a_handler_runs_without_a_broker() -> None:
    """A handler needs only the parts that it is given; here, a Produce is handled at a leader that has no other
    parts.
    """
    watch = Watch()
    setup = Setup(
        broker_id=1, profile=K28, switches=Switches(), configuration=BrokerConfiguration(), watch=watch
    )
    cluster, replicas = ClusterView(), Replicas(setup, set())
    word = LeaderAndIsr(partition="t-0", leader=1, leader_epoch=0, isr=(1,), replicas=(1,))
    cluster.learn_leader(word, 0)
    replicas.create(word).learn(word)
    permissions = Permissions(setup.name, watch, replicas["t-0"])
    appending = Appending(setup, replicas, DelayedAppends(setup, replicas), cluster, permissions)
    request = ProduceRequest(None, -1, 30_000, {"t-0": batch_of(0)})
    (answered,) = ProduceHandler(setup, appending, None).handle(
        Envelope(1, "p1", setup.name, request, 1, False, 0, 0), 0
    )
    assert of(ProduceResponse, of(Send, answered).body).partitions["t-0"].error is NO_ERROR
    assert (replicas["t-0"].log.log_end, replicas.changed_partitions) == (1, {"t-0"})
