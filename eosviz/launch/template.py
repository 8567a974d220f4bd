"""Gets the supervisor's processes from the template, a process that has already loaded the whole site.

Loading the site takes seconds of processor time. `eosviz.template` spends them once; a process that is forked from it
works at once, and shares the memory of what is loaded.

A socket pair connects the supervisor and a template process. A request names the module to run and carries two open
files: the log, and one end of a second pair, made for this request alone. The template forks twice and the process in
between ends, so that the new process becomes a child of the supervisor, which takes up orphans
(PR_SET_CHILD_SUBREAPER). The new process writes its process id to the second pair and waits for GO. If the supervisor
has closed this pair, the new process ends without having done anything.

Only Linux can do this. Elsewhere, and if no template answers, processes are started without it. A template that does
not answer is ended, and started again like every process that died.
"""

import ctypes
import json
import os
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

REQUEST_BYTES_MAX = 16_384
LOAD_SECONDS_MAX = 60.0
"""How long processes wait for a template that is still loading: started without it, they would have to load the
site as well."""
ANSWER_SECONDS_MAX = 5.0
LOADED = b"loaded"
GO = b"go"
PR_SET_CHILD_SUBREAPER = 36
"""The number of the option in Linux's prctl.h."""


def take_up_orphans() -> bool:
    """Become the parent of all descendants whose own parents end. False if that is impossible."""
    if sys.platform != "linux":
        return False
    refused: int = ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return not refused


class NoTemplate(Exception):
    """The template does not answer: start the process without it."""


class Requested:
    """A process that was requested from the template."""

    def __init__(self, answers: socket.socket) -> None:
        self._answers = answers
        self._deadline = time.monotonic() + ANSWER_SECONDS_MAX

    def fileno(self) -> int:
        return self._answers.fileno()

    def pid(self) -> int | None:
        """Let the new process run, and return its process id; None while the template has not answered. Raises
        NoTemplate."""
        try:
            answer = self._answers.recv(32, socket.MSG_DONTWAIT)
            if answer:
                self._answers.send(GO)
        except BlockingIOError:
            if time.monotonic() > self._deadline:
                raise NoTemplate(f"no answer within {ANSWER_SECONDS_MAX:g} s") from None
            return None
        except OSError as error:
            raise NoTemplate(str(error)) from error
        if not answer:
            raise NoTemplate("it ended before it answered")
        return int(answer)

    def withdraw(self) -> None:
        """Cancels the request: if the process does not run yet, it never will."""
        self._answers.close()


class Template:
    """The supervisor's side of the template. Each process that is started as the template gets a socket pair
    of its own."""

    def __init__(self) -> None:
        self._requests: socket.socket | None = None
        self._load_deadline = 0.0
        """Until when processes wait for the template to load the site: a time of the monotonic clock; 0 while
        no template is loading."""

    def open(self) -> socket.socket:
        """The template's end of a new socket pair, for the template process that is started now. The caller
        closes its copy."""
        self.close()
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._requests.setblocking(False)
        self._load_deadline = time.monotonic() + LOAD_SECONDS_MAX
        return theirs

    def close(self) -> None:
        if self._requests is not None:
            self._requests.close()
            self._requests = None
        self._load_deadline = 0.0

    @property
    def is_loading(self) -> bool:
        """True while the template loads the site: a request has to wait."""
        return self._load_deadline > 0.0

    @property
    def awaited(self) -> Sequence[socket.socket]:
        """The socket that becomes readable once the site is loaded, in a list; empty if the supervisor awaits
        none."""
        return [self._requests] if self._requests is not None and self.is_loading else []

    def hear(self) -> None:
        """Check whether the template has loaded the site, or has failed or taken too long. Called in every
        round of the supervisor."""
        for requests in self.awaited:
            try:
                is_loaded = requests.recv(len(LOADED)) == LOADED
            except BlockingIOError:
                if time.monotonic() < self._load_deadline:
                    return
                is_loaded = False
            except OSError:
                is_loaded = False
            self._load_deadline = 0.0
            if not is_loaded:
                self.close()

    def request(
        self, name: str, words: Sequence[str | Path], descriptors: Sequence[int], log: int
    ) -> Requested:
        """Request a process. `words`: a Python module and its arguments; `descriptors`: those that the
        process keeps. Raises NoTemplate."""
        if self._requests is None:
            raise NoTemplate("there is none")
        order = {
            "name": name,
            "words": [str(word) for word in words],
            "keep": list(descriptors),
            "parent": os.getpid(),
        }
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            socket.send_fds(self._requests, [json.dumps(order).encode()], [log, theirs.fileno()])
        except OSError as error:
            ours.close()
            raise NoTemplate(str(error)) from error
        finally:
            theirs.close()
        return Requested(ours)
