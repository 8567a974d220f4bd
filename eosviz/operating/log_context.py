"""Adds the session and the task to log lines. Middleware, sockets and workers state what they are working on;
all lines that are logged during this work contain it."""

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
"""The largest length of a traceback in a JSON line, in characters. The middle of a longer one is replaced by
the number of characters left out."""


@contextlib.contextmanager
def about(**words: str) -> Iterator[None]:
    """A block whose log lines also contain these fields."""
    token = _context.set({**(_context.get() or {}), **words})
    try:
        yield
    finally:
        _context.reset(token)


def session_in(path: str) -> dict[str, str]:
    """A dict with the `session` that the path contains; empty if it contains none."""
    found = SESSION_IN_PATH.search(path)
    return {"session": found[1]} if found else {}


class AddContext(logging.Filter):
    """Adds two attributes to each log record: `words`, a dict of the context's fields, and `context`, the
    same as text."""

    def filter(self, record: logging.LogRecord) -> bool:
        words = _context.get() or {}
        record.words = words
        record.context = "".join(f" {name}={value}" for name, value in words.items())
        return True


SECRETS_IN_ADDRESSES = re.compile(
    r"(/accounts/password/reset/key/|/accounts/confirm-email/|/follow/|/classes/join/)[^/\s\"'?]+"
    r"|([?&][^=&\s\"']*(?:token|key|code|secret|password)[^=&\s\"']*=)[^&\s\"']+"
)
"""Matches secrets in addresses: each gives its reader a right, for example to set a new password."""


def without_secrets(text: str) -> str:
    return SECRETS_IN_ADDRESSES.sub(lambda found: f"{found[1] or found[2]}…", text)


class Lines(logging.Formatter):
    """Formats log lines as text, and removes secrets from addresses."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonLines(logging.Formatter):
    """Formats each log line as one JSON object with `at`, `level`, `logger`, `message`, the fields of the
    context, and the `traceback` of an exception."""

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
