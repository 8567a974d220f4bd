"""`python -m eosviz.work THREADS`: a worker of so many threads, as `celery -A eosviz worker` starts it.

That command first loads all that the library's command line can do, a tenth of a worker's start.
"""

import sys

from celery.concurrency import get_implementation

from eosviz.celery import app


def main() -> None:
    worker = app.Worker(
        pool_cls=get_implementation("threads"),
        concurrency=int(sys.argv[1]),
        loglevel="WARNING",
        quiet=True,  # its banner would end it where the log cannot be written
        # What one worker among few has no use for, and what slows its start and its return after a lost Redis.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
