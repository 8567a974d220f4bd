"""What a sweep counts and measures, by name. Pages read it: it needs neither Spark nor Arrow."""

from engine.judge.bench import EVERY_GUARANTEE

COUNTS = ("stored", "duplicates", "lost", "failed", "reordered")
TRANSACTION_COUNTS = ("committed", "aborted", "open")
DATABASE_COUNTS = ("rows",)
SUMS = (*COUNTS, *TRANSACTION_COUNTS, *DATABASE_COUNTS)
JUDGED = EVERY_GUARANTEE
WAITS = ("reported_ms", "reported_ms_max", "delivered_ms", "delivered_ms_max")
MEASURES = ("steps", "duration_ms", *WAITS)
"""Measures shown by their median."""
COUNTED = ("duplicates", "lost", "failed", "aborted", "stored")
"""Measures shown by their mean."""
DISTRIBUTED = (*MEASURES, *COUNTED)
"""Measures with a distribution."""
