"""File names that the runner and its process share."""

from __future__ import annotations

from typing import Any

import msgspec

TASK, ASKED, ANSWER, REFUSED, SAID = "task", "asked", "answer", "refused", "said"
"""Files of a request's folder; `task` is the row of the table, `said` is the process's standard error."""
REFUSED_CODE, NO_MEMORY = 3, 4
FILE_BYTES_MAX = 1024 * 2**20
"""The most bytes of one file that the process writes."""


class Refusal(msgspec.Struct):
    key: str
    params: dict[str, Any]
