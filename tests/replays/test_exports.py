"""Sessions as files of every form: a file that contains steps is verified after its import, with the same digest."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from eosviz.bounded import runner
from eosviz.bounded.tasks import TASKS
from eosviz.browser import BROWSER_KEY
from eosviz.replays import carriers, exporting
from eosviz.replays.actions import export_session, import_replay
from eosviz.replays.checking import check
from eosviz.replays.forms import FORMS
from eosviz.replays.models import EXPORTS_AT_ONCE, EXPORTS_KEPT, Export, ExportState, Replay
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import exports
from eosviz.streamed import PIECE_BYTES, Streamed, StreamedFile
from eosviz.walkthroughs.models import Branch, Session
from tests.answers import streamed
from tests.bounded.work import never_in_time
from tests.replays.conftest import BROWSER, exported, made

REPLAYS = [name for name, form in FORMS.items() if form.is_replay]


@pytest.mark.parametrize("form", REPLAYS)
def test_each_form_is_imported_again_and_verified(branched: Session, form: str) -> None:
    digest = check(io.BytesIO(exported(branched))).recording.digest
    replay = import_replay(io.BytesIO(made(branched, form)), BROWSER)
    assert (replay.state, replay.digest, replay.steps) == ("verified", digest, replay.finding["checked"])


@pytest.mark.parametrize("which", [0, 1])
def test_the_line_of_one_branch_is_a_replay_without_branches(branched: Session, which: int) -> None:
    branch = Branch.objects.of_session(branched.id)[which]
    file = b"".join(export_session(branched, branch))
    header = json.loads(gzip.decompress(file).splitlines()[0])
    assert [(one["leaves_at"], one["newest"]) for one in header["branches"]] == [(0, branch.newest)]
    assert len(header["branches"][0]["interventions"]) == which + 1
    replay = import_replay(io.BytesIO(file), BROWSER)
    assert (replay.state, replay.steps) == ("verified", branch.newest)


def test_the_same_session_gives_the_same_bytes(branched: Session) -> None:
    for form in FORMS:
        assert made(branched, form) == made(branched, form), form


def test_json_lines_are_the_replay_file_unpacked(branched: Session) -> None:
    assert made(branched, "jsonl") == gzip.decompress(made(branched, "replay"))


def test_a_parquet_row_tells_what_its_step_tells(branched: Session) -> None:
    rows = pq.read_table(io.BytesIO(made(branched, "parquet"))).to_pylist()
    lines = [json.loads(line) for line in made(branched, "jsonl").splitlines()][1:-1]
    assert len(rows) == len(lines) > 100
    for row, line in zip(rows, lines, strict=True):
        step = line["step"]
        assert json.loads(row["step"]) == step
        assert (row["branch"], row["digest"]) == (line["branch"], line["digest"])
        for name in ("number", "at", "actor", "kind", "key", "interesting", "rules"):
            assert row[name] == step[name]
        assert row["broken"] == [broken["guarantee"] for broken in step["broken"]]


def test_an_html_file_of_another_version_says_that_its_lesson_is_the_originals(
    client: Client, db: None
) -> None:
    client.post("/generations/new", {"scenario": "SC-61/k28", "generation": "k41"})
    page = made(Session.objects.get(), "html").decode()
    player = page[page.index("<eos-player") : page.index("<noscript>")]
    assert "&quot;of_original&quot;: true" in player and "watch_for" not in player


def test_an_html_file_names_no_address_and_allows_none(branched: Session) -> None:
    page = made(branched, "html").decode()
    # The page contains the player with its stage, its words and its pseudocode in both languages, the tables, and the
    # facts derived from the run.
    assert len(page) - len(made(branched, "replay")) * 4 // 3 < 1_335_000
    head = page[: page.index("<style>")]
    assert "default-src &#x27;none&#x27;" in head
    assert "unsafe-" not in head
    body = page[page.index("<eos-player") : page.index("<noscript>")]
    assert "http" not in body and "//" not in body


class TestBounds:
    def test_only_so_many_are_under_way_at_once(self, branched: Session) -> None:
        for _ in range(EXPORTS_AT_ONCE):
            exporting.begin(BROWSER, branched, None, "jsonl", "en")
        with pytest.raises(ReplayRefused) as caught:
            exporting.begin(BROWSER, branched, None, "jsonl", "en")
        assert caught.value.key == "replays.refused.too_many_exports"

    def test_only_the_newest_are_kept(
        self, branched: Session, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            for _ in range(EXPORTS_KEPT + 3):
                made(branched, "jsonl")
        assert Export.objects.of_browser(BROWSER).count() == EXPORTS_KEPT
        kept = {export.place for export in Export.objects.all()}
        assert {path.name for path in exports.folder.iterdir()} & kept == kept

    def test_a_larger_file_is_refused_and_not_kept(
        self, branched: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(exporting, "EXPORT_BYTES_MAX", 1000)
        export = exporting.begin(BROWSER, branched, None, "jsonl", "en")
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert export.refusal is not None
        assert (export.state, export.refusal["key"]) == ("failed", "replays.refused.export_too_large")
        assert not exports.path(export.place).exists()

    @pytest.mark.parametrize("form", ["html", exporting.PUBLISH])
    def test_a_check_that_takes_too_long_is_reported_and_leaves_nothing(
        self, branched: Session, monkeypatch: pytest.MonkeyPatch, form: str
    ) -> None:
        """The check plays a stranger's scenario, so it runs in a bounded process of its own."""
        monkeypatch.setitem(TASKS, "export", never_in_time(TASKS["export"]))
        export = exporting.begin(BROWSER, branched, None, form, "en")
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert export.refusal is not None
        assert (export.state, export.refusal["key"]) == ("failed", "exports.check_too_much")
        assert not exports.path(export.place).exists()
        assert runner.register().standings() == []

    def test_a_failure_of_ours_is_reported_and_leaves_nothing(
        self, branched: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*words: object) -> object:
            raise OSError("no space left on device")

        monkeypatch.setattr(exports, "write", broken)
        export = exporting.begin(BROWSER, branched, None, "jsonl", "en")
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert export.refusal is not None
        assert (export.state, export.refusal["key"]) == ("failed", "exports.failed")


