"""Settings of the Python interpreter for processes that serve requests. While the interpreter collects
garbage, or computes in one thread, all requests wait."""

import gc
import sys

FULL_AFTER = 50
"""A full garbage collection comes at the earliest after this many collections of the middle generation. A
worker's memory is mostly its simulations; with Python's default of 10, all of them were scanned every half
minute while fifty people stepped. The price: discarded simulations are freed later, and up to some 400,000
more objects wait for that."""
HAND_OVER_SECONDS = 0.001
"""The longest time for which a computing thread may hold the interpreter while others wait, in seconds. A
click waits for the interpreter about eight times. With Python's default of 5 ms, each of these waits took so
long whenever the process also computed a page, a link or a replay."""


def prepare_to_serve() -> None:
    """Set the interpreter up for serving. To be called when everything is loaded: garbage collections will
    skip all objects that exist now."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, FULL_AFTER)
    sys.setswitchinterval(HAND_OVER_SECONDS)
