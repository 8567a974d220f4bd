"""How fast replays are written and read: prints `name value unit` lines.

One generated run of 5,000 steps is written and read in every form, in memory, without a database. MB are those of the
unpacked lines, the same for every form; seconds are processor time, so that other work of the machine does not count.
"""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import django
import msgspec

from benchmarks.generated import generated_document
from benchmarks.report import print_figure
from engine.scenario.document import load
from engine.simulation import Simulation

STEPS = 5_000
ROUNDS = 3
MEGABYTE = 1_000_000


def recorded() -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """Return the header and the steps of a replay with one branch."""
    document = generated_document(STEPS)
    simulation = Simulation(load(document))
    frame_header = simulation.header()
    header = {
        "type": "header", "schema": 1, "engine": frame_header["engine"], "title": frame_header["title"],
        "scenario": document, "variant": None, "profile": frame_header["profile"], "header": frame_header,
        "view": msgspec.json.decode(msgspec.json.encode(simulation.view())),
    }  # fmt: skip
    steps = [
        ("1", msgspec.json.decode(msgspec.json.encode(step.to_json())))
        for step in iter(simulation.step, None)
    ]
    branch: dict[str, Any] = {
        "id": "1", "name": "a", "parent": None, "leaves_at": 0, "newest": len(steps),
        "finished": simulation.finished, "interventions": [],
    }  # fmt: skip
    return header | {"branches": [branch]}, steps


def best_seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def _spent(pieces: Iterable[bytes]) -> int:
    return sum(len(piece) for piece in pieces)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
    django.setup()
    from eosviz.replays import carriers, format, parquet_steps, reading, writing
    from eosviz.replays.bounded_check import own_of
    from eosviz.replays.checking import check
    from eosviz.replays.offline import offline_file

    header_fields, steps = recorded()
    header = format.convert(header_fields, format.Header)
    megabytes = sum(len(line) for line in writing.content(header, steps)) / MEGABYTE
    packed = b"".join(writing.write(header, steps))
    checked = check(io.BytesIO(packed))
    assert (checked.finding.state, checked.recording.steps) == ("verified", len(steps))
    own = own_of(checked)
    page = b"".join(offline_file(own, io.BytesIO(packed), "en"))
    table = b"".join(parquet_steps.parquet_file(io.BytesIO(packed), lambda: None))
    print_figure("replay_steps", len(steps), "steps")
    print_figure("replay_lines", megabytes, "MB")
    for name, made in (("file", packed), ("html", page), ("parquet", table)):
        print_figure(f"replay_{name}", len(made) / MEGABYTE, "MB")
    with tempfile.TemporaryDirectory() as folder:
        parquet = Path(folder, "run.parquet")
        parquet.write_bytes(table)
        works: dict[str, Callable[[], object]] = {
            "replay_write": lambda: _spent(writing.write(header, steps)),
            "replay_wrap_html": lambda: _spent(offline_file(own, io.BytesIO(packed), "en")),
            "replay_write_parquet": lambda: _spent(
                parquet_steps.parquet_file(io.BytesIO(packed), lambda: None)
            ),
            "replay_read": lambda: reading.read(io.BytesIO(packed)),
            "replay_read_html": lambda: carriers.read(io.BytesIO(page)),
            "replay_read_parquet": lambda: _spent(parquet_steps.replay_lines(parquet)),
            "replay_import_verified": lambda: check(io.BytesIO(packed)),
        }
        for name, work in works.items():
            print_figure(name, megabytes / best_seconds(work), "MB/s")


if __name__ == "__main__":
    main()
