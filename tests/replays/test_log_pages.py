"""*Open a log*: real files of a broker are sent with the form and become a file that the player plays."""

import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from engine.codec.damage import Damage, DamageKind
from eosviz import quotas
from eosviz.bounded.refusing import Refused
from eosviz.bounded.tasks import TASKS
from eosviz.catalogue import say
from eosviz.replays import log_upload
from eosviz.replays.log_page import damage_sentences
from eosviz.replays.log_upload import FILES_MAX
from eosviz.replays.models import Replay, Upload
from eosviz.replays.sample_case import sample_page
from tests.bounded.work import never_in_time
from tests.replays.opened import analysis_of, followed, open_log

LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs"
pytestmark = pytest.mark.django_db


def uploads(folder: Path, suffix: str = "") -> list[io.BytesIO]:
    """Return the folder's files as a browser sends a chosen folder: each named by its path, which begins with the
    folder.
    """
    files = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name.endswith(suffix):
            file = io.BytesIO(path.read_bytes())
            file.name = path.relative_to(folder.parent).as_posix()
            files.append(file)
    return files


def multipart(files: list[io.BytesIO]) -> dict[str, Any]:
    """Return the body of a form as a browser sends it; Django's own test client would remove the paths."""
    boundary = "a-boundary-of-ours"
    body = b""
    for file in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{file.name}"\r\n\r\n'
        body += head.encode() + file.read() + b"\r\n"
    body += f"--{boundary}--\r\n".encode()
    return {"data": body, "content_type": f"multipart/form-data; boundary={boundary}"}


def played(replay: Replay) -> Any:
    return json.loads(gzip.decompress(bytes(replay.player)))


def post(client: Client, data: Any, **how: Any) -> Any:
    """Send the form, and return the page to which it leads."""
    return followed(client, client.post(reverse("replays:open_log"), data, **how))


def send(client: Client, files: list[io.BytesIO]) -> Any:
    return post(client, **multipart(files))


def test_a_partition_folder_becomes_a_case_that_plays(client: Client) -> None:
    folder = next(path for path in (LOGS / "b_idem").iterdir() if path.is_dir())
    assert send(client, uploads(folder)).status_code == 302
    replay = Replay.objects.get()
    case = played(replay)
    assert (case["kind"], case["verified"]["state"]) == ("log", "log")
    assert case["header"]["partitions"] == [folder.name]
    assert len(case["steps"]["1"]) == replay.steps > 0
    assert {step["kind"] for step in case["steps"]["1"]} == {"log"}
    page = client.get(reverse("replays:play", args=[replay.id]))
    assert reverse("replays:player", args=[replay.id]) in page.content.decode()


def test_the_sample_says_what_holds_its_records(client: Client) -> None:
    post(client, {"sample": "1"})
    case = played(Replay.objects.get())
    own, *tried = case["branches"]
    assert own["parent"] is None and [branch["parent"] for branch in tried] == [own["id"]] * len(tried)
    derived = case["derived"]
    assert derived[own["id"]]["view"]["held"] == {}
    changes = [change for step in derived[own["id"]]["steps"] for change in step.get("changes", ())]
    held = [change.get("after") for change in changes if change["path"] == ["derived", "held", "orders-0"]]
    assert held == [
        [[0, 0, "undecided"]],
        None,
        [[2, 2, "undecided"]],
        [[2, 2, "undecided"], [3, 3, "behind"]],
    ]
    assert [len(derived[branch["id"]]["steps"]) for branch in tried] == [
        len(case["steps"][branch["id"]]) for branch in tried
    ]


def test_the_sample_is_read_at_once_and_is_one_for_everyone(client: Client) -> None:
    first = client.post(reverse("replays:open_log"), {"sample": "1"})
    case = Replay.objects.get()
    assert first["Location"] == reverse("replays:log_case", args=[case.id])
    assert Client().post(reverse("replays:open_log"), {"sample": "1"})["Location"] == first["Location"]
    # The name of a partition stays on one line.
    assert (
        '<h1>Sample log: <span class="nb">orders-0</span>, <span class="nb">__transaction_state-10</span></h1>'
        in client.get(first["Location"]).content.decode()
    )
    assert Client().get(first["Location"]).status_code == 200
    assert Replay.objects.get().owner == "" and not Upload.objects.exists()


def test_two_partitions_of_one_name_stay_two(client: Client) -> None:
    folder = next(path for path in (LOGS / "a_plain").iterdir() if path.is_dir())
    one, other = uploads(folder, ".log"), uploads(folder, ".log")
    for file in other:
        file.name = f"elsewhere/{file.name}"
    send(client, one + other)
    assert len(played(Replay.objects.get())["header"]["partitions"]) == 2


