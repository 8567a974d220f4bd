"""`python manage.py check_editions` runs published scenarios on this engine and reports differences."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from eosviz.operating.needed_tables import TablesCommand
from eosviz.workshop import actions


class Command(TablesCommand):
    help = (
        "Run published scenarios of the workshop on this engine and compare every step with the one that was"
        " published. What differs is shown to its author. Without --all: those that this version of the engine"
        " was not compared with yet."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--all", action="store_true", help="compare those again that were compared before"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        compared = differing = failed = 0
        for edition, differs, error in actions.check_all(again=options["all"]):
            compared += 1
            if error is not None:
                failed += 1
                self.stderr.write(f"{edition}: could not be run: {error}")
            if differs is not None:
                differing += 1
                self.stdout.write(
                    f"{edition} of {edition.draft_id}: {differs['variant'] or 'the document itself'}:"
                    f" step {differs['step']} is another one"
                )
        self.stdout.write(f"{compared} compared, {differing} of them differ")
        if failed:
            raise CommandError(f"{failed} could not be run")
