"""What a page needs beside header, views and steps: derived from recorded steps alone, so stored runs and replays have
it as well as running ones, and nothing of it is in a recording.

``plan.py`` says where everything of a run has its place, ``beats.py`` in which chapters the run is told,
``run_ahead.py`` makes both from a bounded run. ``derived.py`` gathers the facts that are told of each view and step:
what is due next (``due.py``), timers, disagreements of client and leader (``disagreements.py``), the fate of batches
that arrive (``arrivals.py``), and which records broke a guarantee. ``sights.py`` leaves out of a view what lies far
back.
"""
