"""No other user of the machine can read what eosviz writes; what was readable becomes private at the next start."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from eosviz.launch import private
from eosviz.launch.private import close_folder, make_private_folder, umask_asked
from eosviz.launch.problem import Problem
from tests.setup.test_settings import settings_in_a_process


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def left_open(tmp_path: Path) -> Path:
    """A data folder with the permissions that a release without an umask left."""
    data = tmp_path / "data"
    for folder in (data, data / "log", data / "published" / "ab12"):
        folder.mkdir(parents=True)
        folder.chmod(0o755)
    for name in ("eosviz.sqlite3", "eosviz.sqlite3-wal", "log/web.log", "published/ab12/player.json.gz"):
        (data / name).write_text("secret")
        (data / name).chmod(0o644)
    return data


def test_what_an_older_release_left_open_is_closed(left_open: Path) -> None:
    lines: list[str] = []
    close_folder(left_open, 0o077, lines.append)
    assert {mode(path) for path in (left_open, *left_open.rglob("*")) if path.is_dir()} == {0o700}
    assert {mode(path) for path in left_open.rglob("*") if path.is_file()} == {0o600}
    assert close_folder(left_open, 0o077, lines.append) == 0
    assert lines == []


def test_a_group_keeps_what_the_setting_gives_it(left_open: Path) -> None:
    close_folder(left_open, 0o027, print)
    assert mode(left_open / "log") == 0o750
    assert mode(left_open / "log" / "web.log") == 0o640


def test_links_and_sockets_are_left_alone(left_open: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("of another program")
    for path, bits in ((outside, 0o755), (outside / "mine", 0o644)):
        path.chmod(bits)
    (left_open / "linked").symlink_to(outside)
    (left_open / "linked file").symlink_to(outside / "mine")
    (left_open / "nowhere").symlink_to(tmp_path / "not there")
    lines: list[str] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(left_open / "s"))
        close_folder(left_open, 0o077, lines.append)
    assert (mode(outside), mode(outside / "mine")) == (0o755, 0o644)
    assert lines == []


def test_what_cannot_be_closed_is_named(left_open: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(descriptor: int, bits: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchmod", forbidden)
    lines: list[str] = []
    assert close_folder(left_open, 0o077, lines.append) == 0
    (line,) = lines
    assert line.startswith(
        f"7 files in {left_open} may be read by other users and cannot be closed, the first {left_open}"
    )


def test_more_than_the_bound_is_said(left_open: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "ENTRIES_MAX", 2)
    lines: list[str] = []
    close_folder(left_open, 0o077, lines.append)
    assert lines == [f"{left_open} holds more than 2 files; the permissions of the rest were not looked at."]
    assert mode(left_open) == 0o700


def test_what_was_closed_once_is_not_looked_through_at_each_start(
    left_open: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close_folder(left_open, 0o077, print)
    with monkeypatch.context() as patch:
        patch.setattr(private, "_entries", lambda folder: pytest.fail("all of it was looked through"))
        assert close_folder(left_open, 0o077, print) == 0
    copied = left_open / "copied by hand"
    copied.write_text("secret")
    for path, bits in ((copied, 0o644), (left_open, 0o755)):
        path.chmod(bits)
    make_private_folder(left_open, 0o077)  # as an earlier start did
    assert close_folder(left_open, 0o077, print) == 1
    assert mode(copied) == 0o600


def test_another_umask_looks_at_all_of_it(left_open: Path) -> None:
    close_folder(left_open, 0o007, print)
    (left_open / "log" / "web.log").chmod(0o640)
    assert close_folder(left_open, 0o077, print) > 0
    assert mode(left_open / "log" / "web.log") == 0o600


def test_a_folder_that_all_share_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(Problem, match="set EOSVIZ_DATA to one of its own"):
        make_private_folder(shared, 0o077)
    assert mode(shared) == 0o1777


@pytest.mark.parametrize(
    ("asked", "umask"), [(None, 0o077), ("", 0o077), ("027", 0o027), ("0027", 0o027), ("7", 0o007)]
)
def test_one_setting_gives_a_group_access(asked: str | None, umask: int) -> None:
    assert umask_asked({} if asked is None else {"EOSVIZ_UMASK": asked}) == umask


@pytest.mark.parametrize("asked", ["022", "000", "rwx", "-1", "77 "])
def test_a_setting_that_opens_the_data_to_all_is_refused(asked: str) -> None:
    with pytest.raises(Problem, match="set it to one of 077"):
        umask_asked({"EOSVIZ_UMASK": asked})


def test_every_process_that_reads_the_settings_writes_for_its_user_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    data.chmod(0o755)
    asked = "__import__('os').umask(0), settings.FILE_UPLOAD_PERMISSIONS"
    done = settings_in_a_process("development", asked, EOSVIZ_DATA=str(data))
    assert done.stdout == f"{0o077} {0o600}\n", done.stderr
    assert mode(data) == 0o700
    refused = settings_in_a_process("development", asked, EOSVIZ_DATA=str(data), EOSVIZ_UMASK="022")
    assert "EOSVIZ_UMASK is '022': set it to one of 077" in refused.stderr


def open_to_others(folder: Path) -> list[str]:
    """Return files and folders that other users may read; for tests of a whole site."""
    found = (folder, *folder.rglob("*"))
    return [f"{mode(path):o} {path}" for path in found if not path.is_symlink() and mode(path) & 0o077]
