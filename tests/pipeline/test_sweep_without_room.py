"""A chunk of a sweep that finds no room on the disk waits for it, and meanwhile leaves nothing half-written."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from eosviz.launch.storage import FREE_BYTES_MIN, LOW_BYTES
from eosviz.pipeline import sweep_chunks
from tests.small_disk import fill, small_disk

CHUNK_BYTES = 1_000_000


class Written:
    """Writes like a DataFrame of Spark: a folder with a file. Spark's own process could not see the small disk."""

    def __init__(self, when: threading.Event) -> None:
        self.write = self
        self._when = when

    def mode(self, mode: str) -> Written:
        return self

    def parquet(self, path: str) -> None:
        Path(path).mkdir(parents=True)
        self._when.set()
        (Path(path) / "part-0.parquet").write_bytes(bytes(CHUNK_BYTES))


def test_a_chunk_waits_for_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_chunks, "ROOM_SECONDS", 0.05)
    tried, stop = threading.Event(), threading.Event()
    made: Any = lambda: Written(tried)  # noqa: E731
    with small_disk(tmp_path / "disk", FREE_BYTES_MIN + LOW_BYTES) as disk:
        runs = disk / "runs"
        runs.mkdir()
        filler = fill(disk, leave_bytes=CHUNK_BYTES // 2)

        def make_room() -> None:
            tried.wait()
            while list(runs.iterdir()):
                stop.wait(0.01)
            filler.unlink()

        # Threads that are started here see the small disk, too.
        freeing = threading.Thread(target=make_room)
        freeing.start()
        sweep_chunks._once(made, runs / "first=0-last=9", stop)
        freeing.join()
        assert [path.name for path in runs.iterdir()] == ["first=0-last=9"]
        assert (runs / "first=0-last=9" / "part-0.parquet").stat().st_size == CHUNK_BYTES


def test_a_chunk_that_waits_ends_with_its_sweep(tmp_path: Path) -> None:
    stop = threading.Event()
    made: Any = lambda: Written(stop)  # noqa: E731
    with small_disk(tmp_path / "disk", CHUNK_BYTES // 2) as disk:
        with pytest.raises(OSError, match="No space left"):
            sweep_chunks._once(made, disk / "first=0-last=9", stop)
        assert list(disk.iterdir()) == []
