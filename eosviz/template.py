"""`python -m eosviz.template [DESCRIPTOR…] REQUESTS`: loads the site once and forks processes from itself on request.

`eosviz.launch.template` explains why. It opens no connection and starts no thread, since neither survives a fork. The
arguments are open file descriptors: those that new processes may keep, and the one that requests come from.
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
"""The number of the option in Linux's prctl.h."""
POLL_SECONDS = 0.001
TAKEN_UP_SECONDS_MAX = 1.0
"""How long a new process waits for the supervisor to become its parent; then it ends."""


def load() -> None:
    """Loads all that a web process and a worker need before they answer."""
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
"""Modules that libraries import by name when they start or first answer."""


def run(words: list[str]) -> None:
    """Runs a module as `python -m` with these arguments."""
    sys.argv = words
    import_module(words[0]).main()


def main() -> None:
    *inherited, requests = (int(word) for word in sys.argv[1:])
    load()
    words = make_processes(socket.socket(fileno=requests), inherited)
    if words:
        run(words)


def make_processes(requests: socket.socket, inherited: Sequence[int]) -> list[str]:
    """Forks a process for each request. Returns in the new process, with its module and arguments; in the
    template with an empty list, when the supervisor has ended."""
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
    """Turn this process into the one that the supervisor asked for, once the supervisor has adopted it. If it
    does not, this process ends."""
    parent = order["parent"]
    deadline = time.monotonic() + TAKEN_UP_SECONDS_MAX
    while os.getppid() != parent and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)  # the process in between is ending
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
