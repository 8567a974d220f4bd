"""Sentences of two-phase commit over middleware: rows of machines, and notes that explain them further."""

from __future__ import annotations

from typing import Any

from engine.happenings import middleware as happened
from engine.happenings.base import Happening
from engine.machine import Row
from engine.middleware import business_states, middleware_states
from engine.middleware.compensation import CANCEL
from engine.middleware.middleware import VOTES_MISSING
from engine.middleware.participant_states import PARTICIPANT
from engine.middleware.strategies import STRATEGIES
from engine.telling.machines import tell_row
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes, plain, says

_KEEPS = {
    "business_transaction": "business.keeps_its_state",
    "participant": "participant.keeps_its_state",
    "transaction_manager": "manager.keeps_its_state",
    "middleware_transaction": "middleware.nothing_done",
}
"""Dict of machine → key of the sentence that says what a node keeps after it has refused a message."""


def strategy_key(name: str) -> str:
    """The key of the sentence on the action of a strategy."""
    return f"middleware.strategy_{name}"


def trade_off_key(name: str) -> str:
    """The key of the sentence on the cost of a strategy."""
    return f"middleware.trade_off_{name}"


def reason_key(word: str | None) -> str | None:
    """The key of the sentence for the reason in a message. A word that is no known reason, and None, stay as they
    are."""
    return _REASONS.get(word, word) if word else word


_REASONS = {row.why: row_key(row) for row in PARTICIPANT.rows} | {VOTES_MISSING: "middleware.votes_missing"}


def _took(row: Row, of: str, params: dict[str, Any], teller: Teller, key: str = "") -> None:
    """Add the sentence with ``key``, or else the row's own sentence, and the transition if the state changes."""
    moves = row.target is not None and row.target != row.source
    teller.say(key or row_key(row), (row.spec, "MW-9") if moves else (row.spec,), **params)
    if moves:
        tell_row(row, of, teller)


def _refused(row: Row, state: str, params: dict[str, Any], teller: Teller) -> None:
    """Add the row's sentence, and the refusal of the message (UIV-3)."""
    teller.say(row_key(row), (row.spec,), **params)
    teller.refuse(row.spec, row.reply, [["state", state]], _KEEPS[row.machine], **params)


def _business_moved(h: happened.BusinessMoved, teller: Teller) -> None:
    params = {
        "business": h.business,
        "tid": h.tid,
        "state": h.state,
        "ms": h.ms,
        "message_id": h.message_id,
        "stored": h.stored,
        "found": h.found,
        "result": h.result,
        "reason": reason_key(h.reason),
    }
    if h.row.refused:
        _refused(h.row, h.state, params, teller)
        return
    untraceable = h.row.why == "local_failed" and not h.stores_id
    key = "business.local_failed_untraceably" if untraceable else ""
    _took(h.row, f"{h.business} {h.tid}", params, teller, key)
    if h.row.on == business_states.PREPARE_ACK and not h.stores_id:
        teller.note("business.stores_no_id", ("MW-13",), **params)


def _local_transaction_lost(h: happened.LocalTransactionLost, teller: Teller) -> None:
    teller.note(row_key(h.row), (h.row.spec,), tid=h.tid, business=h.business, state=h.state)


def _message(h: happened.MiddlewareMoved | happened.MiddlewareRefused) -> dict[str, Any]:
    return {
        "tid": h.tid,
        "sender": h.sender,
        "state": h.state,
        "reason": reason_key(h.reason),
        "result": h.result,
        "left": list(h.left),
        "answer": h.answer,
    }


def _numbers(numbers: happened.Numbers) -> dict[str, Any]:
    params = {name: plain(value) for name, value in numbers._asdict().items() if name != "rolled_back"}
    return params | {"missing": list(numbers.missing) or ["–"]}


def _middleware_moved(h: happened.MiddlewareMoved, teller: Teller) -> None:
    params = _message(h) | _numbers(h.numbers)
    if h.attempt is not None:
        params |= {name: plain(value) for name, value in h.attempt._asdict().items()}
    if h.left:
        params["undone"] = list(h.left)
    if h.row.why == "all_rolled_back":
        params["rolled_back"] = list(h.numbers.rolled_back)
    _took(h.row, f"middleware {h.tid}", params, teller, _counted(h))
    _comment(h, teller)


def _counted(h: happened.MiddlewareMoved) -> str:
    """The key of a response that the row only counts, if the middleware does not wait for it or for any other; else
    empty."""
    if h.row.why != "answer_counted":
        return ""
    if not h.numbers.missing:
        return "middleware.answer_ends_nothing"
    return "" if h.sender in h.numbers.asked else "middleware.answer_not_awaited"


