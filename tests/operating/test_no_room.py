"""Which errors count as those of a full disk, and how a page and the queue handle one."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import connection
from django.test import Client
from kombu.exceptions import OperationalError

from eosviz.celery import OutlivingScheduler, app
from eosviz.launch.storage import CANNOT_WRITE
from eosviz.no_room import means_busy, means_no_room
from eosviz.operating.archive import Writer
from eosviz.replays.stores import exports
from tests.small_disk import fill, small_disk


def sqlite_error(path: Path, *statements: str) -> sqlite3.Error:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS t (x)")
        try:
            for statement in statements:
                database.execute(statement)
        except sqlite3.Error as error:
            return error
    raise AssertionError("no error")


def test_a_full_or_read_only_database_means_no_room_and_a_wrong_statement_does_not(tmp_path: Path) -> None:
    path = tmp_path / "some.sqlite3"
    full = sqlite_error(path, "PRAGMA max_page_count = 2", "INSERT INTO t VALUES (zeroblob(100000))")
    assert str(full) == "database or disk is full"
    assert means_no_room(full)
    assert means_no_room(sqlite_error(path, "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)"))
    assert not means_no_room(sqlite_error(path, "SELECT y FROM t"))


@pytest.mark.django_db
def test_a_database_in_which_others_write_too_long_is_busy_and_the_page_says_so(tmp_path: Path) -> None:
    path = tmp_path / "some.sqlite3"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("BEGIN IMMEDIATE")
        locked = sqlite_error(path, "PRAGMA busy_timeout = 0", "BEGIN IMMEDIATE")
    assert (str(locked), means_busy(locked), means_no_room(locked)) == ("database is locked", True, False)

    def refuse(*_: Any) -> None:
        raise locked

    browser = Client(raise_request_exception=False)
    with connection.execute_wrapper(refuse):
        answer = browser.post("/sessions/new", {"scenario": "SC-03"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert "The database is too busy, so your request was not carried out" in answer.content.decode()


@pytest.mark.parametrize("number", CANNOT_WRITE)
def test_an_error_of_the_disk_means_no_room_wherever_it_stands_in_the_chain(number: int) -> None:
    try:
        try:
            raise OSError(number, "what the kernel says")
        except OSError as error:
            raise ValueError("a file could not be made") from error
    except ValueError as error:
        assert means_no_room(error)
    assert not means_no_room(OSError(errno.ECONNREFUSED, "no such server"))


@pytest.fixture
def redis_without_memory(redis_server: str) -> Iterator[redis.Redis]:
    """The embedded server, which answers but refuses writes."""
    server = redis.Redis.from_url(redis_server)
    usual = server.config_get("maxmemory")["maxmemory"]
    assert usual is not None
    server.config_set("maxmemory", 1)
    yield server
    server.config_set("maxmemory", usual)


@contextmanager
def read_only() -> Iterator[None]:
    connection.connection.execute("PRAGMA query_only = ON")
    try:
        yield
    finally:
        connection.connection.execute("PRAGMA query_only = OFF")


def test_a_message_taken_while_redis_has_no_memory_is_worked_off_and_crossed_out(redis_server: str) -> None:
    """`append` and `ack` of a worker's channel must succeed although Redis refuses to record them."""
    server = redis.Redis.from_url(redis_server)
    usual = server.config_get("maxmemory")["maxmemory"]
    assert usual is not None
    taken: list[Any] = []
    with app.connection_for_read() as worker, worker.SimpleQueue("test_no_room") as queue:
        queue.put("work")
        server.config_set("maxmemory", 1)
        try:
            message = queue.get(timeout=5)
            taken.append(message.payload)
            message.ack()
        finally:
            server.config_set("maxmemory", usual)
        assert taken == ["work"]
        assert message.acknowledged


def test_a_queue_without_room_is_an_error_that_every_sender_knows(redis_without_memory: redis.Redis) -> None:
    with app.connection_for_write() as sender, pytest.raises(OperationalError) as refused:
        sender.Producer().publish(
            "work", routing_key="test_no_room", retry=True, retry_policy={"max_retries": 0}
        )
    assert means_no_room(refused.value)


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="asks SQLite to take no writes")
@pytest.mark.parametrize(
    ("language", "words"), [("en", "cannot store anything"), ("zh-hans", "暂时无法保存")]
)
def test_a_form_that_cannot_be_stored_says_so(language: str, words: str) -> None:
    client = Client(raise_request_exception=False, headers={"accept-language": language})
    password = "correct horse battery staple"
    with read_only():
        response = client.post(
            "/accounts/signup/", {"email": "ada@example.org", "password1": password, "password2": password}
        )
    assert response.status_code == 503
    assert response["Retry-After"]
    page = response.content.decode()
    assert words in page
    assert "[page." not in page


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="asks SQLite to take no writes")
def test_a_script_that_saves_gets_the_sentence_to_show() -> None:
    client = Client(raise_request_exception=False, headers={"accept": "application/json"})
    with read_only():
        refused = client.post(
            "/accounts/signup/", {"email": "ada@example.org", "password1": "a long password"}
        )
    assert refused.status_code == 503
    assert refused.json()["refused"].startswith(
        "The server's disk or its in-memory store is full or not writable."
    )
    assert refused.json()["key"] == "page.full.why"


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="asks SQLite to take no writes")
def test_a_session_that_cannot_be_stored_is_no_failed_page(settings: Any) -> None:
    settings.SESSION_SAVE_EVERY_REQUEST = True
    client = Client(raise_request_exception=False)
    session = client.session
    session["some"] = "thing"
    session.save()
    assert session.session_key is not None
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    assert client.get("/reference/errors/").status_code == 200
    with read_only():
        response = client.get("/reference/errors/")
    assert response.status_code == 503
    assert "cannot store anything" in response.content.decode()


def test_a_backup_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 512 * 1024) as disk:
        writer = Writer(disk / "tonight.backup")
        with pytest.raises(OSError, match="No space left"):
            writer.add_bytes("files/large", os.urandom(2**20))
        writer.give_up()
        assert list(disk.iterdir()) == []


def test_a_file_that_finds_no_room_leaves_nothing_and_keeps_the_one_before(
    tmp_path: Path, settings: Any
) -> None:
    with small_disk(tmp_path / "disk", 512 * 1024) as disk:
        settings.DATA_DIR = disk
        exports.write([b"the one before"], "some")
        with pytest.raises(OSError, match="No space left"):
            exports.write([os.urandom(2**20)], "some")
        assert exports.path("some").read_bytes() == b"the one before"
        assert [path.name for path in (disk / "exports").iterdir()] == ["some"]


def test_a_beat_outlives_a_schedule_that_cannot_be_noted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with small_disk(tmp_path / "disk", 512 * 1024) as disk:
        scheduler = OutlivingScheduler(app, schedule_filename=str(disk / "beat"))
        scheduler.setup_schedule()
        fill(disk)
        scheduler.merge_inplace({f"task-{n}": {"task": "x" * 1000, "schedule": 60.0} for n in range(200)})
        scheduler.sync()
        assert "the schedule could not be noted" in caplog.text
