"""A log does not grow without bound while its process holds it open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eosviz.launch import log_bound
from eosviz.launch.log_bound import LOOK_SECONDS, LogBound, rotate_log
from tests.small_disk import fill, small_disk


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_bound, "LOG_BYTES_MAX", 100)


def test_a_long_log_is_emptied_under_its_writer_who_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    clock = [0.0]
    bound = LogBound(tmp_path, lambda: clock[0])
    with log.open("ab", buffering=0) as writer:
        writer.write(b"a" * 200)
        bound.look()
        writer.write(b"b" * 200)
        bound.look()  # too early
        assert log.read_bytes() == b"b" * 200
        assert (tmp_path / "web.older.log").read_bytes() == b"a" * 200
        clock[0] = LOOK_SECONDS
        bound.look()
        writer.write(b"c")
    assert log.read_bytes() == b"c"
    assert (tmp_path / "web.older.log").read_bytes() == b"b" * 200
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_keeps_the_log_and_the_older_one(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 64 * 1024) as disk:
        (disk / "web.log").write_bytes(os.urandom(8 * 1024))
        (disk / "web.older.log").write_bytes(b"older")
        long = (disk / "web.log").read_bytes()
        filler = fill(disk)
        LogBound(disk).look()
        assert (disk / "web.log").read_bytes() == long
        assert (disk / "web.older.log").read_bytes() == b"older"
        filler.unlink()
        assert sorted(path.name for path in disk.iterdir()) == ["web.log", "web.older.log"]


def test_a_long_log_becomes_the_older_one_at_a_start(tmp_path: Path) -> None:
    (tmp_path / "web.log").write_bytes(b"a" * 200)
    rotate_log(tmp_path / "web.log")
    rotate_log(tmp_path / "no.log")
    assert [path.name for path in tmp_path.iterdir()] == ["web.older.log"]
