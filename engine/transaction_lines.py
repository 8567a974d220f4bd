"""One line for each transaction: its producer, partitions, first and last step, and outcome.

Lines are made from recorded steps alone, so stored runs and replays have them, too. The state is that of the
coordinator (TXC-3): a pending change does not count before its record is replicated. If nothing was
registered, the coordinator does not know the transaction, and the state is the client's (TXM-10).
Transactions of the message middleware (MW-9) have lines of the same shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.client import client_states
from engine.coordinator.transaction_states import TRANSACTION_STATES
from engine.middleware.business_states import BUSINESS
from engine.middleware.middleware_states import MIDDLEWARE
from engine.middleware.participant_states import PARTICIPANT

LINES_MAX = 500
"""At most this many lines are kept. For a further one, the oldest line whose transaction is over, or else the
oldest line, is left out and only counted."""
PLACES_MAX = 12

OPEN, COMMITTED, ABORTED, EMPTY, LEFT = "open", "committed", "aborted", "empty", "left"
RESULTS = (OPEN, COMMITTED, ABORTED, EMPTY, LEFT)
"""The results of a transaction. EMPTY: it ended without a registered partition. LEFT: it never ended and no coordinator
knows it, and its client began another transaction or cannot continue."""

DECIDED = {"PrepareCommit": COMMITTED, "PrepareAbort": ABORTED, "PrepareEpochFence": ABORTED}
COMPLETE = {"CompleteCommit": COMMITTED, "CompleteAbort": ABORTED}
UNENDED = frozenset({"Ongoing", *DECIDED})
"""The coordinator's states of a transaction that has begun and has not ended."""
ENDS_OF_MIDDLEWARE = {"COMMITTED": COMMITTED, "ROLLED_BACK": ABORTED, "COMPENSATED": ABORTED}
IDENTITY = ("transactional_id", "producer_id", "producer_epoch")

Change = Mapping[str, Any]


@dataclass(slots=True, kw_only=True)
class TransactionLine:
    """One line. ``last_step`` and ``last_at``: number and time of the newest step that belongs to the
    transaction. ``decided_step``: the step at which the coordinator's outcome became durable, or None.
    ``places``: its partitions; for the middleware, its participants. Times are virtual milliseconds."""

    identifier: str
    client: str | None
    first_step: int
    first_at: int
    producer_id: int | None = None
    producer_epoch: int | None = None
    places: dict[str, None] = field(default_factory=dict)
    state: str = ""
    result: str = OPEN
    decided_step: int | None = None
    last_step: int = 0
    last_at: int = 0
    registered: bool = False
    over: bool = False

    @property
    def identity(self) -> tuple[str, Any, Any]:
        """The transactional id, the producer id and the epoch."""
        return self.identifier, self.producer_id, self.producer_epoch

    def to_json(self) -> dict[str, Any]:
        """The line as JSON. Only the first of its ``places`` are listed; the others are counted."""
        places = list(self.places)
        return {
            "id": self.identifier,
            "client": self.client,
            "producer_id": self.producer_id,
            "producer_epoch": self.producer_epoch,
            "places": places[:PLACES_MAX],
            "more_places": max(0, len(places) - PLACES_MAX),
            "first_step": self.first_step,
            "last_step": self.last_step,
            "first_at": self.first_at,
            "last_at": self.last_at,
            "decided_step": self.decided_step,
            "state": self.state,
            "result": self.result,
            "over": self.over,
        }


