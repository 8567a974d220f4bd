"""`python -m eosviz.work THREADS [NAME]` starts a worker with this many threads. It is the same worker
that `celery -A eosviz worker` starts, but without Celery's command line, because loading that takes a
tenth of the time that a worker needs to start. The workers on one machine need different names
(`eosviz/step_queues.py`)."""

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
        # Gossip, mingle and heartbeats are useless with few workers. Each of them delays the start, and the
        # recovery after Redis was not reachable.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
