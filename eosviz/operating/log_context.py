"""Adds session and task to log lines. Middleware, sockets and workers state what they are working on, and the lines
that are logged during this work name it."""

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
"""A JSON line has this many characters of a longer traceback: the middle is left out and counted."""


@contextlib.contextmanager
def about(**words: str) -> Iterator[None]:
    """Log lines written inside carry these fields too."""
    token = _context.set({**(_context.get() or {}), **words})
    try:
        yield
    finally:
        _context.reset(token)


def session_in(path: str) -> dict[str, str]:
    """The `session` that the path names; empty if it names none."""
    found = SESSION_IN_PATH.search(path)
    return {"session": found[1]} if found else {}


class AddContext(logging.Filter):
    """Gives each log line (`LogRecord`) the attributes `words` (a dict) and `context` (the same as text)."""

    def filter(self, record: logging.LogRecord) -> bool:
        words = _context.get() or {}
        record.words = words
        record.context = "".join(f" {name}={value}" for name, value in words.items())
        return True


SECRETS_IN_ADDRESSES = re.compile(
    r"(/accounts/password/reset/key/|/accounts/confirm-email/|/follow/|/classes/join/)[^/\s\"'?]+"
    r"|([?&][^=&\s\"']*(?:token|key|code|secret|password)[^=&\s\"']*=)[^&\s\"']+"
)
"""Finds secrets in addresses. Such an address gives its reader a right, for example to set a new password."""


def without_secrets(text: str) -> str:
    return SECRETS_IN_ADDRESSES.sub(lambda found: f"{found[1] or found[2]}…", text)


class Lines(logging.Formatter):
    """Writes lines in the given format, without the secrets of addresses."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonLines(logging.Formatter):
    """Writes one JSON object for each line, with `at`, `level`, `logger`, `message`, the context, and the
    `traceback` of an exception."""

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
