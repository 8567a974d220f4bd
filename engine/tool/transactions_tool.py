"""``kafka-transactions.sh``: the role that carries out an operator's commands, one after the other (KIP-664).

Two tables describe a command: the call of the admin client with which it begins (:data:`_FIRST`), and what
follows from the result of each call (:data:`_AFTER`). The requests of the tool and its reactions to errors
are in ``admin_call``. In Kafka every command is a process of its own, so its connections end with it.

Source: ``TransactionsCommand`` of Kafka's tools, and ``KafkaAdminClient``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.apis import APIS
from engine.errors import Error
from engine.happenings.tool import (
    AbortChosen,
    AbortDone,
    ApiMissing,
    AsksAgain,
    BrokerFound,
    CandidatesChosen,
    CommandBegins,
    CommandEnds,
    CommandFails,
    CommandWaits,
    ConnectionLost,
    DescriptionMissing,
    DescriptionShown,
    EveryBrokerFound,
    Hanging,
    HangingFound,
    MarkerExpected,
    NoOpenTransaction,
    OpenTransactionShown,
    PartitionsToSearch,
    ProducerShown,
    ProducersShown,
    RequestOverdue,
    SearchEnds,
    TransactionShown,
    TransactionsShown,
)
from engine.messages import (
    FOR_ALL_ELSE,
    NO_OFFSET,
    Disconnect,
    Effects,
    Envelope,
    FindCoordinatorRequest,
    ProducerDescription,
    TransactionDescription,
    TransactionListing,
    TxnMarkerEntry,
    broker_number,
)
from engine.profile import Profile, holds
from engine.shapes.tool import ToolView
from engine.tool.admin_call import (
    CALL_TIMEOUT_MS,
    CALLS,
    DESCRIPTIONS,
    EVERY_BROKER,
    LISTING,
    LOOKUP_RETRIES,
    MARKER,
    PRODUCERS,
    THE_CLUSTER,
    TOPICS,
    AdminCall,
    Reaction,
    found_in,
)
from engine.tool.command import (
    ABORT,
    DESCRIBE,
    DESCRIBE_PRODUCERS,
    FIND_HANGING,
    LIST,
    NO_COMMAND,
    TOOL,
    Command,
)
from engine.tool.requests import Asked, Requests, deadline_of
from engine.tool.table import (
    COLUMNS,
    Row,
    description_row,
    hanging_row,
    minutes_since,
    producer_row,
)
from engine.watching import Part, Path, Watch

RUNNING, DONE, FAILED = "running", "done", "failed"
Candidate = tuple[str, ProducerDescription]


class TransactionsTool:
    """The tool. It is a part of the view from its first command on. ``profile``: the version of the brokers."""

    path: Path = ("tool",)

    def __init__(self, watch: Watch, profile: Profile, brokers: Iterable[int]) -> None:
        self.name = TOOL
        self.alive = True
        self.watch = watch
        self.missing = frozenset(api.name for api in APIS if not holds(profile, api.only_if, None))
        """The requests that the brokers' version does not have (``NodeApiVersions``)."""
        self.brokers = tuple(brokers)
        self.bootstrap = 0
        """Position in ``brokers`` of the broker that the tool asks about the cluster."""
        self.command = NO_COMMAND
        """The newest command, also after it has ended."""
        self.state = DONE
        self.queue: list[Command] = []
        self.begins_at: int | None = None
        """The virtual ms at which the next command begins, if one waits and none is running; else None."""
        self.call: AdminCall | None = None
        self.requests = Requests()
        self.table: list[Row] = []
        self.candidates: list[Candidate] = []
        """For find-hanging: the open transactions that may hang."""
        self.ids: dict[int, str] = {}
        """For find-hanging: dict of producer id → transactional id."""

    # -- commands --------------------------------------------------------------------------------------

    def run(self, command: Command, now: int) -> Effects:
        """Begin with a command, or keep it until the one before it has ended."""
        if self.state == RUNNING or self.queue:
            self.queue.append(command)
            self._touch()
            self.watch.emit(CommandWaits, command.line, self.command.line)
            return []
        return self._begin(command, now)

    def _begin(self, command: Command, now: int) -> Effects:
        self.command, self.state = command, RUNNING
        self.bootstrap, self.begins_at = 0, None
        self.table, self.candidates, self.ids = [], [], {}
        self._touch()
        self.watch.emit(CommandBegins, command.line, command.name)
        return _FIRST[command.name](self, command, now)

    def _end(self, state: str, now: int) -> Effects:
        self.state, self.call = state, None
        self.begins_at = now if self.queue else None
        self._touch()
        return self.requests.close()

    def _succeed(self, now: int) -> Effects:
        self.watch.emit(CommandEnds, self.command.line)
        return self._end(DONE, now)

    def _fail(self, error: Error, about: str, now: int) -> Effects:
        self.watch.emit(CommandFails, self.command.line, error, about)
        return self._end(FAILED, now)

    # -- the admin client ------------------------------------------------------------------------------

    def _call(self, kind: str, keys: Iterable[str], now: int, subject: Any = None) -> Effects:
        self.call = AdminCall(
            kind=CALLS[kind],
            command=self.command,
            subject=subject,
            deadline=now + CALL_TIMEOUT_MS,
            unmapped=dict.fromkeys(keys),
        )
        return self._poll(now)

    def _poll(self, now: int) -> Effects:
        self._touch()
        call = self.call
        if call is None or call.retry_at is not None:
            return []
        effects: Effects = []
        if call.unmapped:
            effects += self._look_up(call, now)
        busy = {key for asked in self.requests.asked.values() for key in asked.keys}
        for broker in dict.fromkeys(call.mapped.values()):
            keys = tuple(key for key in call.left_at(broker) if key not in busy)
            if keys and self.call is call:
                effects += self._ask(broker, call.kind.asks(call, keys), keys, False, now)
        return effects

    def _look_up(self, call: AdminCall, now: int) -> Effects:
        """Give the unmapped keys their broker if no lookup is needed; otherwise send the lookup, unless one is in
        flight."""
        any_broker = self.brokers[self.bootstrap]
        if call.is_fixed or call.kind.looks_up is None:
            broker = call.command.broker if call.is_fixed else None
            call.mapped.update(dict.fromkeys(call.unmapped, any_broker if broker is None else broker))
            call.unmapped.clear()
            return []
        effects: Effects = []
        if not any(asked.is_lookup for asked in self.requests.asked.values()):
            for body in call.kind.looks_up(call):
                keys = (body.key,) if type(body) is FindCoordinatorRequest else tuple(call.unmapped)
                effects += self._ask(any_broker, body, keys, True, now)
        return effects

    def _ask(self, broker: int, body: object, keys: tuple[str, ...], is_lookup: bool, now: int) -> Effects:
        asked = Asked(broker=broker, body=body, keys=keys, is_lookup=is_lookup, deadline=deadline_of(now))
        if asked.api in self.missing:
            error = Error.UNSUPPORTED_VERSION
            self.watch.emit(ApiMissing, self.command.line, asked.api, f"broker-{broker}", error)
            return self._end(FAILED, now)
        return self.requests.ask(asked)

    def handle(self, envelope: Envelope, now: int) -> Effects:
        asked = self.requests.asked.pop(envelope.correlation_id, None)
        call = self.call
        if asked is None or call is None:
            return []
        self._touch()
        if asked.is_lookup:
            return self._located(call, asked, envelope.body, now)
        return self._answered(call, asked, envelope.body, now)

    def _located(self, call: AdminCall, asked: Asked, response: Any, now: int) -> Effects:
        name = f"broker-{asked.broker}"
        located = found_in(call, response)
        if call.unmapped.pop(EVERY_BROKER, ()) is None and located:
            self.watch.emit(EveryBrokerFound, name, tuple(key for key, _, _ in located))
        for key, error, broker in located:
            if error is Error.NONE and broker is not None:
                if call.unmapped.pop(key, ()) is None:
                    self.watch.emit(BrokerFound, name, asked.api, key, f"broker-{broker}")
                call.mapped[key] = broker
            elif error in LOOKUP_RETRIES:
                self.watch.emit(AsksAgain, name, asked.api, error, key, call.retry(now), True)
            else:
                return self._fail(error, key, now)
        if not located:
            call.unmapped[EVERY_BROKER] = None
            call.retry(now)
        return self._poll(now)

    def _answered(self, call: AdminCall, asked: Asked, response: Any, now: int) -> Effects:
        name = f"broker-{asked.broker}"
        answers = [
            (name if key == EVERY_BROKER else key, error, value)
            for key, error, value in call.kind.reads(response)
        ]
        taken = {
            key: value
            for key, error, value in answers
            if error is Error.NONE or call.kind.reactions.get(error) is Reaction.TAKES
        }
        if taken:
            call.values |= taken
            _SHOW[call.kind.name](self, taken, asked.broker, now)
        for of, error, _ in answers:
            reaction = call.kind.reactions.get(error)
            if reaction is Reaction.LOOKS_UP and call.is_fixed:
                reaction = None
            if of in taken:
                call.mapped.pop(of, None)
            elif reaction is None:
                return self._fail(error, of, now)
            else:
                looks_up = reaction is Reaction.LOOKS_UP
                if looks_up:
                    call.be_elsewhere(of)
                self.watch.emit(AsksAgain, name, asked.api, error, of, call.retry(now), looks_up)
        if not call.mapped and not call.unmapped and not self.requests.asked:
            return _AFTER[(self.command.name, call.kind.name)](self, call, now)
        return self._poll(now)

    # -- connections and time --------------------------------------------------------------------------

    def on_connected(self, peer: str, now: int, purpose: str = FOR_ALL_ELSE) -> Effects:
        self._touch()
        return self.requests.opened(broker_number(peer))

    def on_disconnected(self, peer: str, now: int, purpose: str | None = None) -> Effects:
        """Take the end of a connection, or its failure to open. After a backoff the tool continues the call."""
        broker, call = broker_number(peer), self.call
        lost = self.requests.ended(broker)
        if call is None or not lost:
            return []
        self._touch()
        if call.kind.looks_up_again and not call.is_fixed:
            for asked in lost:
                for key in asked.keys:
                    call.be_elsewhere(key)
        if self.brokers[self.bootstrap] == broker:
            self.bootstrap = (self.bootstrap + 1) % len(self.brokers)
        self.watch.emit(ConnectionLost, peer, call.retry(now))
        return []

    def next_timer(self) -> int | None:
        call = self.call
        if call is None:
            return self.begins_at
        times = (call.deadline, call.retry_at, self.requests.next_deadline())
        return min(at for at in times if at is not None)

    def on_timer(self, now: int) -> Effects:
        call = self.call
        if call is None:
            return self._begin(self.queue.pop(0), now) if self.begins_at is not None else []
        if call.deadline <= now:
            about = next(iter((*call.unmapped, *call.mapped)), "")
            return self._fail(Error.REQUEST_TIMED_OUT, about, now)
        overdue = self.requests.overdue(now)
        if overdue:
            for asked in overdue:
                self.watch.emit(RequestOverdue, f"broker-{asked.broker}", asked.api)
            return [Disconnect(f"broker-{asked.broker}") for asked in overdue]
        if call.retry_at is not None and call.retry_at <= now:
            call.retry_at = None
            return self._poll(now)
        return []

    # -- the tool never stops (GEN-6) ------------------------------------------------------------------

    def crash(self, now: int) -> None:
        """Not called, because no fault names a tool."""

    def restart(self, now: int) -> Effects:
        return []

    def pause(self, now: int) -> None:
        """Not called, like :meth:`crash`."""

    def resume(self, now: int) -> None:
        """Not called, like :meth:`crash`."""

    # -- the happenings of a response ----------------------------------------------------------------------

    def _show_topics(self, taken: dict[str, Any], broker: int, now: int) -> None:
        found = tuple(_with_replica(self.command.broker, taken[THE_CLUSTER]))
        self.watch.emit(PartitionsToSearch, f"broker-{broker}", found)

    def _show_producers(
        self, taken: dict[str, tuple[ProducerDescription, ...]], broker: int, now: int
    ) -> None:
        count = sum(map(len, taken.values()))
        self.watch.emit(ProducersShown, f"broker-{broker}", tuple(taken), count)
        for partition, found in taken.items():
            for one in found:
                self._show_producer(partition, one)

    def _show_producer(self, partition: str, one: ProducerDescription) -> None:
        if self.command.name == DESCRIBE_PRODUCERS:
            self.table.append(producer_row(one))
        identity = (partition, one.producer_id, one.producer_epoch, one.coordinator_epoch)
        start = one.current_txn_start_offset
        if start == NO_OFFSET:
            self.watch.emit(ProducerShown, *identity, one.last_sequence)
        else:
            self.watch.emit(OpenTransactionShown, *identity, one.last_sequence, start)

    def _show_list(self, taken: dict[str, dict[str, TransactionListing]], broker: int, now: int) -> None:
        for name, listed in taken.items():
            self.watch.emit(TransactionsShown, name, len(listed))
            for transactional_id, one in listed.items():
                if self.command.name == LIST:
                    self.table.append([transactional_id, broker, one.producer_id, one.state])
                self.watch.emit(TransactionShown, transactional_id, name, one.producer_id, one.state)

    def _show_descriptions(self, taken: dict[str, TransactionDescription], broker: int, now: int) -> None:
        coordinator = f"broker-{broker}"
        for name, found in taken.items():
            if found.error is not Error.NONE:
                self.watch.emit(DescriptionMissing, name, coordinator)
                continue
            if self.command.name == DESCRIBE:
                self.table.append(description_row(broker, name, found, now))
            identity = (found.producer_id, found.producer_epoch)
            self.watch.emit(DescriptionShown, name, coordinator, *identity, found.state, found.partitions)

    def _show_nothing(self, taken: dict[str, None], broker: int, now: int) -> None:
        """Emit nothing, because the happening at the end of the call has the values."""

    # -- the first call of each command ----------------------------------------------------------------

    def _list(self, command: Command, now: int) -> Effects:
        return self._call(LISTING, (EVERY_BROKER,), now)

    def _describe(self, command: Command, now: int) -> Effects:
        return self._call(DESCRIPTIONS, (command.transactional_id or "",), now)

    def _describe_producers(self, command: Command, now: int) -> Effects:
        return self._call(PRODUCERS, (command.partition or "",), now)

    def _find_hanging(self, command: Command, now: int) -> Effects:
        if command.partition is not None:
            return self._call(PRODUCERS, (command.partition,), now)
        return self._call(TOPICS, (THE_CLUSTER,), now)

    def _abort(self, command: Command, now: int) -> Effects:
        """Begin an abort. Without a start offset, the operator has named the producer, which brokers before 2.8
        require."""
        if command.start_offset is not None:
            return self._describe_producers(command, now)
        return self._write_abort(
            command.producer_id or 0, command.producer_epoch or 0, command.coordinator_epoch or 0, now
        )

    def _write_abort(
        self, producer_id: int, producer_epoch: int, coordinator_epoch: int, now: int
    ) -> Effects:
        """Send an ABORT marker of this producer. A coordinator epoch below 0 is sent as 0."""
        partition = self.command.partition or ""
        marker = TxnMarkerEntry(
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            coordinator_epoch=max(0, coordinator_epoch),
            result="ABORT",
            partitions=(partition,),
        )
        self.watch.emit(AbortChosen, partition, producer_id, producer_epoch, marker.coordinator_epoch)
        return self._call(MARKER, (partition,), now, marker)

    # -- what the tool does after a call -------------------------------------------------------------------

    def _printed(self, call: AdminCall, now: int) -> Effects:
        return self._succeed(now)

    def _described(self, call: AdminCall, now: int) -> Effects:
        ((name, found),) = call.values.items()
        if found.error is not Error.NONE:
            return self._fail(found.error, name, now)
        return self._succeed(now)

    def _search(self, call: AdminCall, now: int) -> Effects:
        """Ask for the producers of the partitions that find-hanging searches: those of the topics, or only those with
        a replica on the named broker."""
        found = _with_replica(call.command.broker, call.values[THE_CLUSTER])
        return self._call(PRODUCERS, found, now) if found else self._found([], now)

    def _choose_candidates(self, call: AdminCall, now: int) -> Effects:
        """Choose the candidates: the open transactions whose last write is older than the longest transaction
        timeout."""
        still_open = [
            (partition, one)
            for partition, found in call.values.items()
            for one in found
            if one.current_txn_start_offset != NO_OFFSET
        ]
        longest = call.command.timeout_ms
        self.candidates = [
            (partition, one) for partition, one in still_open if now - one.last_timestamp > longest
        ]
        self.watch.emit(CandidatesChosen, len(self.candidates), len(still_open), longest)
        if not self.candidates:
            return self._found([], now)
        producer_ids = tuple(dict.fromkeys(one.producer_id for _, one in self.candidates))
        return self._call(LISTING, (EVERY_BROKER,), now, producer_ids)

    def _choose_ids(self, call: AdminCall, now: int) -> Effects:
        """Request the descriptions of the transactional ids of the candidates' producers."""
        wanted = set(call.subject)
        for listed in call.values.values():
            for transactional_id, one in listed.items():
                if one.producer_id in wanted:
                    self.ids[one.producer_id] = transactional_id
        names = tuple(dict.fromkeys(self.ids.values()))
        return self._call(DESCRIPTIONS, names, now) if names else self._judge({}, now)

    def _judge_described(self, call: AdminCall, now: int) -> Effects:
        return self._judge(call.values, now)

    def _judge(self, descriptions: dict[str, TransactionDescription], now: int) -> Effects:
        hanging: list[Candidate] = []
        for partition, one in self.candidates:
            transactional_id = self.ids.get(one.producer_id)
            why = _why_hanging(partition, transactional_id, descriptions)
            if why is None:
                self.watch.emit(MarkerExpected, partition, one.producer_id, transactional_id or "")
                continue
            hanging.append((partition, one))
            self.watch.emit(
                HangingFound,
                why,
                partition,
                one.producer_id,
                one.producer_epoch,
                one.coordinator_epoch,
                one.current_txn_start_offset,
                transactional_id,
                minutes_since(one.last_timestamp, now),
            )
        return self._found(hanging, now)

    def _found(self, hanging: list[Candidate], now: int) -> Effects:
        self.table = [hanging_row(partition, one, now) for partition, one in hanging]
        self.watch.emit(SearchEnds, self.command.line, len(hanging))
        return self._end(DONE, now)

    def _choose_abort(self, call: AdminCall, now: int) -> Effects:
        """Choose the producer whose open transaction begins at the given offset."""
        ((partition, found),) = call.values.items()
        start = call.command.start_offset
        chosen = next((one for one in found if one.current_txn_start_offset == start), None)
        if chosen is None or start is None:
            self.watch.emit(NoOpenTransaction, partition, start or 0)
            return self._end(FAILED, now)
        return self._write_abort(chosen.producer_id, chosen.producer_epoch, chosen.coordinator_epoch, now)

    def _aborted(self, call: AdminCall, now: int) -> Effects:
        marker: TxnMarkerEntry = call.subject
        self.watch.emit(AbortDone, marker.partitions[0], marker.producer_id)
        return self._end(DONE, now)

    # -- the view --------------------------------------------------------------------------------------

    def _touch(self) -> None:
        if self.watch.recording:
            self.watch.touch(self)

    def parts(self) -> list[Part]:
        return [] if not self.command.name else [self]

    def view(self) -> ToolView | None:
        if not self.command.name:
            return None
        shown: ToolView = {
            "command": self.command.line,
            "state": self.state,
            "columns": list(COLUMNS[self.command.name]),
            "rows": [list(row) for row in self.table],
        }
        call = self.call
        if call is not None:
            shown["call"] = {
                "name": call.kind.name,
                "until": call.deadline,
                "unmapped": list(call.unmapped),
                "mapped": {key: f"broker-{broker}" for key, broker in call.mapped.items()},
                "retry_at": call.retry_at,
                "answered": list(call.values),
                "requests": [f"{asked.api} broker-{asked.broker}" for asked in self.requests.asked.values()],
            }
        if self.queue:
            shown["next"] = [command.line for command in self.queue]
        return shown


