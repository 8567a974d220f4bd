"""An application that consumes, transforms and produces, round after round (TXM-6, CON-8..10, OFS-6).

A round has four parts: take records from a consumer, send one record for each, commit the consumer's
positions, finish. With a transactional producer the positions are part of the transaction. Without one, or
with the switch ``offsets_in_transaction`` off, they are committed separately. After an abortable failure the
loop aborts and rewinds; after a fatal one it closes its producer; after a crash it begins again at the
group's committed offsets.

Owns the state of the loop (the table :data:`MACHINE`) and the records of the present round. The loop only makes
calls; the producer and the consumer do the work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from engine.client.application import (
    ABORT_TRANSACTION,
    BEGIN_TRANSACTION,
    BLOCKED,
    CLOSE,
    COMMIT_TRANSACTION,
    FLUSH,
    INIT_TRANSACTIONS,
    REFUSED,
    SEND,
    SEND_OFFSETS,
    TIMEOUT_ERROR,
    Call,
)
from engine.client.client_states import COMMITTING_TRANSACTION, READY
from engine.client.consumer import Consumer
from engine.client.handover import Polled
from engine.client.producer_client import ProducerClient
from engine.happenings.loops import (
    LoopChangedItsMind,
    LoopCommitted,
    LoopGaveUp,
    LoopPaused,
    LoopPolled,
    LoopPolledFirst,
    LoopRestarted,
    LoopRewound,
    LoopSendsLastOffset,
)
from engine.happenings.machines import RowTaken
from engine.machine import Machine, Row
from engine.messages import CommittedOffset, Effects
from engine.shapes.clients import ApplicationView, Taken
from engine.watching import Watch

NAME = "application_loop"
STARTING, POLLING, SENDING, SENT = "STARTING", "POLLING", "SENDING", "SENT"
REGISTERED, HANDED_ON, FAILED, REWINDING = "REGISTERED", "HANDED_ON", "FAILED", "REWINDING"
DOWN, STOPPED = "DOWN", "STOPPED"
_LIVE = (STARTING, POLLING, SENDING, SENT, REGISTERED, HANDED_ON, FAILED, REWINDING)
_CALLING = (STARTING, SENT, REGISTERED, FAILED)
"""States that end when one blocking call returns."""

DONE, TOOK, ALL_SENT, GAVE_UP = "done", "took_records", "all_sent", "wants_to_abort"
ERROR, TIMED_OUT, FATAL = "error", "timed_out", "no_way_on"
CRASHED, BACK = "crashed", "back"


def _row(source: str, on: str, target: str, why: str, spec: str = "TXM-6", when: str = "") -> Row:
    return Row(source=source, on=on, target=target, why=why, spec=spec, when=when)


def _in_transaction(loop: Loop) -> bool:
    return loop.in_transaction


MACHINE: Machine[Loop] = Machine(
    NAME,
    STARTING,
    (
        _row(STARTING, DONE, POLLING, "started", "TXM-7"),
        _row(POLLING, TOOK, SENDING, "took"),
        _row(SENDING, ALL_SENT, SENT, "sent"),
        _row(SENDING, GAVE_UP, FAILED, "changed_its_mind"),
        _row(SENT, DONE, REGISTERED, "registered", "OFS-1", "in_transaction"),
        _row(SENT, DONE, HANDED_ON, "stored", "OFS-6"),
        _row(REGISTERED, DONE, HANDED_ON, "ended"),
        _row(HANDED_ON, DONE, POLLING, "next_round"),
        *(_row(state, ERROR, FAILED, "failed") for state in (SENDING, SENT, REGISTERED)),
        *(_row(state, TIMED_OUT, state, "again", "TXM-5") for state in _CALLING),
        _row(FAILED, DONE, REWINDING, "aborted"),
        _row(REWINDING, DONE, POLLING, "rewound", "CON-10"),
        *(_row(state, FATAL, STOPPED, "gave_up", "CTR-28") for state in (STARTING, FAILED)),
        *(_row(state, CRASHED, DOWN, "crashed", "GEN-6") for state in _LIVE),
        _row(DOWN, BACK, STARTING, "back", "CON-9"),
    ),
    guards={"in_transaction": _in_transaction},
    terminal=(STOPPED,),
)
Done = list[tuple[str, Effects]]


class Loop:
    """An application loop of the scenario.

    - ``document``: one entry of the scenario's ``loops``.

    - ``separately``: positions are never part of a transaction.
    - ``outputs``: dict of (partition, offset) of an input record → the serial of the record made from it. All
      instances of an application, whose consumers are in one group, share this dict, so that a repeated input gives
      the same record (GEN-8).
    """

    def __init__(
        self,
        document: dict[str, Any],
        producer: ProducerClient,
        consumer: Consumer,
        separately: bool,
        outputs: dict[tuple[str, int], int],
        watch: Watch,
    ) -> None:
        self.name: str = document["name"]
        self.producer = producer
        self.consumer = consumer
        self.watch = watch
        self.output: tuple[str, ...] = tuple(document["output"])
        self.batch: int = document["batch"]
        self.rounds: int = document["rounds"]
        self.size: int = document["size"]
        self.every: int = document["every"]
        self.before_end: int = document["before_end_ms"]
        self.last_offset: bool = document["commits"] == "last"
        self.abort_rounds = list(document["abort_rounds"])
        """The numbers of the rounds to abort. A round whose number occurs twice is aborted twice."""
        self.in_transaction = producer.config.transactional_id is not None and not separately
        self.state = STARTING
        self.round = 1
        self.hand: list[Polled] = []
        self.sent = 0
        self.acted = False
        """True once the action of the present state was done. It is needed for the actions that do not block:
        begin a transaction, commit positions, or rewind."""
        self.call: Call | None = None
        self.called_at = 0
        self.not_before: int = document["at"]
        self.incarnations = (producer.incarnation, consumer.incarnation)
        self.outputs = outputs
        self.path = ("applications", self.name)

    def view(self) -> ApplicationView:
        call = self.call
        blocked = None if call is None or call.state != BLOCKED else call.kind
        return {
            "client": self.producer.name,
            "next_call": self.round - 1,
            "calls": self.rounds,
            "next_at": None if self.finished else self.not_before,
            "blocked_by": "client_down" if self.state == DOWN else blocked,
            "finished": self.finished,
            "last_result": None if call is None else call.state,
            "loop": {
                "consumer": self.consumer.name,
                "state": self.state,
                "round": self.round,
                "hand": cast("list[Taken]", [[record.partition, record.offset] for record in self.hand]),
                "sent": self.sent,
                "in_transaction": self.in_transaction,
            },
        }

    @property
    def uses(self) -> tuple[str, ...]:
        """The clients whose calls may lead to the loop's next action."""
        return (self.producer.name, self.consumer.name)

    @property
    def finished(self) -> bool:
        if self.state in (POLLING, REWINDING) and self.consumer.closed:
            return True
        return self.state == STOPPED or (self.state == POLLING and self.round > self.rounds)

    @property
    def alive(self) -> bool:
        """Whether both clients run and neither has restarted since the loop last started. A client may
        restart between two calls of the loop."""
        same = self.incarnations == (self.producer.incarnation, self.consumer.incarnation)
        return self.producer.alive and self.consumer.alive and same

    # -- the time of the next action ----------------------------------------------------------------------

    def due(self, now: int) -> int | None:
        """The virtual ms at which the loop acts next; None: not before another event."""
        if self.state == STOPPED:
            return None
        if self.state == DOWN:
            return now if self.producer.alive and self.consumer.alive else None
        if not self.alive:
            return now
        if self.finished or (self.call is not None and self.call.state == BLOCKED):
            return None
        group = self.consumer.group
        if self.state in (POLLING, REWINDING) and self.consumer.rewinding:
            return None
        if self.state == POLLING and not self.consumer.handover.buffer:
            return None
        if self.state == HANDED_ON and group is not None and group.busy:
            return None
        return max(now, self.not_before)

    # -- actions ------------------------------------------------------------------------------------------

    def act(self, now: int, new_serial: Callable[[int], int], counts: Callable[[str, int], bool]) -> Done:
        """Do the next action. Returns each client that was called, with the effects of the call.
        ``new_serial(serial)``: the serial of a new record that is made from the record with this serial.
        ``counts(partition, serial)``: whether this record has a stored copy that was not aborted."""
        self.watch.touch(self)
        if self.state == DOWN:
            return self._come_back(now)
        if not self.alive:
            self.hand, self.call = [], None
            self._take(CRASHED)
            return []
        outcome = self._outcome()
        if outcome is not None:
            before = self.state
            self._take(outcome)
            if before == HANDED_ON:
                self.round += 1
                self.not_before = now + self.every
            if self.state == STOPPED:
                self.watch.emit(LoopGaveUp, self.name)
                return self._ask(Call(CLOSE), now)
            if outcome == TIMED_OUT and self.called_at == now:
                return self._pause(now)
            if before == STARTING and self.state == POLLING:
                return self._poll_first(now)
        if self.state == SENDING:
            return self._send(now, new_serial, counts)
        return _ACTIONS[self.state](self, now)

    def _outcome(self) -> str | None:
        """The event that the result of the previous call or action causes in the machine; None while there is no
        result."""
        call, self.call = self.call, None
        if call is None:
            return DONE if self.acted and self.state in (HANDED_ON, REWINDING) else None
        if call.state != REFUSED:
            # beginTransaction() and single send() calls do not end the state of sending.
            return None if self.state == SENDING else DONE
        if self.state in _CALLING and call.error == TIMEOUT_ERROR:
            return TIMED_OUT
        # An application that can neither start nor abort has ended.
        return FATAL if self.state in (STARTING, FAILED) else ERROR

    def _take(self, on: str) -> None:
        row = MACHINE.take(self.state, on, self)
        self.state = row.target or self.state
        self.watch.emit(RowTaken, self.name, row)
        self.acted = False
        if self.state in (POLLING, STOPPED) and self.consumer.group is not None:
            self.consumer.group.polls()
        if self.state == POLLING:
            self.hand = []

    def _ask(self, call: Call, now: int) -> Done:
        self.call, self.called_at = call, now
        self.not_before = max(now, self.not_before)
        return [(self.producer.name, self.producer.call(call, now))]

    def _start(self, now: int) -> Done:
        """Call ``initTransactions()``, or end the transaction that the producer has open. A producer that is ready
        or not transactional goes on to the first poll."""
        transactions = self.producer.memory.transactions
        if transactions is None or not transactions.is_transactional or transactions.state == READY:
            self._take(DONE)
            return self._poll_first(now)
        if transactions.state == COMMITTING_TRANSACTION:
            return self._ask(Call(COMMIT_TRANSACTION), now)
        return self._ask(
            Call(ABORT_TRANSACTION if transactions.has_ongoing_transaction else INIT_TRANSACTIONS), now
        )

    def _pause(self, now: int) -> Done:
        """Postpone the next action, because a call timed out in the same millisecond (``max_block_ms`` 0)."""
        self.not_before = now + max(1, self.every)
        self.watch.emit(LoopPaused, self.name, self.not_before)
        return []

    def _poll_first(self, now: int) -> Done:
        """Make the first poll, for which the consumer fetches the group's committed offsets."""
        transactional = self.producer.config.transactional_id is not None
        self.watch.emit(LoopPolledFirst, self.name, self.consumer.name, self.consumer.group_id, transactional)
        self.consumer.poll_first(now)
        return [(self.consumer.name, [])]

    def _poll(self, now: int) -> Done:
        if self.finished or now < self.not_before:
            return []
        self.hand = self.consumer.poll(self.batch)
        self.sent = 0
        if not self.hand:
            return []
        if self.consumer.group is not None:
            self.consumer.group.processes(now)
        records = tuple((record.partition, record.offset) for record in self.hand)
        self.watch.emit(LoopPolled, self.name, self.consumer.name, len(records), self.round, records)
        self._take(TOOK)
        return []

    def _send(self, now: int, new_serial: Callable[[int], int], counts: Callable[[str, int], bool]) -> Done:
        """Make one call: begin a transaction, or one ``send()`` for an input record. The same input gives the
        same record (GEN-8). With a transactional producer, it gives a new record if no copy counts."""
        transactional = self.producer.config.transactional_id is not None
        if transactional and not self.acted:
            self.acted = True
            return self._ask(Call(BEGIN_TRANSACTION), now)
        if self.sent == len(self.hand):
            return self._all_sent()
        record = self.hand[self.sent]
        self.sent += 1
        place = (record.partition, record.offset)
        target = self.output[record.offset % len(self.output)]
        serial = self.outputs.get(place)
        if serial is None or (transactional and not counts(target, serial)):
            serial = self.outputs[place] = new_serial(record.serial)
        asked = self._ask(Call(SEND, {"partition": target, "serial": serial, "size": self.size}), now)
        if self.sent == len(self.hand):
            self.not_before = now + self.before_end
        return asked

    def _all_sent(self) -> Done:
        if self.round not in self.abort_rounds:
            self._take(ALL_SENT)
            return []
        self.abort_rounds.remove(self.round)
        self.watch.emit(LoopChangedItsMind, self.name, self.round)
        self._take(GAVE_UP)
        return []

    def _positions(self) -> dict[str, int]:
        """Dict of partition → the offset to commit. With the mistake ``commits = "last"`` (CTR-46), the offsets are
        one too low."""
        step = 0 if self.last_offset else 1
        return {record.partition: record.offset + step for record in self.hand}

    def _hand_positions_on(self, now: int) -> Done:
        """Add the positions to the transaction. If they are committed separately, call ``flush()`` or commit the
        transaction first."""
        if self.in_transaction:
            arguments: dict[str, Any] = {"offsets": self._positions(), "group": self.consumer.group_id}
            arguments["member"] = self.consumer.member
            done = self._ask(Call(SEND_OFFSETS, arguments), now)
            if self.last_offset:
                self.watch.emit(LoopSendsLastOffset, self.name, tuple(arguments["offsets"].items()))
            return done
        if self.producer.config.transactional_id is None:
            return self._ask(Call(FLUSH), now)
        return self._ask(Call(COMMIT_TRANSACTION), now)

    def _commit(self, now: int) -> Done:
        transactions = self.producer.memory.transactions
        if transactions is not None and transactions.state == READY:
            # The call had timed out, but its request was carried out later.
            self._take(DONE)
            return []
        return self._ask(Call(COMMIT_TRANSACTION), now)

    def _hand_on(self, now: int) -> Done:
        """Let the consumer commit the positions, unless they were part of the transaction."""
        if self.acted:
            return []
        self.acted = True
        if self.in_transaction:
            return []
        offsets = {name: CommittedOffset(offset=offset) for name, offset in self._positions().items()}
        self.consumer.commit(offsets, now)
        self.watch.emit(
            LoopCommitted,
            self.name,
            self.consumer.name,
            self.consumer.group_id,
            tuple((name, kept.offset) for name, kept in offsets.items()),
        )
        return [(self.consumer.name, [])]

    def _abort(self, now: int) -> Done:
        if self.producer.config.transactional_id is None:
            self._take(DONE)
            return []
        return self._ask(Call(ABORT_TRANSACTION), now)

    def _rewind(self, now: int) -> Done:
        if self.acted or self.finished:
            return []
        self.acted = True
        self.watch.emit(LoopRewound, self.name, self.consumer.name, self.consumer.group_id)
        self.consumer.rewind(now)
        return [(self.consumer.name, [])]

    def _come_back(self, now: int) -> Done:
        """Start again after a restart of the process, with nothing in memory (CON-9)."""
        self.incarnations = (self.producer.incarnation, self.consumer.incarnation)
        self.watch.emit(LoopRestarted, self.name, self.consumer.name, self.consumer.group_id)
        self.consumer.hold()
        self._take(BACK)
        return [(self.consumer.name, [])]

    def _stay(self, now: int) -> Done:
        return []


_ACTIONS: dict[str, Callable[[Loop, int], Done]] = {
    STARTING: Loop._start,
    POLLING: Loop._poll,
    SENT: Loop._hand_positions_on,
    REGISTERED: Loop._commit,
    HANDED_ON: Loop._hand_on,
    FAILED: Loop._abort,
    REWINDING: Loop._rewind,
    STOPPED: Loop._stay,
}
