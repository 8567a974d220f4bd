"""Settings of the Python interpreter in serving processes: while it collects garbage or computes in one thread,
all requests wait."""

import gc
import sys

FULL_AFTER = 50
"""This many collections of the middle generation come before a full one. A worker's memory is mostly its simulations;
with Python's default of 10, all of them were scanned every half minute while fifty people stepped. Discarded
simulations are freed later: at most some 400,000 more objects wait to be freed."""
HAND_OVER_SECONDS = 0.001
"""How long a computing thread may hold the interpreter. A click waits some eight times for the interpreter.
With Python's default of 5 ms, each of these waits took that long whenever the process also computed a page, a
link or a replay."""


def prepare_to_serve() -> None:
    """Set the interpreter up for serving, when everything is loaded: garbage collections skip the objects
    that exist now."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, FULL_AFTER)
    sys.setswitchinterval(HAND_OVER_SECONDS)
