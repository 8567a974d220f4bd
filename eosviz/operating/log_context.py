"""Which session and which task a line of the log is about, wherever it was written.

The middleware, the sockets and the worker note what they are busy with; the lines of everybody below them say it.
"""

from __future__ import annotations

import contextlib
import logging
import re
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

import msgspec

_context: ContextVar[dict[str, str] | None] = ContextVar("log_context", default=None)

SESSION_IN_PATH = re.compile(r"/sessions/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:/|$)")
TEXT_CHARACTERS_MAX = 20_000
"""Of a traceback in one line; a longer one loses its middle and says how much."""


@contextlib.contextmanager
def about(**words: str) -> Iterator[None]:
    """Lines written inside carry these words as well."""
    token = _context.set({**(_context.get() or {}), **words})
    try:
        yield
    finally:
        _context.reset(token)


def session_in(path: str) -> dict[str, str]:
    """`session` where a path names one."""
    found = SESSION_IN_PATH.search(path)
    return {"session": found[1]} if found else {}


class AddContext(logging.Filter):
    """Gives each record `words` (a dict) and `context` (the same as text)."""

    def filter(self, record: logging.LogRecord) -> bool:
        words = _context.get() or {}
        record.words = words
        record.context = "".join(f" {name}={value}" for name, value in words.items())
        return True


SECRETS_IN_ADDRESSES = re.compile(
    r"(/accounts/password/reset/key/|/accounts/confirm-email/|/follow/|/classes/join/)[^/\s\"'?]+"
    r"|([?&][^=&\s\"']*(?:token|key|code|secret|password)[^=&\s\"']*=)[^&\s\"']+"
)
"""A person who has the address has what it opens: a new password, a presentation, a class."""


def without_secrets(text: str) -> str:
    return SECRETS_IN_ADDRESSES.sub(lambda found: f"{found[1] or found[2]}…", text)


class Lines(logging.Formatter):
    """The format that it is given, without what an address gives away."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonLines(logging.Formatter):
    """One JSON object a line: at, level, logger, message, and what the line is about."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **getattr(record, "words", {}),
        }
        if record.exc_info is not None and record.exc_info[0] is not None:
            text = without_secrets("".join(traceback.format_exception(*record.exc_info)))
            line["traceback"] = _shortened(text)
        return msgspec.json.encode(line, enc_hook=str).decode()


def _shortened(text: str) -> str:
    if len(text) <= TEXT_CHARACTERS_MAX:
        return text
    half = TEXT_CHARACTERS_MAX // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters …\n{text[-half:]}"
