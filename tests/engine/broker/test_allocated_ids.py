"""Producer ids that the controller hands out, at the broker (KIP-730; ``RPCProducerIdManager``)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from engine.broker.allocated_ids import AllocatedIds
from engine.broker.cluster_view import ClusterView
from engine.broker.configuration import BrokerConfiguration
from engine.broker.lifecycle import Lifecycle
from engine.broker.outgoing import Outgoing
from engine.broker.setup import Setup
from engine.errors import Error, Refused
from engine.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse, Effects, Envelope, Send
from engine.profiles import K39
from engine.switches import Switches
from tests.engine.broker.watched import StrictWatch
from tests.engine.narrowing import of, present, sends


class Part:
    path: tuple[str, ...] = ("brokers", "1")

    def view(self) -> dict[str, Any]:
        return {}


def manager(**settings: int) -> AllocatedIds:
    setup = Setup(
        broker_id=1,
        profile=K39,
        switches=Switches(),
        configuration=BrokerConfiguration(**settings),
        watch=StrictWatch(),
    )
    outgoing = Outgoing()
    lifecycle = Lifecycle(setup, ClusterView(), outgoing)
    lifecycle.be_registered(5)
    return AllocatedIds(setup, lifecycle, outgoing, Part())


def answered(
    ids: AllocatedIds, effects: Effects, now: int = 0, start: int = 0, error: Error = Error.NONE
) -> Effects:
    """Deliver the controller's response to the request that the broker has just sent. Returns the effects."""
    (send,) = sends(effects)
    assert of(AllocateProducerIdsRequest, send.body).broker_epoch == 5
    body = AllocateProducerIdsResponse(error=error, producer_id_start=start, producer_id_len=1000)
    envelope = Envelope(0, "controller", "broker-1", body, send.correlation_id, True, now, now)
    return ids.on_answer(envelope, now)


def with_block(start: int = 0) -> AllocatedIds:
    ids = manager()
    assert answered(ids, ids.claim(0), start=start) == []
    return ids


def test_without_a_block_there_is_no_id_and_one_request_is_under_way() -> None:
    ids = manager()
    assert (ids.has_id, ids.generate()) == (False, None)
    effects = ids.claim(0)
    assert ids.claim(0) == []
    answered(ids, effects)
    assert (ids.has_id, ids.generate()) == (True, 0)


def test_at_nine_tenths_of_its_block_the_broker_asks_for_the_next_one() -> None:
    ids = with_block()
    assert [ids.generate() for _ in range(900)] == list(range(900))
    assert ids.deadline is None
    assert ids.generate() == 900
    effects = ids.on_timer(7)
    answered(ids, effects, start=4000)
    assert [ids.generate() for _ in range(101)] == [*range(901, 1000), 4000, 4001]


def test_every_id_is_given_once_over_many_blocks() -> None:
    ids = with_block()
    given, start = [], 0
    for _ in range(3500):
        given.append(present(ids.generate()))
        if ids.deadline == 0:
            start += 1000
            answered(ids, ids.on_timer(0), start=start)
    assert given == list(range(3500))
    assert all(one < other for one, other in pairwise(given))


def test_a_refused_broker_waits_before_it_asks_again() -> None:
    ids = manager()
    answered(ids, ids.claim(0), error=Error.UNKNOWN_SERVER_ERROR)
    assert ids.claim(49) == []
    assert len(ids.claim(50)) == 1


def test_a_lost_answer_costs_a_block_and_a_late_one_changes_nothing() -> None:
    ids = manager(controller_reply_timeout_ms=300)
    first = ids.claim(0)
    assert ids.on_timer(299) == []
    second = ids.on_timer(300)
    assert of(Send, first[0]).correlation_id != of(Send, second[0]).correlation_id
    answered(ids, first, now=301, start=0)
    assert not ids.has_id
    answered(ids, second, now=302, start=1000)
    assert ids.generate() == 1000


def test_a_crash_abandons_both_blocks() -> None:
    ids = with_block()
    for _ in range(901):
        ids.generate()
    answered(ids, ids.on_timer(0), start=1000)
    ids.crash()
    assert (ids.has_id, ids.view(), ids.view_next()) == (False, None, None)


def test_an_initial_id_belongs_to_the_block() -> None:
    ids = with_block(start=1000)
    ids.preset_next_id(1999)
    assert ids.generate() == 1999
    with pytest.raises(Refused, match="next_id"):
        ids.preset_next_id(2001)
    with pytest.raises(Refused, match="next_id"):
        manager().preset_next_id(0)
