"""Counts how much work a call is, in lines of our own code that it runs: the count is the same on every machine,
however busy.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from eosviz.launch.places import ROOT

_OWN = tuple(str(ROOT / room) for room in ("engine", "eosviz"))


def steps_of(call: Callable[[], object]) -> int:
    """Return how many lines of our own source `call` runs. A comprehension counts one line for each item."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def frame_of(frame: FrameType, event: str, argument: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(_OWN) else None

    before = sys.gettrace()
    sys.settrace(frame_of)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
