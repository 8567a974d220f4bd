"""`python manage.py check_editions`: what this engine makes of everything that was published."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from engine.simulation import ENGINE_VERSION
from eosviz.workshop import actions
from eosviz.workshop.models import Edition
from eosviz.workshop.trial import Busy, TooMuch


class Command(BaseCommand):
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
        wanted = Edition.objects.all() if options["all"] else Edition.objects.to_check(ENGINE_VERSION)
        names = list(wanted.order_by("published", "id").values_list("pk", flat=True))
        differing = failed = 0
        for name in names:
            edition = Edition.objects.select_related("version").filter(pk=name).first()
            if edition is None:
                continue  # deleted meanwhile
            try:
                differs = actions.check(edition)
            except (Busy, TooMuch) as error:
                failed += 1
                self.stderr.write(f"{edition}: could not be run: {error}")
                continue
            if differs is not None:
                differing += 1
                self.stdout.write(
                    f"{edition} of {edition.draft_id}: {differs['variant'] or 'the document itself'}:"
                    f" step {differs['step']} is another one"
                )
        self.stdout.write(f"{len(names)} compared, {differing} of them differ")
        if failed:
            raise CommandError(f"{failed} could not be run")
