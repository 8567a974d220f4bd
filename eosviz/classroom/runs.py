"""Shows the run of an attempt to an instructor: each branch has an address of its own, which does not use the
learner's session."""

from __future__ import annotations

from eosviz.classroom.models import Attempt
from eosviz.walkthroughs.asked_run import FRAME_STEPS_MAX
from eosviz.walkthroughs.links import Link, link_to
from eosviz.walkthroughs.models import Branch


def branches_of(attempt: Attempt) -> list[Branch]:
    """The branches of the attempt's session. The branch that the judgement names is first. Empty if the
    attempt has no session."""
    if attempt.session_id is None:
        return []
    branches = Branch.objects.of_session(attempt.session_id).select_related("session__version")
    return sorted(branches, key=lambda branch: (not _is_judged(attempt, branch), branch.id))


def link_of(attempt: Attempt, branch: Branch) -> Link:
    """A link to the branch. It opens the step of the judgement if the judgement is about this branch, else
    the newest step. Raises Problem if the branch has more interventions than an address can hold."""
    step = attempt.evidence.get("step", branch.newest) if _is_judged(attempt, branch) else branch.newest
    return link_to(branch, min(step, branch.newest, FRAME_STEPS_MAX), None, None)


def _is_judged(attempt: Attempt, branch: Branch) -> bool:
    return bool(attempt.evidence.get("branch") == branch.name)
