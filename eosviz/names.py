"""The rule for what a name may contain: one for names that people enter and for names in a replay file."""

from engine.scenario.characters import UNPRINTABLE

# `$` alone would also match in front of a line break at the end.
NAME_PATTERN = f"^[^{UNPRINTABLE}]*$(?!\\n)"

__all__ = ["NAME_PATTERN", "UNPRINTABLE"]
