"""`run_jobs`: runs the jobs of pages until none is waiting. A worker starts it; a scheduler may start it,
too."""

import signal
from typing import Any

from eosviz.operating.needed_tables import TablesCommand
from eosviz.pipeline.runner import run_jobs


class Command(TablesCommand):
    help = "Run the sweeps, shrinks and analyses that wait, one after the other (docs/sweeps.md)."

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _interrupt)
        self.stdout.write(f"{run_jobs()} jobs run")


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
