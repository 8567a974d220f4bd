"""`python -m eosviz.template [DESCRIPTOR…] REQUESTS`: loads the site once, and on request forks processes
from itself.

`eosviz.launch.template` says why. This process opens no connections and starts no threads, because these do
not survive a fork. Its arguments are open file descriptors: those that new processes may keep, and the one on
which requests arrive.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from eosviz.launch.processes import die_with_parent
from eosviz.launch.template import GO, LOADED, REQUEST_BYTES_MAX

PR_SET_NAME = 15
"""The number of this option in Linux's prctl.h."""
POLL_SECONDS = 0.001
TAKEN_UP_SECONDS_MAX = 1.0
"""A new process waits this many seconds for the supervisor to become its parent. Then it ends."""


def load() -> None:
    """Load everything that a web process and a worker need before they can answer."""
    from django.urls import get_resolver

    from eosviz import serve
    from eosviz.celery import app
    from eosviz.interpreter import prepare_to_serve

    serve.configuration().load()
    app.loader.import_default_modules()
    app.finalize()
    for name in LOADED_AT_START:
        import_module(name)
    get_resolver()._populate()
    prepare_to_serve()


LOADED_AT_START = (
    "billiard.pool",
    "celery.app.control",
    "celery.app.log",
    "celery.apps.worker",
    "celery.concurrency.thread",
    "celery.events",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.pidbox",
    "celery.worker.strategy",
    "django.contrib.messages.storage.fallback",
    "django.contrib.sessions.serializers",
    "django.db.models.sql.compiler",
    "kombu.mixins",
    "uvicorn.loops.uvloop",
)
"""Modules that libraries import by name when they start or when they first answer."""


def run(words: list[str]) -> None:
    """Run a module as `python -m` would. `words`: the module and its arguments."""
    sys.argv = words
    import_module(words[0]).main()


def main() -> None:
    *inherited, requests = (int(word) for word in sys.argv[1:])
    load()
    words = make_processes(socket.socket(fileno=requests), inherited)
    if words:
        run(words)


def make_processes(requests: socket.socket, inherited: Sequence[int]) -> list[str]:
    """Fork a process for each request. In the new process, returns its module and arguments; in the template,
    returns an empty list when the supervisor has ended."""
    requests.send(LOADED)
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, REQUEST_BYTES_MAX, 2)
        if not request:
            return []
        order = json.loads(request)
        log, answers = descriptors
        between = os.fork()
        if between == 0:
            if os.fork() != 0:
                os._exit(0)
            requests.close()
            for descriptor in {*inherited} - {*order["keep"]}:
                os.close(descriptor)
            become(order, log, socket.socket(fileno=answers))
            words: list[str] = order["words"]
            return words
        os.close(log)
        os.close(answers)
        os.waitpid(between, 0)


def become(order: Mapping[str, Any], log: int, answers: socket.socket) -> None:
    """Turn this forked process into the one that was requested, and wait until the supervisor is its parent
    and permits it to run. If this does not happen, the process ends."""
    parent = order["parent"]
    deadline = time.monotonic() + TAKEN_UP_SECONDS_MAX
    while os.getppid() != parent and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)  # The process in between is about to end.
    tie = die_with_parent(parent)
    if tie is not None:
        tie()
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(PR_SET_NAME, f"eosviz {order['name']}".encode())
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    try:
        answers.send(str(os.getpid()).encode())
        may_run = answers.recv(len(GO)) == GO
    except OSError:
        may_run = False
    if not may_run:
        os._exit(0)
    answers.close()


if __name__ == "__main__":
    main()
