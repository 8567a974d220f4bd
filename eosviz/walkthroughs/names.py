"""What a name may hold: one rule for the names that people give and for those that a replay's file brings."""

UNPRINTABLE = "\\x00-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff"
"""A character class, to be put in brackets: control characters with line breaks and tabs (a name is one line),
and what turns the reading direction of the text that follows.
"""

# `$` alone would also match in front of a line break at the end.
NAME_PATTERN = f"^[^{UNPRINTABLE}]*$(?!\\n)"
