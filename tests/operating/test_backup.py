"""A backup contains everything; only a complete one can be restored, and only into an empty site."""

from __future__ import annotations

import io
import os
import tarfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import TransactionTestCase

from eosviz.accounts.models import User
from eosviz.operating import archive, backing_up
from eosviz.operating.archive import Damaged
from eosviz.operating.backing_up import Refused, back_up, restore
from eosviz.operating.files import files_of
from eosviz.operating.tables import all_models, label_of, rows_of, used_models
from eosviz.walkthroughs.models import Session, Step
from tests.classroom.addresses import Things
from tests.walkthroughs.conftest import carry_out, root

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Any) -> Path:
    """A data folder for this test alone; the queue stays at its address."""
    folder = tmp_path / "data"
    folder.mkdir()
    settings.DATA_DIR = folder
    return folder


@pytest.fixture
def used(data_folder: Path, things: Things) -> Things:
    (data_folder / "sweeps" / "one").mkdir(parents=True)
    (data_folder / "sweeps" / "one" / "table.parquet").write_bytes(os.urandom(3_000_000))
    (data_folder / "secret_key").write_text("not for others")
    (data_folder / "log").mkdir()
    (data_folder / "log" / "web.log").write_text("long")
    return things


@pytest.fixture
def peopled(data_folder: Path, db: None) -> None:
    """A site with little content, for tests that do not depend on it."""
    for name in ("lea", "leo"):
        User.objects.create_user(f"{name}@example.org", "a long password")
    (data_folder / "small").write_bytes(b"small")


def all_rows() -> dict[str, list[bytes]]:
    return {label_of(model): list(rows_of(model)) for model in all_models()}


def all_files() -> dict[str, bytes]:
    folder = Path(settings.DATA_DIR)
    return {path.as_posix(): (folder / path).read_bytes() for path in files_of(folder)}


def empty_everything() -> None:
    """Make the site like that of a new machine: migrated, and without content."""
    case: Any = TransactionTestCase()
    case._fixture_teardown()  # It empties all tables, and then puts back what a migration creates.
    folder = Path(settings.DATA_DIR)
    for path in list(files_of(folder)):
        (folder / path).unlink()


def test_everything_comes_back_as_it_was(used: Things, tmp_path: Path) -> None:
    path = tmp_path / "site.backup"
    rows, files = all_rows(), all_files()
    filled = [label for label, lines in rows.items() if lines]
    assert len(filled) > 20
    assert "sweeps/one/table.parquet" in files
    back_up(path)
    empty_everything()
    assert used_models() == []
    restore(path)
    assert all_rows() == rows
    assert all_files() == files


def test_the_site_goes_on_after_a_restore(used: Things, tmp_path: Path) -> None:
    """Keys that the database counts continue after the last one, and a session can be stepped further."""
    path = tmp_path / "site.backup"
    learner = used.school.people["learner"].email
    back_up(path)
    empty_everything()
    call_command("restore", path)
    session = Session.objects.get(id=used.session.id)
    before = Step.objects.count()
    branch = root(session)
    carry_out(session, "advance", branch, after=branch.newest, count=2)
    assert Step.objects.count() == before + 2
    assert (
        User.objects.create_user("new@example.org", "a long password").pk > used.school.people["learner"].pk
    )
    assert User.objects.get(email=learner).owner_key == session.owner


def test_neither_key_nor_logs_are_in_it(used: Things, tmp_path: Path) -> None:
    path = tmp_path / "site.backup"
    back_up(path)
    assert path.stat().st_mode & 0o077 == 0
    names = [member.name for member in archive.members(path) if member.read() is not None]
    assert names[0] == "manifest.json"
    assert names[-1] == "end.json"
    assert [name for name in names if "secret" in name or "web.log" in name] == []


def test_a_place_that_is_used_is_left_alone(peopled: None, tmp_path: Path) -> None:
    path = tmp_path / "site.backup"
    back_up(path)
    rows, files = all_rows(), all_files()
    with pytest.raises(CommandError, match=r"rows already .*accounts\.user"):
        call_command("restore", path)
    assert (all_rows(), all_files()) == (rows, files)


def test_a_folder_that_is_used_is_left_alone(peopled: None, tmp_path: Path) -> None:
    path = tmp_path / "site.backup"
    back_up(path)
    empty_everything()
    (Path(settings.DATA_DIR) / "kept.txt").write_text("mine")
    with pytest.raises(Refused, match=r"kept\.txt"):
        restore(path)
    assert used_models() == []


def test_a_file_is_never_written_over(peopled: None, tmp_path: Path) -> None:
    path = tmp_path / "site.backup"
    path.write_text("dear")
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", path)
    assert path.read_text() == "dear"


