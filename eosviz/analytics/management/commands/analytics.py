"""`analytics [--class ID] [--master M]`: computes how people went through scenarios."""

from __future__ import annotations

import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.urls import reverse

from eosviz.analytics import actions
from eosviz.analytics.job import run_analysis
from eosviz.analytics.models import Analysis
from eosviz.classroom.models import Classroom
from eosviz.operating.needed_tables import TablesCommand
from eosviz.pipeline.actions import claim
from eosviz.pipeline.command_session import add_master, command_session


class Command(TablesCommand):
    help = "Count how people went through scenarios, of a class or of all who agreed (docs/analytics.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--class", dest="classroom", metavar="ID", help="a class; its id is in its page's address"
        )
        add_master(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        classroom = _class_of(options["classroom"])
        with command_session(options["master"]) as spark:
            analysis = actions.ask(classroom)
            if not claim(analysis):
                raise CommandError(f"{analysis.id}: another process counts this already; look again later")
            run_analysis(spark, analysis)
        for line in _lines(analysis):
            self.stdout.write(line)


def _class_of(wanted: str | None) -> Classroom | None:
    if wanted is None:
        return None
    try:
        found = Classroom.objects.filter(id=uuid.UUID(wanted)).first()
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"{wanted}: no such class; its id is in the address of its page")
    return found


def _lines(analysis: Analysis) -> list[str]:
    """The lines that the command prints: the counts of the analysis, and the address of its page."""
    of_class = analysis.classroom_id and reverse("analytics:of_class", args=[analysis.classroom_id])
    return [
        f"{analysis.people} people, {analysis.sessions} sessions ({analysis.under_way} still under way)",
        f"{analysis.figures.count()} figures, {analysis.withheld} withheld:"
        f" fewer than {analysis.people_min} people, or more figures than are kept",
        of_class or reverse("analytics:of_all"),
    ]
