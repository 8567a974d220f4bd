"""The names of the counts and measures of a sweep. Pages import this module, so it needs neither Spark nor Arrow."""

from engine.judge.bench import EVERY_GUARANTEE

COUNTS = ("stored", "duplicates", "lost", "failed", "reordered")
TRANSACTION_COUNTS = ("committed", "aborted", "open")
DATABASE_COUNTS = ("rows",)
SUMS = (*COUNTS, *TRANSACTION_COUNTS, *DATABASE_COUNTS)
JUDGED = EVERY_GUARANTEE
WAITS = ("reported_ms", "reported_ms_max", "delivered_ms", "delivered_ms_max")
MEASURES = ("steps", "duration_ms", *WAITS)
"""The measures of which pages show the median."""
COUNTED = ("duplicates", "lost", "failed", "aborted", "stored")
"""The measures of which pages show the mean."""
DISTRIBUTED = (*MEASURES, *COUNTED)
"""The measures whose distribution is stored."""