@pytest.mark.parametrize(
    "name",
    ["../../../etc/t-0/00000000000000000000.log", "C:\\logs\\t-0\\00000000000000000000.log"],
)
def test_a_path_is_only_a_name(client: Client, name: str) -> None:
    folder = next(path for path in (LOGS / "a_plain").iterdir() if path.is_dir())
    file = uploads(folder, ".log")[0]
    file.name = name
    send(client, [file])
    assert played(Replay.objects.get())["header"]["partitions"] == ["t-0"]


def test_files_that_are_no_log_are_refused_and_leave_nothing(client: Client) -> None:
    file = io.BytesIO(b"not a log")
    file.name = "notes.txt"
    response = send(client, [file])
    assert response.status_code == 422
    assert not Replay.objects.exists()


def test_an_empty_choice_is_reported(client: Client) -> None:
    response = send(client, [])
    assert (response.status_code, "No file was chosen" in response.content.decode()) == (422, True)


@pytest.mark.parametrize(
    ("bound", "sentence"),
    [
        ("FILES_MAX", "More than 1 files"),
        ("FILE_BYTES_MAX", "is larger than 1 bytes"),
        ("ALL_BYTES_MAX", "together are larger than 1 bytes"),
    ],
)
def test_each_bound_is_kept_and_reported(
    client: Client, monkeypatch: pytest.MonkeyPatch, bound: str, sentence: str
) -> None:
    sample_page()  # The page shows the sample, which a process reads once, within the bounds.
    monkeypatch.setattr(log_upload, bound, 1)
    folder = next(path for path in (LOGS / "b_idem").iterdir() if path.is_dir())
    response = send(client, uploads(folder))
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not Replay.objects.exists()


def test_more_files_than_any_form_may_have(client: Client) -> None:
    files = []
    for number in range(FILES_MAX + 1):
        files.append(io.BytesIO(b"x"))
        files[-1].name = f"{number}.log"
    response = send(client, files)
    assert (response.status_code, f"More than {FILES_MAX} files" in response.content.decode()) == (422, True)


def test_the_token_is_checked() -> None:
    folder = next(path for path in (LOGS / "a_plain").iterdir() if path.is_dir())
    strict = Client(enforce_csrf_checks=True)
    assert send(strict, uploads(folder)).status_code == 403
    assert not Replay.objects.exists()


def test_damage_is_shown_and_not_refused() -> None:
    folder = next(path for path in (LOGS / "a_plain").iterdir() if path.is_dir())
    segment = next(folder.glob("*.log"))
    replay = open_log({f"t-0/{segment.name}": segment.read_bytes()[:-7]}, owner="")
    notes = [step["key"] for step in played(replay)["steps"]["1"]]
    assert any("damage" in key for key in notes) or any(
        "damage" in note["key"] for step in played(replay)["steps"]["1"] for note in step["notes"]
    )


def test_no_files_at_all() -> None:
    with pytest.raises(Refused):
        open_log({}, owner="")


OPEN = LOGS / "h2_open" / "hangopen-0"


def case_page(client: Client) -> str:
    replay = Replay.objects.get()
    return client.get(reverse("replays:log_case", args=[replay.id])).content.decode()


def test_the_producer_that_holds_readers_back_stands_first_with_its_verdict(client: Client) -> None:
    response = send(client, uploads(OPEN) + uploads(LOGS / "_internal"))
    assert response.url == reverse("replays:log_case", args=[Replay.objects.get().id])
    page = case_page(client)
    assert page.count('class="verdict-card"') == 1
    assert "/reference/signatures/#" in page
    for words in (
        "hangopen-0</span>: slow but alive",
        '(producer 1022, <span class="nb">epoch 0</span>), open since',
        "the transaction wrote 2 records within offsets 2–3",
        "It still has the transaction: tx-open-public is in state Ongoing",
        '<span class="nb">--transactional-id</span> <span class="nb">tx-open-public</span>',
        "once it is aborted, the last stable offset is 9",
    ):
        assert words in page
    order = (
        ">describe</span>",
        "Wait until 2026",
        "forceTerminateTransaction",
        "Or restart",
    )
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert page.index("hangopen-0</span> <span") < page.index('mono">__transaction_state-0</span>')


