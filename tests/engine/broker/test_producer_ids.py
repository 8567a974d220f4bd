"""Blocks of producer ids: how a broker claims one, races between brokers, and the last block (PID-1 to PID-8)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.producer_id_states import GUARDS, MACHINE, Situation
from engine.broker.producer_ids import (
    BLOCK_NODE,
    Block,
    ProducerIdManager,
    block_from_json,
    next_block,
)
from engine.broker.zookeeper import Node
from engine.broker.zookeeper_controller import ZooKeeperController
from engine.errors import EngineError, Refused
from engine.messages import (
    LONG_MAX,
    Effects,
    Envelope,
    InitProducerIdResponse,
    Send,
    ZooKeeperRead,
    ZooKeeperReply,
    ZooKeeperWrite,
)
from engine.switches import Switches
from tests.engine.broker.watched import Cluster, StrictWatch
from tests.engine.narrowing import of, present, sends


def manager(
    watch: StrictWatch | None = None, broker: int = 0, check_version: bool = True
) -> ProducerIdManager:
    return ProducerIdManager(
        broker,
        block_size=1000,
        reply_timeout_ms=300,
        check_version=check_version,
        watch=watch or StrictWatch(),
    )


def serve(controller: ZooKeeperController, claiming: ProducerIdManager, effects: Effects) -> Send:
    """Let ZooKeeper carry out the request in ``effects``, and return its reply, which is not delivered."""
    (send,) = sends(effects)
    envelope = Envelope(0, "broker-0", "zookeeper", send.body, send.correlation_id, False, 0, 0)
    (reply,) = controller.handle(envelope, 0)
    return of(Send, reply)


def step(
    controller: ZooKeeperController, claiming: ProducerIdManager, effects: Effects, now: int = 0
) -> Effects:
    reply = serve(controller, claiming, effects)
    return claiming.on_reply(of(ZooKeeperReply, reply.body), reply.correlation_id, now)


def node(controller: ZooKeeperController) -> Node:
    return controller.zookeeper.nodes[BLOCK_NODE]


def test_the_node_holds_string_bounds_and_an_integer_format_version() -> None:
    text = Block(2, 1000, 1999).to_json()
    assert text == '{"version":1,"broker":2,"block_start":"1000","block_end":"1999"}'
    assert block_from_json(text) == Block(2, 1000, 1999)
    assert json.loads(text)["version"] == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"broker":1,"block_start":"a","block_end":"1"}'])
def test_a_damaged_node_is_named(text: str) -> None:
    with pytest.raises(EngineError, match="latest_producer_id_block"):
        block_from_json(text)


def test_first_block_then_the_next_one() -> None:
    assert next_block(1, None, 1000) == Block(1, 0, 999)
    assert next_block(1, Block(7, 2000, 2999), 1000) == Block(1, 3000, 3999)


def test_a_lost_write_reply_is_found_out_by_reading_again() -> None:
    watch = StrictWatch()
    controller = ZooKeeperController(watch=watch)
    claiming = manager(watch)
    effects = step(controller, claiming, claiming.claim(0))
    serve(controller, claiming, effects)
    assert claiming.claimed is None
    assert claiming.deadline == 300
    assert claiming.on_timer(299) == []
    effects = claiming.on_timer(300)
    assert isinstance(of(Send, effects[0]).body, ZooKeeperRead)
    assert step(controller, claiming, effects, 300) == []
    assert claiming.claimed is True
    assert claiming.view() == {"start": 0, "end": 999, "next": 0}
    assert node(controller).version == 1, "no second claim"
    assert "broker.own_block_found" in watch.keys


def test_a_lost_write_is_written_again() -> None:
    controller = ZooKeeperController(watch=StrictWatch())
    claiming = manager()
    step(controller, claiming, claiming.claim(0))
    effects = step(controller, claiming, claiming.on_timer(300), 300)
    assert isinstance(of(Send, effects[0]).body, ZooKeeperWrite)
    step(controller, claiming, effects, 300)
    assert claiming.claimed is True
    assert node(controller).version == 1


def test_after_a_lost_reply_a_block_of_another_broker_is_a_conflict() -> None:
    controller = ZooKeeperController(watch=StrictWatch())
    claiming = manager()
    effects = step(controller, claiming, claiming.claim(0))
    serve(controller, claiming, effects)
    controller.competing_write(0)
    effects = step(controller, claiming, claiming.on_timer(300), 300)
    step(controller, claiming, effects, 300)
    assert present(claiming.block).start == 2000, "0–999 was written and is lost, 1000–1999 is the other's"


def test_a_late_reply_is_ignored() -> None:
    watch = StrictWatch()
    controller = ZooKeeperController(watch=watch)
    claiming = manager(watch)
    late = serve(controller, claiming, claiming.claim(0))
    effects = claiming.on_timer(300)
    assert claiming.on_reply(of(ZooKeeperReply, late.body), late.correlation_id, 301) == []
    assert claiming.state == "READING"
    assert "broker.late_zookeeper_reply" in watch.keys
    step(controller, claiming, step(controller, claiming, effects))
    assert claiming.claimed is True


def test_two_brokers_at_once_get_two_blocks() -> None:
    watch = StrictWatch()
    controller = ZooKeeperController(watch=watch)
    one, other = manager(watch, 1), manager(watch, 2)
    writes = [step(controller, claiming, claiming.claim(0)) for claiming in (one, other)]
    step(controller, one, writes[0])
    effects = step(controller, other, writes[1])
    assert isinstance(of(Send, effects[0]).body, ZooKeeperRead)
    step(controller, other, step(controller, other, effects))
    assert (present(one.block).start, present(other.block).start) == (0, 1000)
    assert {"zookeeper.write_refused", "broker.block_lost_to_another"} <= watch.keys


def test_without_the_version_check_two_brokers_share_a_block() -> None:
    watch = StrictWatch()
    controller = ZooKeeperController(watch=watch)
    one, other = manager(watch, 1, check_version=False), manager(watch, 2, check_version=False)
    writes = [step(controller, claiming, claiming.claim(0)) for claiming in (one, other)]
    for claiming, effects in zip((one, other), writes, strict=True):
        step(controller, claiming, effects)
    assert one.generate() == other.generate() == 0
    assert "zookeeper.written_unchecked" in watch.keys


def test_the_last_block_ends_in_negative_ids() -> None:
    """CTR-6: a 64-bit addition overflows LONG_MAX, and no check notices it."""
    controller = ZooKeeperController(watch=StrictWatch())
    controller.preset_block(9, LONG_MAX - 1999, LONG_MAX - 1000)
    claiming = manager()
    step(controller, claiming, step(controller, claiming, claiming.claim(0)))
    assert claiming.block == Block(0, LONG_MAX - 999, LONG_MAX)
    claiming.next_id = LONG_MAX
    assert not claiming.overflowed
    assert [claiming.generate(), claiming.generate(), claiming.generate()] == [
        LONG_MAX,
        -(2**63),
        -(2**63) + 1,
    ]
    assert claiming.overflowed


def test_the_overflow_is_flagged_in_the_step() -> None:
    cluster = Cluster(brokers=1, started=False)
    cluster.controller.preset_block(9, LONG_MAX - 1999, LONG_MAX - 1000)
    cluster.carry_out(cluster.brokers[1], cluster.brokers[1].start(0))
    cluster.brokers[1].producer_ids.preset_next_id(LONG_MAX)
    cluster.init_producer_id(1)
    cluster.strict.finished()
    (send,) = cluster.init_producer_id(1)
    assert of(InitProducerIdResponse, send.body).producer_id == -(2**63)
    assert [note["key"] for note in cluster.strict.finished().notes] == ["broker.producer_id_overflowed"]


def test_one_id_further_the_claim_is_fatal_and_ends_the_start() -> None:
    cluster = Cluster(brokers=1, started=False)
    cluster.controller.preset_block(9, LONG_MAX - 1998, LONG_MAX - 999)
    broker = cluster.brokers[1]
    cluster.carry_out(broker, broker.start(0))
    assert broker.start_failed
    assert not broker.alive
    assert node(cluster.controller).version == 1
    assert {"broker.producer_ids_exhausted", "broker.start_failed"} <= cluster.strict.keys


def test_exhaustion_of_a_running_broker_is_a_server_error_each_time() -> None:
    cluster = Cluster(brokers=1)
    broker = cluster.brokers[1]
    cluster.controller.preset_block(9, LONG_MAX - 1998, LONG_MAX - 999)
    broker.producer_ids.preset_next_id(999)
    assert of(InitProducerIdResponse, cluster.init_producer_id(1)[0].body).producer_id == 999
    for _ in range(2):
        (send,) = cluster.init_producer_id(1)
        assert of(InitProducerIdResponse, send.body).error.name == "UNKNOWN_SERVER_ERROR"
    assert broker.alive
    assert broker.init_producer_ids.waiting == []


def test_a_block_that_runs_out_skips_and_repeats_nothing() -> None:
    cluster = Cluster(brokers=1)
    cluster.brokers[1].producer_ids.preset_next_id(999)
    issued = [of(InitProducerIdResponse, cluster.init_producer_id(1)[0].body).producer_id for _ in range(3)]
    assert issued == [999, 1000, 1001]
    assert "broker.block_used_up" in cluster.strict.keys


def test_brokers_start_in_ascending_order() -> None:
    cluster = Cluster(brokers=3)
    assert [present(broker.producer_ids.block).start for broker in cluster.brokers.values()] == [
        0,
        1000,
        2000,
    ]


def test_a_crash_abandons_the_rest_of_the_block() -> None:
    cluster = Cluster(brokers=1)
    assert of(InitProducerIdResponse, cluster.init_producer_id(1)[0].body).producer_id == 0
    cluster.crash(1)
    assert cluster.brokers[1].view()["producer_id_block"] is None
    cluster.restart(1)
    assert of(InitProducerIdResponse, cluster.init_producer_id(1)[0].body).producer_id == 1000


def test_requests_wait_while_a_broker_starts() -> None:
    cluster = Cluster(brokers=1, started=False)
    broker = cluster.brokers[1]
    (read,) = broker.start(0)
    assert broker.view()["starting"] is True
    assert cluster.init_producer_id(1) == []
    cluster.carry_out(broker, [read])
    assert [of(InitProducerIdResponse, send.body).producer_id for _, send in cluster.sent] == [0]
    assert broker.view()["starting"] is False


def test_presetting_outside_the_block_is_refused() -> None:
    cluster = Cluster(brokers=1)
    with pytest.raises(Refused, match="choose an id from 0 to 1000"):
        cluster.brokers[1].producer_ids.preset_next_id(5000)


def test_unchecked_writes_come_from_the_switch() -> None:
    cluster = Cluster(brokers=1, started=False, switches=Switches(zookeeper_version_check=False))
    cluster.carry_out(cluster.brokers[1], cluster.brokers[1].start(0))
    assert "zookeeper.written_unchecked" in cluster.strict.keys


TAKEN = {
    ("NO_BLOCK", "claim"),
    ("HOLDING", "claim"),
    ("EXHAUSTED", "claim"),
    ("READING", "data"),
    ("WRITING", "written_reply"),
    ("READING", "no_reply"),
    ("WRITING", "no_reply"),
    *((state, "crash") for state in MACHINE.states),
}


def test_every_pair_of_state_and_event() -> None:
    """A pair without a row must raise EngineError, and not be ignored silently."""
    for state in MACHINE.states:
        for event in MACHINE.events:
            if (state, event) in TAKEN:
                assert MACHINE.candidates(state, event)
            else:
                with pytest.raises(EngineError, match="no row"):
                    MACHINE.take(state, event, Situation())


@given(
    latest=st.none() | st.sampled_from([(1, 0, 999), (0, 0, 999), (3, LONG_MAX - 999, LONG_MAX)]),
    wrote=st.booleans(),
)
@settings(deadline=None)
def test_exactly_one_guard_of_a_read_holds(latest: tuple[int, int, int] | None, wrote: bool) -> None:
    claiming = manager()
    claiming.state = "READING"
    claiming.wanted = Block(0, 0, 999) if wrote else None
    data = None if latest is None else Block(*latest).to_json()
    reply = ZooKeeperReply(path=BLOCK_NODE, data=data, version=3)
    situation = claiming._situation(reply)
    assert sum(GUARDS[row.when](situation) for row in MACHINE.candidates("READING", "data")) == 1


@given(
    faults=st.lists(st.sampled_from(["ok", "lost_request", "lost_reply", "competitor", "crash"]), max_size=25)
)
@settings(max_examples=200, deadline=None)
def test_no_id_is_ever_issued_twice(faults: list[str]) -> None:
    """Whatever is lost, whichever brokers compete and whenever one crashes: ids are unique, and blocks never
    overlap.
    """
    watch = StrictWatch()
    controller = ZooKeeperController(watch=watch)
    claiming = manager(watch)
    issued: list[int] = []
    effects = claiming.claim(0)
    now = 0
    for fault in [*faults, "ok", "ok", "ok", "ok"]:
        if fault == "crash":
            claiming.crash()
            effects = claiming.claim(now)
        elif fault == "competitor":
            controller.competing_write(now)
        elif effects:
            reply = None if fault == "lost_request" else serve(controller, claiming, effects)
            if fault == "ok" and isinstance(reply, Send):
                effects = claiming.on_reply(of(ZooKeeperReply, reply.body), reply.correlation_id, now)
            else:
                now += 300
                effects = claiming.on_timer(now)
        if claiming.claimed:
            claiming.next_id = present(claiming.block).end - 1
            issued += [present(claiming.generate()), present(claiming.generate())]
            assert claiming.generate() is None
            effects = claiming.claim(now)
    assert len(set(issued)) == len(issued)
