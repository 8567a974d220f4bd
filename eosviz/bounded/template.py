"""The template, from which bounded processes are forked: `python -m eosviz.bounded.template FD`. README.md
describes its protocol.

It imports what most tasks need, because this takes ten times as long as a small task, and forks a process for
each request. When its first process has ended, it also reads the library and the catalogues, so that later
processes inherit them. Its environment is the one that its processes may see, so it holds no secret of the
site.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from eosviz.bounded import __main__ as process
from eosviz.bounded.tasks import LOADED, PREPARED

IDLE_SECONDS = 120.0
"""If for this many seconds there is no request and no running process, the template ends, which frees its
memory."""
REST_SECONDS = 0.02
"""If for this many seconds there is no request and no running process, the template prepares what later
processes may need."""
REQUEST_BYTES_MAX = 4096
FILES_OF_REQUEST = 3
"""A request carries this many file descriptors: of its socket, of the file for the process's output, and of
its folder's lock."""
TAKEN = b"taken"
_HELD = 3
"""The file descriptor under which the forked process holds the lock. All descriptors above it are closed."""
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The system sends these signals to the whole process group of the site. The template ignores them, so that
it can report how its processes ended."""


class Template:
    """Forks processes until the site closes `requests` (the template's end of the socket), or until for
    `idle_seconds` there is no request and no running process. `prepare`: functions that are called, in this
    order, after the first process has ended."""

    def __init__(
        self,
        requests: socket.socket,
        idle_seconds: float = IDLE_SECONDS,
        prepare: Sequence[Callable[[], object]] = (),
    ) -> None:
        self._requests = requests
        self._idle_seconds = idle_seconds
        self._to_prepare = list(prepare)
        self._has_forked = False
        self._selector = selectors.DefaultSelector()
        self._selector.register(requests, selectors.EVENT_READ)
        self._running: dict[int, tuple[int, socket.socket]] = {}
        """Dict of process id → the file descriptor that becomes readable when the process ends
        (`pidfd_open`), and the request's socket."""

    def serve(self) -> None:
        is_open = True
        while is_open:
            may_prepare = bool(self._to_prepare) and self._has_forked and not self._running
            events = self._selector.select(REST_SECONDS if may_prepare else self._idle_seconds)
            if not events and may_prepare:
                self._to_prepare.pop(0)()
                keep_out_of_collections()
                continue
            if not events and not self._running:
                return
            for key, _ in events:
                if key.fileobj is self._requests:
                    is_open = self._take_request()
                elif key.data not in self._running:
                    continue  # The end of this process was reported a moment ago.
                elif isinstance(key.fileobj, socket.socket):
                    os.kill(key.data, signal.SIGKILL)  # The site has closed the request's socket.
                    self._selector.unregister(key.fileobj)
                else:
                    self._report_end(key.data)
        for pid in self._running:
            os.kill(pid, signal.SIGKILL)

    def _take_request(self) -> bool:
        """Receive a request and fork a process for it, unless its caller has closed its end of the request's
        socket. Returns False if the site has closed `requests`."""
        folder, files, _, _ = socket.recv_fds(self._requests, REQUEST_BYTES_MAX, FILES_OF_REQUEST)
        if not folder:
            return False
        reply, output, held = files
        replies = socket.socket(fileno=reply)
        if _take(replies):
            parent = os.getpid()
            if (pid := os.fork()) == 0:
                _become_process(os.fsdecode(folder), parent, output, held)
            self._watch(pid, replies)
        os.close(output)
        os.close(held)
        return True

    def _watch(self, pid: int, replies: socket.socket) -> None:
        self._has_forked = True
        ended = os.pidfd_open(pid)
        self._running[pid] = ended, replies
        self._selector.register(ended, selectors.EVENT_READ, pid)
        self._selector.register(replies, selectors.EVENT_READ, pid)

    def _report_end(self, pid: int) -> None:
        _, status = os.waitpid(pid, 0)
        ended, replies = self._running.pop(pid)
        self._selector.unregister(ended)
        with suppress(KeyError):  # The caller closed the socket, so it is no longer registered.
            self._selector.unregister(replies)
        os.close(ended)
        with replies, suppress(OSError):
            replies.send(str(os.waitstatus_to_exitcode(status)).encode())


def _take(replies: socket.socket) -> bool:
    """Report that the request was taken; if the caller hears nothing, it sends the request again. Returns
    False if the caller has closed its end. This is called before the fork."""
    try:
        replies.send(TAKEN)
    except OSError:
        replies.close()
        return False
    return True


def _become_process(folder: str, parent: int, output: int, held: int) -> NoReturn:
    code = 1
    try:
        for target in (sys.stdout.fileno(), sys.stderr.fileno()):
            os.dup2(output, target)
        os.dup2(held, _HELD, inheritable=False)
        os.closerange(_HELD + 1, os.sysconf("SC_OPEN_MAX"))
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        code = process.main(folder, str(parent))
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def main(requests: str) -> int:
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    for name in LOADED:
        import_module(name)
    keep_out_of_collections()
    prepare = [getattr(import_module(module), function) for module, function in PREPARED]
    Template(socket.socket(fileno=int(requests)), prepare=prepare).serve()
    return 0


def keep_out_of_collections() -> None:
    """Exclude all present objects from garbage collection, so that their memory stays shared with the forked
    processes."""
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
