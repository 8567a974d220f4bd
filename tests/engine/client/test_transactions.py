"""A transactional producer on the bench: the test answers for its coordinators."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from engine.client.client_states import (
    ABORTABLE_ERROR,
    ABORTING_TRANSACTION,
    COMMITTING_TRANSACTION,
    FATAL_ERROR,
    IN_TRANSACTION,
    INITIALIZING,
    READY,
)
from engine.client.transaction_manager import TransactionManager
from engine.errors import Error
from engine.messages import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProduceRequest,
    Send,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
)
from engine.profile import Profile
from engine.profiles import K20, K28
from tests.engine.client.bench import Bench
from tests.engine.narrowing import api_of, of, present

BOTH = pytest.mark.parametrize("profile", [K20, K28], ids=["k20", "k28"])


class Transactions(Bench):
    """A bench that answers for the coordinators; broker 2 is the coordinator of everything."""

    def __init__(self, profile: Profile = K28, **settings: Any) -> None:
        super().__init__(profile, transactional_id="txn-1", **settings)

    @property
    def manager(self) -> TransactionManager:
        return present(self.client.memory.transactions)

    @property
    def state(self) -> str:
        return self.manager.state

    def find(self, error: Error = Error.NONE) -> Send:
        request = self.take("FindCoordinator")
        node = 2 if error is Error.NONE else None
        self.deliver(
            request,
            FindCoordinatorResponse(
                key=of(FindCoordinatorRequest, request.body).key,
                key_type=of(FindCoordinatorRequest, request.body).key_type,
                error=error,
                node=node,
            ),
        )
        return request

    def identify(self, error: Error = Error.NONE, epoch: int = 0, producer_id: int = 7) -> Send:
        request = self.take("InitProducerId")
        given = InitProducerIdResponse(error=error, producer_id=producer_id, producer_epoch=epoch)
        self.deliver(request, given)
        return request

    def add(self, error: Error = Error.NONE) -> Send:
        request = self.take("AddPartitionsToTxn")
        errors = dict.fromkeys(of(AddPartitionsToTxnRequest, request.body).partitions, error)
        self.deliver(request, AddPartitionsToTxnResponse(errors=errors))
        return request

    def end(self, error: Error = Error.NONE) -> Send:
        request = self.take("EndTxn")
        self.deliver(request, EndTxnResponse(error=error))
        return request

    def apis(self) -> list[str]:
        return [api_of(request.body) for request in self.sent]


def ready(profile: Profile = K28, **settings: Any) -> Transactions:
    bench = Transactions(profile, **settings)
    call = bench.call("init_transactions")
    assert call.state == "blocked"
    bench.find()
    bench.until(bench.now + 100)
    bench.identify()
    assert (call.state, bench.state) == ("done", READY)
    return bench


def open_transaction(profile: Profile = K28, **settings: int) -> Transactions:
    bench = ready(profile, **settings)
    bench.call("begin_transaction")
    bench.send()
    bench.add()
    bench.answer()
    return bench


@BOTH
def test_a_whole_transaction(profile: Profile) -> None:
    bench = ready(profile)
    begun = bench.call("begin_transaction")
    assert (begun.state, bench.state, bench.apis()) == ("done", IN_TRANSACTION, [])
    bench.send()
    assert bench.apis() == ["AddPartitionsToTxn"]
    bench.add()
    assert bench.apis() == ["Produce"]
    batch = of(ProduceRequest, bench.sent[0].body).batches["t-0"]
    assert (batch.is_transactional, batch.producer_id, batch.base_sequence) == (True, 7, 0)
    assert of(ProduceRequest, bench.sent[0].body).transactional_id == "txn-1"
    commit = bench.call("commit_transaction")
    assert bench.apis() == ["Produce"], "EndTxn waits for every batch"
    bench.answer()
    assert bench.apis() == ["EndTxn"]
    request = bench.end()
    assert of(EndTxnRequest, request.body).committed
    assert (commit.state, bench.state) == ("done", READY)
    assert not bench.manager.added_partitions


def test_a_request_behind_a_lookup_sleeps_before_it_is_sent() -> None:
    bench = Transactions()
    bench.call("init_transactions")
    bench.find()
    assert bench.apis() == []
    assert bench.client.pass_due() == 100
    bench.until(100)
    assert bench.apis() == ["InitProducerId"]


@BOTH
def test_the_second_transaction_waits_twenty_milliseconds_for_the_first(profile: Profile) -> None:
    bench = open_transaction(profile)
    bench.call("commit_transaction")
    bench.end()
    bench.call("begin_transaction")
    bench.send()
    bench.add(Error.CONCURRENT_TRANSACTIONS)
    began = bench.now
    assert (bench.state, bench.client.pass_due()) == (IN_TRANSACTION, began + 20)
    bench.until(began + 20)
    bench.add()
    assert bench.sequences() == [("t-0", 0, 1, 1)], "the same line of sequences goes on"


def test_with_a_partition_added_the_usual_backoff_holds() -> None:
    bench = open_transaction()
    bench.send("t-1")
    bench.add(Error.CONCURRENT_TRANSACTIONS)
    assert bench.client.pass_due() == bench.now + 100


@BOTH
def test_nothing_registered_nothing_sent(profile: Profile) -> None:
    bench = ready(profile)
    bench.call("begin_transaction")
    call = bench.call("commit_transaction")
    assert (call.state, bench.state, bench.apis()) == ("done", READY, [])


@BOTH
def test_an_abort_gives_up_what_was_never_sent(profile: Profile) -> None:
    bench = ready(profile, linger_ms=1000, batch_size=200)
    bench.call("begin_transaction")
    bench.send()
    bench.add()
    first = bench.send()  # It closes the first batch, which is sent.
    assert first.state == "done"
    assert bench.apis() == ["Produce"]
    call = bench.call("abort_transaction")
    assert (bench.status(1), bench.status(2)) == ("pending", "aborted")
    assert bench.state == ABORTING_TRANSACTION
    bench.answer()
    assert bench.status(1) == "ok"
    assert not of(EndTxnRequest, bench.end().body).committed
    assert (call.state, bench.state) == ("done", READY)


def test_an_abortable_failure_leaves_only_the_abort() -> None:
    bench = ready()
    bench.call("begin_transaction")
    bench.send()
    bench.add(Error.TOPIC_AUTHORIZATION_FAILED)
    assert bench.state == ABORTABLE_ERROR
    assert bench.status(1) == "aborted"
    assert bench.call("commit_transaction").error == "TOPIC_AUTHORIZATION_FAILED"
    assert bench.send().state == "refused"
    assert bench.call("abort_transaction").state == "done", "nothing was registered"
    assert bench.state == READY


@BOTH
def test_a_fenced_producer_is_at_its_end(profile: Profile) -> None:
    bench = open_transaction(profile)
    call = bench.call("commit_transaction")
    bench.end(Error.PRODUCER_FENCED if profile is K28 else Error.INVALID_PRODUCER_EPOCH)
    assert (bench.state, call.state) == (FATAL_ERROR, "refused")
    assert bench.call("abort_transaction").state == "refused"
    assert bench.call("close").state == "done"


def test_lost_numbers_raise_the_epoch_through_the_coordinator() -> None:
    bench = ready()
    bench.call("begin_transaction")
    bench.send()
    bench.add()
    bench.answer(Error.TOPIC_AUTHORIZATION_FAILED)
    assert (bench.state, bench.manager.bump_required) == (ABORTABLE_ERROR, True)
    call = bench.call("abort_transaction")
    bench.end()
    assert (bench.state, call.state) == (INITIALIZING, "blocked")
    request = bench.identify(epoch=1)
    assert (
        of(InitProducerIdRequest, request.body).producer_id,
        of(InitProducerIdRequest, request.body).producer_epoch,
    ) == (7, 0)
    assert (bench.state, call.state, bench.manager.producer_epoch) == (READY, "done", 1)
    bench.call("begin_transaction")
    bench.send()
    bench.add()
    assert bench.sequences() == [("t-0", 1, 0, 0)]


def test_an_unknown_identity_skips_the_end() -> None:
    bench = open_transaction()
    bench.send("t-1")
    bench.add(Error.INVALID_PRODUCER_ID_MAPPING)
    assert bench.state == ABORTABLE_ERROR
    call = bench.call("abort_transaction")
    assert bench.apis() == ["InitProducerId"]
    bench.identify(producer_id=8)
    assert (bench.state, call.state) == (READY, "done")
    assert not bench.manager.added_partitions
    (given,) = (params for key, params in bench.watch.heard if key == "client.epoch_raised_by_coordinator")
    assert (given["previous_id"], given["before"]) == (7, 0)
    assert (given["producer_id"], given["producer_epoch"]) == (8, 0)


def test_k20_knows_no_way_back_from_an_unknown_identity() -> None:
    bench = open_transaction(K20)
    bench.call("commit_transaction")
    bench.end(Error.INVALID_PRODUCER_ID_MAPPING)
    assert bench.state == FATAL_ERROR


def test_offsets_go_to_two_coordinators() -> None:
    bench = open_transaction()
    call = bench.call("send_offsets", offsets={"in-0": 3}, group="g")
    assert of(AddOffsetsToTxnRequest, bench.sent[0].body).group_id == "g"
    bench.deliver(bench.take("AddOffsetsToTxn"), AddOffsetsToTxnResponse(error=Error.NONE))
    assert of(FindCoordinatorRequest, bench.find().body).key_type == "GROUP"
    bench.until(bench.now + 100)
    request = bench.take("TxnOffsetCommit")
    assert of(TxnOffsetCommitRequest, request.body).offsets["in-0"].offset == 3
    bench.deliver(request, TxnOffsetCommitResponse(errors={"in-0": Error.COORDINATOR_LOAD_IN_PROGRESS}))
    assert call.state == "blocked"
    bench.until(bench.now + 100)
    bench.deliver(bench.take("TxnOffsetCommit"), TxnOffsetCommitResponse(errors={"in-0": Error.NONE}))
    assert call.state == "done"
    assert not bench.manager.pending_offsets


def test_a_call_that_timed_out_waits_for_the_same_result() -> None:
    bench = open_transaction(max_block_ms=150)
    first = bench.call("commit_transaction")
    bench.until(bench.now + 150)
    assert (first.state, first.error) == ("refused", "TIMEOUT")
    second = bench.call("commit_transaction")
    assert bench.apis() == ["EndTxn"], "nothing is asked for twice"
    bench.end()
    assert (second.state, bench.state) == ("done", READY)


@pytest.mark.parametrize(("profile", "state"), [(K20, "blocked"), (K28, "refused")])
def test_handing_offsets_on_has_a_limit_since_a_later_version(profile: Profile, state: str) -> None:
    bench = open_transaction(profile, max_block_ms=150)
    call = bench.call("send_offsets", offsets={"in-0": 3}, group="g")
    bench.until(bench.now + 400)
    assert call.state == state


def test_a_lost_answer_is_asked_for_at_the_coordinator_found_anew() -> None:
    bench = open_transaction(retry_backoff_ms=60)
    call = bench.call("commit_transaction")
    bench.disconnect("broker-2")
    assert bench.state == COMMITTING_TRANSACTION
    assert bench.apis()[0] == "FindCoordinator"
    bench.until(bench.now + 60)
    bench.find()
    assert bench.connects() == ["broker-2"]
    bench.connect("broker-2")
    bench.until(bench.now + 60)
    bench.end()
    assert call.state == "done"


def test_a_coordinator_that_cannot_be_connected_to_is_looked_up_again() -> None:
    bench = open_transaction()
    bench.disconnect("broker-2")
    bench.until(bench.now + 60)
    bench.call("commit_transaction")
    assert bench.connects() == ["broker-2"]
    bench.disconnect("broker-2")
    assert "client.coordinator_not_reached" in bench.said()
    assert bench.apis()[-1] == "FindCoordinator"


def test_a_group_right_missing_before_any_transaction_changes_nothing() -> None:
    bench = Transactions()
    bench.call("init_transactions")
    bench.find(Error.GROUP_AUTHORIZATION_FAILED)
    assert bench.state == INITIALIZING
    assert "client.illegal_transition" in bench.said()


def test_close_aborts_an_open_transaction_in_2_8() -> None:
    bench = open_transaction()
    call = bench.call("close")
    assert not of(EndTxnRequest, bench.end().body).committed
    assert call.state == "done"


def test_close_leaves_an_open_transaction_to_its_timeout_in_2_0() -> None:
    bench = open_transaction(K20)
    assert bench.call("close").state == "done"
    assert bench.apis() == []


def test_a_forced_close_ends_the_waiting_calls() -> None:
    bench = open_transaction()
    call = bench.call("commit_transaction")
    bench.call("force_close")
    assert call.state == "refused"
    assert not bench.client.busy


@BOTH
def test_a_completing_transaction_does_not_wait_for_linger(profile: Profile) -> None:
    bench = ready(profile, linger_ms=1000)
    bench.call("begin_transaction")
    bench.send()
    bench.add()
    assert bench.apis() == []
    bench.call("commit_transaction")
    assert bench.apis() == ["Produce"]


def test_a_copy_goes_on_like_the_original() -> None:
    bench = open_transaction()
    bench.call("commit_transaction")
    copy = pickle.loads(pickle.dumps(bench))
    for one in (bench, copy):
        one.end()
    assert (copy.state, copy.now) == (bench.state, bench.now) == (READY, bench.now)


def test_a_control_request_waits_for_a_free_slot_of_its_connection() -> None:
    bench = ready(leaders={"t-0": 2, "t-1": 2}, max_in_flight=1)
    bench.call("begin_transaction")
    bench.send("t-0")
    bench.add()
    assert bench.apis() == ["Produce"]
    bench.send("t-1")
    assert bench.said()[-1] == "client.waits_in_flight_full"
