"""What the runner and its process both know: the names of the request's files, the exit codes, the limit on
written files, and the type of a refusal."""

from __future__ import annotations

from typing import Any

import msgspec

TASK, ASKED, ANSWER, REFUSED, OUTPUT = "task", "asked", "answer", "refused", "output"
"""The names of files in a request's folder. `task`: its row of `tasks.py`; `asked`: the question; `answer`
and `refused`: one of them is the result; `output`: what the process prints."""
REFUSED_CODE, NO_MEMORY = 3, 4
FILE_BYTES_MAX = 1024 * 2**20
"""The largest file that the process may write, in bytes."""


class Refusal(msgspec.Struct):
    key: str
    params: dict[str, Any]
