"""Writes a backup of a running site, and restores a backup into an empty site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Model

from engine.simulation import ENGINE_VERSION
from eosviz.operating import archive
from eosviz.operating.archive import FILES, MANIFEST, ROWS, Damaged, Manifest, Member
from eosviz.operating.files import files_of
from eosviz.operating.tables import (
    MADE_BY_MIGRATE,
    all_models,
    columns_of,
    label_of,
    migrations_applied,
    objects_from,
    rows_of,
    store,
    used_models,
)

CHUNK_BYTES = 4 * 1024 * 1024
CHUNK_ROWS = 1_000
MIGRATIONS_NAMED = 5
"""An error message names at most this many missing migrations, and counts the others."""


class Refused(Exception):
    """A backup cannot be made or restored. The text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Content:
    rows: dict[str, int]
    files: int


def back_up(path: Path) -> Content:
    """Write a backup of the site to `path`. All rows are read as of one moment. Raises Refused if the file or
    its `.part` exists, and OSError if it cannot be written; then no file is left."""
    if path.exists() or path.with_name(f"{path.name}.part").exists():
        raise Refused(f"{path} (or {path.name}.part beside it) is there already: name another file")
    writer = archive.Writer(path)
    try:
        with snapshot():
            writer.add_bytes(MANIFEST, msgspec.json.encode(_manifest()))
            rows = {label_of(model): _write_rows(writer, model) for model in all_models()}
        files = _write_files(writer, Path(settings.DATA_DIR))
        writer.end(rows, files)
    except BaseException:
        writer.give_up()
        raise
    return Content(rows, files)


def _manifest() -> Manifest:
    return Manifest(
        version=archive.VERSION,
        engine=ENGINE_VERSION,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        database=connection.vendor,
        migrations=migrations_applied(),
        columns={label_of(model): columns_of(model) for model in all_models()},
    )


@contextmanager
def snapshot() -> Iterator[None]:
    """A block in which all reads see the database as of one moment."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            # If the caller has begun a transaction, its isolation level stays.
            if len(connection.savepoint_ids) == 0:
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    elif connection.in_atomic_block:
        yield
    else:
        # Django would begin the transaction with the write lock (`transaction_mode`).
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")


def _write_rows(writer: archive.Writer, model: type[Model]) -> int:
    lines: list[bytes] = []
    size = number = written = 0

    def put() -> None:
        nonlocal size, number, written
        writer.add_bytes(f"{ROWS}{label_of(model)}/{number:06}.jsonl", b"".join(lines))
        number += 1
        written += len(lines)
        lines.clear()
        size = 0

    for line in rows_of(model):
        lines.append(line)
        size += len(line)
        if size >= CHUNK_BYTES or len(lines) >= CHUNK_ROWS:
            put()
    if lines:
        put()
    return written


def _write_files(writer: archive.Writer, folder: Path) -> int:
    written = 0
    for inside in files_of(folder):
        try:
            file = (folder / inside).open("rb")
        except FileNotFoundError:
            continue  # The file was deleted since it was listed.
        with file:
            writer.add_file(f"{FILES}{inside.as_posix()}", file, os.fstat(file.fileno()).st_size)
        written += 1
    return written


def restore(path: Path, say: Callable[[str], None] = lambda line: None) -> Content:
    """Restore a backup. Raises Refused or Damaged if that is impossible; then nothing was changed. The
    database must be migrated and must contain no rows of users. `say`: prints a line."""
    manifest, end = archive.check(path)
    say(f"a backup of {manifest.created}, engine {manifest.engine}: it is whole")
    _refuse_what_does_not_fit(manifest)
    folder = Path(settings.DATA_DIR)
    draft = folder / "run" / f"restore-{os.getpid()}"
    draft.mkdir(parents=True)
    try:
        with transaction.atomic():
            _empty_what_migrate_made()
            content = _restore_into(path, draft)
            if content != Content(dict(end.rows), end.files):
                raise Damaged("it holds another number of rows or files than its end says")
            _go_on_counting()
            _move_into_place(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        ContentType.objects.clear_cache()
    return content


def _refuse_what_does_not_fit(manifest: Manifest) -> None:
    if manifest.version != archive.VERSION:
        raise Refused(f"the backup has form {manifest.version}, this eosviz reads {archive.VERSION}")
    _refuse_other_migrations(set(manifest.migrations), set(migrations_applied()))
    if used := used_models():
        raise Refused(
            f"the database holds rows already ({', '.join(used)}): restore into an empty one, made by"
            " `manage.py migrate` alone"
        )
    if (there := next(files_of(Path(settings.DATA_DIR)), None)) is not None:
        raise Refused(f"the data folder holds files already ({there}): restore into an empty one")
    for model in all_models():
        if manifest.columns.get(label_of(model)) != columns_of(model):
            raise Refused(f"the columns of {label_of(model)} are others than in the backup")


def _refuse_other_migrations(then: set[str], now: set[str]) -> None:
    for missing, remedy in (
        (then - now, "the backup is of a newer eosviz: restore with that one, after `manage.py migrate`"),
        (now - then, "the backup is of an older eosviz: restore with that one, then bring it up to date"),
    ):
        if missing:
            named = ", ".join(sorted(missing)[:MIGRATIONS_NAMED])
            more = f" and {len(missing) - MIGRATIONS_NAMED} more" if len(missing) > MIGRATIONS_NAMED else ""
            raise Refused(f"{remedy} ({named}{more})")


def _empty_what_migrate_made() -> None:
    """Delete the rows that `migrate` created, because the backup contains such rows, too."""
    with connection.cursor() as cursor:
        for model in all_models():
            if label_of(model) in MADE_BY_MIGRATE:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")


def _restore_into(path: Path, draft: Path) -> Content:
    models = {label_of(model): model for model in all_models()}
    rows = dict.fromkeys(models, 0)
    files = 0
    for member in archive.members(path):
        if member.name.startswith(ROWS):
            label = member.name.split("/")[1]
            rows[label] += _store_rows(models[label], member)
        elif member.name.startswith(FILES):
            _lay_down(member, draft / member.name.removeprefix(FILES))
            files += 1
    return Content(rows, files)


def _store_rows(model: type[Model], member: Member) -> int:
    try:
        objects = objects_from(model, member.read().splitlines())
    except (ValueError, TypeError, ValidationError, msgspec.MsgspecError) as error:
        raise Damaged(f"{member.name}: {error}") from error
    store(model, objects)
    return len(objects)


def _lay_down(member: Member, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(member, file, archive.PIECE_BYTES)


def _go_on_counting() -> None:
    """Set the counters from which the database takes new keys to values after the restored rows."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), all_models()):
            cursor.execute(sql)


def _move_into_place(draft: Path, folder: Path) -> None:
    """Move the restored files from `draft` to the data folder. This is the last step before the rows are
    committed."""
    for path in sorted(draft.rglob("*")):
        if path.is_file():
            target = folder / path.relative_to(draft)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
