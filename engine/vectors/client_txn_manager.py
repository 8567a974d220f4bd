"""Runs the cases of `client_txn_manager` with the producer client that scenarios use.

A case has one of three subtopics. `transition` tests the client's own check of a change of state, `api` a call in a
given state. In `response`, calls make the client send a request, which is then answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.client import client_states as states
from engine.client import transaction_calls as calls
from engine.client.control_requests import GROUP, TRANSACTION, Result
from engine.client.ledger import Ledger
from engine.client.producer_client import ProducerClient
from engine.client.thrown import KAFKA_EXCEPTION, CallThrows
from engine.client.transaction_manager import TransactionManager
from engine.errors import Cause, Error
from engine.explain.exceptions import exception_name
from engine.happenings.producer import AnswerThrown, ProducerPoisoned
from engine.messages import (
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    CommittedOffset,
    Connect,
    Effects,
    EndTxnResponse,
    Envelope,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    InitProducerIdResponse,
    MetadataRequest,
    Send,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
)
from engine.profile import Profile
from engine.profiles import PROFILES
from engine.switches import Switches
from engine.vectors.exceptions import error_named
from engine.vectors.outcome import UNKNOWN, Failure, Outcome, Skip, first_difference
from engine.vectors.run import SNAPSHOT
from engine.vectors.snapshot_client import AT_SNAPSHOT
from engine.watching import Fields, Kind, Watch

NAME, BROKER, PEER = "p1", 1, "broker-1"
PRODUCER_ID, PRODUCER_EPOCH = 13, 1
OFFSETS = {"t-0": CommittedOffset(offset=1)}
PASS_LIMIT = 100
_BY_VERSION = {profile.version: profile for profile in PROFILES.values()} | {SNAPSHOT: AT_SNAPSHOT}
SUCCESSFUL_BEFORE_COMPLETE = ("2.0", "2.8")
"""Versions in which ``TransactionalRequestResult.isSuccessful`` is true before the result is completed."""


def run(case: dict[str, Any], version: str) -> Outcome:
    """Run one case in one version. Returns the first difference from Kafka, or None. Raises Skip if the engine or the
    case does not have the version."""
    profile = _BY_VERSION.get(version)
    if profile is None:
        raise Skip(f"the engine has no profile for Kafka {version}")
    listed = [entry["outcome"] for entry in case["expected"] if version in entry["versions"]]
    if not listed:
        raise Skip(f"the case says nothing about Kafka {version}")
    return _SUBTOPICS[case["subtopic"]](case["input"], listed[0], profile)


def _transition(given: dict[str, Any], expected: dict[str, Any], profile: Profile) -> Outcome:
    legal = states.edge_is_legal(
        given["from"],
        given["to"],
        profile.recovers_by_epoch,
        profile.outlives_denied_identity,
        profile.commit_may_raise_epoch,
    )
    if legal != expected["valid"]:
        return Failure("valid", expected["valid"], legal)
    return None


# -- calls -------------------------------------------------------------------------------------------


def _api(given: dict[str, Any], expected: dict[str, Any], profile: Profile) -> Outcome:
    driver = _Driver(profile, transactional="state" in given)
    manager = driver.manager
    if "state" in given:
        _bring_to(manager, given["state"], given["last_error"])
    outcome = _call(manager, given["call"])
    got = {
        "outcome": outcome,
        "state_after": manager.state,
        "pending_requests": sorted(request.api for request in manager.requests),
    }
    return first_difference("", expected, got, missing=UNKNOWN)


def _call(manager: TransactionManager, call: str) -> str:
    """The result of the call: ``OK`` or an exception. A second initTransactions() would wait for the result of the
    first one; if a case sets the state INITIALIZING without a first call, the client's table decides."""
    if (manager.state, call) == (states.INITIALIZING, states.INIT) and manager.pending_result is None:
        legal = states.edge_is_legal(states.INITIALIZING, states.INITIALIZING, manager.recovery.raises_epoch)
        refused = manager.thrown.in_wrong_state
        return "OK" if legal else refused
    try:
        _CALLS[call](manager)
    except CallThrows as refused:
        return refused.exception
    return "OK"


