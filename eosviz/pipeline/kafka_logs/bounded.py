"""The analysis of somebody's upload, in a process of its own with bounded memory and time.

A file may claim anything: a small compressed block may become hundreds of megabytes, a text may have a million
partitions. What grows beyond the bounds ends with that process, and nothing else does.

    python -m eosviz.pipeline.kafka_logs.bounded OUT PATH…

prints the document of docs/logs.md with keys and parameters for sentences, and leaves two files in the folder OUT:
`lanes`, the batches that only text or bundles tell of (`told_lanes.py`), and `bundle` (docs/logs.md), which is not
there when the case has too many batches for one.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.codec.log_case import STEPS_MAX
from eosviz.bounded_process import bound_this_process
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.words import Words

if TYPE_CHECKING:
    from eosviz.pipeline.kafka_logs.case import Case

PROCESSOR_SECONDS_MAX = 30
MEMORY_BYTES_MAX = 1536 * 1024 * 1024
SECONDS_MAX = 300
"""Of the clock: a busy machine may need long for what takes little."""
BUNDLED_BATCHES_MAX = 50_000
"""Of a bundle that is made beside the analysis, within its bounds."""
LANES, BUNDLE = "lanes", "bundle"
_ROOT = Path(__file__).resolve().parents[3]
_NOTHING_TO_READ = 3


class TooMuchError(Exception):
    """The analysis grew beyond its bounds."""


def document_of(paths: Sequence[Path], out: Path) -> dict[str, Any]:
    """The document of `paths`; the other files in `out`. Raises LogsError when there is nothing to read,
    TooMuchError beyond the bounds.
    """
    command = [sys.executable, "-m", __name__, str(out), *map(str, paths)]
    try:
        done = subprocess.run(
            command,
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TooMuchError from error
    if done.returncode == _NOTHING_TO_READ:
        raise LogsError(done.stderr.decode(errors="replace").strip())
    if done.returncode != 0:
        raise TooMuchError(done.stderr.decode(errors="replace")[-2000:])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def kept(sentence: Words) -> dict[str, Any]:
    """A sentence as it is kept: nobody knows yet who will read it."""
    return {"key": sentence.key, "params": sentence.params}


def main(arguments: Sequence[str]) -> int:
    bound_this_process(PROCESSOR_SECONDS_MAX, MEMORY_BYTES_MAX)
    from eosviz.pipeline.kafka_logs.case import document, read_case

    out, *paths = map(Path, arguments)
    try:
        case = read_case(paths)
        found = document(case, kept)
    except LogsError as error:
        sys.stderr.write(str(error))
        return _NOTHING_TO_READ
    _leave(case, out)
    json.dump(found, sys.stdout)
    return 0


def _leave(case: "Case", out: Path) -> None:
    from eosviz.pipeline.kafka_logs.bundle_writing import bundle_lines_of, write
    from eosviz.pipeline.kafka_logs.told_lanes import lane_lines

    with (out / LANES).open("wb") as file:
        file.writelines(lane_lines(case, STEPS_MAX + 1))
    try:
        body = bundle_lines_of(case, batches_max=BUNDLED_BATCHES_MAX)
    except LogsError:
        # Too many batches: the page says what to do instead.
        return
    with (out / BUNDLE).open("wb") as file:
        write(body, file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
