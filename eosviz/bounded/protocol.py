"""The names of files, the exit codes, the bound and the shape of a refusal that the runner and its process share."""

from __future__ import annotations

from typing import Any

import msgspec

TASK, ASKED, ANSWER, REFUSED, OUTPUT = "task", "asked", "answer", "refused", "output"
"""Files of a request's folder; `task` is the row of the table, `output` is what the process prints."""
REFUSED_CODE, NO_MEMORY = 3, 4
FILE_BYTES_MAX = 1024 * 2**20
"""A file that the process writes has at most this many bytes."""


class Refusal(msgspec.Struct):
    key: str
    params: dict[str, Any]
