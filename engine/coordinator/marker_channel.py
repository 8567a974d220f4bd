"""How a coordinator sends the markers of a transaction to the leaders of its partitions (section 15 of the
specification).

Owns a queue for each broker, the queue of markers whose leader cannot be reached, the requests in flight, and
the partitions that each transaction still waits for. Every change of a marker is a row of ``marker_states``.
It knows no connections and no logs: :meth:`MarkerChannel.drain` returns the next request, and ``finished``
holds the transactions that wait for no partition any more. Source: Kafka's
``TransactionMarkerChannelManager``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from engine.coordinator.coordinator_effects import SendMarkers
from engine.coordinator.marker_queue import Marker, MarkerQueue
from engine.coordinator.marker_states import (
    AGAIN,
    DISCONNECTED,
    GONE_FROM_ANSWER,
    MARKER_STATES,
    NOT_OWNER,
    RESOLVED,
    SENT,
    UNEXPECTED,
    Situation,
)
from engine.errors import Error
from engine.events import CompletionForgotten, MarkersGivenUp
from engine.happenings.markers import (
    LateAnswer,
    MarkerDropped,
    MarkerMoved,
    MarkerQueued,
    MarkersSent,
    MarkersSentAgain,
    NewerForgotten,
    SameEverywhere,
)
from engine.machine import Row
from engine.messages import TxnMarkerEntry, WriteTxnMarkersResponse
from engine.shapes.brokers import MarkerBoardView
from engine.watching import Watch


class Surroundings(Protocol):
    """The broker's methods that the channel uses."""

    def leader_of(self, partition: str) -> int | None:
        """The leader's broker id; None when the partition has no leader now."""

    def knows(self, partition: str) -> bool:
        """False when the partition has no metadata at all, because its topic was deleted (MRK-2)."""

    def is_reachable(self, broker_id: int) -> bool: ...

    def log_partition(self, transactional_id: str) -> int:
        """The partition of the transaction log that the id belongs to (FND-2)."""

    def coordinator_epoch(self, transactional_id: str) -> int | None:
        """The epoch with which this broker coordinates the id; None when it does not (MRK-9)."""

    def has_metadata(self, transactional_id: str) -> bool:
        """True while the id is in the coordinator's cache."""


@dataclass(slots=True)
class InFlight:
    """The only request that may be in flight to a broker. ``deadline``: when the host closes the connection
    if no response has arrived (virtual ms)."""

    correlation_id: int
    deadline: int
    markers: list[Marker] = field(default_factory=list)


@dataclass(slots=True)
class Waiting:
    """A decided transaction that still waits for markers. ``remaining``: the partitions that still need a
    marker. ``passed_over``: the remaining partitions whose markers are never sent again (MRK-8). ``retries``:
    how often markers had to be sent again. ``marked``: how many partitions have their marker."""

    send: SendMarkers
    remaining: dict[str, None]
    retries: int = 0
    marked: int = 0
    passed_over: tuple[str, ...] = ()


class Handling:
    """One marker and the event about it, for the effects of a row. ``partitions``: those that the event is
    about. ``answer``: (broker, error) of the leader's response, or None. ``leader``: the broker id of the
    marker's destination. ``again``: (row, partitions, ``answer``) for markers that are sent again.
    ``stopped``: partitions whose markers this coordinator may no longer send."""

    __slots__ = ("again", "answer", "leader", "marker", "partitions", "stopped")

    def __init__(
        self,
        marker: Marker,
        partitions: tuple[str, ...] = (),
        answer: tuple[str, str] | None = None,
        leader: int | None = None,
    ) -> None:
        self.marker = marker
        self.partitions = partitions
        self.answer = answer
        self.leader = leader
        self.again: list[tuple[Row, tuple[str, ...], tuple[str, str] | None]] = []
        self.stopped: tuple[str, ...] = ()


