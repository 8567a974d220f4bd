"""Finds the next job that no process has taken."""

from collections.abc import Iterator

from django.apps import apps

from eosviz.pipeline.models import Job, State, jobs_of


def kinds() -> Iterator[type[Job]]:
    """All kinds of jobs, of all apps."""
    return (model for model in apps.get_models() if issubclass(model, Job))


def waiting() -> Job | None:
    """The job that has been waiting longest; None if no job is waiting."""
    found = [jobs_of(kind).filter(state=State.WAITING).order_by("created").first() for kind in kinds()]
    return min((job for job in found if job is not None), key=lambda job: job.created, default=None)
