"""`manage.py mail [ADDRESS]`: shows the mails that a site without a mail server stores and does not send."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eosviz.operating import mail_files

LISTED = 20


class Command(BaseCommand):
    help = "Show the newest mail that was kept because no mail server is set."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", nargs="?", help="the newest mail to this address")
        parser.add_argument(
            "--list", action="store_true", help=f"the newest {LISTED}: when, to whom, about what"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        address = (options["address"] or "").strip().lower()
        found = [
            mail
            for mail in map(mail_files.read, mail_files.newest_first())
            if address in ("", str(mail["To"]).strip().lower())
        ]
        if not found:
            raise CommandError(f"no mail{f' to {address}' if address else ''} is kept{_where()}")
        if options["list"]:
            for mail in found[:LISTED]:
                self.stdout.write(f"{mail['Date']}  {mail['To']}  {mail['Subject']}")
            return
        newest = found[0]
        body = newest.get_body(("plain",))
        self.stdout.write(f"{newest['Date']}\nTo: {newest['To']}\nSubject: {newest['Subject']}\n")
        self.stdout.write(body.get_content() if body is not None else "")


def _where() -> str:
    return ": EOSVIZ_EMAIL_URL names a mail server, which sends it" if settings.EMAIL_URL else ""
