"""Stores the mails of a site without a mail server, as files in the data folder that only the user of the
site's processes can read.

A mail may contain a link that sets a new password, so mails are never logged, and no backup contains them.
`manage.py mail` shows them to the operator.
"""

from __future__ import annotations

import email
import os
import secrets
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from email.message import EmailMessage as ReadMail
from email.policy import default
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

MAILS_MAX = 500
"""At most this many mails are kept: the newest."""
ENDING = ".eml"


def folder() -> Path:
    return Path(settings.DATA_DIR) / "mail"


class MailFiles(BaseEmailBackend):
    """Django's e-mail backend for such a site. A mail's file appears complete or not at all. Raises OSError
    if it cannot be written."""

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        for message in messages:
            _write(message.message().as_bytes())
        return len(messages)


def _write(content: bytes) -> None:
    place = folder()
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    # ``mkstemp`` makes a file that only this user can read, whatever the umask is.
    descriptor, beside = tempfile.mkstemp(prefix=".part-", dir=place)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(beside, place / f"{time.time_ns():020}-{secrets.token_hex(4)}{ENDING}")
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
        raise
    for old in newest_first()[MAILS_MAX:]:
        old.unlink(missing_ok=True)


def newest_first() -> list[Path]:
    return sorted(folder().glob(f"*{ENDING}"), reverse=True)


def read(path: Path) -> ReadMail:
    return email.message_from_bytes(path.read_bytes(), policy=default)
