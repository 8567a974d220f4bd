"""A folder of eosviz in a place where others can write is made private, or refused."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from eosviz.launch.embedded import embedded_redis_socket, embedded_redis_url
from eosviz.launch.private_folder import private_folder
from eosviz.launch.problem import Problem


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    assert mode(private_folder(tmp_path / "a" / "b")) == 0o700
    (tmp_path / "open").mkdir(mode=0o755)
    assert mode(private_folder(tmp_path / "open")) == 0o700


def test_a_link_a_file_and_a_folder_of_another_user_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    (tmp_path / "file").touch()
    for name in ("link", "dangling", "file"):
        with pytest.raises(Problem, match=f"{name} is no folder"):
            private_folder(tmp_path / name)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(Problem, match="belongs to another user"):
        private_folder(tmp_path / "elsewhere")


def test_a_socket_outside_the_data_folder_lies_in_a_private_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "t"))
    deep = Path("/data", *["deep"] * 40)
    folder = embedded_redis_socket(deep).parent
    assert embedded_redis_url(deep) == f"unix://{folder}/redis.sock"
    assert mode(folder) == 0o700
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(Problem):
        embedded_redis_url(deep)
