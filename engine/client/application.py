"""What a scripted application asks of a producer client (GEN-4, ACC-1, TXM-5)."""

from __future__ import annotations

from typing import Any

SEND, FLUSH, CLOSE, FORCE_CLOSE = "send", "flush", "close", "force_close"
INIT_TRANSACTIONS, BEGIN, COMMIT, ABORT = "init_transactions", "begin", "commit", "abort"
KINDS = (SEND, FLUSH, CLOSE, FORCE_CLOSE, INIT_TRANSACTIONS, BEGIN, COMMIT, ABORT)

DONE, BLOCKED, REFUSED = "done", "blocked", "refused"


class Call:
    """One call and how it went.

    ``kind`` is one of :data:`KINDS`. ``args`` of ``send``: ``partition``, ``serial``, ``size`` (bytes of the
    value; the key is null). ``state`` is ``done``, ``blocked`` or ``refused``; a blocked call becomes one
    of the others later, and the client then puts it into ``finished_calls``. ``reason`` is the catalogue
    key of a block or refusal, ``error`` the name of the exception that the application gets.
    """

    __slots__ = ("args", "error", "kind", "reason", "since", "state")

    def __init__(self, kind: str, args: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.args: dict[str, Any] = args or {}
        self.state = DONE
        self.reason: str | None = None
        self.error: str | None = None
        self.since = 0
