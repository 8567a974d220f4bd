"""How a coordinator has outcomes written at the leaders of a transaction's partitions (section 15).

Owns the queues per broker, the queue of markers whose leader cannot be reached, what is in flight, and which
partitions each transaction still waits for. What happens to a marker is a row of ``marker_states``. It knows
neither links nor logs: :meth:`MarkerChannel.drain` says which requests to send, and a transaction that waits for
nothing more stands in ``finished``. After Kafka's ``TransactionMarkerChannelManager``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.coordinator.coordinator_effects import SendMarkers
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
from engine.events import MarkersGivenUp
from engine.machine import Row
from engine.messages import TxnMarkerEntry, WriteTxnMarkersResponse
from engine.watching import Watch


class Surroundings(Protocol):
    """What the channel asks its broker."""

    def leader_of(self, partition: str) -> int | None:
        """The leading broker; None when the partition has none now."""

    def knows(self, partition: str) -> bool:
        """False when there is no leader information at all: the topic was deleted (MRK-2)."""

    def is_reachable(self, broker_id: int) -> bool: ...

    def coordinator_epoch(self, transactional_id: str) -> int | None:
        """The epoch under which this broker coordinates the id; None when it does not (MRK-9)."""

    def has_metadata(self, transactional_id: str) -> bool:
        """True while the id is in the coordinator's cache."""


