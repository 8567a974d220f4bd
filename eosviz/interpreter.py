"""Settings of the Python interpreter in serving processes: while it collects garbage or computes in one thread,
all requests wait."""

import gc
import sys

FULL_AFTER = 50
"""Collections of younger generations before a full one. A worker's memory is mostly its simulations; the library's
10 scanned all of them every half minute while fifty people stepped. Discarded simulations are freed later: at most
some 400,000 objects more."""
HAND_OVER_SECONDS = 0.001
"""How long a computing thread may hold the interpreter. A click needs its process some eight times, and with the
library's 5 ms it waited as often for each page, link or replay computed beside it."""


def prepare_to_serve() -> None:
    """Set the interpreter up for serving; called when everything is loaded. Garbage collections skip the objects that
    exist now, which stay: a full collection took 50 ms and more of a processor, mostly for them."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, FULL_AFTER)
    sys.setswitchinterval(HAND_OVER_SECONDS)
