"""`make setup`: makes the environment, the front end and the library's endings. Only one process at a time
does this."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from eosviz.launch.commands import say
from eosviz.launch.endings import prepare_endings
from eosviz.launch.environment import prepare_environment
from eosviz.launch.frontend import prepare_frontend
from eosviz.launch.places import BOOTSTRAP


def set_up() -> None:
    """Install what the site needs to run."""
    with alone():
        prepare_environment()
        prepare_frontend()
        prepare_endings()


def set_up_with_tools() -> None:
    """Install what the site needs, and what tests, benchmarks and linters need."""
    with alone():
        prepare_environment(with_tools=True)
        prepare_frontend()
        prepare_endings()


def set_up_environment() -> None:
    with alone():
        prepare_environment()


@contextmanager
def alone() -> Iterator[None]:
    """A block that only one process of this checkout runs at a time, because two would write into the same
    folders. Other processes wait."""
    BOOTSTRAP.mkdir(exist_ok=True)
    with (BOOTSTRAP / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another set-up in this checkout …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
