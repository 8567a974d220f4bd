"""The calls that a scripted application makes to a producer client (GEN-4, ACC-1, TXM-5)."""

from __future__ import annotations

from typing import Any

from engine.errors import ClientError

SEND, FLUSH, CLOSE, FORCE_CLOSE = "send", "flush", "close", "force_close"
INIT_TRANSACTIONS, BEGIN_TRANSACTION = "init_transactions", "begin_transaction"
SEND_OFFSETS, COMMIT_TRANSACTION = "send_offsets", "commit_transaction"
ABORT_TRANSACTION = "abort_transaction"
TRANSACTIONAL = (INIT_TRANSACTIONS, BEGIN_TRANSACTION, SEND_OFFSETS, COMMIT_TRANSACTION, ABORT_TRANSACTION)
KINDS = (SEND, FLUSH, CLOSE, FORCE_CLOSE, *TRANSACTIONAL)

DONE, BLOCKED, REFUSED = "done", "blocked", "refused"
CLOSED_ERROR, TIMEOUT_ERROR, BUFFER_ERROR = "PRODUCER_CLOSED", "TIMEOUT", ClientError.BUFFER_EXHAUSTED.name
"""Errors of calls that the client itself raises."""


class Call:
    """One call and its result.

    ``kind`` is one of :data:`KINDS`. ``args`` of ``send``: ``partition``, ``serial``, ``size`` (bytes of the
    value), ``key`` (missing or None: null). ``args`` of ``send_offsets``: ``offsets`` (dict of
    topic-partition → offset of the next record to read), ``group``, ``member`` (missing: none). ``state`` is
    ``done``, ``blocked`` or ``refused``; a blocked call is later done or refused, and the client then puts it
    into ``finished_calls``. ``error`` names the error, ``exception`` the Java class that Kafka throws for it,
    if known.
    """

    __slots__ = ("args", "error", "exception", "kind", "since", "state")

    def __init__(self, kind: str, args: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.args: dict[str, Any] = args or {}
        self.state = DONE
        self.error: str | None = None
        self.exception: str | None = None
        self.since = 0
