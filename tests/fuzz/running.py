"""Feeds a target with inputs by their numbers, and collects the results."""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from tests.fuzz.targets import TARGETS


@dataclass
class Found:
    """The results of some inputs. `faults`: number of an input → the exception that is a fault; `slowest`: processor
    seconds, and the number of the input.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: dict[int, str] = field(default_factory=dict)
    slowest: tuple[float, int] = (0.0, -1)


def run(name: str, numbers: Iterable[int]) -> Found:
    target, found = TARGETS[name], Found()
    for number in numbers:
        asked = target.make(Random(number))
        began = time.process_time()
        try:
            found.outcomes[target.feed(asked)] += 1
        except Exception as error:
            found.faults[number] = f"{type(error).__name__}: {error}"[:300] + "\n" + _place(error)
        found.slowest = max(found.slowest, (time.process_time() - began, number))
    return found


def _place(error: BaseException) -> str:
    return "".join(traceback.format_tb(error.__traceback__)[-3:])
