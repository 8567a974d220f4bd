"""How a call is refused: its result, and the event that the run emits (TXM-5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.client.application import REFUSED, Call
from engine.client.thrown import CallThrows
from engine.client.transaction_calls import check_send
from engine.client.transaction_manager import TransactionManager
from engine.events import SendThrew
from engine.happenings.codes import Compared
from engine.happenings.producer import CallRefused, Refusal, RefusedRecordStays
from engine.machine import Row
from engine.watching import Watch


def refuse(
    call: Call,
    client: str,
    watch: Watch,
    why: Refusal | Row,
    error: str,
    rule: str,
    *compared: tuple[Compared, Any],
) -> None:
    """Refuse ``call``. ``rule``: the violated requirement; ``compared``: the compared values with their labels."""
    call.state, call.error = REFUSED, error
    watch.emit(CallRefused, client, call.kind, error, why, rule, compared)


def refuse_as(call: Call, thrown: CallThrows, client: str, watch: Watch) -> None:
    """Refuse ``call`` with the exception that the transaction manager threw."""
    call.exception = thrown.exception
    refuse(call, client, watch, thrown.why, thrown.error, thrown.rule, *thrown.compared)


def refuses_record(call: Call, transactions: TransactionManager | None, client: str, watch: Watch) -> bool:
    """Refuse this ``send()`` if the state of the transaction manager allows no record (TXM-5). Returns
    whether it was refused."""
    if transactions is None or not (transactions.is_transactional or transactions.has_error):
        return False
    try:
        check_send(transactions)
    except CallThrows as thrown:
        refuse_as(call, thrown, client, watch)
        return True
    return False


def refuses_appended(call: Call, transactions: TransactionManager | None, client: str, watch: Watch) -> bool:
    """Do the same as ``refuses_record``, but after the append: the record of a refused call stays in its
    batch."""
    if not refuses_record(call, transactions, client, watch):
        return False
    watch.emit(SendThrew, producer=client, serial=call.args["serial"])
    watch.emit(RefusedRecordStays, client, call.args["serial"], call.args["partition"])
    return True


def refuses_nothing(call: Call, transactions: TransactionManager | None, client: str, watch: Watch) -> bool:
    """Refuse nothing, and return False. A version checks the state either before the append or after it; this
    function takes the place of the missing check."""
    return False


Check = Callable[[Call, TransactionManager | None, str, Watch], bool]
SEND_CHECKS: dict[bool, tuple[Check, Check]] = {
    False: (refuses_record, refuses_nothing),
    True: (refuses_nothing, refuses_appended),
}
"""Dict of ``Profile.checks_after_append`` → the checks of ``send()`` before and after it appends the record
(TXM-5). A check returns True if the call throws."""