def test_what_fails_on_the_way_leaves_no_file(
    peopled: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> int:
        raise OSError("disk full")

    monkeypatch.setattr(backing_up, "_write_files", fail)
    with pytest.raises(CommandError, match="disk full"):
        call_command("backup", tmp_path / "site.backup")
    assert [one.name for one in tmp_path.iterdir()] == ["data"]


def rewritten(path: Path, change: Callable[[str, bytes], Iterator[tuple[str, bytes]]]) -> Path:
    """Write a copy of the backup in which ``change`` has replaced the members. Returns its path."""
    other = path.with_name("other.backup")
    with tarfile.open(path, "r:gz") as old, tarfile.open(other, "w:gz") as new:
        for info in old:
            file = old.extractfile(info)
            assert file is not None
            for name, content in change(info.name, file.read()):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                new.addfile(member, io.BytesIO(content))
    return other


def _altered(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    yield name, content.replace(b"lea@example.org", b"eva@example.org")


def _missing(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    if "accounts.user/" not in name:
        yield name, content


def _endless(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    if name != "end.json":
        yield name, content


def _outside(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    yield (f"files/../../{Path(name).name}" if name.startswith("files/") else name), content


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_altered, "altered"),
        (_missing, "altered"),
        (_endless, "broken off"),
        (_outside, "no member"),
    ],
)
def test_a_damaged_file_changes_nothing(
    peopled: None, tmp_path: Path, change: Callable[[str, bytes], Iterator[tuple[str, bytes]]], reason: str
) -> None:
    path = tmp_path / "site.backup"
    back_up(path)
    empty_everything()
    rows = all_rows()
    with pytest.raises(Damaged, match=reason):
        restore(rewritten(path, change))
    assert all_rows() == rows
    assert all_files() == {}


@pytest.mark.parametrize("kept", [0, 1, 100, 5_000])
def test_a_file_that_is_cut_off_or_no_backup_changes_nothing(
    peopled: None, tmp_path: Path, kept: int
) -> None:
    path = tmp_path / "site.backup"
    back_up(path)
    path.write_bytes(path.read_bytes()[:kept])
    empty_everything()
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("restore", path)
    assert used_models() == []


def test_rows_of_another_state_of_the_tables_are_refused(peopled: None, tmp_path: Path) -> None:
    def of_a_newer_one(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
        if name == "manifest.json":
            manifest = msgspec.json.decode(content)
            manifest["migrations"].append("walkthroughs.9999_not_here")
            content = msgspec.json.encode(manifest)
        yield name, content

    path = tmp_path / "site.backup"
    back_up(path)
    empty_everything()
    other = rewritten(path, of_a_newer_one)
    _, end = _unchecked(other)
    chained = rewritten_end(other, end)
    with pytest.raises(Refused, match="9999_not_here"):
        restore(chained)
    assert used_models() == []


def _unchecked(path: Path) -> tuple[archive.Chain, archive.End]:
    import hashlib

    chain = archive.Chain()
    end: archive.End | None = None
    for member in archive.members(path):
        content = member.read()
        if member.name == "end.json":
            end = msgspec.json.decode(content, type=archive.End)
        else:
            chain.add(member.name, hashlib.sha256(content).hexdigest())
    assert end is not None
    return chain, msgspec.structs.replace(end, chain=chain.hex)


def rewritten_end(path: Path, end: archive.End) -> Path:
    """Write a copy of the backup with this end, which matches the changed members."""
    moved = path.rename(path.with_name("changed.backup"))

    def with_end(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
        yield name, msgspec.json.encode(end) if name == "end.json" else content

    return rewritten(moved, with_end)


def test_memory_does_not_grow_with_the_site(peopled: None, tmp_path: Path) -> None:
    """A file of 40 MB beside the rows is never in memory as a whole."""
    (Path(settings.DATA_DIR) / "large").write_bytes(bytes(40_000_000))
    path = tmp_path / "site.backup"
    tracemalloc.start()
    back_up(path)
    archive.check(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


def test_what_is_written_meanwhile_is_not_half_in_it(peopled: None, tmp_path: Path) -> None:
    """All tables are read as they were at one moment, and no writer has to wait."""
    if connection.vendor == "sqlite" and str(connection.settings_dict["NAME"]).startswith("file:memory"):
        pytest.skip("SQLite in memory has one writer and no snapshot")
    from threading import Thread

    from django.db import connections

    path = tmp_path / "site.backup"
    done: list[bool] = []

    def write() -> None:
        User.objects.create_user("meanwhile@example.org", "a long password")
        done.append(True)
        connections.close_all()

    rows = backing_up._write_rows
    first = True

    def with_a_writer(writer: archive.Writer, model: Any) -> int:
        nonlocal first
        written = rows(writer, model)
        if first:
            first = False
            thread = Thread(target=write)
            thread.start()
            thread.join()
        return written

    before = User.objects.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backing_up, "_write_rows", with_a_writer)
        content = back_up(path)
    assert done == [True]
    assert User.objects.count() == before + 1
    assert label_of(all_models()[0]) != "accounts.user"
    assert content.rows["accounts.user"] == before
