"""What the worker does for jobs: it starts the process that runs them."""

from eosviz.celery import app
from eosviz.pipeline.runner import start_process


@app.task(name="pipeline.start_jobs", ignore_result=True, acks_late=True)
def start_jobs() -> None:
    """A second start finds the first and ends."""
    start_process()
