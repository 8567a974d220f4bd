"""Uploads: written to disk while they arrive, read in turns by bounded processes, shown and cancelled."""

from __future__ import annotations

import io
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import resolve, reverse
from django.utils import timezone

from eosviz.bounded import runner
from eosviz.bounded.refusing import BeyondBounds, Refused, Stopped
from eosviz.bounded.register import COMMAND_LINE
from eosviz.bounded.tasks import INTERACTIVE_BYTES_MAX, TASKS
from eosviz.bounded.waiting_rows import ASK_AGAIN_SECONDS
from eosviz.browser import BROWSER_KEY
from eosviz.replays import actions, log_upload, spool, tasks, uploads
from eosviz.replays.log_files import NOT_READ, given_files
from eosviz.replays.log_options import LogOptions
from eosviz.replays.log_upload import LogFiles
from eosviz.replays.models import Replay, Upload
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.sample_case import sample_page
from eosviz.replays.tasks import take_upload
from tests.bounded.work import never_in_time
from tests.replays.conftest import BROWSER
from tests.replays.test_log_pages import LOGS, OPEN, multipart

LOG = f"{0:020}.log"
INDEX_BYTES = 10 * 1024 * 1024
pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(client: Client) -> Client:
    session = client.session
    session[BROWSER_KEY] = BROWSER
    session.save()
    return client


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of uploads that a worker was asked to read; no worker reads them."""
    asked: list[str] = []
    monkeypatch.setattr(take_upload, "delay", asked.append)
    return asked


def folders() -> list[str]:
    return sorted(os.listdir(Path(django_settings.DATA_DIR) / "uploads"))


def sent(client: Client, *paths: Path) -> Upload:
    files = []
    for path in paths or sorted(OPEN.glob("*.log")):
        files.append(io.BytesIO(path.read_bytes()))
        files[-1].name = f"{path.parent.name}/{path.name}"
    before = set(Upload.objects.values_list("id", flat=True))
    client.post(reverse("replays:open_log"), **multipart(files))
    upload: Upload = Upload.objects.exclude(id__in=before).get()
    return upload


def page(client: Client, upload: Upload, **headers: Any) -> Any:
    return client.get(reverse("replays:upload", args=[upload.id]), **headers)


# -- arriving ------------------------------------------------------------------------------------------------


def test_what_arrives_is_written_before_the_next_piece_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_upload, "ALL_BYTES_MAX", 300_000)
    upload = LogFiles(tmp_path)
    upload._begin(f"t-0/{LOG}")
    for number in range(1, 4):
        upload._take(bytes([1]) * 100_000)
        assert (tmp_path / "0").stat().st_size > (number - 1) * 100_000
    with pytest.raises(ReplayRefused) as refused:
        upload._take(b"x")
    assert refused.value.key == "replays.refused.log_too_large"
    upload.close()


def test_the_zeros_of_an_index_that_kafka_made_long_are_not_stored(tmp_path: Path) -> None:
    """The last entry may itself end with zeros; the zeros of a segment are part of it."""
    upload = LogFiles(tmp_path)
    entries = bytes([0, 0, 0, 7, 0, 0, 1, 0])
    upload.add("t-0/0.index", entries + bytes(INDEX_BYTES))
    upload.add("t-0/0.timeindex", bytes(11) + b"\1" + bytes(INDEX_BYTES))
    upload.add("t-0/1.index", bytes(INDEX_BYTES))
    upload.add(f"t-0/{LOG}", bytes(5))
    upload.finish()
    sizes = [(tmp_path / one.place).stat().st_size for one in given_files(tmp_path)]
    assert sizes == [8, 12, 0, 5]
    assert (tmp_path / "0").read_bytes() == entries
    assert upload.total_bytes == 25


def test_nine_small_partitions_and_fifty_of_the_coordinator_are_taken_as_they_lie_on_a_broker(
    visitor: Client, unread: list[str]
) -> None:
    """This form works without scripts, which would leave the indexes out before sending."""
    segment = next(OPEN.glob("*.log")).read_bytes()
    files = []
    for partition in [f"orders-{n}" for n in range(9)] + [f"__transaction_state-{n}" for n in range(50)]:
        for name, content in (
            (LOG, segment),
            (f"{0:020}.index", bytes(100_000)),
            ("partition.metadata", b""),
        ):
            files.append(io.BytesIO(content))
            files[-1].name = f"{partition}/{name}"
    assert visitor.post(reverse("replays:open_log"), **multipart(files)).status_code == 302
    upload = Upload.objects.get()
    assert upload.bytes == 59 * len(segment)


def test_what_breaks_off_or_is_refused_leaves_no_folder(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, unread: list[str]
) -> None:
    sample_page()  # The page shows the sample, whose own files are larger than this bound.
    before = folders()
    monkeypatch.setattr(log_upload, "FILE_BYTES_MAX", 10)
    files = [io.BytesIO(b"x" * 100)]
    files[0].name = LOG
    assert visitor.post(reverse("replays:open_log"), **multipart(files)).status_code == 422
    assert (
        Client(enforce_csrf_checks=True).post(reverse("replays:open_log"), {"text": "x"}).status_code == 403
    )
    assert (folders(), unread, Upload.objects.count()) == (before, [], 0)


@pytest.mark.parametrize("bound", ["OF_PERSON_MAX", "OF_ADDRESS_MAX", "ALL_BYTES_MAX"])
def test_unfinished_uploads_are_bounded_and_the_next_is_refused(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, unread: list[str], bound: str
) -> None:
    monkeypatch.setattr(uploads, bound, 1)
    sent(visitor)
    answer = visitor.post(reverse("replays:open_log"), {"text": "baseOffset: 0"})
    assert (answer.status_code, answer["Retry-After"]) == (429, str(uploads.RETRY_SECONDS))
    for sentence in ("Nothing was accepted", "upload this again"):
        assert sentence in answer.content.decode()
    assert (Upload.objects.count(), len(unread)) == (1, 1)


@pytest.mark.parametrize("whose", ["PERSON", "ADDRESS"])
def test_so_many_bytes_of_unfinished_uploads_belong_to_one_person_or_address(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, unread: list[str], whose: str
) -> None:
    monkeypatch.setattr(uploads, f"OF_{whose}_BYTES_MAX", 3 * len("baseOffset: 0") - 1)
    taken = [visitor.post(reverse("replays:open_log"), {"text": "baseOffset: 0"}) for _ in range(3)]
    assert [answer.status_code for answer in taken] == [302, 302, 429]
    assert taken[-1]["Retry-After"] == str(uploads.RETRY_SECONDS)
    assert "would exceed that limit" in taken[-1].content.decode()
    first = Upload.objects.first()
    assert first is not None
    uploads.cancel(first)
    assert visitor.post(reverse("replays:open_log"), {"text": "baseOffset: 0"}).status_code == 302


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives back a part of a file")
@pytest.mark.parametrize("form", ["replays:open_log", "replays:import"])
def test_the_space_of_a_body_is_given_back_while_it_is_parsed(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, unread: list[str], form: str
) -> None:
    """Otherwise, an upload would be on the disk twice, and a replay three times."""
    monkeypatch.setattr(spool, "PIECE_BYTES", 2**20)
    size, left = 6 * 2**20, []
    give_back = spool.give_back

    def watched(descriptor: int, start: int, end: int) -> bool:
        done = give_back(descriptor, start, end)
        left.append(os.fstat(descriptor).st_blocks * 512)
        return done

    monkeypatch.setattr(spool, "give_back", watched)
    name = "files" if form == "replays:open_log" else "file"
    boundary = "a-boundary-of-ours"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="t-0/{LOG}"\r\n\r\n'
    with tempfile.SpooledTemporaryFile(max_size=1, dir=str(django_settings.FILE_UPLOAD_TEMP_DIR)) as body:
        body.write(head.encode() + b"x" * size + f"\r\n--{boundary}--\r\n".encode())
        length = body.tell()
        body.seek(0)
        request = RequestFactory().post(
            reverse(form), b"x", content_type=f"multipart/form-data; boundary={boundary}"
        )
        request.META["CONTENT_LENGTH"] = str(length)
        vars(request).update(_stream=body, _dont_enforce_csrf_checks=True)
        request.session, request.user = visitor.session, AnonymousUser()
        assert resolve(reverse(form)).func(request).status_code == 302
    assert len(left) >= 4 and left[-1] < size / 3
    upload = Upload.objects.get()
    stored = Path(django_settings.DATA_DIR) / "uploads" / upload.place
    assert sum(path.stat().st_size for path in stored.iterdir() if path.name in ("0", uploads.FILE)) == size
    assert not [name for name in folders() if ".upload" in name], "Django's own file was moved"


# -- the queue and its page ----------------------------------------------------------------------------------


def test_an_upload_is_read_and_its_page_leads_to_the_result_even_to_who_left(visitor: Client) -> None:
    upload = sent(visitor)
    replay = Replay.objects.get()
    target = reverse("replays:log_case", args=[replay.id])
    assert page(visitor, upload).url == target
    assert page(visitor, upload, HTTP_HX_REQUEST="true")["HX-Redirect"] == target
    assert page(Client(), upload).status_code == 404
    assert str(upload.id) not in folders()


def test_the_page_tells_the_place_and_asks_again_by_itself(visitor: Client, unread: list[str]) -> None:
    first, second = sent(visitor), sent(visitor)
    assert "Upload complete" in page(visitor, first).content.decode()
    register, row = runner.register(), TASKS["log"]
    with (
        register.enter(row, COMMAND_LINE, str(first.id)),
        register.enter(row, COMMAND_LINE, str(second.id)),
    ):
        opened = page(visitor, second)
        assert opened.context["belongs_to"] == "replays:open_log"
        whole = opened.content.decode()
        part = page(visitor, second, HTTP_HX_REQUEST="true").content.decode()
        for shown in (whole, part):
            assert "Number 2 of 2 in the queue" in shown
            assert f'hx-get="{reverse("replays:upload", args=[second.id])}"' in shown
        assert "<html" in whole and "<html" not in part
        assert register.start(str(first.id), row.memory_bytes)
        assert "The file is being read" in page(visitor, first).content.decode()
    assert (
        reverse("replays:upload", args=[second.id])
        in visitor.get(reverse("replays:open_log")).content.decode()
    )


def test_cancel_ends_it_and_its_files_go(visitor: Client, unread: list[str]) -> None:
    upload = sent(visitor)
    assert str(upload.id) in folders()
    assert Client().post(reverse("replays:upload_cancel", args=[upload.id])).status_code == 404
    visitor.post(reverse("replays:upload_cancel", args=[upload.id]))
    shown = page(visitor, upload)
    assert (shown.status_code, "Cancelled" in shown.content.decode()) == (200, True)
    uploads.carry_out(upload.id)
    assert not Replay.objects.exists()
    assert str(upload.id) not in folders()


def test_what_is_cancelled_while_a_worker_takes_it_stays_cancelled(
    visitor: Client, unread: list[str]
) -> None:
    upload = sent(visitor)
    read: list[str] = []

    def cancel_once_read(execute: Any, sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if sql.startswith("SELECT") and Upload._meta.db_table in sql and not read:
            read.append(sql)
            uploads.cancel(upload)
        return answer

    with connection.execute_wrapper(cancel_once_read):
        uploads.carry_out(upload.id)
    assert read
    assert Upload.objects.get().state == "cancelled"


def test_what_is_refused_says_why_and_leaves_nothing(visitor: Client, unread: list[str]) -> None:
    visitor.post(reverse("replays:open_log"), {"text": "good morning"})
    upload = Upload.objects.get()
    uploads.carry_out(upload.id)
    answer = page(visitor, upload)
    assert (answer.status_code, "contains nothing from kafka-dump-log.sh" in answer.content.decode()) == (
        422,
        True,
    )
    assert str(upload.id) not in folders()


def test_what_a_stop_interrupted_is_taken_up_once_more_and_stored_once(
    visitor: Client, unread: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = sent(visitor)

    def stopped(*_: Any, **__: Any) -> Any:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(runner, "_run_process", stopped)
        uploads.carry_out(upload.id)
    assert (Upload.objects.get().state, str(upload.id) in folders()) == ("working", True)
    unread.clear()
    tasks.take_uploads_again()
    assert unread == [str(upload.id)]
    uploads.carry_out(upload.id)
    uploads.carry_out(upload.id)
    assert (Replay.objects.count(), Upload.objects.get().state) == (1, "done")


def test_what_no_worker_took_is_asked_for_again_by_its_page(visitor: Client, unread: list[str]) -> None:
    upload = sent(visitor)
    page(visitor, upload)
    assert len(unread) == 1
    Upload.objects.update(beat=timezone.now() - timedelta(seconds=ASK_AGAIN_SECONDS + 1))
    page(visitor, upload)
    page(visitor, upload)
    assert len(unread) == 2


def test_folders_of_uploads_that_broke_off_are_swept(visitor: Client, unread: list[str]) -> None:
    upload = sent(visitor)
    store = Path(django_settings.DATA_DIR) / "uploads"
    for name, age in (("broken-off", uploads.BROKEN_OFF_SECONDS + 60), ("arriving", 0)):
        (store / name).mkdir()
        os.utime(store / name, (time.time() - age,) * 2)
    tasks.take_uploads_again()
    assert "broken-off" not in folders()
    assert {"arriving", str(upload.id)} <= set(folders())
    (store / "arriving").rmdir()


# -- in turns ------------------------------------------------------------------------------------------------


def test_six_uploads_at_once_run_in_turns(tmp_path: Path, settings: Any) -> None:
    settings.BOUNDED_MEMORY_BYTES = 2 * TASKS["log"].memory_bytes + INTERACTIVE_BYTES_MAX
    upload = LogFiles(tmp_path)
    upload.add("notes.txt", b"a" * 200_000 + b"[Producer clientId=" * 20_000)
    upload.finish()
    most = 0

    def read(_: int) -> None:
        actions.read_log(tmp_path, "", LogOptions(), COMMAND_LINE)

    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(read, number) for number in range(6)]
        while not all(one.done() for one in asked):
            most = max(most, sum(one.runs for one in runner.register().standings()))
            time.sleep(0.01)
    assert all(isinstance(one.exception(), Refused | BeyondBounds) for one in asked)
    assert most == 2


def test_beyond_its_bounds_the_reason_is_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("log", "log_steps"):
        monkeypatch.setitem(TASKS, name, never_in_time(TASKS[name]))
    upload = LogFiles(tmp_path)
    upload.add("notes.txt", b"good morning")
    upload.finish()
    with pytest.raises(BeyondBounds) as beyond:
        actions.read_log(tmp_path, "", LogOptions(), COMMAND_LINE)
    assert beyond.value.key == "replays.refused.log_too_much"


def test_what_the_page_leaves_out_is_no_file_that_the_analysis_reads() -> None:
    read = {
        path.name
        for path in LOGS.rglob("*")
        if path.name.endswith((".log", ".snapshot", ".txnindex", "checkpoint"))
    }
    assert read and not any(name.endswith(NOT_READ) for name in read)
