"""The client of Kafka 3.9, where it differs from that of 2.8."""

from __future__ import annotations

from typing import Any

import pytest

from engine.building import build
from engine.client import client_states as states
from engine.client.application import Call
from engine.client.configuration import ACKS_ALL, ProducerConfig, resolve
from engine.client.transaction_manager import TransactionManager
from engine.errors import ClientError, Error, Refused
from engine.machine import deciding_rows
from engine.messages import (
    INT_MAX,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    FindCoordinatorResponse,
    InitProducerIdResponse,
)
from engine.profile import Profile, spoken_with
from engine.profiles import K20, K28, K39, K41, PROFILES
from engine.scenario.shelf import entry
from engine.switches import Switches
from engine.watching import Watch
from tests.engine.client.bench import Bench
from tests.engine.narrowing import of

SECONDS = 1_000


class Initializing(Bench):
    init: Call
    """The call of `initTransactions()`."""


def transactional(profile: Profile = K39, **settings: Any) -> Initializing:
    bench = Initializing(profile, transactional_id="tid", **settings)
    bench.init = bench.call("init_transactions")
    bench.deliver(
        bench.take("FindCoordinator"),
        FindCoordinatorResponse(key="tid", key_type="TRANSACTION", error=Error.NONE, node=1),
    )
    bench.until(200)
    return bench


def give_identity(bench: Bench, error: Error = Error.NONE) -> None:
    identity = (7, 0) if error is Error.NONE else (-1, -1)
    bench.deliver(
        bench.take("InitProducerId"),
        InitProducerIdResponse(error=error, producer_id=identity[0], producer_epoch=identity[1]),
    )


def manager_of(bench: Bench) -> TransactionManager:
    found = bench.client.memory.transactions
    assert found is not None
    return found


@pytest.mark.parametrize(
    "error", [Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, Error.CLUSTER_AUTHORIZATION_FAILED]
)
def test_who_may_not_have_an_identity_may_ask_again(error: Error) -> None:
    bench = transactional()
    with deciding_rows() as found:
        give_identity(bench, error)
    decided = {(row.source, row.on, row.target) for row in found.values()}
    assert {
        (states.INITIALIZING, states.ABORTABLE, states.ABORTABLE_ERROR),
        (states.ABORTABLE_ERROR, states.DENIED, states.UNINITIALIZED),
    } <= decided
    assert (bench.init.state, bench.init.error) == ("refused", error.name)
    assert manager_of(bench).state == "UNINITIALIZED"
    assert manager_of(bench).last_error is None
    assert "client.identity_denied" in bench.said()
    again = bench.call("init_transactions")
    give_identity(bench)
    assert (again.state, manager_of(bench).state) == ("done", "READY")


