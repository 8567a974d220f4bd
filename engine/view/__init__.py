"""Facts that pages draw and that are not in headers, views or steps. They are derived from recorded steps alone,
so stored runs and replays have them too, and no recording contains them.

``plan.py`` gives everything of a run its place, ``beats.py`` divides the run into chapters,
``run_ahead.py`` makes both from a bounded run. ``derived.py`` gathers the facts of each view and step:
what is due next (``due.py``), timers, disagreements of client and leader (``disagreements.py``), the fate of batches
that arrive (``arrivals.py``), and which records broke a guarantee. ``sights.py`` leaves old entries out of a view.
"""
