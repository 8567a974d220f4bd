"""The results of a class, for its instructors' page, the live table and the CSV file."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from eosviz.classroom.models import Assignment, Attempt, Classroom, Kind, Membership, Outcome, Part
from eosviz.spreadsheet import inert
from eosviz.tracks.models import Prediction
from eosviz.walkthroughs.models import Branch

COLUMNS = (
    "learner", "email", "assignment", "kind", "attempt", "started", "handed_in", "late", "outcome", "score",
    "score_max", "step", "wrong_at", "text", "comment",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """One learner's attempts at one assignment, in the order in which they began."""

    attempts: list[Attempt]
    step: int | None
    """The furthest step that the shown attempt's run has reached, in any branch."""
    wrong: list[int]
    """Steps whose question was answered wrongly in the shown attempt."""

    @property
    def shown(self) -> Attempt | None:
        """The passed attempt, else the newest."""
        passed = (one for one in self.attempts if one.outcome == Outcome.PASSED)
        return next(passed, self.attempts[-1] if self.attempts else None)


@dataclass(frozen=True, slots=True)
class Row:
    membership: Membership
    cells: list[Cell]

    @property
    def passed(self) -> int:
        return sum(cell.shown is not None and cell.shown.outcome == Outcome.PASSED for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Results:
    assignments: list[Assignment]
    rows: list[Row]


def results_of(classroom: Classroom) -> Results:
    """The results of a class, in five queries however many learners and assignments there are."""
    assignments = list(Assignment.objects.of_class(classroom))
    members = list(Membership.objects.roster(classroom).filter(part=Part.LEARNER))
    attempts: dict[tuple[int, Any], list[Attempt]] = defaultdict(list)
    every = Attempt.objects.filter(assignment__classroom=classroom).select_related("assignment")
    for attempt in every.order_by("number"):
        attempts[attempt.user_id, attempt.assignment_id].append(attempt)
    sessions = [one.session_id for held in attempts.values() for one in held if one.session_id]
    furthest = dict(
        Branch.objects.filter(session__in=sessions)
        .values_list("session")
        .annotate(furthest=Max("newest"))
        .values_list("session", "furthest")
    )
    wrong: dict[Any, list[int]] = defaultdict(list)
    mistaken = Prediction.objects.filter(session__in=sessions, right=False).order_by("at")
    for session, at in mistaken.values_list("session", "at"):
        wrong[session].append(at)

    def cell(member: Membership, assignment: Assignment) -> Cell:
        held = attempts[member.user_id, assignment.id]
        found = Cell(held, None, [])
        shown = found.shown
        if shown is None or shown.session_id is None:
            return found
        return Cell(held, furthest.get(shown.session_id), wrong[shown.session_id])

    rows = [Row(member, [cell(member, assignment) for assignment in assignments]) for member in members]
    return Results(assignments, rows)


def csv_of(classroom: Classroom) -> Iterator[str]:
    """The lines of the CSV file: one for each attempt of each learner, and one for each assignment that a learner has
    not begun."""
    results = results_of(classroom)
    yield "\ufeff"  # only with this mark do spreadsheets read it as UTF-8
    yield _line(COLUMNS)
    for row in results.rows:
        user = row.membership.user
        for assignment, cell in zip(results.assignments, row.cells, strict=True):
            who = (user.called, user.email, assignment.title, assignment.kind)
            for attempt in cell.attempts:
                yield _line((*who, *_values(attempt, cell)))
            if not cell.attempts:
                yield _line((*who, *[""] * (len(COLUMNS) - len(who))))


def _values(attempt: Attempt, cell: Cell) -> tuple[Any, ...]:
    wrong = cell.wrong if attempt == cell.shown and attempt.assignment.kind == Kind.PREDICT else ()
    wrong = [one["at"] for one in attempt.evidence.get("wrong", ())] or wrong
    return (
        attempt.number,
        attempt.started.isoformat(timespec="seconds"),
        "" if attempt.handed_in is None else attempt.handed_in.isoformat(timespec="seconds"),
        "yes" if attempt.is_late else "no",
        attempt.outcome,
        "" if attempt.score is None else attempt.score,
        "" if attempt.score_max is None else attempt.score_max,
        attempt.evidence.get("step", "") if attempt != cell.shown else cell.step or "",
        " ".join(str(at) for at in wrong),
        attempt.text,
        attempt.comment,
    )


def _line(values: tuple[Any, ...]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([inert(value) for value in values])
    return line.getvalue()
