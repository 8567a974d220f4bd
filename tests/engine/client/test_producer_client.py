"""What a producer does in each pass of its Sender: getting an identity, waiting, resending, giving up, closing."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from engine.client.application import Call
from engine.errors import Error, Refused
from engine.messages import SHORT_MAX, InitProducerIdRequest, ProduceRequest
from engine.profile import Profile
from engine.profiles import K010, K20, K28
from engine.switches import Switches
from tests.engine.client.bench import Bench
from tests.engine.narrowing import api_of, of, present

IDEMPOTENT: dict[str, Any] = {"enable_idempotence": True}


def ready(profile: Profile = K28, **settings: Any) -> Bench:
    """Return the bench of an idempotent producer that has its producer id."""
    bench = Bench(profile, **{**IDEMPOTENT, **settings})
    bench.give_producer_id()
    bench.forget()
    return bench


# -- identity ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [K20, K28], ids=["k20", "k28"])
def test_nothing_is_sent_before_the_id_is_there(profile: Profile) -> None:
    bench = Bench(profile, **IDEMPOTENT)
    request = bench.sent[0]
    assert (api_of(request.body), of(InitProducerIdRequest, request.body).transactional_id) == (
        "InitProducerId",
        None,
    )
    bench.send()
    assert [api_of(sent.body) for sent in bench.sent] == ["InitProducerId"]
    assert bench.said()[-1] == "client.waits_producer_id"
    bench.give_producer_id(41)
    assert bench.sequences() == [("t-0", 0, 0, 0)]
    assert of(ProduceRequest, bench.sent[0].body).batches["t-0"].producer_id == 41


def test_k20_stays_uninitialized_and_k28_becomes_ready() -> None:
    states = []
    for profile in (K20, K28):
        states.append(present(ready(profile).client.memory.transactions).state)
    assert states == ["UNINITIALIZED", "READY"]


@pytest.mark.parametrize("profile", [K20, K28], ids=["k20", "k28"])
def test_a_lost_answer_is_asked_for_again_after_the_backoff(profile: Profile) -> None:
    bench = Bench(profile, request_timeout_ms=1000, **IDEMPOTENT)
    bench.take("InitProducerId")
    bench.until(1000)
    assert bench.disconnects() == ["broker-1"]
    assert not [sent for sent in bench.sent if api_of(sent.body) == "InitProducerId"]
    bench.until(1100)
    again = bench.take("InitProducerId")
    assert again.destination == "broker-2"


@pytest.mark.parametrize("profile", [K20, K28], ids=["k20", "k28"])
def test_a_forbidden_id_is_fatal(profile: Profile) -> None:
    bench = Bench(profile, **IDEMPOTENT)
    bench.send()
    bench.give_producer_id(error=Error.CLUSTER_AUTHORIZATION_FAILED)
    assert present(bench.client.memory.transactions).state == "FATAL_ERROR"
    assert bench.status(1) == "failed"
    assert bench.ledger.records[1].error == "CLUSTER_AUTHORIZATION_FAILED"
    refused = bench.send()
    assert (refused.state, bench.said()[-1]) == ("refused", "client.send_in_error")
    assert bench.watch.refusals == [("TXM-5", "CLUSTER_AUTHORIZATION_FAILED")]


def test_a_restart_brings_another_id_and_knows_nothing() -> None:
    bench = ready()
    bench.send()
    bench.take("Produce")
    bench.client.crash(bench.now)
    assert bench.client.call(Call("send", {"partition": "t-0", "serial": 9, "size": 1}), bench.now) == []
    assert bench.status(1) == "unknown"
    bench.sent.clear()
    bench.carry_out(bench.client.restart(bench.now))
    bench.settle()
    assert bench.connects() == ["broker-1"]
    bench.connect()
    bench.give_producer_id(8)
    assert bench.client.incarnation == 2
    assert present(bench.client.memory.transactions).partitions == {}


# -- passes ------------------------------------------------------------------------------------------------


def test_linger_groups_and_is_said_once() -> None:
    bench = Bench(linger_ms=20)
    bench.now = 3
    bench.send()
    bench.until(10)
    bench.send()
    bench.until(22)
    assert bench.sent == []
    assert bench.said().count("client.waits_linger") == 1
    assert bench.client.pass_due() == 23
    bench.until(23)
    assert [batch.record_count for batch in of(ProduceRequest, bench.sent[0].body).batches.values()] == [2]


def test_a_resent_batch_lingers_once_more() -> None:
    bench = ready(linger_ms=50, retry_backoff_ms=10)
    bench.send()
    bench.until(50)
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    bench.until(61)
    assert bench.said()[-2:] == ["client.waits_backoff", "client.waits_linger_again"]
    bench.until(100)
    assert bench.said()[-3:] == ["client.ready_again", "client.drained_again", "client.sent"]


def test_a_full_queue_does_not_wait_for_linger() -> None:
    bench = Bench(linger_ms=1000, batch_size=200)
    bench.send()
    assert bench.sent == []
    bench.send()
    assert [batch.serials for batch in of(ProduceRequest, bench.sent[0].body).batches.values()] == [(1,)]
    # The remaining batch is alone in its queue again, so it lingers.
    assert bench.said()[-1] == "client.waits_linger"


def test_the_in_flight_limit_holds_a_ready_batch_back() -> None:
    bench = ready()
    for _ in range(6):
        bench.send()
    assert len(bench.sequences()) == 5
    assert bench.said()[-1] == "client.waits_in_flight_full"
    assert bench.client.pass_due() == 60_000  # Only the expiry remains: nothing else can change by itself.
    bench.answer(base_offset=0)
    assert bench.sequences()[-1] == ("t-0", 0, 5, 5)


def test_an_unknown_leader_asks_for_metadata_once_per_backoff() -> None:
    bench = Bench(leaders={"t-0": None, "t-1": 1})
    bench.send()
    assert bench.said() == [
        "client.record_starts_batch",
        "client.leader_unknown",
        "client.metadata_requested",
        "client.waits_no_leader",
    ]
    for asked_at in (100, 200, 300):
        bench.forget()
        bench.answer_metadata({"t-0": None, "t-1": 1})
        bench.until(asked_at)
        assert bench.said() == ["client.metadata_unchanged", "client.metadata_requested"]
    bench.answer_metadata({"t-0": 1, "t-1": 1})
    assert api_of(bench.sent[-1].body) == "Produce"


def test_a_connection_that_was_never_open_is_not_lost() -> None:
    bench = Bench(connected=False)
    bench.send()
    bench.disconnect()
    assert "client.not_connected" in bench.said() and "client.disconnected" not in bench.said()


def test_a_missing_connection_is_started_and_waited_for() -> None:
    bench = Bench(connected=False)
    bench.send()
    assert bench.connects() == ["broker-1"]
    assert bench.said()[-2:] == ["client.connects", "client.waits_not_connected"]
    assert bench.client.pass_due() == 60_000
    bench.now = 30
    bench.connect()
    assert api_of(bench.sent[-1].body) == "Produce"


def test_failed_connections_back_off_and_say_so_once() -> None:
    bench = Bench(connected=False)
    bench.send()
    bench.forget()
    attempts = []
    for _ in range(5):
        bench.disconnect("broker-1")
        bench.until(present(bench.client.pass_due()))
        attempts.append(bench.now)
    assert [later - earlier for earlier, later in zip([0, *attempts], attempts, strict=False)] == [
        50,
        100,
        200,
        400,
        800,
    ]
    said = [params["broker"] for key, params in bench.watch.heard if key == "client.connects"]
    assert sorted(said) == ["broker-1", "broker-2"]  # The producer asks the other broker for metadata.


def test_acks_none_completes_when_sent() -> None:
    bench = Bench(acks=0)
    bench.send()
    assert (bench.status(1), bench.ledger.records[1].offset) == ("ok", None)
    assert bench.client.next_timer() is None
    assert not bench.client.busy


def test_acks_none_leaves_a_batch_failed_that_expired_before_it_was_sent() -> None:
    """The process stops for a second between two phases of a pass: after the batch was drained, and before it is
    sent.
    """
    bench = Bench(acks=0, batch_expiry_ms=600, request_timeout_ms=500)
    bench.client.call(Call("send", {"partition": "t-0", "serial": 1, "size": 100}), bench.now)
    while "client.drained_plain" not in bench.said():
        bench.client.run_phase(bench.now)
    bench.now = 1_000
    bench.settle()
    assert [api_of(request.body) for request in bench.sent] == ["Produce"]
    assert bench.status(1) == "failed"
    assert not bench.client.busy


# -- resending ---------------------------------------------------------------------------------------------


def test_a_retriable_refusal_waits_its_backoff_and_keeps_its_numbers() -> None:
    bench = ready()
    bench.send()
    first = bench.answer(Error.NOT_ENOUGH_REPLICAS)
    assert bench.said()[-1] == "client.waits_backoff"
    bench.until(99)
    assert bench.sequences() == []
    bench.until(100)
    again = bench.sent[-1]
    assert (
        of(ProduceRequest, again.body).batches["t-0"].base_sequence
        == of(ProduceRequest, first.body).batches["t-0"].base_sequence
        == 0
    )
    bench.answer(base_offset=40)
    assert (bench.status(1), bench.ledger.records[1].offset) == ("ok", 40)


def test_retries_are_counted() -> None:
    bench = Bench(retries=1)
    bench.send()
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    bench.until(100)
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    assert (bench.status(1), bench.ledger.records[1].error) == ("failed", "NOT_ENOUGH_REPLICAS")


def test_a_refusal_of_the_leader_asks_for_metadata() -> None:
    bench = ready()
    bench.send()
    bench.answer(Error.NOT_LEADER_OR_FOLLOWER)
    assert bench.take("Metadata").destination == "broker-1"


def test_five_in_flight_come_back_one_at_a_time_and_in_order() -> None:
    bench = ready(retry_backoff_ms=10)
    for _ in range(5):
        bench.send()
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    for _ in range(4):
        bench.answer(Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
    queue = bench.client.memory.accumulator.queues["t-0"].batches
    assert [batch.base_sequence for batch in queue] == [0, 1, 2, 3, 4]
    sent = []
    for offset in range(5):
        bench.until(bench.now + 10)
        sent += bench.sequences()
        bench.answer(base_offset=offset)
    assert sent == [("t-0", 0, sequence, sequence) for sequence in range(5)]
    assert [bench.status(serial) for serial in range(1, 6)] == ["ok"] * 5


def test_without_ordered_reinsertion_the_newest_is_the_head_and_the_partition_stalls() -> None:
    bench = Bench(switches=Switches(ordered_reinsertion=False), retry_backoff_ms=10, **IDEMPOTENT)
    bench.give_producer_id()
    for _ in range(3):
        bench.send()
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    for _ in range(2):
        bench.answer(Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
    bench.until(59_000)
    assert bench.sequences() == []
    assert bench.said()[-2:] == ["client.waits_earlier_in_flight", "client.stop_ends_node"]
    bench.until(60_000)
    assert [bench.status(serial) for serial in (1, 2, 3)] == ["failed"] * 3


@pytest.mark.parametrize(("scope", "noted"), [("node", ["client.stop_ends_node"]), ("partition", [])])
def test_a_full_request_is_no_batch_that_may_not_be_sent_yet(scope: str, noted: list[str]) -> None:
    switches = Switches(drain_stop_scope=scope)
    bench = Bench(switches=switches, linger_ms=5, max_request_size=200, **IDEMPOTENT)
    bench.give_producer_id()
    bench.forget()
    bench.send("t-0")
    bench.send("t-1")
    bench.until(5)
    said = bench.said()
    at = said.index("client.stopped_request_full")
    assert [key for key in said[at + 1 :] if key.startswith("client.stop_")] == noted


@pytest.mark.parametrize(("kept", "numbers"), [(True, (0, 1, 0)), (False, (0, 0, 0))])
def test_a_client_that_does_not_keep_numbers_in_doubt_uses_them_again(
    kept: bool, numbers: tuple[int, int, int]
) -> None:
    switches = Switches(numbers_in_doubt_kept=kept)
    bench = Bench(switches=switches, retry_backoff_ms=200, batch_expiry_ms=150, **IDEMPOTENT)
    bench.give_producer_id()
    bench.send()
    bench.answer(Error.REQUEST_TIMED_OUT)
    bench.until(300)
    bench.send()
    ((_, epoch, first, last),) = bench.sequences()[-1:]
    assert (first, epoch, last) == numbers
    assert bench.status(1) == "failed"


def test_without_idempotence_the_failed_batch_comes_after_the_others() -> None:
    bench = Bench(retries=3, retry_backoff_ms=10)
    bench.send()
    bench.send()
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    bench.answer(base_offset=0)
    bench.until(10)
    bench.answer(base_offset=1)
    assert [bench.ledger.records[serial].offset for serial in (1, 2)] == [1, 0]


def test_one_in_flight_mutes_the_partition() -> None:
    bench = Bench(max_in_flight=1, retries=3)
    bench.send()
    bench.send()
    assert len(bench.sent) == 1
    assert bench.said()[-1] == "client.waits_muted"
    bench.answer()
    assert len(bench.sent) == 1


def test_a_request_that_times_out_ends_the_connection() -> None:
    bench = ready(request_timeout_ms=300)
    bench.send()
    bench.send()
    assert bench.client.next_timer() == 300
    bench.until(300)
    assert bench.disconnects() == ["broker-1"]
    assert bench.said().count("client.requeued") == 2
    # The connection was lost at 300 ms: the backoff of the batch ends at 400 ms, that of the connection earlier.
    bench.until(400)
    assert bench.connects() == ["broker-1"]


# -- lost numbers ------------------------------------------------------------------------------------------


def lose_a_batch(bench: Bench) -> None:
    """The first batch is acknowledged; the second expires while it waits to be sent again."""
    bench.send()
    bench.answer(base_offset=0)
    bench.send()
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    bench.disconnect()
    bench.forget()


def test_k28_raises_its_epoch_over_lost_numbers() -> None:
    bench = ready(batch_expiry_ms=500)
    lose_a_batch(bench)
    bench.until(500)
    assert bench.status(2) == "failed"
    assert [key for key in bench.said() if "unresolved" in key or "epoch" in key] == [
        "client.sequence_unresolved",
        "client.unresolved_lost_bump",
        "client.epoch_bumped_alone",
    ]
    bench.connect()
    bench.send()
    assert bench.sequences() == [("t-0", 1, 0, 0)]


def test_k20_takes_another_id_over_lost_numbers() -> None:
    bench = ready(K20, batch_expiry_ms=500)
    lose_a_batch(bench)
    bench.until(601)
    assert "client.unresolved_lost_reset" in bench.said()
    bench.give_producer_id(8)
    bench.connect()
    bench.send()
    batch = of(ProduceRequest, bench.sent[-1].body).batches["t-0"]
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (8, 0, 0)


@pytest.mark.parametrize("profile", [K20, K28], ids=["k20", "k28"])
def test_a_later_success_resolves_an_expired_batch(profile: Profile) -> None:
    bench = ready(profile, batch_expiry_ms=500, retry_backoff_ms=1000, max_in_flight=2)
    bench.send()
    bench.now = 200
    bench.send()
    bench.answer(Error.NETWORK_EXCEPTION)
    bench.send("t-1")  # It takes the only free request, so that the first batch waits until it expires.
    bench.until(499)
    bench.forget()
    bench.until(1701 if profile is K20 else 500)
    assert "client.sequence_unresolved" in bench.said()
    bench.answer(base_offset=1)
    assert (
        "client.unresolved_cleared" in bench.said(),
        present(bench.client.memory.transactions).producer_epoch,
    ) == (
        True,
        0,
    )


def test_the_wait_is_over_when_the_queued_batches_have_expired() -> None:
    bench = ready(batch_expiry_ms=500, max_in_flight=1)
    bench.send()
    bench.send()
    memory = bench.client.memory
    memory.sender.show()
    assert memory.sender.view()["waiting_for"] == "muted"
    bench.until(500)
    memory.sender.show()
    assert memory.sender.view()["waiting_for"] is None


def test_the_last_epoch_costs_the_id() -> None:
    bench = Bench(**IDEMPOTENT)
    bench.give_producer_id()
    transactions = bench.client.memory.transactions
    present(transactions).set_identity(7, SHORT_MAX)
    bench.send()
    bench.answer(Error.INVALID_PRODUCER_EPOCH)
    assert present(transactions).last_edge == ("UNINITIALIZED", "INITIALIZING", "need_producer_id")
    assert "client.epoch_exhausted" in bench.said()
    bench.give_producer_id(8)
    bench.send()
    batch = of(ProduceRequest, bench.sent[-1].body).batches["t-0"]
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (8, 0, 0)


def test_other_partitions_follow_a_bump_when_they_are_empty() -> None:
    bench = ready(retry_backoff_ms=10)
    bench.send("t-0")
    bench.send("t-1")
    bench.answer(Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
    bench.until(10)
    assert ("t-0", 1, 0, 0) in bench.sequences()
    bench.send("t-1")
    # t-1 still has a batch of epoch 0 in flight, so its new batch waits.
    assert [entry for entry in bench.sequences() if entry[0] == "t-1"] == [("t-1", 0, 0, 0)]
    assert "client.waits_older_epoch_in_flight" in bench.said()
    bench.answer(base_offset=0)
    assert [entry for entry in bench.sequences() if entry[0] == "t-1"] == [("t-1", 1, 0, 0)]


def test_a_k20_batch_of_a_dropped_id_is_not_sent_again() -> None:
    bench = ready(K20)
    bench.send("t-0")
    bench.send("t-1")
    bench.answer(Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert bench.status(1) == "failed"
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    assert (bench.status(2), bench.ledger.records[2].error) == ("failed", "OUT_OF_ORDER_SEQUENCE_NUMBER")
    assert "client.identity_changed" in bench.said()


# -- memory, flush, close ----------------------------------------------------------------------------------


def test_a_full_pool_blocks_and_the_memory_of_a_batch_frees_the_call() -> None:
    bench = Bench(K010, batch_size=1000, buffer_memory=2000, linger_ms=500)
    bench.send("t-0")
    bench.send("t-1")
    blocked = bench.send("t-0", size=950)
    assert (blocked.state, bench.client.call_state) == ("blocked", "blocked")
    # Both batches were sent at once, because a send() waits for memory.
    assert bench.client.next_timer() == 30_000
    bench.answer()
    assert (blocked.state, bench.client.finished_calls) == ("done", [blocked])
    assert bench.status(3) == "pending"


def test_a_wait_for_memory_ends_with_an_error() -> None:
    bench = Bench(K010, batch_size=1000, buffer_memory=1000, max_block_ms=50)
    bench.send("t-0")
    blocked = bench.send("t-1")
    bench.until(50)
    assert (blocked.state, blocked.error) == ("refused", "BUFFER_EXHAUSTED")
    assert bench.status(2) == "refused"
    assert not [fact for fact in bench.watch.facts if getattr(fact, "serial", None) == 2]


def test_flush_waits_for_what_was_there() -> None:
    bench = Bench(linger_ms=1000)
    bench.send("t-0")
    flush = bench.call("flush")
    assert flush.state == "blocked"
    assert bench.client.flush_in_progress
    bench.send("t-1")
    bench.answer()
    assert flush.state == "done"
    assert not bench.client.flush_in_progress
    assert bench.call("flush").state == "blocked"


def test_flush_with_nothing_to_wait_for_returns() -> None:
    assert Bench(linger_ms=1000).call("flush").state == "done"


def test_close_sends_what_is_there_first() -> None:
    bench = Bench(linger_ms=1000)
    bench.send()
    close = bench.call("close")
    assert close.state == "blocked"
    bench.answer()
    assert (close.state, bench.said()[-1]) == ("done", "client.closed")
    assert bench.client.pass_due() is None
    refused = bench.send()
    assert (refused.state, refused.error) == ("refused", "PRODUCER_CLOSED")


def test_a_closed_producer_is_closed_again_at_once() -> None:
    bench = ready()
    bench.call("close")
    again = bench.call("close")
    assert (again.state, bench.said()[-1]) == ("done", "client.close_without_sender")


def test_a_forced_close_fails_everything_at_once() -> None:
    bench = Bench(K010, linger_ms=1000, batch_size=1000, buffer_memory=1000)
    bench.send("t-0")
    blocked = bench.send("t-1")
    bench.call("force_close")
    assert blocked.state == "refused"
    assert bench.client.pass_due() is None
    assert bench.client.memory.accumulator.pool.free == 1000


def test_an_oversized_record_is_refused() -> None:
    bench = Bench(max_request_size=500)
    refused = bench.send(size=600)
    assert (refused.state, refused.error) == ("refused", "RECORD_TOO_LARGE")


# -- odd deliveries, settings, copying ---------------------------------------------------------------------


def test_a_second_copy_of_an_answer_is_ignored() -> None:
    bench = Bench()
    bench.send()
    request = bench.answer()
    assert bench.status(1) == "ok"
    bench.sent.append(request)
    bench.answer(Error.NOT_ENOUGH_REPLICAS)
    assert (bench.status(1), bench.said()[-1]) == ("ok", "client.answer_unexpected")


def test_a_setting_changes_while_running() -> None:
    bench = Bench(linger_ms=1000)
    bench.send()
    assert bench.client.reconfigure("linger_ms", 5, bench.now) == 1000
    bench.settle()
    assert bench.client.pass_due() == 5
    with pytest.raises(Refused) as caught:
        bench.client.check_setting("acks", 0)
    assert caught.value.place == "producers.p1.settings.acks"


def test_a_copy_goes_on_like_the_original() -> None:
    bench = ready(linger_ms=10)
    bench.send()
    bench.now = 4
    bench.send("t-1")
    copy = pickle.loads(pickle.dumps(bench))
    for world in (bench, copy):
        world.until(20)
    assert bench.sequences() == copy.sequences() != []
    copy.answer(base_offset=3)
    assert (copy.status(1), bench.status(1)) != (bench.status(1), copy.status(1))


def test_quiet_time_has_no_timer() -> None:
    bench = ready()
    bench.send()
    bench.answer()
    assert (bench.client.pass_due(), bench.client.next_timer()) == (None, None)
    assert not bench.client.busy