def test_a_log_that_was_held_up_for_a_time_says_for_how_long(client: Client) -> None:
    send(client, uploads(LOGS / "h_hang" / "hang-0"))
    page = case_page(client)
    for words in (
        "No transaction is stuck",
        "the transaction of producer 1004 (epoch 0) held up hang-0 for at most 14.88 s",
        "read_committed consumers stopped at offset 2. Its marker at offset 7 ended this.",
        "<b>LSO 2</b>",
        "<b>HW 7</b>",
        "none is needed, because no transaction is open",
    ):
        assert words in page
    beats = played(Replay.objects.get())["plans"]["1"]["beats"]
    assert [(beat["first"], beat["key"]) for beat in beats[1:3]] == [
        (3, "beat.log_holds"),
        (7, "beat.log_abort"),
    ]
    # The transaction at offset 4 ends while the one at offset 2 is open, so its bar is below that one.
    assert re.findall(r'rect class="(\w+)"[^>]* y="(\d+)" width="[\d.]+" height="16"', page) == [
        ("committed", "4"),
        ("aborted", "4"),
        ("committed", "24"),
    ]


def test_a_verdict_leads_to_the_step_that_stores_what_it_is_about(client: Client) -> None:
    send(client, uploads(OPEN) + uploads(LOGS / "_internal"))
    replay = Replay.objects.get()
    play = reverse("replays:play", args=[replay.id])
    steps = played(replay)["steps"]["1"]
    page = case_page(client)
    (step,) = (one for one in steps if f'href="{play}?step={one["number"]}"' in page)
    assert any(
        change["path"] == ["partitions", "hangopen-0", "replicas", "0", "batches", "2"]
        for change in step["changes"]
    )


def test_a_verdict_leads_to_its_remedy_on_a_copy(client: Client) -> None:
    """The coordinator knows this transaction as open, so the preview shows what its timeout would do."""
    send(client, uploads(OPEN) + uploads(LOGS / "_internal"))
    replay = Replay.objects.get()
    written, tried = played(replay)["branches"]
    play = reverse("replays:play", args=[replay.id])
    assert f'href="{play}?branch={tried["id"]}&amp;step={tried["newest"]}"' in case_page(client)
    assert (tried["parent"], tried["leaves_at"], written["newest"]) == ("1", replay.steps, replay.steps)
    assert tried["said"]["key"] == "logs.preview.timeout"
    readers, marker = played(replay)["steps"][tried["id"]]
    assert (marker["number"], tried["newest"]) == (replay.steps + 2, replay.steps + 2)
    assert (readers["key"], marker["key"]) == ("log.preview.readers", "log.preview.abort")
    assert (marker["params"]["producer_epoch"], marker["params"]["after"]) == (1, 9)
    command = next(note for note in marker["notes"] if note["key"] == "logs.preview.command")
    assert command["params"]["command"].endswith("describe --transactional-id tx-open-public")


def test_a_segment_without_its_folder_has_its_steps_and_its_remedy(client: Client) -> None:
    (log,) = uploads(OPEN, ".log")
    log.name = Path(log.name).name
    send(client, [log])
    (verdict,) = analysis_of(Replay.objects.get())["verdicts"]
    assert verdict["step"] > 0
    assert verdict["preview"] == {"branch": "2", "step": Replay.objects.get().steps + 2}


def test_a_log_that_was_not_read_whole_gets_no_preview(client: Client) -> None:
    (log,) = uploads(OPEN, ".log")
    damaged = io.BytesIO(log.getvalue()[:-1])
    damaged.name = log.name
    send(client, [damaged])
    replay = Replay.objects.get()
    assert analysis_of(replay)["verdicts"][0]["remedy"] is not None
    assert [branch["name"] for branch in played(replay)["branches"]] == ["log"]
    assert "try-remedy" not in case_page(client)


def test_the_case_speaks_the_readers_language(client: Client) -> None:
    send(client, uploads(OPEN, ".log"))
    replay = Replay.objects.get()
    page = client.get(reverse("replays:log_case", args=[replay.id]) + "?lang=zh-Hans").content.decode()
    assert "无法判定" in page
    assert "悬挂事务（协调者未登记）" in page
    assert "undecided" not in page


def test_dumps_beside_their_segments_and_other_files_of_the_folder_change_nothing(client: Client) -> None:
    send(client, uploads(LOGS / "h2_open"))
    replay = Replay.objects.get()
    assert [one["name"] for one in analysis_of(replay)["partitions"]] == ["hangopen-0", "hangopen-1"]
    assert (analysis_of(replay)["copies"], analysis_of(replay)["text"]) == ([], None)