class MarkerChannel:
    """The markers that one broker sends as a transaction coordinator."""

    def __init__(
        self,
        name: str,
        surroundings: Surroundings,
        *,
        watch: Watch,
        retries_storage_error: bool,
        newer_completion_stays: bool,
        retry: bool,
    ) -> None:
        self.name = name
        self.surroundings = surroundings
        self.watch = watch
        self.situation = Situation(retries_storage_error, retry)
        self.newer_completion_stays = newer_completion_stays
        self.queues: dict[int, MarkerQueue] = {}
        self.parked = MarkerQueue()
        self.in_flight: dict[int, InFlight] = {}
        self.waiting: dict[str, Waiting] = {}
        self.finished: list[str] = []
        """Transactions that wait for no partition any more, for the coordinator to complete."""
        self.again = False
        """Whether another pass has to follow later, because a broker could not be reached or markers are to
        be sent again."""
        self.unblocked = False
        """Whether a pass has to follow at once, because markers were queued behind a request whose response
        has arrived."""

    # -- queueing --------------------------------------------------------------------------------------

    def hand_over(self, send: SendMarkers) -> None:
        """Queue the markers of a transaction that was decided. A transaction that needs no marker is finished
        at once (MRK-1)."""
        self.waiting[send.transactional_id] = Waiting(send, dict.fromkeys(send.partitions))
        self._enqueue(send, send.partitions, MARKER_STATES.initial, sent_before=False)
        self._finish(send.transactional_id)

    def _enqueue(
        self, send: SendMarkers | Marker, partitions: tuple[str, ...], state: str, *, sent_before: bool
    ) -> None:
        """Queue each partition's marker for its leader, park it, or drop it (MRK-1, MRK-2)."""
        surroundings, general = self.surroundings, self.situation
        groups: dict[tuple[Row, int | None], list[str]] = {}
        for partition in partitions:
            leader = surroundings.leader_of(partition)
            if leader is not None and not surroundings.is_reachable(leader):
                leader = None
            known = surroundings.knows(partition)
            situation = Situation(general.storage_error_retries, general.retries, leader is not None, known)
            row = MARKER_STATES.take(state, RESOLVED, situation)
            groups.setdefault((row, leader), []).append(partition)
        for (row, leader), names in groups.items():
            marker = Marker(
                send.transactional_id,
                surroundings.log_partition(send.transactional_id),
                send.producer_id,
                send.producer_epoch,
                send.coordinator_epoch,
                send.result,
                tuple(names),
                str(row.target),
                sent_before,
            )
            self._carry_out(row, Handling(marker, leader=leader))
            if row.target != state:
                self.watch.emit(
                    MarkerQueued,
                    self.name,
                    marker.transactional_id,
                    marker.result,
                    marker.partitions,
                    None if leader is None else f"broker-{leader}",
                    row,
                )

    def _queue(self, row: Row, handling: Handling) -> None:
        if handling.leader is not None:
            self.queue_of(handling.leader).add(handling.marker)

    def _park(self, row: Row, handling: Handling) -> None:
        self.parked.add(handling.marker)

    def _forget(self, row: Row, handling: Handling) -> None:
        """Drop the marker of a partition whose topic was deleted, because none is needed (MRK-2)."""
        waiting = self.waiting.get(handling.marker.transactional_id)
        if waiting is not None:
            for partition in handling.marker.partitions:
                waiting.remaining.pop(partition, None)

    def queue_of(self, broker_id: int) -> MarkerQueue:
        return self.queues.setdefault(broker_id, MarkerQueue())

    def park(self, broker_id: int) -> None:
        """Park the queued markers of a broker that could not be reached. The next pass looks for their
        leaders again (MRK-9)."""
        general = self.situation
        unreachable = Situation(general.storage_error_retries, general.retries, reachable=False, known=True)
        for marker in self.queue_of(broker_id).drain():
            row = MARKER_STATES.take(MARKER_STATES.initial, RESOLVED, unreachable)
            marker.state = row.target or marker.state
            self._carry_out(row, Handling(marker))
        self.again = True

    def _move(self, marker: Marker, on: str) -> Row:
        row = MARKER_STATES.take(marker.state, on, self.situation)
        marker.state = row.target or marker.state
        return row

    def _carry_out(self, row: Row, handling: Handling) -> None:
        for effect in _EFFECTS[row.number]:
            effect(self, row, handling)

    def _finish(self, transactional_id: str) -> None:
        waiting = self.waiting.get(transactional_id)
        if waiting is not None and not waiting.remaining:
            del self.waiting[transactional_id]
            self.finished.append(transactional_id)

    # -- sending ---------------------------------------------------------------------------------------

    def look_again(self) -> None:
        """At the start of a pass: queue each parked marker whose leader can now be reached (MRK-3), and drop
        those whose topic was deleted (MRK-2)."""
        self.again = self.unblocked = False
        for marker in self.parked.drain():
            self._enqueue(marker, marker.partitions, marker.state, sent_before=marker.sent_before)
            self._finish(marker.transactional_id)

    def wanted_brokers(self) -> list[int]:
        """Brokers with queued markers and no request in flight, in ascending order."""
        return sorted(
            broker for broker, queue in self.queues.items() if queue and broker not in self.in_flight
        )

    def drain(self, broker_id: int, correlation_id: int, deadline: int) -> tuple[TxnMarkerEntry, ...]:
        """Move all markers that are queued for a broker, of all transactions, into one request (MRK-3).
        Returns the request's entries."""
        markers = self.queues[broker_id].drain()
        self.in_flight[broker_id] = InFlight(correlation_id, deadline, markers)
        row, *_ = [self._move(marker, SENT) for marker in markers]
        if self.watch.hears(MarkersSent):
            self.watch.emit(
                MarkersSent,
                self.name,
                f"broker-{broker_id}",
                row,
                transactions=tuple((marker.transactional_id, marker.result) for marker in markers),
                partitions=tuple(partition for marker in markers for partition in marker.partitions),
                again=tuple(
                    partition for marker in markers if marker.sent_before for partition in marker.partitions
                ),
            )
        return tuple(marker.entry() for marker in markers)

    # -- answers ---------------------------------------------------------------------------------------

    def on_response(self, broker_id: int, correlation_id: int, response: WriteTxnMarkersResponse) -> None:
        """Handle a leader's response (MRK-8). Markers of an id that this broker no longer coordinates are
        dropped (MRK-9). Kafka's handler throws at some results, and the rest of the response is then not
        handled."""
        self.unblocked = self.unblocked or self._has_queued(broker_id)
        markers = self._settled(broker_id, correlation_id)
        for position, marker in enumerate(markers):
            if not self._still_owner(marker):
                continue
            answers = response.errors.get(marker.producer_id)
            if answers is None or not self.surroundings.has_metadata(marker.transactional_id):
                row = MARKER_STATES.take(marker.state, GONE_FROM_ANSWER, self.situation)
                self._throw(row, marker, marker.partitions, markers[position + 1 :])
                return
            if not self._answer(marker, answers, f"broker-{broker_id}", markers[position + 1 :]):
                return

    def _answer(self, marker: Marker, errors: dict[str, Error], broker: str, later: list[Marker]) -> bool:
        """Handle the results for one marker. Returns False if the rest of the response is not handled."""
        by_error: dict[str, list[str]] = {}
        for partition in marker.partitions:
            error = errors.get(partition, Error.UNKNOWN_SERVER_ERROR)
            by_error.setdefault(error.name, []).append(partition)
        handling = Handling(marker)
        for error_name, names in by_error.items():
            handling.partitions = tuple(names)
            handling.answer = (broker, error_name)
            known = MARKER_STATES.candidates(marker.state, error_name)
            row = MARKER_STATES.take(marker.state, error_name if known else UNEXPECTED, self.situation)
            if row.refused:
                again = (name for _, retried, _ in handling.again for name in retried)
                self._throw(row, marker, (*handling.partitions, *again), later, handling.answer)
                return False
            self._carry_out(row, handling)
        if handling.stopped:
            # This coordinator no longer completes the transaction, so its markers are not sent again.
            again = (name for _, retried, _ in handling.again for name in retried)
            self.cancel(marker.transactional_id)
            self._emit_given_up(marker, (*handling.stopped, *again))
            return True
        self._try_again(handling)
        self._finish(marker.transactional_id)
        return True

    def _try_again(self, handling: Handling) -> None:
        for row, partitions, answer in handling.again:
            handling.partitions, handling.answer = partitions, answer
            again = MARKER_STATES.take(str(row.target), AGAIN, self.situation)
            self._carry_out(again, handling)

    def on_disconnected(self, broker_id: int) -> None:
        """Handle the end of the connection to a broker: it is unknown whether the markers in flight were
        written, so they are sent again if this broker still coordinates their ids (MRK-9)."""
        request = self.in_flight.get(broker_id)
        if request is None:
            return
        self.again = self.again or self._has_queued(broker_id)
        markers = self._settled(broker_id, request.correlation_id)
        for position, marker in enumerate(markers):
            if not self._still_owner(marker):
                continue
            if not self.surroundings.has_metadata(marker.transactional_id):
                row = MARKER_STATES.take(marker.state, GONE_FROM_ANSWER, self.situation)
                self._throw(row, marker, marker.partitions, markers[position + 1 :])
                return
            handling = Handling(marker, marker.partitions, (f"broker-{broker_id}", "disconnected"))
            self._carry_out(MARKER_STATES.take(marker.state, DISCONNECTED, self.situation), handling)
            self._try_again(handling)
            self._finish(marker.transactional_id)

    def _has_queued(self, broker_id: int) -> bool:
        return bool(self.queues.get(broker_id))

    def _settled(self, broker_id: int, correlation_id: int) -> list[Marker]:
        request = self.in_flight.get(broker_id)
        if request is None or request.correlation_id != correlation_id:
            return []
        del self.in_flight[broker_id]
        return request.markers

    def _still_owner(self, marker: Marker) -> bool:
        """Whether this broker still coordinates the id under the marker's coordinator epoch (MRK-9). If not,
        cancel the marker."""
        epoch = self.surroundings.coordinator_epoch(marker.transactional_id)
        if epoch == marker.coordinator_epoch:
            return True
        row = MARKER_STATES.take(marker.state, NOT_OWNER, self.situation)
        self._emit_moved(row, marker, marker.partitions, None)
        known = self.waiting.get(marker.transactional_id)
        if known is not None and known.send.coordinator_epoch != marker.coordinator_epoch:
            if self.newer_completion_stays:
                return False
            self._note_newer_forgotten(known, marker)
        self._carry_out(row, Handling(marker))
        return False

    def _note_newer_forgotten(self, known: Waiting, marker: Marker) -> None:
        """Emit that a newer completion is dropped: up to 3.7 Kafka looks up a completion by the transactional
        id alone."""
        self.watch.emit(
            NewerForgotten,
            self.name,
            marker.transactional_id,
            known.send.coordinator_epoch,
            tuple(known.remaining),
        )
        self.watch.emit(CompletionForgotten, producer_id=marker.producer_id)

    # -- effects of an answer --------------------------------------------------------------------------

    def _cross_off(self, row: Row, handling: Handling) -> None:
        """Note that the transaction no longer waits for these partitions."""
        marker, partitions = handling.marker, handling.partitions
        waiting = self.waiting.get(marker.transactional_id)
        if waiting is None:
            self.watch.emit(LateAnswer, self.name, marker.transactional_id, partitions)
            return
        self._emit_moved(row, marker, partitions, handling.answer)
        for partition in partitions:
            waiting.remaining.pop(partition, None)

    def _count(self, row: Row, handling: Handling) -> None:
        waiting = self.waiting.get(handling.marker.transactional_id)
        if waiting is not None:
            waiting.marked += len(handling.partitions)
            self._note_same_everywhere(waiting)

    def _retry(self, row: Row, handling: Handling) -> None:
        self._emit_moved(row, handling.marker, handling.partitions, handling.answer)
        handling.again.append((row, handling.partitions, handling.answer))

    def _stop(self, row: Row, handling: Handling) -> None:
        self._emit_moved(row, handling.marker, handling.partitions, handling.answer)
        handling.stopped += handling.partitions

    def _send_again(self, row: Row, handling: Handling) -> None:
        """Queue the markers again, without a limit on attempts (MRK-10)."""
        marker = handling.marker
        waiting = self.waiting.get(marker.transactional_id)
        retries = 1
        if waiting is not None:
            retries = waiting.retries = waiting.retries + 1
        self.again = True
        self.watch.emit(MarkersSentAgain, marker.transactional_id, retries, row)
        self._enqueue(marker, handling.partitions, str(row.target), sent_before=True)

    def _give_up(self, row: Row, handling: Handling) -> None:
        """Give the markers up, because a switch turned retries off (MRK-12)."""
        self._emit_moved(row, handling.marker, handling.partitions, handling.answer)
        self._emit_given_up(handling.marker, handling.partitions)

    def _cancel_transaction(self, row: Row, handling: Handling) -> None:
        self.cancel(handling.marker.transactional_id)

    def _throw(
        self,
        row: Row,
        marker: Marker,
        partitions: tuple[str, ...],
        later: list[Marker],
        answer: tuple[str, str] | None = None,
    ) -> None:
        """Note that Kafka's handler throws here: the results for ``partitions`` and for the ``later`` markers
        change nothing."""
        undone = [(marker, partitions), *((one, one.partitions) for one in later)]
        for one, names in undone:
            self._emit_moved(row, one, names, answer)
            waiting = self.waiting.get(one.transactional_id)
            if waiting is not None and waiting.send.coordinator_epoch == one.coordinator_epoch:
                waiting.passed_over += names
            self._emit_given_up(one, names)

    def _emit_given_up(self, marker: Marker, partitions: tuple[str, ...]) -> None:
        self.watch.emit(
            MarkersGivenUp,
            producer_id=marker.producer_id,
            partitions=partitions,
            coordinator_epoch=marker.coordinator_epoch,
        )

    def _emit_moved(
        self, row: Row, marker: Marker, partitions: tuple[str, ...], answer: tuple[str, str] | None
    ) -> None:
        self.watch.emit(
            MarkerMoved,
            self.name,
            marker.transactional_id,
            marker.result,
            marker.coordinator_epoch,
            self.surroundings.coordinator_epoch(marker.transactional_id),
            partitions,
            answer,
            row,
        )

    def _note_same_everywhere(self, waiting: Waiting) -> None:
        """If the transaction has several partitions and all have their marker, emit that its outcome holds in
        all of them (CPT-4)."""
        everywhere = waiting.send.partitions
        if 1 < waiting.marked == len(everywhere):
            self.watch.emit(SameEverywhere, waiting.send.transactional_id, everywhere)

    # -- cancelling ------------------------------------------------------------------------------------

    def cancel(self, transactional_id: str) -> None:
        """Stop waiting for the transaction's completion (MRK-8, MRK-9). Queued markers are still sent."""
        self.waiting.pop(transactional_id, None)

    def resign(self, log_partition: int) -> None:
        """This broker no longer coordinates the ids of this log partition: drop their queued markers. Markers in
        flight are dropped when the response to them arrives (MRK-1, MRK-9, TXC-22)."""
        for queue in (self.parked, *self.queues.values()):
            for marker in queue.take(log_partition):
                row = MARKER_STATES.take(marker.state, NOT_OWNER, self.situation)
                self.watch.emit(
                    MarkerDropped,
                    self.name,
                    marker.transactional_id,
                    marker.result,
                    marker.partitions,
                    marker.coordinator_epoch,
                    row,
                )
                self._carry_out(row, Handling(marker))
        for transactional_id in list(self.waiting):
            if self.surroundings.log_partition(transactional_id) == log_partition:
                self.cancel(transactional_id)

    def crash(self) -> None:
        """Everything in memory is lost."""
        self.queues.clear()
        self.parked = MarkerQueue()
        self.in_flight.clear()
        self.waiting.clear()
        self.finished.clear()
        self.again = self.unblocked = False

    # -- the view --------------------------------------------------------------------------------------

    def view(self) -> MarkerBoardView | None:
        """The markers, as a part of the view; None while there are none."""
        queued = {str(broker): list(queue) for broker, queue in sorted(self.queues.items()) if queue}
        if not (queued or self.parked or self.in_flight or self.waiting):
            return None
        return {
            "queues": {broker: [marker.view() for marker in queue] for broker, queue in queued.items()},
            "unknown_broker": [marker.view() for marker in self.parked],
            "in_flight": {
                str(broker): [marker.view() for marker in request.markers]
                for broker, request in sorted(self.in_flight.items())
            },
            "waiting": {
                name: {
                    "result": waiting.send.result,
                    "remaining": list(waiting.remaining),
                    "retries": waiting.retries,
                    "passed_over": list(waiting.passed_over),
                }
                for name, waiting in sorted(self.waiting.items())
            },
        }


_EFFECTS = MARKER_STATES.bind(
    {
        "queue": MarkerChannel._queue,
        "park": MarkerChannel._park,
        "forget": MarkerChannel._forget,
        "cross_off": MarkerChannel._cross_off,
        "count": MarkerChannel._count,
        "retry": MarkerChannel._retry,
        "stop": MarkerChannel._stop,
        "send_again": MarkerChannel._send_again,
        "give_up": MarkerChannel._give_up,
        "cancel_transaction": MarkerChannel._cancel_transaction,
    }
)
