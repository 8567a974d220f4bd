"""Threads of one process that write to a file take turns, and another thread writes the write-ahead log back."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from eosviz.sqlite3.writing import ROWS_BETWEEN, Writing, writing

pytestmark = pytest.mark.django_db(transaction=True)

WAIT_SECONDS_MAX = 20.0
# A connection that finds the file locked fails at once.
PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=0;"


@pytest.fixture
def handler(tmp_path: Path) -> ConnectionHandler:
    options = {
        "transaction_mode": "IMMEDIATE",
        "timeout": WAIT_SECONDS_MAX,
        "init_command": PRAGMAS,
    }
    file = {"ENGINE": "eosviz.sqlite3", "NAME": str(tmp_path / "file.sqlite3"), "OPTIONS": options}
    made = ConnectionHandler({"default": file})
    store(made["default"], "CREATE TABLE noted (number INTEGER PRIMARY KEY)")
    return made


def store(one: BaseDatabaseWrapper, *statements: str) -> None:
    """Run the statements in one transaction, as `transaction.atomic` does."""
    one.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    try:
        with one.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        one.commit()
    except BaseException:
        one.rollback()
        raise
    finally:
        one.set_autocommit(True)


def name_of(handler: ConnectionHandler) -> str:
    return str(handler["default"].settings_dict["NAME"])


def test_who_writes_second_waits_for_the_turn_and_not_for_the_lock(
    handler: ConnectionHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, asked = handler["default"], threading.Event()
    first.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    errors: list[DatabaseError] = []
    begin = Writing.begin

    def noted(self: Writing, seconds_max: float) -> bool:
        asked.set()
        return begin(self, seconds_max)

    monkeypatch.setattr(Writing, "begin", noted)

    def second() -> None:
        try:
            store(handler["default"], "INSERT INTO noted VALUES (2)")
        except DatabaseError as error:
            errors.append(error)
        handler["default"].close()

    thread = threading.Thread(target=second)
    thread.start()
    assert asked.wait(WAIT_SECONDS_MAX)
    first.cursor().execute("INSERT INTO noted VALUES (1)")
    first.commit()
    first.set_autocommit(True)
    thread.join(WAIT_SECONDS_MAX)
    assert errors == []
    assert first.cursor().execute("SELECT number FROM noted ORDER BY number").fetchall() == [(1,), (2,)]


def test_a_turn_that_failed_is_handed_on(handler: ConnectionHandler) -> None:
    one = handler["default"]
    with pytest.raises(DatabaseError):
        store(one, "INSERT INTO noted VALUES (1)", "INSERT INTO noted VALUES (1)")
    with closing(sqlite3.connect(name_of(handler), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseError):  # as if another process wrote
            store(one, "INSERT INTO noted VALUES (1)")
    assert writing(name_of(handler)).begin(0)


def test_a_connection_that_is_closed_hands_its_turn_on(handler: ConnectionHandler) -> None:
    one = handler["default"]
    one.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    one.close()
    assert writing(name_of(handler)).begin(0)


def test_the_log_is_written_back_when_many_rows_were_changed(
    handler: ConnectionHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, by = threading.Event(), []
    write_back = Writing.write_back

    def noted(self: Writing) -> int:
        if self is not writing(name_of(handler)):  # another file, of an earlier test
            return write_back(self)
        by.append(threading.current_thread())
        left = write_back(self)
        written.set()
        return left

    monkeypatch.setattr(Writing, "write_back", noted)
    for number in range(ROWS_BETWEEN - 1):
        store(handler["default"], f"INSERT INTO noted VALUES ({number})")
    assert by == []
    store(handler["default"], f"INSERT INTO noted VALUES ({ROWS_BETWEEN})")
    assert written.wait(WAIT_SECONDS_MAX)
    assert threading.current_thread() not in by


def test_what_a_reader_is_in_the_way_of_stays_in_the_log(handler: ConnectionHandler) -> None:
    store(handler["default"], "INSERT INTO noted VALUES (1)")
    with closing(sqlite3.connect(name_of(handler), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM noted").fetchall()
        store(handler["default"], "INSERT INTO noted VALUES (2)")
        assert writing(name_of(handler)).write_back() > 0
        reader.execute("COMMIT")
    assert writing(name_of(handler)).write_back() == 0


def test_the_site_writes_so() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("on PostgreSQL")
    with transaction.atomic():
        assert not writing(str(connection.settings_dict["NAME"])).begin(0)
