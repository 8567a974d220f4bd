"""`manage.py retention` counts old data of people without an account, and expired cookies. With `--delete` it
also deletes them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from eosviz.accounts import retention
from eosviz.operating.needed_tables import TablesCommand


class Command(TablesCommand):
    help = "Count what is older than --days and belongs to no account; with --delete it goes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, help="default: EOSVIZ_KEEP_ANONYMOUS_DAYS")
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--dry-run", action="store_true", help="only count; the default")
        choice.add_argument("--delete", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["days"] if options["days"] is not None else settings.KEEP_ANONYMOUS_DAYS
        if days < 1:
            raise CommandError("say how many days are kept: --days 90, or set EOSVIZ_KEEP_ANONYMOUS_DAYS")
        self.stdout.write(
            f"older than {days} days and without an account: {retention.listed(retention.due(days))}"
        )
        if options["delete"]:
            retention.apply(days)
            self.stdout.write("deleted")
        else:
            self.stdout.write("nothing was deleted; --delete does it")