def test_in_2_8_that_is_the_end() -> None:
    bench = transactional(K28)
    give_identity(bench, Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    assert manager_of(bench).state == "FATAL_ERROR"


def test_an_idempotent_producer_fails_what_it_holds_and_asks_again() -> None:
    bench = Bench(K39, enable_idempotence=True)
    bench.send()
    bench.give_producer_id(-1, Error.CLUSTER_AUTHORIZATION_FAILED)
    assert bench.status(1) == "failed"
    bench.send()
    bench.give_producer_id()
    assert [sequence for _, _, sequence, _ in bench.sequences()] == [0]


def test_a_transition_that_the_sender_may_not_make_ends_the_producer() -> None:
    """A negative producer id counts as none, and in READY there is no way to request another one."""
    bench = Bench(K39, enable_idempotence=True)
    bench.send()
    bench.give_producer_id(-5)
    assert manager_of(bench).state == "FATAL_ERROR"
    assert manager_of(bench).last_error is ClientError.ILLEGAL_STATE
    assert "client.poisoned" in bench.said()
    assert "client.stuck_without_id" not in bench.said()
    assert bench.status(1) == "failed"
    refused = bench.send()
    assert (refused.state, refused.exception) == ("refused", "IllegalStateException")


@pytest.mark.parametrize(
    ("profile", "state"), [(K28, "IN_TRANSACTION"), (K39, "ABORTABLE_ERROR"), (K41, "ABORTABLE_ERROR")]
)
def test_a_record_that_is_too_large_fails_its_transaction(profile: Profile, state: str) -> None:
    """KAFKA-9279: before 3.2 the application could commit without the record."""
    bench = transactional(profile)
    give_identity(bench)
    bench.call("begin_transaction")
    assert bench.send(size=2_000_000).error == "RECORD_TOO_LARGE"
    assert manager_of(bench).state == state
    commit = bench.call("commit_transaction")
    assert (commit.state, commit.exception) == (
        ("done", None) if profile is K28 else ("refused", "KafkaException")
    )


def test_without_a_transaction_such_a_record_changes_nothing() -> None:
    bench = transactional()
    give_identity(bench)
    assert bench.send(size=2_000_000).error == "RECORD_TOO_LARGE"
    assert manager_of(bench).state == "READY"


def test_a_send_that_found_no_memory_fails_its_transaction() -> None:
    bench = transactional(buffer_memory=300, batch_size=200, max_block_ms=1_000)
    give_identity(bench)
    bench.call("begin_transaction")
    bench.send(size=150)
    blocked = bench.send(size=150)
    bench.until(bench.now + 1_000)
    assert (blocked.error, manager_of(bench).state) == ("BUFFER_EXHAUSTED", "ABORTABLE_ERROR")


@pytest.mark.parametrize(("profile", "exception"), [(K28, "KafkaException"), (K39, "IllegalStateException")])
def test_a_call_in_a_wrong_state_changes_nothing(profile: Profile, exception: str) -> None:
    bench = transactional(profile)
    give_identity(bench)
    refused = bench.call("commit_transaction")
    assert (refused.state, refused.exception) == ("refused", exception)
    assert manager_of(bench).state == "READY"
    assert bench.call("begin_transaction").state == "done"


def test_behind_a_call_that_timed_out_only_the_same_call_is_allowed() -> None:
    bench = transactional(max_block_ms=5 * SECONDS)
    bench.until(6 * SECONDS)
    assert bench.init.error == "TIMEOUT"
    give_identity(bench)
    refused = bench.call("begin_transaction")
    assert (refused.error, refused.exception) == ("ILLEGAL_STATE", "IllegalStateException")
    assert "client.call_unanswered" in bench.said()
    assert bench.call("init_transactions").state == "done"
    assert bench.call("begin_transaction").state == "done"


def test_in_2_8_another_call_is_allowed() -> None:
    bench = transactional(K28, max_block_ms=5 * SECONDS)
    bench.until(6 * SECONDS)
    give_identity(bench)
    assert bench.call("begin_transaction").state == "done"


def test_transaction_abortable_ends_the_transaction_alone() -> None:
    bench = transactional()
    give_identity(bench)
    bench.call("begin_transaction")
    bench.send()
    bench.deliver(
        bench.take("AddPartitionsToTxn"),
        AddPartitionsToTxnResponse(errors={"t-0": Error.TRANSACTION_ABORTABLE}),
    )
    assert manager_of(bench).state == "ABORTABLE_ERROR"
    assert manager_of(bench).last_error is Error.TRANSACTION_ABORTABLE
    refused = bench.call("commit_transaction")
    assert (refused.error, refused.exception) == ("TRANSACTION_ABORTABLE", "KafkaException")
    assert bench.call("abort_transaction").state == "done"
    assert manager_of(bench).state == "READY", "the coordinator never heard of it"


@pytest.mark.parametrize(("profile", "error"), [(K28, "NETWORK_EXCEPTION"), (K39, "REQUEST_TIMED_OUT")])
def test_a_request_that_is_overdue_names_its_error(profile: Profile, error: str) -> None:
    bench = Bench(profile, enable_idempotence=True, request_timeout_ms=SECONDS)
    bench.give_producer_id()
    bench.send()
    bench.until(2 * SECONDS)
    assert error in {params.get("error") for _, params in bench.watch.heard}


@pytest.mark.parametrize(("profile", "counts"), [(K28, True), (K39, False)])
def test_a_batch_that_is_over_and_fails_once_more(profile: Profile, counts: bool) -> None:
    """The batch expired in flight; when its response arrives, 2.8 requests a higher epoch."""
    bench = Bench(profile, enable_idempotence=True, batch_expiry_ms=5 * SECONDS)
    bench.give_producer_id()
    bench.send()
    bench.until(6 * SECONDS)
    assert bench.status(1) == "failed"
    bench.answer(Error.MESSAGE_TOO_LARGE)
    bench.send()
    assert [epoch for _, epoch, _, _ in bench.sequences()] == [1 if counts else 0]


def test_a_version_has_the_errors_of_its_time() -> None:
    assert Error.TRANSACTION_ABORTABLE in K39.errors
    assert not {Error.TRANSACTION_ABORTABLE, Error.NONE} & set(K28.errors)
    assert not {Error.PRODUCER_FENCED, Error.UNSTABLE_OFFSET_COMMIT} & set(K20.errors)
    assert not spoken_with(K39, K28).knows_transaction_abortable


def config(**settings: str | int) -> ProducerConfig:
    return resolve(settings, K39, Switches())


def test_a_producer_is_idempotent_by_default() -> None:
    made = config()
    assert (made.enable_idempotence, made.acks, made.retries) == (True, ACKS_ALL, INT_MAX)
    assert {made.explained[name]["reason"] for name in ("enable_idempotence", "acks")} == {"default"}
    assert made.explained["acks"]["default"] == ACKS_ALL


@pytest.mark.parametrize(("setting", "value"), [("acks", 1), ("retries", 0), ("max_in_flight", 6)])
def test_a_setting_that_idempotence_does_not_bear_turns_the_default_off(setting: str, value: int) -> None:
    made = config(**{setting: value})
    assert not made.enable_idempotence
    assert made.explained["enable_idempotence"]["reason"] == f"forced by {setting}"
    for asked in ({"enable_idempotence": True}, {"transactional_id": "tid"}):
        with pytest.raises(Refused, match="CFG-2"):
            config(**{setting: value}, **asked)


def test_too_many_in_flight_are_refused_since_4_0_even_by_default() -> None:
    with pytest.raises(Refused, match="CFG-2"):
        resolve({"max_in_flight": 6}, K41, Switches())
    assert not resolve({"acks": 1}, K41, Switches()).enable_idempotence
    assert resolve({"max_in_flight": 6, "enable_idempotence": False}, K41, Switches()).max_in_flight == 6


def test_a_running_producer_stays_idempotent_or_not() -> None:
    bench = Bench(K39)
    with pytest.raises(Refused, match="CFG-2"):
        bench.client.reconfigure("max_in_flight", 6, 0)
    bench = Bench(K39, max_in_flight=6)
    bench.client.reconfigure("max_in_flight", 3, 0)
    assert not bench.client.config.enable_idempotence


@pytest.mark.parametrize(("profile", "expiration_ms"), [(K28, 604_800_000), (K39, 86_400_000)])
def test_the_log_forgets_an_idle_producer(
    monkeypatch: pytest.MonkeyPatch, profile: Profile, expiration_ms: int
) -> None:
    monkeypatch.setitem(PROFILES, "k28", profile)
    world = build(entry("SC-44").scenario("k28"), Watch())
    found = {broker.setup.configuration.producer_state_expiration_ms for broker in world.brokers.values()}
    assert found == {expiration_ms}
    knows = {broker.setup.understand_abortable for broker in world.brokers.values()}
    assert knows == {frozenset(world.clients) if profile is K39 else frozenset()}


@pytest.mark.parametrize(("profile", "waits"), [(K28, [100] * 6), (K39, [100, 200, 400, 800, 1_000, 1_000])])
def test_a_batch_that_goes_again_waits_longer_each_time(profile: Profile, waits: list[int]) -> None:
    bench = Bench(profile, enable_idempotence=True)
    bench.give_producer_id()
    bench.send()
    waited = []
    for _ in waits:
        bench.answer(Error.NOT_ENOUGH_REPLICAS, -1)
        since = bench.now
        while not bench.sequences():
            bench.until(bench.now + 10)
        waited.append(bench.now - since)
    assert waited == waits


def test_an_abort_that_ends_without_an_identity_leaves_no_way_to_initialise_again() -> None:
    """The coordinator refused after abortTransaction(), so nothing requests the raised epoch
    (``TransactionManager``).
    """
    bench = transactional()
    give_identity(bench)
    bench.call("begin_transaction")
    bench.send()
    bench.until(bench.now + SECONDS)
    aborted = bench.call("abort_transaction")
    request = bench.take("AddPartitionsToTxn")
    errors = dict.fromkeys(
        of(AddPartitionsToTxnRequest, request.body).partitions, Error.INVALID_PRODUCER_ID_MAPPING
    )
    bench.deliver(request, AddPartitionsToTxnResponse(errors=errors))
    bench.until(bench.now + SECONDS)
    assert (aborted.state, manager_of(bench).state) == ("done", states.INITIALIZING)
    for call in ("begin_transaction", "init_transactions", "init_transactions"):
        again = bench.call(call)
        assert (again.state, again.error) == ("refused", "ILLEGAL_STATE")
