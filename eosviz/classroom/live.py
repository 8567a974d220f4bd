"""Live results: the table of a class's results changes while an instructor looks at it. Learners do not see
whether an instructor is looking."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import QuerySet
from django.template.loader import render_to_string

from eosviz.accounts.models import User
from eosviz.groups import send_to_group
from eosviz.live_page import PartOfRow
from eosviz.rights import of_class


def group_of_class(classroom_id: uuid.UUID) -> str:
    """The name of the channel-layer group of all pages that show a class's results."""
    return f"class.{classroom_id.hex}"


def notify_instructors(classroom_id: uuid.UUID) -> None:
    """Notify the open pages with the class's results that the table has changed. An error is logged, not
    raised."""
    send_to_group(group_of_class(classroom_id), {"type": "part.changed"})


class ResultsConsumer(PartOfRow):
    """`/ws/classes/<id>/?lang=en`: sends the table of a class's results."""

    parameter = "classroom_id"

    def group(self) -> str:
        return group_of_class(self.wanted)

    def topic(self) -> str:
        return of_class(self.wanted)

    def rows(self, seen_by: User | None = None) -> QuerySet[Any]:
        from eosviz.classroom.models import Classroom

        return Classroom.objects.all() if seen_by is None else Classroom.objects.judged_by(seen_by)

    def part(self) -> str | None:
        from eosviz.classroom.results import results_of

        classroom = self.row()
        if classroom is None:
            return None
        return render_to_string("classroom/results_table.html", {"results": results_of(classroom)})