class TestCancelling:
    def test_before_it_begins(self, branched: Session) -> None:
        export = exporting.begin(BROWSER, branched, None, "html", "en")
        assert exporting.cancel(BROWSER, export.id)
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert export.state == "cancelled" and not exports.path(export.place).exists()

    def test_in_the_middle_nothing_more_is_made(
        self, branched: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(exporting, "STEPS_BETWEEN_BEATS", 20)
        beats: list[int] = []
        store_progress = exporting.Beat.store

        def store_then_cancel(beat: exporting.Beat) -> None:
            beats.append(1)
            if len(beats) == 3:
                assert exporting.cancel(BROWSER, export.id)
            store_progress(beat)

        monkeypatch.setattr(exporting.Beat, "store", store_then_cancel)
        export = exporting.begin(BROWSER, branched, None, "html", "en")
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert export.state == "cancelled" and len(beats) == 3
        assert 0 < export.done < export.total
        assert not exports.path(export.place).exists()

    def test_while_it_waits_for_its_turn(
        self, branched: Session, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        settings.BOUNDED_MEMORY_BYTES = 0
        monkeypatch.setattr(exporting, "SECONDS_BETWEEN_BEATS", 0.0)
        follow = exporting.Beat.follow

        def cancel_and_follow(beat: exporting.Beat, folder: Path) -> None:
            assert exporting.cancel(BROWSER, export.id)
            follow(beat, folder)

        monkeypatch.setattr(exporting.Beat, "follow", cancel_and_follow)
        export = exporting.begin(BROWSER, branched, None, "html", "en")
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert export.state == "cancelled" and runner.register().standings() == []

    def test_no_person_cancels_anothers(self, branched: Session) -> None:
        export = exporting.begin(BROWSER, branched, None, "html", "en")
        assert not exporting.cancel("c" * 48, export.id)


class TestAddresses:
    @pytest.fixture
    def mine(self, client: Client, branched: Session) -> Client:
        session = client.session
        session[BROWSER_KEY] = BROWSER
        session.save()
        return client

    def test_a_download_is_never_a_page_of_the_site(self, mine: Client, branched: Session) -> None:
        answer = mine.post(f"/sessions/{branched.id}/exports", {"form": "html"}).json()
        assert answer["state"] == "done"
        response = mine.get(answer["file"])
        assert response["Content-Type"] == "application/octet-stream"
        assert response["Content-Disposition"].startswith("attachment")
        assert "sandbox" in response["Content-Security-Policy"]

    def test_unknown_forms_and_branches_are_not_found(self, mine: Client, branched: Session) -> None:
        for answer in (
            {"form": "exe"},
            {},
            {"form": "html", "branch": "99999"},
            {"form": "html", "branch": "x"},
        ):
            assert mine.post(f"/sessions/{branched.id}/exports", answer).status_code == 404

    def test_who_is_not_signed_in_does_not_publish(self, mine: Client, branched: Session) -> None:
        response = mine.post(f"/sessions/{branched.id}/exports", {"form": "publish"})
        assert (response.status_code, response.json()["key"]) == (403, "replays.refused.publish_signed_out")

    def test_a_deleted_session_takes_its_files_along(
        self,
        mine: Client,
        branched: Session,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        made(branched, "jsonl")
        place = Export.objects.get().place
        assert exports.path(place).exists()
        with django_capture_on_commit_callbacks(execute=True):
            branched.delete()
        assert not exports.path(place).exists()


def test_what_is_no_replay_is_refused_by_its_first_bytes() -> None:
    for content, reason in (
        (b"PK\x03\x04 a zip", "unknown_form"),
        (b"<html>", "unknown_form"),
        (b"", "empty"),
        (b"PAR1", "not_parquet"),
        (b"{", "truncated"),
        (b"<!doctype html><p>nothing</p>", "no_replay_in_page"),
        (b'<!doctype html><script type="application/gzip" id="replay">', "no_replay_in_page"),
        (b'<!doctype html><script type="application/gzip" id="replay">!!!!</script>', "no_replay_in_page"),
        (b'<!doctype html><script type="application/gzip" id="replay"></script>', "empty"),
    ):
        with pytest.raises(ReplayRefused) as caught:
            carriers.read(io.BytesIO(content))
        assert caught.value.key == f"replays.refused.{reason}", content


def test_an_imported_replay_is_exported_in_every_form_and_as_one_line(branched: Session) -> None:
    """The replay is imported as JSON Lines, so the server has compressed its file."""
    brought = import_replay(io.BytesIO(gzip.decompress(exported(branched))), BROWSER)

    def made_of(replay: Replay, form: str, line: str = "") -> bytes:
        export = exporting.begin_of_replay(BROWSER, replay, line, form, "en")
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert (export.state, export.done) == (ExportState.DONE, export.total), export.refusal
        with exports.open(export.place) as file:
            return file.read()

    for form in FORMS:
        file = made_of(brought, form)
        if form not in REPLAYS:
            continue
        again = import_replay(io.BytesIO(file), "another")
        assert (again.state, again.digest) == ("verified", brought.digest), form
    for branch in Branch.objects.of_session(branched.id):
        alone = made_of(brought, "jsonl", str(branch.id))
        assert alone == b"".join(export_lines(branched, branch)), "as the session's own export of that branch"


def export_lines(session: Session, branch: Branch) -> list[bytes]:
    return gzip.decompress(b"".join(export_session(session, branch))).splitlines(keepends=True)


def test_an_imported_replay_is_exported_by_its_owner_alone(branched: Session, client: Client) -> None:
    replay = import_replay(io.BytesIO(exported(branched)), BROWSER)
    address = f"/replays/{replay.id}/exports"
    assert client.post(address, {"form": "html"}).status_code == 404
    session = client.session
    session[BROWSER_KEY] = BROWSER
    session.save()
    assert f'export="{address}"' in client.get(f"/replays/{replay.id}/").content.decode()
    assert client.get(f"{address}/limits").json()["forms"] == list(FORMS)
    assert client.post(address, {"form": "html", "branch": "none"}).status_code == 404
    answer = client.post(address, {"form": "replay"}).json()
    assert (answer["state"], answer["name"]) == ("done", f"replay-{str(replay.id)[:8]}.eosviz.jsonl.gz")
    download = client.get(answer["file"])
    assert streamed(download) == exported(branched)
    assert download["Content-Length"] == str(len(exported(branched)))
    lacks = 'no-export="exports.file_not_kept"'
    public = import_replay(io.BytesIO(exported(branched)), "")
    for one in (replay, public):
        assert lacks not in client.get(f"/replays/{one.id}/").content.decode()
    replay.file.delete()  # like replays that were imported before their files were kept
    assert client.post(address, {"form": "html"}).status_code == 404
    page = client.get(f"/replays/{replay.id}/").content.decode()
    assert lacks in page and 'export="/replays' not in page
    sentence = "No file can be made from this replay"
    assert sentence in client.get("/replays/import").content.decode()
    # A file is not made again if its digest would differ from the stored one.
    Replay.objects.filter(pk=replay.pk).update(digest="0" * 64)
    assert "0 of 1 made again" in remade_files()
    Replay.objects.filter(pk=replay.pk).update(digest=replay.digest)
    assert "1 of 1 made again" in remade_files() and "0 of 0" in remade_files()
    kept = bytes(Replay.objects.get(pk=replay.pk).file.content)
    assert gzip.decompress(kept) == gzip.decompress(exported(branched))


def remade_files() -> str:
    output = io.StringIO()
    call_command("remake_replay_files", stdout=output)
    return output.getvalue()


async def test_a_long_answer_is_sent_while_it_is_made() -> None:
    made = 0

    def pieces() -> Iterator[bytes]:
        nonlocal made
        for _ in range(8):
            made += 1
            yield b"x" * (PIECE_BYTES // 2)

    sent = []
    async for piece in Streamed(pieces()):
        sent.append(len(piece))
        assert made == 2 * len(sent), "no more was made than was sent"
    assert sent == [PIECE_BYTES] * 4
    sizes = [len(piece) async for piece in StreamedFile(io.BytesIO(b"y" * (PIECE_BYTES + 5)))]
    assert sizes == [PIECE_BYTES, 5]
