"""`python -m eosviz.work THREADS [NAME]`: a worker with this many threads. The worker is the one that `celery
-A eosviz worker` starts, without Celery's command line, whose loading takes a tenth of a worker's start. The
workers of one machine need different names (`eosviz/step_queues.py`)."""

import socket
import sys

from celery.concurrency import get_implementation

from eosviz.celery import app


def main() -> None:
    threads, name = [*sys.argv[1:], "worker"][:2]
    worker = app.Worker(
        hostname=f"{name}@{socket.gethostname()}",
        pool_cls=get_implementation("threads"),
        concurrency=int(threads),
        loglevel="WARNING",
        quiet=True,  # its banner would end the worker if the log cannot be written
        # Gossip, mingle and heartbeats are of no use with few workers, and each slows the start and the
        # recovery after Redis was lost.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
