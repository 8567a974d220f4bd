"""`manage.py close_data_folder`: removes the access of other users to the data folder; EOSVIZ_UMASK says
which users."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from eosviz.launch.private import close_folder


class Command(BaseCommand):
    help = (
        "Close the data folder to other users, as `make run` does at each start; EOSVIZ_UMASK says to whom."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        changed = close_folder(Path(settings.DATA_DIR), settings.UMASK, self.stderr.write)
        self.stdout.write(f"{settings.DATA_DIR}: {changed} files and folders were closed")
