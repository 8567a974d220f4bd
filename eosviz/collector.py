"""Python's collector of garbage in the processes that serve people: what it looks at stops whoever is served.

Looking at everything takes 50 ms and more of a processor, of which most is what was loaded at the start and stays.
"""

import gc

FULL_AFTER = 50
"""Collections of what is younger before everything is looked at. In a worker everything is the runs that it holds;
the library's 10 looked at all of them every half minute while fifty people stepped. Runs that were let go of wait
for it: at most what some 400,000 objects more hold."""


def pass_over_what_is_loaded() -> None:
    """Called once everything is loaded."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, FULL_AFTER)
