"""Starts the supervisor's processes from the template, a process that has already loaded the whole site.

Loading the site takes seconds of processor time. `eosviz.template` does it once; a process that is forked
from it works at once, and shares the memory of what is loaded.

The supervisor and the template are connected by a socket pair. A request names the module to run and carries
two open files: the log, and one end of a second socket pair, which is made for this request only. The
template forks twice, and the process in between ends. So the new process becomes a child of the supervisor,
to which Linux gives orphans (PR_SET_CHILD_SUBREAPER). The new process writes its process id to the second
pair and waits for GO. If the supervisor has closed this pair, the new process ends without having done
anything.

Only Linux can do this. Elsewhere, and if no template answers, processes are started without it. A template
that does not answer is ended, and restarted like every process that died.
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
"""For this time, processes wait for a template that is still loading. Without it they would have to load the
site themselves."""
ANSWER_SECONDS_MAX = 5.0
LOADED = b"loaded"
GO = b"go"
PR_SET_CHILD_SUBREAPER = 36
"""The number of this option in Linux's prctl.h."""


def take_up_orphans() -> bool:
    """Become the parent of all descendants whose parents end. Returns False if the system does not support
    this."""
    if sys.platform != "linux":
        return False
    refused: int = ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return not refused


class NoTemplate(Exception):
    """The template does not answer, so the process is to be started without it."""


class Requested:
    """A request to the template for one process."""

    def __init__(self, answers: socket.socket) -> None:
        self._answers = answers
        self._deadline = time.monotonic() + ANSWER_SECONDS_MAX

    def fileno(self) -> int:
        return self._answers.fileno()

    def pid(self) -> int | None:
        """Once the template has answered, let the new process run, and return its process id. None while
        there is no answer. Raises NoTemplate if there is none in time."""
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
        """Withdraw the request. If the process was not permitted to run yet, it ends without doing
        anything."""
        self._answers.close()


class Template:
    """The supervisor's connection to the template. Each process that is started as the template gets a new
    socket pair."""

    def __init__(self) -> None:
        self._requests: socket.socket | None = None
        self._load_deadline = 0.0
        """Until this time of the monotonic clock, processes wait for the template to load the site. 0 if no
        template is loading."""

    def open(self) -> socket.socket:
        """Makes a new socket pair, and returns the end for the template process that is to be started. The
        caller closes its copy of it."""
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
        """Whether the template is still loading the site, so that requests have to wait."""
        return self._load_deadline > 0.0

    @property
    def awaited(self) -> Sequence[socket.socket]:
        """The socket that becomes readable once the template has loaded the site, in a list. Empty if no
        template is loading."""
        return [self._requests] if self._requests is not None and self.is_loading else []

    def hear(self) -> None:
        """Check whether the template has loaded the site, has failed or has taken too long. Called in every
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
        """Request a process. `words`: a Python module and its arguments. `descriptors`: the file
        descriptors that the process keeps. `log`: the descriptor of its log. Raises NoTemplate if there is
        no template."""
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
