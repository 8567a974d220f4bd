"""`export_session ID [--to FILE]`: writes a session as a replay file, which another site can import."""

import os
import tempfile
import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from eosviz.operating.needed_tables import TablesCommand
from eosviz.replays.actions import export_session, file_name
from eosviz.walkthroughs.models import Session


class Command(TablesCommand):
    help = "Write a session to a replay file (docs/replay-format.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", metavar="ID", help="the session's id, as in its address")
        parser.add_argument("--to", metavar="FILE", help="file or folder to write to; default: this folder")

    def handle(self, *args: Any, **options: Any) -> None:
        session = _session(options["id"])
        target = Path(options["to"] or ".")
        if target.is_dir():
            target /= file_name(session)
        try:
            size = _write_whole(target, session)
        except OSError as error:
            raise CommandError(f"{target}: {error.strerror}; choose another place with --to") from error
        self.stdout.write(f"{target}: {size} bytes")


def _session(identity: str) -> Session:
    try:
        return Session.objects.select_related("version").get(id=uuid.UUID(identity))
    except (ValueError, Session.DoesNotExist):
        raise CommandError(
            f"{identity}: no session has this id; it is in the session's address, after /sessions/"
        ) from None


def _write_whole(target: Path, session: Session) -> int:
    """Write the session to `target`, which appears only when it is complete. Returns its size in bytes."""
    descriptor, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in export_session(session):
                file.write(piece)
            size = file.tell()
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(beside, 0o666 & ~umask)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
    return size
