"""What a sweep counts and measures, by name. Pages read it: it needs neither Spark nor Arrow."""

from engine.judge.bench import GUARANTEES, OF_TRANSACTIONS, TRANSACTION_GUARANTEES

COUNTS = ("stored", "duplicates", "lost", "failed", "reordered")
TRANSACTION_COUNTS = ("committed", "aborted", "open")
SUMS = (*COUNTS, *TRANSACTION_COUNTS)
JUDGED = (*GUARANTEES, *OF_TRANSACTIONS, *TRANSACTION_GUARANTEES)
"""Every guarantee that can be broken, in the order of the strip."""
WAITS = ("reported_ms", "reported_ms_max", "delivered_ms", "delivered_ms_max")
MEASURES = ("steps", "duration_ms", *WAITS)
"""What is shown by its median."""
COUNTED = ("duplicates", "lost", "failed", "aborted", "stored")
"""What is shown by its mean."""
DISTRIBUTED = (*MEASURES, *COUNTED)
"""What has a distribution."""
