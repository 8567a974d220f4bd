"""What a name may hold: one rule for the names that people give and for those that a replay's file brings."""

from engine.scenario.characters import UNPRINTABLE

# `$` alone would also match in front of a line break at the end.
NAME_PATTERN = f"^[^{UNPRINTABLE}]*$(?!\\n)"

__all__ = ["NAME_PATTERN", "UNPRINTABLE"]
