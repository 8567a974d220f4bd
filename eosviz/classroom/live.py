"""Results that move while an instructor looks at them: learners step without the class knowing."""

from __future__ import annotations

import uuid

from django.template.loader import render_to_string

from eosviz.accounts.models import User
from eosviz.groups import send_to_group
from eosviz.live_page import LivePart
from eosviz.rights import Ending, Right, of_class


def group_of_class(classroom_id: uuid.UUID) -> str:
    """The channel-layer group of everybody who looks at a class's results."""
    return f"class.{classroom_id.hex}"


def tell_instructors(classroom_id: uuid.UUID) -> None:
    """Something was begun, handed in or read. Never raises: a page that is not told looks by itself."""
    send_to_group(group_of_class(classroom_id), {"type": "part.changed"})


class ResultsConsumer(LivePart):
    """`/ws/classes/<id>/?lang=en`: the table of a class's results."""

    def group(self) -> str:
        return group_of_class(self.scope["url_route"]["kwargs"]["classroom_id"])

    @property
    def wanted(self) -> uuid.UUID:
        named: uuid.UUID = self.scope["url_route"]["kwargs"]["classroom_id"]
        return named

    def right(self) -> Right:
        from eosviz.classroom.models import Classroom

        wanted, person = self.wanted, getattr(self.scope["user"], "pk", None)

        def ask() -> Ending | None:
            user = User.objects.filter(pk=person, is_active=True).first()
            if user is not None and Classroom.objects.judged_by(user).filter(id=wanted).exists():
                return None
            return Ending.TAKEN if Classroom.objects.filter(id=wanted).exists() else Ending.GONE

        return Right(f"class {wanted} {person}", frozenset({of_class(wanted)}), ask)

    def part(self) -> str | None:
        from eosviz.classroom.models import Classroom
        from eosviz.classroom.results import results_of

        classroom = Classroom.objects.filter(id=self.wanted).first()
        if classroom is None:
            return None
        return render_to_string("classroom/results_table.html", {"results": results_of(classroom)})
