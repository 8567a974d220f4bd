"""Python itself in the processes that serve people: while it collects garbage or computes in one thread, all wait."""

import gc
import sys

FULL_AFTER = 50
"""Collections of what is younger before everything is looked at. In a worker everything is the runs that it holds;
the library's 10 looked at all of them every half minute while fifty people stepped. Runs that were let go of wait
for it: at most what some 400,000 objects more hold."""
HAND_OVER_SECONDS = 0.001
"""How long a thread that computes may keep the others waiting. A click needs its process some eight times, and with
the library's 5 ms waited as often for whoever's page, link or replay was worked out beside it."""


def prepare_to_serve() -> None:
    """Called once everything is loaded.

    Looking at everything takes 50 ms and more of a processor, of which most is what was loaded at the start and stays:
    it is passed over from now on.
    """
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, FULL_AFTER)
    sys.setswitchinterval(HAND_OVER_SECONDS)
