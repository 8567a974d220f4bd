"""`manage.py backup FILE`: writes the rows and files of the site into one file, while the site keeps running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from eosviz.operating.backing_up import Refused, back_up
from eosviz.operating.needed_tables import TablesCommand


class Command(TablesCommand):
    help = "Write all rows and files of this site into one file; it goes on running meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a new file, for example eosviz-2026-11-22.backup")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            content = back_up(path)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        except OSError as error:
            raise CommandError(f"{path} was not written: {error}") from error
        rows = sum(content.rows.values())
        size = path.stat().st_size
        self.stdout.write(f"{path}: {rows} rows, {content.files} files, {size / 2**20:.1f} MiB")
        self.stdout.write(
            "Not in it: the key that signs cookies (SECRET_KEY, or secret_key in the data folder), logs, the"
            " queue. Keep the key elsewhere: without it all are signed out."
        )
