"""`logs PATH…` as a Django command. It is needed for `call_command` and for Django's own options
(`--settings`, `-v`).

Without these options, `manage.py logs` runs `logs_command.py` directly and does not start Django.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from eosviz.replays.logs_command import HELP, CommandFailed, add_arguments, run


class Command(BaseCommand):
    help = HELP

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run(options, self.stdout.write, self.stderr.write)
        except CommandFailed as error:
            raise CommandError(str(error)) from error