def _bring_to(manager: TransactionManager, state: str, error: str | None) -> None:
    steps = {
        states.UNINITIALIZED: [],
        states.INITIALIZING: [states.INIT],
        states.READY: [states.INIT, states.GOT_ID],
        states.FATAL_ERROR: [states.INIT, states.GOT_ID],
    }.get(state, [states.INIT, states.GOT_ID, states.BEGIN])
    for on in steps:
        manager.transition(on)
    if states.GOT_ID in steps:
        manager.set_identity(PRODUCER_ID, PRODUCER_EPOCH)
    if state in (states.COMMITTING_TRANSACTION, states.ABORTING_TRANSACTION):
        manager.transition(states.COMMIT if state == states.COMMITTING_TRANSACTION else states.ABORT)
    if error is None:
        return
    unexpected = error == KAFKA_EXCEPTION
    cause = Error.UNKNOWN_SERVER_ERROR if unexpected else Error.PRODUCER_FENCED
    manager.transition(states.FATAL if state == states.FATAL_ERROR else states.ABORTABLE, cause, unexpected)


def _add_partition(manager: TransactionManager) -> None:
    calls.check_send(manager)
    calls.maybe_add_partition(manager, "t-0")


def _send_offsets(manager: TransactionManager) -> Result:
    return calls.send_offsets(manager, OFFSETS, "g")


_CALLS: dict[str, Callable[[TransactionManager], Any]] = {
    "init_transactions": calls.init_transactions,
    "begin_transaction": calls.begin_transaction,
    "commit_transaction": calls.commit_transaction,
    "abort_transaction": calls.abort_transaction,
    "send_check": calls.check_send,
    "add_partition": _add_partition,
    "send_offsets": _send_offsets,
}


# -- answers -----------------------------------------------------------------------------------------


def _response(given: dict[str, Any], expected: dict[str, Any], profile: Profile) -> Outcome:
    # "either" means that the value makes no difference: both values must give the expected outcome.
    supports = given["coordinator_supports_epoch_bump"]
    for can_bump in (True, False) if supports == "either" else (supports,):
        driver = _Driver(profile)
        driver.manager.coordinator_supports_bump = can_bump
        result = driver.bring_on_its_way(given["request"])
        driver.answer(given["error"])
        failure = first_difference("", expected, driver.state(result), missing=UNKNOWN)
        if failure is not None:
            return failure
        driver.go_on()
    return None


class _Catching(Watch):
    """A watch that notes when Kafka's client would throw while it handles the response."""

    def __init__(self) -> None:
        super().__init__()
        self.thrown = False

    def emit(self, kind: Kind[Fields], /, *fields: Fields.args, **named: Fields.kwargs) -> None:
        super().emit(kind, *fields, **named)
        self.thrown = self.thrown or kind in (AnswerThrown, ProducerPoisoned)