def _comment(h: happened.MiddlewareMoved, teller: Teller) -> None:
    """Add notes on the action and the cost of the strategy, and on Kafka's action in the same situation (MW-15)."""
    row, strategy = h.row, h.numbers.strategy
    if row.when == middleware_states.GIVEN_UP and not h.numbers.tries:
        if STRATEGIES[strategy].by_hand:
            teller.note(strategy_key(strategy), ("MW-11",))
        elif strategy == CANCEL:
            teller.note("middleware.no_manager", ("MW-11",))
    if row.on == middleware_states.ANSWER_TIMEOUT:
        teller.note(trade_off_key(strategy), ("MW-11", "MW-12", "CTR-41"))
        teller.note("middleware.kafka_repeats_markers", ("MW-15", "CTR-40"))
    elif (
        row.on == middleware_states.COMPENSATION_DUE
        and row.when == middleware_states.GOES_ON
        and h.numbers.tries == 1
    ):
        teller.note(strategy_key(strategy), ("MW-11",), **_numbers(h.numbers))
    elif row.target == middleware_states.AWAIT_CONFIRM and row.source == middleware_states.PREPARING:
        teller.note("middleware.kafka_has_no_votes", ("MW-15", "CTR-43"))
        if not h.back_check:
            teller.note("middleware.no_back_check", ("MW-13",))


def _middleware_refused(h: happened.MiddlewareRefused, teller: Teller) -> None:
    _refused(h.row, h.state, _message(h), teller)


def _tid_unknown(h: happened.TidUnknown, teller: Teller) -> None:
    key = "middleware.unknown_tid_confirmed" if h.answered else "middleware.unknown_tid"
    teller.say(key, ("MW-14",), tid=h.tid, sender=h.sender)
    compared = [["tid", h.tid], ["known", h.known]]
    teller.refuse("MW-14", "UNKNOWN_TID", compared, "middleware.nothing_done")


def _operator_mistaken(h: happened.OperatorMistaken, teller: Teller) -> None:
    teller.say("middleware.unknown_tid_named", ("MW-11",), tid=h.tid)


def _window_opens(h: happened.WindowOpens, teller: Teller) -> None:
    key = "middleware.window_opens_alone" if h.alone else "middleware.window_opens"
    teller.note(key, ("MW-14",), tid=h.tid)


def _window_closes(h: happened.WindowCloses, teller: Teller) -> None:
    key = "middleware.window_closes_undone" if h.undone else "middleware.window_closes"
    teller.note(key, ("MW-14",), tid=h.tid, ms=h.ms)


def _with_minus(number: str) -> str:
    return number.replace("-", "−")


def _participant_moved(h: happened.ParticipantMoved, teller: Teller) -> None:
    row = h.row
    params = {
        "participant": h.participant,
        "tid": h.tid,
        "sender": h.sender,
        "state": h.state,
        "operation": _with_minus(f"{h.operation:+d}"),
        "before": h.before,
        "value": h.value,
        "by": h.by,
        "after": h.after if h.after >= 0 else _with_minus(f"{h.after}"),
    }
    if row.refused:
        _refused(row, h.state, params, teller)
        return
    _took(row, f"{h.participant} {h.tid}", params, teller)
    if row.reply.endswith("Fail"):
        compared = [["left after it", h.after]]
        teller.refuse(row.spec, row.reply, compared, "participant.votes_no", **params)


def _manager_moved(h: happened.ManagerMoved, teller: Teller) -> None:
    params = {
        "manager": h.manager,
        "tid": h.tid,
        "sender": h.sender,
        "missing": list(h.missing),
        "state": h.state,
        "answer": h.answer,
        "left": list(h.left) or None,
    }
    if h.row.refused:
        _refused(h.row, h.state, params, teller)
    else:
        _took(h.row, f"{h.manager} {h.tid}", params, teller)


TELLINGS: dict[type[Happening], Tell] = {
    happened.TransactionWanted: says("initiator.starts", "MW-1", "MW-2", "MW-3"),
    happened.TransactionHandedOver: says("initiator.hands_over", "MW-3", "CTR-38"),
    happened.BusinessMoved: _business_moved,
    happened.LocalTransactionLost: _local_transaction_lost,
    happened.MiddlewareMoved: _middleware_moved,
    happened.MiddlewareRefused: _middleware_refused,
    happened.TidGiven: says("middleware.gives_tid", "MW-3"),
    happened.TidUnknown: _tid_unknown,
    happened.OperatorMistaken: _operator_mistaken,
    happened.TransactionForgotten: notes("middleware.forgets", "MW-14"),
    happened.TransactionRemembered: notes("middleware.remembers", "MW-14"),
    happened.ReservationKept: notes("participant.keeps_reservation", "MW-7"),
    happened.WindowOpens: _window_opens,
    happened.WindowCloses: _window_closes,
    happened.ParticipantMoved: _participant_moved,
    happened.ManagerMoved: _manager_moved,
}
