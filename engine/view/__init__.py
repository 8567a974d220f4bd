"""Derives the facts that pages draw and that are not in headers, views or steps. They are derived from a run's
header, first view and steps alone, so stored runs and replays have them, too, and no recording contains them.

``plan.py`` assigns every actor, lane and id its place, ``beats.py`` divides the run into chapters,
``run_ahead.py`` makes both from a run of limited length. ``derived.py`` collects the facts of each view and
step: the next events (``due.py``), timers, disagreements between client and leader (``disagreements.py``),
the fate of batches that arrive (``arrivals.py``), and the records that broke a guarantee. ``near_views.py``
leaves old entries out of a view.
"""
