"""How a coordinator has outcomes written at the leaders of a transaction's partitions (section 15).

Owns a queue per broker, the queue of markers whose leader cannot be reached, what is in flight, and which
partitions each transaction still waits for. What happens to a marker is a row of ``marker_states``. It knows
neither links nor logs: :meth:`MarkerChannel.drain` says which requests to send, and a transaction that waits for
nothing more stands in ``finished``. After Kafka's ``TransactionMarkerChannelManager``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.coordinator.coordinator_effects import SendMarkers
from engine.coordinator.marker_queue import Marker, MarkerQueue
from engine.coordinator.marker_states import (
    AGAIN,
    DISCONNECTED,
    GONE_FROM_ANSWER,
    IN_FLIGHT,
    MARKER_STATES,
    NO_LEADER_KNOWN,
    NO_RETRIES,
    NOT_OWNER,
    PARKED,
    QUEUED,
    REACHABLE,
    RESOLVED,
    RETRIES,
    SENT,
    STORAGE_RETRIES,
    STORAGE_UNEXPECTED,
    TO_SEND,
    UNEXPECTED,
    UNREACHABLE,
)
from engine.errors import Error
from engine.events import CompletionForgotten, MarkersGivenUp
from engine.machine import Row
from engine.messages import TxnMarkerEntry, WriteTxnMarkersResponse
from engine.shapes.brokers import MarkerBoardView
from engine.watching import Watch


class Surroundings(Protocol):
    """What the channel asks its broker."""

    def leader_of(self, partition: str) -> int | None:
        """The leading broker; None when the partition has none now."""

    def knows(self, partition: str) -> bool:
        """False when there is no leader information at all: the topic was deleted (MRK-2)."""

    def is_reachable(self, broker_id: int) -> bool: ...

    def log_partition(self, transactional_id: str) -> int:
        """The partition of the transaction log that the id belongs to (FND-2)."""

    def coordinator_epoch(self, transactional_id: str) -> int | None:
        """The epoch under which this broker coordinates the id; None when it does not (MRK-9)."""

    def has_metadata(self, transactional_id: str) -> bool:
        """True while the id is in the coordinator's cache."""


@dataclass(slots=True)
class InFlight:
    """The one request that a broker may have open. ``deadline``: when its connection is given up."""

    correlation_id: int
    deadline: int
    markers: list[Marker] = field(default_factory=list)


@dataclass(slots=True)
class Waiting:
    """A decided transaction whose markers are under way; ``remaining``: partitions without one, by name;
    ``passed_over``: those whose answer was not looked at, so that nobody sends their markers any more;
    ``marked``: how many have theirs."""

    send: SendMarkers
    remaining: dict[str, None]
    retries: int = 0
    marked: int = 0
    passed_over: tuple[str, ...] = ()


