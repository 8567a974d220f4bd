"""The results of a class, for the page of its instructors, the live table and the CSV file."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from eosviz.classroom.judging import counting
from eosviz.classroom.kinds import kind_of
from eosviz.classroom.kinds.kind import written
from eosviz.classroom.models import Assignment, Attempt, Classroom, Membership, Outcome, Part
from eosviz.spreadsheet import inert
from eosviz.tracks.models import Prediction
from eosviz.walkthroughs.models import Branch

COLUMNS = (
    "learner", "email", "assignment", "kind", "scenario", "attempt", "counts", "started", "handed_in", "late",
    "outcome", "score", "score_max", "step", "wrong_at", "chosen", "text", "comment",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """One learner's attempts at one assignment, in the order in which they began."""

    attempts: list[Attempt]
    furthest: dict[Any, int]
    """Dict of session's id → the furthest step of its run."""
    wrong_of: dict[Any, list[int]]
    """Dict of session's id → the steps whose question was answered wrongly, on any branch. Skipped questions
    are not included."""

    @property
    def shown(self) -> Attempt | None:
        """The attempt that counts; if none was submitted, the open one; None if none was begun."""
        return counting(self.attempts) or (self.attempts[-1] if self.attempts else None)

    @property
    def beside(self) -> Attempt | None:
        """An attempt that was begun after the one that counts, and is open or waits for an instructor. None
        if there is none."""
        newest = self.attempts[-1] if self.attempts else None
        waits = newest is not None and newest.outcome in (Outcome.OPEN, Outcome.WAITING)
        return newest if waits and newest != self.shown else None

    @property
    def step(self) -> int | None:
        return None if self.shown is None else self.step_of(self.shown)

    @property
    def step_beside(self) -> int | None:
        return None if self.beside is None else self.step_of(self.beside)

    def step_of(self, attempt: Attempt) -> int | None:
        """The number of the step that the results show for an attempt: the step of its judgement or, while it
        is open, the furthest step of its run. None if there is no such step."""
        if not kind_of(attempt.assignment).is_judged_by_run:
            return None
        if attempt.outcome != Outcome.OPEN:
            judged: int | None = attempt.evidence.get("step")
            return judged
        return self.furthest.get(attempt.session_id) or None

    @property
    def wrong(self) -> list[int]:
        return [] if self.shown is None else self.wrong_in(self.shown)

    def wrong_in(self, attempt: Attempt) -> list[int]:
        """The numbers of the steps whose question was answered wrongly. After the attempt was submitted, they
        include skipped questions."""
        if not kind_of(attempt.assignment).asks_questions:
            return []
        judged = attempt.evidence.get("wrong")
        if judged is not None:
            return [one["at"] for one in judged]
        return self.wrong_of.get(attempt.session_id, [])


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

    @property
    def waiting(self) -> list[Attempt]:
        """The attempts whose text no instructor has read, in the order in which instructors read them."""
        columns = zip(*(row.cells for row in self.rows), strict=True)
        every = ([one for cell in column for one in cell.attempts] for column in columns)
        return [
            one
            for column in every
            for one in sorted(column, key=lambda one: (one.handed_in is None, one.handed_in))
            if one.outcome == Outcome.WAITING
        ]


def results_of(classroom: Classroom) -> Results:
    """The results of a class. Makes at most five queries, however many learners and assignments there are."""
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
        return Cell(attempts[member.user_id, assignment.id], furthest, wrong)

    rows = [Row(member, [cell(member, assignment) for assignment in assignments]) for member in members]
    return Results(assignments, rows)


def csv_of(classroom: Classroom) -> Iterator[str]:
    """The CSV file in pieces: a byte order mark, the names of the columns, then for each learner one line for
    each attempt, and one for each assignment without an attempt."""
    results = results_of(classroom)
    yield "\ufeff"  # Without this mark, spreadsheets do not read the file as UTF-8.
    yield _line(COLUMNS)
    for row in results.rows:
        user = row.membership.user
        for assignment, cell in zip(results.assignments, row.cells, strict=True):
            who = (user.called, user.email, assignment.title, assignment.kind, assignment.material_name)
            for attempt in cell.attempts:
                yield _line((*who, *_values(attempt, cell)))
            if not cell.attempts:
                yield _line((*who, *[""] * (len(COLUMNS) - len(who))))


def _values(attempt: Attempt, cell: Cell) -> tuple[Any, ...]:
    step = cell.step_of(attempt)
    is_handed_in = attempt.handed_in is not None
    return (
        attempt.number,
        "yes" if is_handed_in and attempt == cell.shown else "no",
        attempt.started.isoformat(timespec="seconds"),
        attempt.handed_in.isoformat(timespec="seconds") if attempt.handed_in is not None else "",
        "yes" if attempt.is_late else "no",
        attempt.outcome,
        "" if attempt.score is None else attempt.score,
        "" if attempt.score_max is None else attempt.score_max,
        "" if step is None else step,
        " ".join(str(at) for at in cell.wrong_in(attempt)),
        "; ".join(f"{name}={written(value)}" for name, value in attempt.chosen.items()),
        attempt.text if is_handed_in else "",
        attempt.comment,
    )


def _line(values: tuple[Any, ...]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([inert(value) for value in values])
    return line.getvalue()
