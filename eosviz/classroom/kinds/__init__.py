"""The kinds of assignments: each module has one class. All modules of this package are imported, so a new
kind needs only a new file (docs/CONTRIBUTING.md, *Add a kind of assignment*)."""

from __future__ import annotations

from functools import cache

from eosviz.classroom.judging import Judgement
from eosviz.classroom.kinds.kind import Kind
from eosviz.classroom.models import Assignment, Attempt, Outcome
from eosviz.discovered import each_in


@cache
def kinds() -> tuple[Kind, ...]:
    """Every kind, in the order in which pages list them."""
    return each_in(__name__, Kind)


def kind_named(name: str) -> Kind | None:
    return next((kind for kind in kinds() if kind.name == name), None)


def kind_of(assignment: Assignment) -> Kind:
    """The kind of an assignment. Raises LookupError if this release does not have it."""
    kind = kind_named(assignment.kind)
    if kind is None:
        raise LookupError(f"no kind of assignment is called {assignment.kind}")
    return kind


def judge(attempt: Attempt) -> Judgement:
    """The judgement of the attempt as it is now. Raises Busy or BeyondBounds if the run that decides it
    cannot be made."""
    if attempt.session_id is None and not attempt.assignment.track and attempt.assignment.version_id:
        return Judgement(Outcome.FAILED, "run_deleted")
    return kind_of(attempt.assignment).judge(attempt)


__all__ = ["Kind", "judge", "kind_named", "kind_of", "kinds"]