def _why_hanging(
    partition: str, transactional_id: str | None, descriptions: dict[str, TransactionDescription]
) -> Hanging | None:
    """The reason why no coordinator will end the transaction in this partition; None if one will."""
    if transactional_id is None:
        return Hanging.NO_ID
    found = descriptions[transactional_id]
    if found.error is not Error.NONE:
        return Hanging.FORGOTTEN
    return None if partition in found.partitions else Hanging.NOT_INCLUDED


def _with_replica(broker: int | None, replicas: dict[str, tuple[int, ...]]) -> list[str]:
    """The partitions that have a replica on this broker; all partitions if it is None."""
    return [name for name, members in replicas.items() if broker is None or broker in members]


_First = Callable[[TransactionsTool, Command, int], Effects]
_FIRST: dict[str, _First] = {
    LIST: TransactionsTool._list,
    DESCRIBE: TransactionsTool._describe,
    DESCRIBE_PRODUCERS: TransactionsTool._describe_producers,
    FIND_HANGING: TransactionsTool._find_hanging,
    ABORT: TransactionsTool._abort,
}
"""Dict of command → the function that makes its first call."""
_Show = Callable[[TransactionsTool, dict[str, Any], int, int], None]
_SHOW: dict[str, _Show] = {
    TOPICS: TransactionsTool._show_topics,
    PRODUCERS: TransactionsTool._show_producers,
    LISTING: TransactionsTool._show_list,
    DESCRIPTIONS: TransactionsTool._show_descriptions,
    MARKER: TransactionsTool._show_nothing,
}
"""Dict of call → the function that emits the happenings for the values of one response."""
_After = Callable[[TransactionsTool, AdminCall, int], Effects]
_AFTER: dict[tuple[str, str], _After] = {
    (LIST, LISTING): TransactionsTool._printed,
    (DESCRIBE, DESCRIPTIONS): TransactionsTool._described,
    (DESCRIBE_PRODUCERS, PRODUCERS): TransactionsTool._printed,
    (FIND_HANGING, TOPICS): TransactionsTool._search,
    (FIND_HANGING, PRODUCERS): TransactionsTool._choose_candidates,
    (FIND_HANGING, LISTING): TransactionsTool._choose_ids,
    (FIND_HANGING, DESCRIPTIONS): TransactionsTool._judge_described,
    (ABORT, PRODUCERS): TransactionsTool._choose_abort,
    (ABORT, MARKER): TransactionsTool._aborted,
}
"""Dict of (command, call that has ended) → the function that takes the command's next action."""