class MarkerChannel:
    """The markers of one broker. ``touched`` names the transactions whose board changed."""

    def __init__(
        self,
        name: str,
        surroundings: Surroundings,
        *,
        watch: Watch,
        retries_storage_error: bool,
        retry: bool,
    ) -> None:
        self.name = name
        self.surroundings = surroundings
        self.watch = watch
        self.holds = {
            STORAGE_RETRIES: retries_storage_error,
            STORAGE_UNEXPECTED: not retries_storage_error,
            RETRIES: retry,
            NO_RETRIES: not retry,
        }
        self.queues: dict[int, MarkerQueue] = {}
        self.parked = MarkerQueue()
        self.in_flight: dict[int, InFlight] = {}
        self.waiting: dict[str, Waiting] = {}
        self.finished: list[str] = []
        """Transactions that wait for no partition any more, for the coordinator to complete."""
        self.again = False
        """True when something waits for the next pass because it did not work now."""

    # -- queueing --------------------------------------------------------------------------------------

    def hand_over(self, send: SendMarkers) -> None:
        """A transaction was decided: queue its markers, then see whether there is anything to wait for
        (MRK-1)."""
        self.waiting[send.transactional_id] = Waiting(send, dict.fromkeys(send.partitions))
        self._enqueue(send, send.partitions, TO_SEND)
        self._finish(send.transactional_id)

    def _enqueue(self, send: SendMarkers | Marker, partitions: tuple[str, ...], state: str) -> None:
        """Give each partition's marker to the queue of its present leader (MRK-1, MRK-2)."""
        surroundings = self.surroundings
        groups: dict[tuple[Row, int | None], list[str]] = {}
        for partition in partitions:
            leader = surroundings.leader_of(partition)
            reachable = leader is not None and surroundings.is_reachable(leader)
            known = surroundings.knows(partition)
            row = MARKER_STATES.find(
                state,
                RESOLVED,
                {REACHABLE: reachable, UNREACHABLE: known and not reachable, NO_LEADER_KNOWN: not known},
            )
            groups.setdefault((row, leader if row.target == QUEUED else None), []).append(partition)
        for (row, leader), names in groups.items():
            marker = Marker(
                send.transactional_id,
                surroundings.log_partition(send.transactional_id),
                send.producer_id,
                send.producer_epoch,
                send.coordinator_epoch,
                send.result,
                tuple(names),
            )
            if row.target == QUEUED and leader is not None:
                self.queue_of(leader).add(marker)
            elif row.target == PARKED:
                self.parked.add(marker)
            else:
                self._forget_partitions(marker)
            if state == TO_SEND or row.target != PARKED:
                self._note(row, marker, broker=None if leader is None else f"broker-{leader}")

    def queue_of(self, broker_id: int) -> MarkerQueue:
        return self.queues.setdefault(broker_id, MarkerQueue())

    def park(self, broker_id: int) -> None:
        """Markers for a broker that does not answer look for their leaders anew (MRK-9)."""
        for marker in self.queue_of(broker_id).drain():
            self.parked.add(marker)
        self.again = True

    def _forget_partitions(self, marker: Marker) -> None:
        waiting = self.waiting.get(marker.transactional_id)
        if waiting is not None:
            for partition in marker.partitions:
                waiting.remaining.pop(partition, None)

    def _finish(self, transactional_id: str) -> None:
        waiting = self.waiting.get(transactional_id)
        if waiting is not None and not waiting.remaining:
            del self.waiting[transactional_id]
            self.finished.append(transactional_id)

    # -- sending ---------------------------------------------------------------------------------------

    def look_again(self) -> None:
        """The start of a pass: markers whose leader could not be reached are resolved anew (MRK-3)."""
        self.again = False
        for marker in self.parked.drain():
            self._enqueue(marker, marker.partitions, PARKED)
            self._finish(marker.transactional_id)

    def wanted_brokers(self) -> list[int]:
        """Brokers with something queued and no request in flight, ascending."""
        return sorted(
            broker for broker, queue in self.queues.items() if queue and broker not in self.in_flight
        )

    def drain(self, broker_id: int, correlation_id: int, deadline: int) -> tuple[TxnMarkerEntry, ...]:
        """Everything queued for a broker, across transactions, becomes one request (MRK-3)."""
        markers = self.queues[broker_id].drain()
        self.in_flight[broker_id] = InFlight(correlation_id, deadline, markers)
        row = MARKER_STATES.find(QUEUED, SENT)
        if self.watch.recording:
            self.watch.say(
                row.why,
                (row.spec,),
                coordinator=self.name,
                broker=f"broker-{broker_id}",
                transactions=[f"{marker.transactional_id} {marker.result}" for marker in markers],
                partitions=[partition for marker in markers for partition in marker.partitions],
            )
        elif self.watch.said is None:
            self.watch.said = row.why
        self._took(row, markers[0].transactional_id)
        return tuple(marker.entry() for marker in markers)

    # -- answers ---------------------------------------------------------------------------------------

    def on_response(self, broker_id: int, correlation_id: int, response: WriteTxnMarkersResponse) -> None:
        """A leader answered (MRK-8); first comes whether this broker still coordinates (MRK-9).

        Kafka's handler throws at an answer that must never come. The network client logs that, and what the
        handler had still to do with this answer stays undone, for later transactions too.
        """
        markers = self._settled(broker_id, correlation_id)
        for position, marker in enumerate(markers):
            if not self._still_owner(marker):
                continue
            answers = response.errors.get(marker.producer_id)
            if answers is None or not self.surroundings.has_metadata(marker.transactional_id):
                row = MARKER_STATES.find(IN_FLIGHT, GONE_FROM_ANSWER)
                self._throw(row, marker, marker.partitions, markers[position + 1 :])
                return
            by_error: dict[str, list[str]] = {}
            for partition in marker.partitions:
                error = answers.get(partition, Error.UNKNOWN_SERVER_ERROR)
                by_error.setdefault(error.name, []).append(partition)
            again: list[tuple[tuple[str, ...], dict[str, Any]]] = []
            given_up: tuple[str, ...] = ()
            for error_name, names in by_error.items():
                partitions = tuple(names)
                known = MARKER_STATES.candidates(IN_FLIGHT, error_name)
                row = MARKER_STATES.find(IN_FLIGHT, error_name if known else UNEXPECTED, self.holds)
                params = {"broker": f"broker-{broker_id}", "error": error_name}
                if row.refused:
                    undone = (*partitions, *(name for retried, _ in again for name in retried))
                    self._throw(row, marker, undone, markers[position + 1 :], **params)
                    return
                self._answered(row, marker, partitions, **params)
                if row.effects == ("retry",):
                    again.append((partitions, params))
                elif row.effects == ("cancel_transaction",):
                    given_up += partitions
            if given_up:
                # What could be sent again is not: the transaction's markers are somebody else's matter now.
                self.cancel(marker.transactional_id)
                self._tell_given_up(marker, (*given_up, *(name for names, _ in again for name in names)))
                continue
            for partitions, params in again:
                self._send_again(marker, partitions, **params)
            self._finish(marker.transactional_id)

    def on_disconnected(self, broker_id: int) -> None:
        """The connection ended: whether the markers were written is unknown, so they go again (MRK-9)."""
        request = self.in_flight.get(broker_id)
        if request is None:
            return
        markers = self._settled(broker_id, request.correlation_id)
        for position, marker in enumerate(markers):
            if not self._still_owner(marker):
                continue
            if not self.surroundings.has_metadata(marker.transactional_id):
                row = MARKER_STATES.find(IN_FLIGHT, GONE_FROM_ANSWER)
                self._throw(row, marker, marker.partitions, markers[position + 1 :])
                return
            row = MARKER_STATES.find(IN_FLIGHT, DISCONNECTED, self.holds)
            params = {"broker": f"broker-{broker_id}", "error": "disconnected"}
            self._answered(row, marker, marker.partitions, **params)
            self._send_again(marker, marker.partitions, **params)

    def _settled(self, broker_id: int, correlation_id: int) -> list[Marker]:
        request = self.in_flight.get(broker_id)
        if request is None or request.correlation_id != correlation_id:
            return []
        del self.in_flight[broker_id]
        return request.markers

    def _still_owner(self, marker: Marker) -> bool:
        """MRK-9: not coordinator, loading, or another coordinator epoch: the markers are not ours any more."""
        epoch = self.surroundings.coordinator_epoch(marker.transactional_id)
        if epoch == marker.coordinator_epoch:
            return True
        self._say(MARKER_STATES.find(IN_FLIGHT, NOT_OWNER), marker, partitions=list(marker.partitions))
        known = self.waiting.get(marker.transactional_id)
        if known is not None and known.send.coordinator_epoch != marker.coordinator_epoch:
            self._note_newer_forgotten(known, marker)
        self.cancel(marker.transactional_id)
        return False

    def _note_newer_forgotten(self, known: Waiting, marker: Marker) -> None:
        """Kafka looks the completion up by the id alone, and so drops that of its own newer election."""
        self.watch.note(
            "markers.newer_forgotten_too",
            ("MRK-9",),
            coordinator=self.name,
            transactional_id=marker.transactional_id,
            newer=known.send.coordinator_epoch,
            partitions=list(known.remaining),
        )
        if self.watch.judging:
            self.watch.fact(CompletionForgotten(producer_id=marker.producer_id))

    def _answered(self, row: Row, marker: Marker, partitions: tuple[str, ...], **params: Any) -> None:
        """Say what the answer means for these partitions, and cross off those that are done."""
        waiting = self.waiting.get(marker.transactional_id)
        if row.effects:
            self._say(row, marker, partitions=list(partitions), **params)
        elif waiting is None:
            self.watch.say(
                "markers.answer_for_nobody",
                ("MRK-8",),
                coordinator=self.name,
                transactional_id=marker.transactional_id,
                partitions=list(partitions),
            )
        else:
            self._say(row, marker, partitions=list(partitions), **params)
            for partition in partitions:
                waiting.remaining.pop(partition, None)
            if row.why == "markers.acknowledged":
                waiting.marked += len(partitions)
                self._note_same_everywhere(waiting)

    def _throw(
        self, row: Row, marker: Marker, partitions: tuple[str, ...], later: list[Marker], **params: Any
    ) -> None:
        """Nobody looks at the answers for ``partitions``, nor at those for ``later`` markers of the request."""
        undone = [(marker, partitions), *((one, one.partitions) for one in later)]
        for one, names in undone:
            self._say(row, one, partitions=list(names), **params)
            waiting = self.waiting.get(one.transactional_id)
            if waiting is not None and waiting.send.coordinator_epoch == one.coordinator_epoch:
                waiting.passed_over += names
            self._tell_given_up(one, names)

    def _tell_given_up(self, marker: Marker, partitions: tuple[str, ...]) -> None:
        if self.watch.judging:
            self.watch.fact(
                MarkersGivenUp(
                    producer_id=marker.producer_id,
                    partitions=partitions,
                    coordinator_epoch=marker.coordinator_epoch,
                )
            )

    def _note_same_everywhere(self, waiting: Waiting) -> None:
        """The last of several partitions has its marker: what the transaction wrote is one thing (CPT-4)."""
        everywhere = waiting.send.partitions
        if self.watch.recording and 1 < waiting.marked == len(everywhere):
            self.watch.note(
                "markers.same_everywhere",
                ("CPT-4",),
                transactional_id=waiting.send.transactional_id,
                partitions=list(everywhere),
            )

    def _send_again(self, marker: Marker, partitions: tuple[str, ...], **params: Any) -> None:
        """As often as it takes (MRK-10); the laboratory may switch that off (MRK-12)."""
        row = MARKER_STATES.find(TO_SEND, AGAIN, self.holds)
        if row.effects == ("give_up",):
            self._say(row, marker, partitions=list(partitions), **params)
            self._tell_given_up(marker, partitions)
            return
        waiting = self.waiting.get(marker.transactional_id)
        retries = 1
        if waiting is not None:
            retries = waiting.retries = waiting.retries + 1
        self.again = True
        if self.watch.recording:
            self.watch.note(row.why, (row.spec,), transactional_id=marker.transactional_id, retries=retries)
        self._enqueue(marker, partitions, TO_SEND)

    # -- giving up -------------------------------------------------------------------------------------

    def cancel(self, transactional_id: str) -> None:
        """The transaction's completion is not waited for any more; its state stays Prepare* here (MRK-8, MRK-9).
        What stands in a queue is sent all the same."""
        self.waiting.pop(transactional_id, None)

    def resign(self, log_partition: int) -> None:
        """This broker coordinates the ids of this log partition no longer: their queues are dropped; what is in
        flight follows when its answer comes (MRK-1, MRK-9, TXC-22)."""
        for state, queues in ((PARKED, [self.parked]), (QUEUED, list(self.queues.values()))):
            for queue in queues:
                for marker in queue.take(log_partition):
                    row = MARKER_STATES.find(state, NOT_OWNER)
                    self._note(row, marker, coordinator_epoch=marker.coordinator_epoch, current=None)
        for transactional_id in list(self.waiting):
            if self.surroundings.log_partition(transactional_id) == log_partition:
                self.cancel(transactional_id)

    def _epochs(self, marker: Marker) -> dict[str, Any]:
        return {
            "coordinator_epoch": marker.coordinator_epoch,
            "current": self.surroundings.coordinator_epoch(marker.transactional_id),
        }

    def crash(self) -> None:
        """Memory goes."""
        self.queues.clear()
        self.parked = MarkerQueue()
        self.in_flight.clear()
        self.waiting.clear()
        self.finished.clear()
        self.again = False

    # -- saying, showing -------------------------------------------------------------------------------

    def _took(self, row: Row, transactional_id: str) -> None:
        if self.watch.recording:
            number = MARKER_STATES.number_of(row)
            target = row.target or row.source
            self.watch.transition(MARKER_STATES.name, transactional_id, row.source, target, row.on, number)

    def _say(self, row: Row, marker: Marker, **params: Any) -> None:
        watch = self.watch
        if not watch.recording:
            if watch.said is None:
                watch.said = row.why
            return
        watch.say(
            row.why,
            (row.spec, "MSG-4") if row.refused else (row.spec,),
            coordinator=self.name,
            transactional_id=marker.transactional_id,
            result=marker.result,
            **self._epochs(marker),
            **params,
        )
        self._took(row, marker.transactional_id)

    def _note(self, row: Row, marker: Marker, **params: Any) -> None:
        if self.watch.recording:
            self.watch.note(
                row.why,
                (row.spec,),
                coordinator=self.name,
                transactional_id=marker.transactional_id,
                result=marker.result,
                partitions=list(marker.partitions),
                **params,
            )
            self._took(row, marker.transactional_id)

    def view(self) -> MarkerBoardView | None:
        """The marker board; None while there is nothing on it."""
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