@dataclass(slots=True)
class Marker:
    """One transaction's outcome on its way to one broker."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    result: str
    partitions: tuple[str, ...]

    def entry(self) -> TxnMarkerEntry:
        return TxnMarkerEntry(
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            coordinator_epoch=self.coordinator_epoch,
            result=self.result,
            partitions=self.partitions,
        )

    def view(self) -> dict[str, Any]:
        return {
            "transactional_id": self.transactional_id,
            "producer_id": self.producer_id,
            "producer_epoch": self.producer_epoch,
            "coordinator_epoch": self.coordinator_epoch,
            "result": self.result,
            "partitions": list(self.partitions),
        }


@dataclass(slots=True)
class InFlight:
    """The one request that a broker may have open. ``deadline``: when its connection is given up."""

    correlation_id: int
    deadline: int
    markers: list[Marker] = field(default_factory=list)


@dataclass(slots=True)
class Waiting:
    """A decided transaction whose markers are under way; ``remaining``: partitions without one, by name;
    ``marked``: how many have theirs."""

    send: SendMarkers
    remaining: dict[str, None]
    retries: int = 0
    marked: int = 0


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
        self.queues: dict[int, list[Marker]] = {}
        self.parked: list[Marker] = []
        self.in_flight: dict[int, InFlight] = {}
        self.waiting: dict[str, Waiting] = {}
        self.finished: list[str] = []
        """Transactions that wait for no partition any more, for the coordinator to complete."""
        self.again = False
        """True when something waits for the next pass because it did not work now."""
        self.stopped = False
        """True after an answer that Kafka's sender thread does not survive (MRK-8)."""

    # -- queueing --------------------------------------------------------------------------------------

    def hand_over(self, send: SendMarkers) -> None:
        """A transaction was decided: queue its markers, then see whether there is anything to wait for
        (MRK-1)."""
        self.waiting[send.transactional_id] = Waiting(send, dict.fromkeys(send.partitions))
        self._enqueue(send, send.partitions, TO_SEND)
        self._finish(send.transactional_id)

    def _enqueue(self, send: SendMarkers, partitions: tuple[str, ...], state: str) -> None:
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
                send.producer_id,
                send.producer_epoch,
                send.coordinator_epoch,
                send.result,
                tuple(names),
            )
            if row.target == QUEUED and leader is not None:
                self.queues.setdefault(leader, []).append(marker)
            elif row.target == PARKED:
                self.parked.append(marker)
            else:
                self._forget_partitions(marker)
            if state == TO_SEND or row.target != PARKED:
                self._note(row, marker, broker=None if leader is None else f"broker-{leader}")

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
        parked, self.parked = self.parked, []
        for marker in parked:
            waiting = self.waiting.get(marker.transactional_id)
            if waiting is not None:
                self._enqueue(waiting.send, marker.partitions, PARKED)
                self._finish(marker.transactional_id)

    def wanted_brokers(self) -> list[int]:
        """Brokers with something queued and no request in flight, ascending."""
        if self.stopped:
            return []
        return sorted(
            broker for broker, queue in self.queues.items() if queue and broker not in self.in_flight
        )

    def drain(self, broker_id: int, correlation_id: int, deadline: int) -> tuple[TxnMarkerEntry, ...]:
        """Everything queued for a broker, across transactions, becomes one request (MRK-3)."""
        markers = self.queues.pop(broker_id)
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
        """A leader answered (MRK-8); first comes whether this broker still coordinates (MRK-9)."""
        for marker in self._settled(broker_id, correlation_id):
            if not self._still_owner(marker):
                continue
            answers = response.errors.get(marker.producer_id)
            if answers is None or not self.surroundings.has_metadata(marker.transactional_id):
                self._take(MARKER_STATES.find(IN_FLIGHT, GONE_FROM_ANSWER), marker, ())
                continue
            by_error: dict[str, list[str]] = {}
            for partition in marker.partitions:
                error = answers.get(partition, Error.UNKNOWN_SERVER_ERROR)
                by_error.setdefault(error.name, []).append(partition)
            for error_name, partitions in by_error.items():
                if marker.transactional_id not in self.waiting:
                    break
                known = MARKER_STATES.candidates(IN_FLIGHT, error_name)
                on = error_name if known else UNEXPECTED
                row = MARKER_STATES.find(IN_FLIGHT, on, self.holds)
                self._take(row, marker, tuple(partitions), broker=f"broker-{broker_id}", error=error_name)
            self._finish(marker.transactional_id)

    def on_disconnected(self, broker_id: int) -> None:
        """The connection ended: whether the markers were written is unknown, so they go again (MRK-9)."""
        request = self.in_flight.get(broker_id)
        if request is None:
            return
        for marker in self._settled(broker_id, request.correlation_id):
            if not self._still_owner(marker):
                continue
            if not self.surroundings.has_metadata(marker.transactional_id):
                self._take(MARKER_STATES.find(IN_FLIGHT, GONE_FROM_ANSWER), marker, ())
                continue
            row = MARKER_STATES.find(IN_FLIGHT, DISCONNECTED, self.holds)
            self._take(row, marker, marker.partitions, broker=f"broker-{broker_id}", error="disconnected")

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
            if marker.transactional_id in self.waiting:
                return True
            self.watch.say(
                "markers.answer_for_nobody",
                ("MRK-8",),
                coordinator=self.name,
                transactional_id=marker.transactional_id,
                partitions=list(marker.partitions),
            )
            return False
        self._say(MARKER_STATES.find(IN_FLIGHT, NOT_OWNER), marker, partitions=list(marker.partitions))
        known = self.waiting.get(marker.transactional_id)
        if known is not None and known.send.coordinator_epoch == marker.coordinator_epoch:
            self.cancel(marker.transactional_id)
        return False

    def _take(self, row: Row, marker: Marker, partitions: tuple[str, ...], **params: Any) -> None:
        waiting = self.waiting.get(marker.transactional_id)
        if waiting is None:
            return
        self._say(row, marker, partitions=list(partitions), **params)
        if row.refused:
            self.stopped = True
        elif row.effects == ("retry",):
            self._send_again(waiting, marker, partitions, **params)
        elif row.effects == ("cancel_transaction",):
            self.cancel(marker.transactional_id)
        elif not row.effects:
            for partition in partitions:
                waiting.remaining.pop(partition, None)
            if row.why == "markers.acknowledged":
                waiting.marked += len(partitions)
                self._note_same_everywhere(waiting)

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

    def _send_again(
        self, waiting: Waiting, marker: Marker, partitions: tuple[str, ...], **params: Any
    ) -> None:
        """As often as it takes (MRK-10); the laboratory may switch that off (MRK-12)."""
        row = MARKER_STATES.find(TO_SEND, AGAIN, self.holds)
        if row.effects == ("give_up",):
            self._say(row, marker, partitions=list(partitions), **params)
            if self.watch.judging:
                self.watch.fact(MarkersGivenUp(producer_id=marker.producer_id, partitions=partitions))
            return
        waiting.retries += 1
        self.again = True
        if self.watch.recording:
            retries = waiting.retries
            self.watch.note(row.why, (row.spec,), transactional_id=marker.transactional_id, retries=retries)
        self._enqueue(waiting.send, partitions, TO_SEND)

    # -- giving up -------------------------------------------------------------------------------------

    def cancel(self, transactional_id: str) -> None:
        """Forget every marker of a transaction; its state stays Prepare* here (MRK-8, MRK-9)."""
        self.waiting.pop(transactional_id, None)
        self.parked = [marker for marker in self.parked if marker.transactional_id != transactional_id]
        for broker_id, queue in list(self.queues.items()):
            kept = [marker for marker in queue if marker.transactional_id != transactional_id]
            if kept:
                self.queues[broker_id] = kept
            else:
                del self.queues[broker_id]

    def resign(self, transactional_id: str) -> None:
        """This broker coordinates the id no longer: what waits is dropped; what is in flight follows when its
        answer comes (MRK-9, TXC-22)."""
        for state, markers in (
            (PARKED, self.parked),
            (QUEUED, [marker for queue in self.queues.values() for marker in queue]),
        ):
            for marker in markers:
                if marker.transactional_id == transactional_id:
                    row = MARKER_STATES.find(state, NOT_OWNER)
                    epoch = marker.coordinator_epoch
                    self._note(row, marker, coordinator_epoch=epoch, current=None)
        self.cancel(transactional_id)

    def _epochs(self, marker: Marker) -> dict[str, Any]:
        return {
            "coordinator_epoch": marker.coordinator_epoch,
            "current": self.surroundings.coordinator_epoch(marker.transactional_id),
        }

    def crash(self) -> None:
        """Memory goes."""
        self.queues.clear()
        self.parked.clear()
        self.in_flight.clear()
        self.waiting.clear()
        self.finished.clear()
        self.again = self.stopped = False

    # -- saying, showing -------------------------------------------------------------------------------

    def _took(self, row: Row, transactional_id: str) -> None:
        if self.watch.recording:
            number = MARKER_STATES.rows.index(row)
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

    def view(self) -> dict[str, Any] | None:
        """The marker board; None while there is nothing on it."""
        if not (self.queues or self.parked or self.in_flight or self.waiting or self.stopped):
            return None
        return {
            "queues": {
                str(broker): [marker.view() for marker in queue]
                for broker, queue in sorted(self.queues.items())
            },
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
                }
                for name, waiting in sorted(self.waiting.items())
            },
            "stopped": self.stopped,
        }
