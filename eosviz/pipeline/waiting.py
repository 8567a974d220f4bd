"""The next job that no process has taken yet."""

from collections.abc import Sequence

from eosviz.analytics.models import Analysis
from eosviz.pipeline.models import Job, Shrink, State, Sweep, jobs_of

KINDS: Sequence[type[Job]] = (Sweep, Shrink, Analysis)


def waiting() -> Job | None:
    """The job that has waited longest; None if no job waits."""
    found = [jobs_of(kind).filter(state=State.WAITING).order_by("created").first() for kind in KINDS]
    return min((job for job in found if job is not None), key=lambda job: job.created, default=None)
