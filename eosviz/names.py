"""The pattern that names must match, both those that people enter and those in a replay file."""

from engine.scenario.characters import UNPRINTABLE

# The end is checked with `(?!\n)`, because `$` alone also matches before a final line break.
NAME_PATTERN = f"^[^{UNPRINTABLE}]*$(?!\\n)"

__all__ = ["NAME_PATTERN", "UNPRINTABLE"]
