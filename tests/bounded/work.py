"""Functions that tests run in bounded processes."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

from eosviz.bounded.refusing import Refused
from eosviz.bounded.tasks import Task


def never_in_time(task: Task) -> Task:
    """Return a copy of the task whose process always runs until its time is over. With the original work and a time
    of 0, a quick process could answer before its clock is read.
    """
    return replace(task, work="tests.bounded.work:turn", clock_seconds=0)


def answer(question: bytes, folder: Path) -> bytes:
    (folder / "left").write_bytes(b"beside it")
    return question


def refuse(question: bytes, folder: Path) -> bytes:
    raise Refused("replays.refused.no_file", {"name": "x"})


def sleep(question: bytes, folder: Path) -> bytes:
    time.sleep(json.loads(question))
    return b""


def grow(question: bytes, folder: Path) -> bytes:
    """Take memory until there is none left."""
    kept = []
    while True:
        kept.append(bytearray(b"x") * 2**20)


def turn(question: bytes, folder: Path) -> bytes:
    """Compute until the processor time is over."""
    while True:
        pass


def break_down(question: bytes, folder: Path) -> bytes:
    raise KeyError("a fault of ours")


def fill(question: bytes, folder: Path) -> bytes:
    (folder / "large").write_bytes(bytes(json.loads(question)))
    return b""


def environment(question: bytes, folder: Path) -> bytes:
    import os

    return json.dumps(sorted(os.environ)).encode()


_calls: list[bytes] = []


def count(question: bytes, folder: Path) -> bytes:
    """Return how often this function was called in this process."""
    _calls.append(question)
    return str(len(_calls)).encode()


def imports(question: bytes, folder: Path) -> bytes:
    """Return the names of the modules that are loaded before and after a trial of the workshop."""
    import sys

    from eosviz.workshop import trial

    before = sorted(sys.modules)
    trial.answer(question, folder)
    return json.dumps([before, sorted(sys.modules)]).encode()


def prepared(question: bytes, folder: Path) -> bytes:
    """Return how often this process or its template has read the library, and how often the catalogues."""
    from engine.scenario.shelf import library
    from eosviz.catalogue import words

    return json.dumps([library.cache_info().misses, words.cache_info().misses]).encode()