class _Driver:
    """One producer whose requests wait until the case answers them."""

    def __init__(self, profile: Profile, transactional: bool = True) -> None:
        self.watch = watch = _Catching()
        settings = {"transactional_id": "tid"} if transactional else {"enable_idempotence": True}
        self.version = profile.version
        self.client = ProducerClient(NAME, settings, profile, Switches(), watch, Ledger(watch), (BROKER,))
        self.client.preset_metadata({"t-0": BROKER, "t-1": BROKER}, (BROKER,))
        self.client.preset_connected((PEER,))
        manager = self.client.memory.transactions
        if manager is None:
            raise TypeError("a producer without a transaction manager")
        self.manager = manager
        self.now = 0
        self.in_flight: list[Send] = []

    def bring_on_its_way(self, request: str) -> Result | None:
        """Make calls and answer requests until ``request`` is in flight. Returns the result of the call that sent it,
        or None."""
        if request.startswith("FindCoordinator(T"):
            return self._do(calls.init_transactions)
        if request == "InitProducerId":
            result = self._do(calls.init_transactions)
            self._accept()
            return result
        self._do(calls.init_transactions)
        self._accept()
        self._accept()
        self._do(calls.begin_transaction)
        return self._in_transaction(request)

    def _in_transaction(self, request: str) -> Result | None:
        if request.startswith("AddPartitions"):
            for partition in ("t-0", "t-1") if "two" in request else ("t-0",):
                calls.maybe_add_partition(self.manager, partition)
            self._run()
            return None
        if request.startswith("EndTxn"):
            self._do(_add_partition)
            self._accept()
            committed = request == "EndTxn(commit)"
            return self._do(calls.commit_transaction if committed else calls.abort_transaction)
        result = self._do(_send_offsets)
        follow = {"AddOffsetsToTxn": 0, "FindCoordinator(GROUP)": 1, "TxnOffsetCommit": 2}[request]
        for _ in range(follow):
            self._accept()
        return result

    def _do(self, call: Callable[[TransactionManager], Any]) -> Result | None:
        earlier = self.manager.pending_result
        if earlier is not None:
            earlier.acknowledged = earlier.completed
        result: Result | None = call(self.manager)
        self._run()
        return result

    def _run(self) -> None:
        """Run passes of the Sender until a request is in flight, or nothing more happens."""
        poll = self.client.memory.poll
        for _ in range(PASS_LIMIT):
            if self.in_flight:
                return
            if poll.sleeps_until is not None:
                self.now = poll.sleeps_until
            poll.wake(self.now)
            quiet, more = True, True
            while more:
                effects, more = self.client.run_phase(self.now)
                quiet = quiet and not effects
                self._carry_out(effects)
            if quiet and not poll.changed and poll.sleeps_until is None:
                return

    def go_on(self) -> None:
        """Run the Sender after the comparison; nothing may be raised."""
        self._run()

    def _carry_out(self, effects: Effects) -> None:
        for effect in effects:
            if isinstance(effect, Connect):
                self._carry_out(self.client.on_connected(effect.peer, self.now))
            elif isinstance(effect, Send) and not isinstance(effect.body, MetadataRequest):
                self.in_flight.append(effect)

    def answer(self, error: str) -> None:
        """Answer the request in flight, or drop its connection."""
        request = self.in_flight.pop(0)
        if error == "DISCONNECT":
            self.client.on_disconnected(PEER, self.now)
            return
        body = _answer_to(request.body, error_named(error))
        envelope = Envelope(0, PEER, NAME, body, request.correlation_id, True, self.now, self.now)
        self.client.handle(envelope, self.now)

    def _accept(self) -> None:
        self.answer("NONE")
        self._run()

    def state(self, result: Result | None) -> dict[str, Any]:
        """The state after the response. After an exception the case lists no further field."""
        if self.watch.thrown:
            return {"exception": KAFKA_EXCEPTION}
        manager = self.manager
        error = manager.last_error
        return {
            "result_completed": result is not None and result.completed,
            "result_successful": result is not None
            and result.error is None
            and (result.completed or self.version in SUCCESSFUL_BEFORE_COMPLETE),
            "result_error": None
            if result is None or result.error is None
            else self._exception(result.error, result.unexpected),
            "state": manager.state,
            "last_error": None if error is None else self._exception(error, manager.last_error_unexpected),
            "pid": manager.producer_id,
            "epoch": manager.producer_epoch,
            "pending_requests": sorted(request.api for request in manager.requests),
            "coordinator_known": manager.coordinators[TRANSACTION] is not None,
            "group_coordinator_known": manager.coordinators[GROUP] is not None,
            "epoch_bump_required": manager.bump_required,
            "new_partitions": sorted(manager.new_partitions),
            "pending_partitions": sorted(manager.pending_partitions),
            "partitions_in_txn": sorted(manager.added_partitions),
        }

    def _exception(self, error: Cause, unexpected: bool) -> str:
        return KAFKA_EXCEPTION if unexpected else exception_name(error, self.version)


def _answer_to(request: object, error: Error) -> object:
    """The response with ``error``. In the response to AddPartitionsToTxn, only the last partition has the error."""
    if isinstance(request, FindCoordinatorRequest):
        node = BROKER if error is Error.NONE else None
        return FindCoordinatorResponse(key=request.key, key_type=request.key_type, error=error, node=node)
    if isinstance(request, AddPartitionsToTxnRequest):
        errors = dict.fromkeys(request.partitions, Error.NONE)
        errors[request.partitions[-1]] = error
        return AddPartitionsToTxnResponse(errors=errors)
    if isinstance(request, TxnOffsetCommitRequest):
        return TxnOffsetCommitResponse(errors=dict.fromkeys(request.offsets, error))
    api = type(request).api  # type: ignore[attr-defined]
    if api == "InitProducerId":
        identity = (PRODUCER_ID, PRODUCER_EPOCH) if error is Error.NONE else (-1, -1)
        return InitProducerIdResponse(error=error, producer_id=identity[0], producer_epoch=identity[1])
    return AddOffsetsToTxnResponse(error=error) if api == "AddOffsetsToTxn" else EndTxnResponse(error=error)


_SUBTOPICS = {"transition": _transition, "api": _api, "response": _response}