def test_pasted_text_is_a_case_of_its_own(client: Client) -> None:
    dump = (OPEN / f"{0:020}.log.dump.txt").read_text()
    form = {"text": f"good morning\n{dump}"}
    assert post(client, form).status_code == 302
    replay = Replay.objects.get()
    assert (replay.steps, replay.title["en"]) == (8, "hangopen-0")
    page = case_page(client)
    assert "hangopen-0</span>: undecided" in page
    assert "1 line left out: not from a dump" in page
    assert "pasted.txt: line 1: good morning" in page
    chinese = client.get(reverse("replays:log_case", args=[replay.id]) + "?lang=zh-Hans").content.decode()
    assert "pasted.txt：第 1 行：good morning" in chinese
    assert "play-case" in page
    assert [step["kind"] for step in played(replay)["steps"]["1"]] == ["log"] * 8


def test_a_log_without_its_index_differs_from_none(client: Client) -> None:
    folder = LOGS / "_internal" / "__consumer_offsets-1"
    post(client, {"text": (folder / f"{0:020}.log.dump.txt").read_text()})
    page = case_page(client)
    assert "no entries of an index of aborted transactions (.txnindex); the log has 1" in page
    assert "The index of aborted transactions differs" not in page


SERVER_LOG = (
    "[2026-11-21 09:18:54,084] INFO [Transaction Marker Request Completion Handler 2]: Sending pay's transaction "
    "marker for partition t-0 has failed with error org.apache.kafka.common.errors.NotLeaderOrFollowerException, "
    "retrying with current coordinator epoch 4\n"
)


def test_lines_of_a_log_are_a_case_that_says_what_remains_possible(client: Client) -> None:
    text = (
        SERVER_LOG
        + "%7|1.0|TXNSTATE|rdkafka#producer-1| [thrd:main]: Transaction state change Ready -> InTransaction"
    )
    assert post(client, {"text": text}).status_code == 302
    replay = Replay.objects.get()
    assert (replay.steps, replay.title["en"]) == (0, "t-0")
    page = case_page(client)
    assert "writing the marker for pay to t-0 failed with NotLeaderOrFollowerException" in page
    assert "Broker and client logs" in page
    assert "went from Ready to InTransaction" in page
    assert "play-case" not in page
    assert client.get(reverse("replays:play", args=[replay.id]))["Location"].endswith("/case")
    chinese = client.get(reverse("replays:log_case", args=[replay.id]) + "?lang=zh-Hans").content.decode()
    assert "pay 在 t-0 的标记写入失败" in chinese
    assert "did not reach" not in chinese


def test_a_bundle_is_saved_and_opened_again_without_names(client: Client) -> None:
    send(client, uploads(OPEN) + uploads(LOGS / "_internal"))
    replay = Replay.objects.get()
    used = quotas.BY_NAME["replay_bytes"].used(replay.owner)
    assert replay.player is not None and replay.bundle is not None
    assert used == len(replay.player) + len(replay.bundle) > len(replay.player)
    page = case_page(client)
    assert page.index("Dropped: keys, values and headers") < page.index("Save the bundle")
    address = reverse("replays:log_bundle", args=[replay.id])
    kept, moved = client.get(address), client.get(address, {"times": "moved"})
    for response in (kept, moved):
        answer = response["Content-Disposition"] + gzip.decompress(response.content).decode()
        assert "hangopen" not in answer
    assert kept.content != moved.content
    bundle = io.BytesIO(moved.content)
    bundle.name = "case.eosviz-log.jsonl.gz"
    assert send(client, [bundle]).status_code == 302
    again = Replay.objects.exclude(id=replay.id).get()
    assert again.steps == replay.steps
    for case in (replay, again):
        assert [one["kind"] for one in analysis_of(case)["verdicts"]].count("slow_but_alive") == 1
    assert Client().get(address).status_code == 404


def test_what_is_no_bundle_is_refused_in_words(client: Client) -> None:
    file = io.BytesIO(gzip.compress(b"{}"))
    file.name = "b.gz"
    response = send(client, [file])
    assert (response.status_code, "not a bundle of saved logs" in response.content.decode()) == (
        422,
        True,
    )
    assert not Replay.objects.exists()


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("good morning", "The text (1 line) contains nothing from kafka-dump-log.sh"),
        (
            "ProducerId ProducerEpoch LatestCoordinatorEpoch LastSequence LastTimestamp CurrentTransactionStartOffset\n"
            "1000 0 0 0 1763630495000 2\n",
            "does not say which partition it is about",
        ),
        ("baseOffset: 0 lastOffset: 0 count: 1\n", "do not say which file they are from"),
    ],
)
def test_text_without_what_it_needs_is_refused_with_what_is_missing(
    client: Client, text: str, missing: str
) -> None:
    response = post(client, {"text": text})
    assert response.status_code == 422
    assert missing in response.content.decode()
    assert not Replay.objects.exists()


