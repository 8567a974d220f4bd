"""Chooses the messages of a run whose loss shows most. The page offers them to a reader who wants to drop a message and
has not chosen one.

They are read from the messages and changes of the run's steps (docs/frame.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from engine.client import client_states
from engine.middleware.configuration import MiddlewareConfiguration
from engine.shapes.plans import ShownLoss
from engine.view.arrivals import message_in
from engine.view.forecast import Forecasts

_Kind = tuple[str, bool]

KINDS = (
    ("WriteTxnMarkers", False),
    ("Commit", False),
    ("Produce", True),
    ("EndTxn", True),
    ("Produce", False),
    ("Prepare", False),
    ("Confirm", False),
    ("EndTxn", False),
    ("TxnOffsetCommit", True),
    ("TxnOffsetCommit", False),
    ("AddPartitionsToTxn", True),
    ("OffsetCommit", True),
    ("CommitOk", True),
    ("PrepareAck", True),
    ("PrepareOk", True),
    ("ConfirmAck", True),
    ("Rollback", False),
    ("RollbackOk", True),
    ("Check", False),
    ("CheckReply", True),
    ("Cancel", False),
    ("Cancelled", True),
)
"""(API, whether it is the response), ordered by what their loss shows: first that a decided transaction has not ended
in all partitions, then that a client does not know whether its records are stored, then that a request is sent again,
then that a time limit of the middleware ends a wait. After the loss of any other message, only a request that changes
no log is repeated."""
ARRIVED = frozenset({"delivered"})
LOST = frozenset({"dropped", "lost"})
"""The fates of a message that does not arrive. A delayed message still arrives."""
_IN_TRANSACTION = frozenset(
    {client_states.IN_TRANSACTION, client_states.COMMITTING_TRANSACTION}
    | {client_states.ABORTING_TRANSACTION, client_states.ABORTABLE_ERROR}
)
"""The states of a client whose transaction has not ended."""


class Losses:
    """Finds the first message of each kind that arrives: pass the run's first view, then its steps in order, as JSON.
    ``middleware``: the settings of the middleware; None if they are not known."""

    def __init__(self, view: Mapping[str, Any], middleware: MiddlewareConfiguration | None) -> None:
        self._forecasts = Forecasts(view, middleware)
        self._under_way: dict[int, ShownLoss] = {}
        self._first: dict[_Kind, ShownLoss] = {}
        self._open: dict[str, tuple[int, dict[_Kind, ShownLoss]]] = {}
        """Dict of client in a transaction → the step at which the transaction began, and the first message of each kind
        that the client sent, or brokers sent to each other, since then."""
        self._lost: set[_Kind] = set()
        """The kinds of messages of which a message is lost in the run itself."""
        self._clients: set[str] = set()
        self._other: ShownLoss | None = None
        """The first message of the run."""

    def take(self, step: Mapping[str, Any]) -> None:
        self._forecasts.take(step)
        for transition in (*(step.get("earlier_transitions") or ()), step["transition"]):
            if transition is not None and transition["machine"] == client_states.MACHINE.name:
                self._move(step["number"], transition)
        for message in step["messages"]:
            if message["event"] == "sent":
                self._send(step, message["id"])
                continue
            if message["event"] not in ARRIVED | LOST:
                continue
            loss = self._under_way.pop(message["id"], None)
            if loss is None:
                continue
            if message["event"] in LOST:
                self._lost.add(_kind(loss))
            else:
                self._first.setdefault(_kind(loss), loss)
                for client, (began, first) in self._open.items():
                    if loss["step"] >= began and (
                        client in _ends(loss) or self._clients.isdisjoint(_ends(loss))
                    ):
                        first.setdefault(_kind(loss), loss)

    def _move(self, number: int, transition: Mapping[str, Any]) -> None:
        client, state = transition["of"], transition["to"]
        self._clients.add(client)
        if state not in _IN_TRANSACTION:
            self._open.pop(client, None)
        elif transition["from"] not in _IN_TRANSACTION:
            self._open[client] = (number, {})

    def _send(self, step: Mapping[str, Any], number: int) -> None:
        made = message_in(step, number, "after")
        if made is None:
            return
        named = {name: made[name] for name in ("api", "is_response", "from", "to")}
        loss = cast("ShownLoss", {"step": step["number"], "message": number, **named})
        if (is_chosen := _kind(loss) in KINDS) or self._other is None:
            self._forecasts.note(made)
            self._other = self._other or loss
        if is_chosen:
            self._under_way[number] = loss

    def to_json(self) -> list[ShownLoss]:
        """The first message of each kind that arrived, in the order of ``KINDS``. A message of a transaction that the
        run leaves open is preferred. Kinds of which the run loses a message anyway come last. If no message of a kind
        has arrived: the run's first message, if it has one."""
        of_open: dict[_Kind, ShownLoss] = {}
        for _, first in self._open.values():
            for kind, loss in first.items():
                of_open[kind] = min(loss, of_open.get(kind, loss), key=lambda one: one["step"])
        kinds = sorted(filter(self._first.__contains__, KINDS), key=self._lost.__contains__)
        chosen = [of_open.get(kind, self._first[kind]) for kind in kinds]
        return [
            self._with_forecast(loss) for loss in chosen or ([] if self._other is None else [self._other])
        ]

    def _with_forecast(self, loss: ShownLoss) -> ShownLoss:
        forecast = self._forecasts.of(loss["message"], loss["api"])
        return loss if forecast is None else {**loss, "forecast": forecast}


def _kind(loss: ShownLoss) -> _Kind:
    return loss["api"], loss["is_response"]


def _ends(loss: ShownLoss) -> tuple[str, str]:
    return loss["from"], loss["to"]
