"""`manage.py restore FILE` restores a backup into an empty, migrated database and an empty data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from eosviz.operating.archive import Damaged
from eosviz.operating.backing_up import Refused, restore
from eosviz.operating.needed_tables import TablesCommand


class Command(TablesCommand):
    help = "Bring a backup back into an empty database and data folder; changes nothing unless all fits."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path} is no file")
        try:
            content = restore(path, self.stdout.write)
        except (Refused, Damaged) as refused:
            raise CommandError(f"{path}: {refused}. Nothing was changed.") from refused
        # the roles and the library of this release replace those of the backup
        call_command("migrate", verbosity=0)
        self.stdout.write(f"restored: {sum(content.rows.values())} rows, {content.files} files")