def test_text_that_is_too_long_is_reported(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = post(client, {"text": "x" * 2000})
    assert (response.status_code, "pasted text is too long" in response.content.decode()) == (422, True)


@pytest.mark.parametrize(
    "name", ["a/" * 30 + "b.txt", "t-0/" + "x" * 290 + ".txt", "t-0/-checkpoint", "t-0/.index"]
)
def test_names_that_mean_nothing_do_no_harm(client: Client, name: str) -> None:
    strange = io.BytesIO(b"Dumping")
    strange.name = name
    assert send(client, [*uploads(OPEN, ".log"), strange]).status_code == 302
    names = [one["name"] for one in analysis_of(Replay.objects.get())["partitions"]]
    assert "hangopen-0" in names


def test_what_a_file_says_is_text_on_the_page_and_no_markup(client: Client) -> None:
    dump = (
        (OPEN / f"{0:020}.log.dump.txt")
        .read_text()
        .replace("Log starting offset", "<script>alert(1)</script>")
    )
    post(client, {"text": dump})
    page = case_page(client)
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_damaged_batch_is_shown_where_it_is(client: Client) -> None:
    (log,) = uploads(LOGS / "c_commit" / "txcommit-0", ".log")
    data = bytearray(log.read())
    data[70] ^= 1
    damaged = io.BytesIO(bytes(data))
    damaged.name = log.name
    send(client, [damaged])
    assert "1 damaged place" in case_page(client)
    assert f"the checksum at byte 17 of txcommit-0/{Path(log.name).name} is" in case_page(client)
    replay = Replay.objects.get()
    chinese = client.get(reverse("replays:log_case", args=[replay.id]) + "?lang=zh-Hans").content.decode()
    assert f"txcommit-0/{Path(log.name).name} 第 17 字节处的校验和" in chinese
    assert "checksum" not in chinese


def test_every_damage_is_said_in_the_readers_language() -> None:
    for kind in DamageKind:
        one = str(Damage(kind, 7, "1..2", "9: x", ends_file=True))
        both = damage_sentences(f"t-0/0.log: {one[: one.index('; the rest')]}; {one}")
        assert [sentence["key"] for sentence in both] == [kind.sentence_key] * 2
        assert both[1]["params"] == {"file": "t-0/0.log", "position": 7, "expected": "1..2", "found": "9: x"}
    assert damage_sentences("t-0/0.log: the dump says isvalid: false")[0]["key"] == "logs.damage.invalid"
    assert damage_sentences("a.txt: line 3: Found 17 invalid bytes") == [
        {"text": "a.txt: line 3: Found 17 invalid bytes"}
    ]


def test_what_is_too_much_to_analyse_is_reported_and_plays(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TASKS, "log", never_in_time(TASKS["log"]))
    send(client, uploads(OPEN, ".log"))
    page = case_page(client)
    assert "took too much time or memory" in page
    assert "play-case" in page


def test_text_that_is_too_much_to_analyse_is_refused_for_that_reason(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TASKS, "log", never_in_time(TASKS["log"]))
    answer = post(client, {"text": "baseOffset: 0"})
    assert answer.status_code == 422
    assert say("replays.refused.log_too_much", "en") in answer.content.decode()


def test_a_long_text_of_beginnings_that_lead_nowhere_is_read(client: Client) -> None:
    """Before the fix, each `[` started a search through the rest of the line, and so did each letter of a long word."""
    text = "a" * 200_000 + "[Producer clientId=" * 20_000 + "\nbaseOffset: " + "a" * 200_000
    answer = post(client, {"text": text})
    assert answer.status_code == 422
    assert say("replays.refused.log_too_much", "en") not in answer.content.decode()


def test_a_case_that_was_read_in_place_keeps_its_summary_alone(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("logs", str(LOGS / "h2_open"), str(LOGS / "_internal"), "--keep")
    replay = Replay.objects.get()
    assert reverse("replays:log_case", args=[replay.id]) in capsys.readouterr().err
    assert (replay.owner, replay.steps, replay.bundle) == ("", 0, None)
    assert str(LOGS) not in json.dumps(replay.analysis)
    page = case_page(client)
    assert "hangopen-0</span>: slow but alive" in page
    assert "To make one from the files: python manage.py logs" in page