class TransactionLines:
    """Makes the lines of a run: pass the run's first view, then its steps in order, as JSON (docs/frame.md)."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        self.folded = 0
        """The number of lines that are no longer kept."""
        self.through = 0
        """The number of the last step that was taken."""
        self._lines: list[TransactionLine] = []
        self._clients: dict[str, dict[str, Any]] = {}
        """Dict of client → its identity, with the keys in IDENTITY."""
        self._known: dict[str, dict[str, Any]] = {}
        """Dict of transactional id → the identity that its coordinator last assigned. It is kept because a change
        holds only the fields that changed."""
        self._of_client: dict[str, TransactionLine] = {}
        """Dict of client → its open transaction."""
        self._at_coordinator: dict[str, TransactionLine] = {}
        """Dict of transactional id → the transaction that its coordinator has not completed."""
        self._within: dict[str, TransactionLine] = {}
        """Dict of client → the transaction that was still open at the coordinator when the client began its present
        one. The end of the earlier one never reached the coordinator, so one decision ends both."""
        self._of_middleware: dict[str, TransactionLine] = {}
        for name, client in (view.get("clients") or {}).items():
            self._identify(name, client.get("transaction_manager"))
        for broker in (view.get("brokers") or {}).values():
            for identifier, entry in (broker.get("transactions") or {}).items():
                self._known[identifier] = {word: entry.get(word) for word in IDENTITY[1:]}

    @property
    def lines(self) -> list[TransactionLine]:
        return self._lines

    def take(self, step: Mapping[str, Any]) -> None:
        """Take one step. A step without a transition and without a change of clients or brokers takes almost
        no time."""
        self.through = step["number"]
        for change in step["changes"]:
            self._change(change, step)
        transitions: Iterable[Any] = step.get("earlier_transitions") or ()
        for transition in transitions:
            self._transition(transition, step)
        if step["transition"] is not None:
            self._transition(step["transition"], step)

    def to_json(self) -> dict[str, Any]:
        """``{"through", "folded", "lines"}``: the number of the last step that was taken, the number of lines that
        are no longer kept, and the other lines, ordered by their first step."""
        lines = sorted(self._lines, key=lambda line: (line.first_step, line.identifier))
        return {"through": self.through, "folded": self.folded, "lines": [line.to_json() for line in lines]}

    def text(self) -> Iterable[str]:
        """The lines as text for a terminal."""
        if self.folded:
            yield f"transactions {self.folded} older ones are not listed"
        for line in self.to_json()["lines"]:
            identity = (
                "" if line["producer_id"] is None else f" {line['producer_id']}·{line['producer_epoch']}"
            )
            more = f" and {line['more_places']} more" if line["more_places"] else ""
            yield (
                f"transaction {line['id']}{identity} by {line['client'] or 'an unknown client'} "
                f"steps {line['first_step']}–{line['last_step']} {line['last_at'] - line['first_at']} ms "
                f"{line['result']} {line['state']} {', '.join(line['places']) or 'nowhere'}{more}"
            )

    # -- changes and transitions of a step ---------------------------------------------------------------

    def _change(self, change: Change, step: Mapping[str, Any]) -> None:
        path = change["path"]
        if path[0] == "clients" and len(path) > 1:
            self._client_change(path, change.get("after"))
        elif path[0] == "brokers" and len(path) > 1:
            for identifier, entry in _entries(path, change.get("after")):
                self._coordinator_says(identifier, entry, step)

    def _client_change(self, path: list[str], after: Any) -> None:
        name = path[1]
        if len(path) == 2:
            self._identify(name, (after or {}).get("transaction_manager"))
        elif path[2] == "transaction_manager":
            if len(path) == 3:
                self._identify(name, after)
            elif path[3] in IDENTITY:
                self._clients.setdefault(name, {})[path[3]] = after

    def _identify(self, name: str, manager: Mapping[str, Any] | None) -> None:
        self._clients[name] = {word: (manager or {}).get(word) for word in IDENTITY}

    def _transition(self, transition: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        machine = transition["machine"]
        if machine == client_states.MACHINE.name:
            self._client_moves(transition, step)
        elif machine == TRANSACTION_STATES.name:
            line = self._at_coordinator.get(transition["of"])
            if line is not None:
                self._touch(line, step)
        elif machine in (BUSINESS.name, MIDDLEWARE.name, PARTICIPANT.name):
            self._middleware_moves(transition, step)

    def _client_moves(self, transition: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        client, on = transition["of"], transition["on"]
        line = self._of_client.get(client)
        if on in (client_states.BEGIN, client_states.INIT) and line is not None:
            self._leave(client, line, step)
            line = None
        if on == client_states.BEGIN:
            known = self._clients.get(client, {})
            identifier = known.get("transactional_id")
            if identifier is None:
                return
            line = self._open(identifier, client, known.get("producer_id"), known.get("producer_epoch"), step)
            self._of_client[client] = line
            self._within.pop(client, None)
            held = self._at_coordinator.get(identifier)
            if held is not None and held.result == OPEN and held.identity == line.identity:
                self._within[client] = held
        if line is None:
            return
        if not line.over:
            self._touch(line, step)
        if not line.registered:
            line.state = transition["to"]
        if (transition["from"], on) in client_states.REPORTS:
            del self._of_client[client]
            if not line.registered:
                self._end_alone(client, line, EMPTY)
        elif transition["to"] == client_states.FATAL_ERROR and not line.registered:
            self._leave(client, line, step)

    def _leave(self, client: str, line: TransactionLine, step: Mapping[str, Any]) -> None:
        """End the client's part in a transaction whose outcome the client has not learned."""
        del self._of_client[client]
        if not line.registered:
            self._end_alone(client, line, LEFT)
            self._touch(line, step)

    def _end_alone(self, client: str, line: TransactionLine, result: str) -> None:
        """End a client's transaction that the coordinator has not registered as a transaction of its own. If it was
        part of an earlier one (``_within``) that has been decided, it gets the decision and the partitions of that
        one."""
        held = self._within.get(client)
        line.result, line.over = result, True
        if held is not None and held.result != OPEN:
            line.result, line.decided_step = held.result, held.decided_step
            line.places.update(held.places)

    def _coordinator_says(self, identifier: str, entry: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        state = entry.get("state")
        known = self._known.setdefault(identifier, {})
        known.update((word, entry[word]) for word in IDENTITY[1:] if word in entry)
        line = self._at_coordinator.get(identifier)
        if state == "Ongoing" and line is None:
            line = self._register(identifier, known, step)
        if line is None:
            return
        if line.state != state and state is not None:
            self._enter(identifier, line, state, step)
        if "partitions" in entry and not line.over:
            line.places.update(dict.fromkeys(entry["partitions"]))

    def _register(
        self, identifier: str, known: Mapping[str, Any], step: Mapping[str, Any]
    ) -> TransactionLine:
        """Mark as registered the line of a client's open transaction with this identity, or a new line without a
        client. Returns the line."""
        producer = (identifier, known.get("producer_id"), known.get("producer_epoch"))
        for line in self._of_client.values():
            if not line.registered and line.identity == producer:
                break
        else:
            line = self._open(identifier, None, producer[1], producer[2], step)
        line.registered = True
        self._at_coordinator[identifier] = line
        return line

    def _enter(self, identifier: str, line: TransactionLine, state: str, step: Mapping[str, Any]) -> None:
        line.state = state
        self._touch(line, step)
        if state in DECIDED:
            line.result = DECIDED[state]
            line.decided_step = step["number"]
        elif state in COMPLETE:
            line.result, line.over = COMPLETE[state], True
            del self._at_coordinator[identifier]

    def _middleware_moves(self, transition: Mapping[str, Any], step: Mapping[str, Any]) -> None:
        party, _, tid = transition["of"].rpartition(" ")
        line = self._of_middleware.get(tid)
        if line is None:
            line = self._of_middleware[tid] = self._open(tid, None, None, None, step)
        self._touch(line, step)
        if transition["machine"] == BUSINESS.name:
            line.client = party
        elif transition["machine"] == PARTICIPANT.name:
            line.places[party] = None
        else:
            line.state = transition["to"]
            line.result = ENDS_OF_MIDDLEWARE.get(line.state, OPEN)
            line.over = line.result != OPEN

    def _open(
        self, identifier: str, client: str | None, producer_id: Any, epoch: Any, step: Mapping[str, Any]
    ) -> TransactionLine:
        line = TransactionLine(
            identifier=identifier,
            client=client,
            first_step=step["number"],
            first_at=step["at"],
            producer_id=producer_id,
            producer_epoch=epoch,
        )
        self._touch(line, step)
        self._lines.append(line)
        if len(self._lines) > LINES_MAX:
            over = next((index for index, one in enumerate(self._lines) if one.over), 0)
            del self._lines[over]
            self.folded += 1
        return line

    def _touch(self, line: TransactionLine, step: Mapping[str, Any]) -> None:
        line.last_step, line.last_at = step["number"], step["at"]


def _entries(path: list[str], after: Any) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """The entries of transactional ids in a change, complete or partial."""
    if len(path) == 2:
        whole = (after or {}).get("transactions") or {}
        return [(name, entry) for name, entry in whole.items() if entry]
    if path[2] != "transactions":
        return []
    if len(path) == 3:
        return [(name, entry) for name, entry in (after or {}).items() if entry]
    if after is None and len(path) == 4:
        return []
    if len(path) == 4:
        return [(path[3], after)]
    return [(path[3], {path[4]: after})] if len(path) == 5 else []
