"""The limits of a replay. They are checked while a file is read, before anything is stored.
docs/replay-format.md lists them."""

from dataclasses import dataclass

LONG_MIN = -(2**63)
LONG_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Upper limits. A size that is equal to its limit is allowed."""

    compressed_bytes: int = 32 * 1024 * 1024
    content_bytes: int = 512 * 1024 * 1024
    line_bytes: int = 16 * 1024 * 1024
    """The limit of one line. It is large because the first line contains a view."""
    lines: int = 200_002
    depth: int = 24
    branches: int = 64
    name_characters: int = 200
    view_bytes: int = 16 * 1024 * 1024
    view_check_bytes: int = 4 * 1024 * 1024
    """After this many bytes of lines, the size of the view is checked again."""
    stored_bytes: int = 128 * 1024 * 1024
    """The limit of all steps together, gzipped."""


BOUNDS = Bounds()
