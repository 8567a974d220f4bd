"""*Open a log*: real files of a broker, through the form, to a file that the player plays."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from eosviz.replays import log_upload
from eosviz.replays.actions import open_log
from eosviz.replays.models import Replay
from eosviz.replays.refusal import ReplayRefused

LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs"
pytestmark = pytest.mark.django_db


def uploads(folder: Path, suffix: str = "") -> list[io.BytesIO]:
    """The folder's files as a browser sends a chosen folder: named with their path from it on."""
    files = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name.endswith(suffix):
            file = io.BytesIO(path.read_bytes())
            file.name = path.relative_to(folder.parent).as_posix()
            files.append(file)
    return files


def multipart(files: list[io.BytesIO]) -> dict[str, Any]:
    """A form as a browser sends it. Django's own test client would cut the paths off."""
    boundary = "a-boundary-of-ours"
    body = b""
    for file in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{file.name}"\r\n\r\n'
        body += head.encode() + file.read() + b"\r\n"
    body += f"--{boundary}--\r\n".encode()
    return {"data": body, "content_type": f"multipart/form-data; boundary={boundary}"}


def played(replay: Replay) -> Any:
    return json.loads(gzip.decompress(bytes(replay.player)))


def send(client: Client, files: list[io.BytesIO]) -> Any:
    return client.post(reverse("replays:open_log"), **multipart(files))


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


def test_nothing_chosen_is_told(client: Client) -> None:
    response = send(client, [])
    assert (response.status_code, "No file was chosen" in response.content.decode()) == (422, True)


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        ("FILES_MAX", "More than 1 files"),
        ("FILE_BYTES_MAX", "is larger than 1 bytes"),
        ("ALL_BYTES_MAX", "larger than 1 bytes together"),
    ],
)
def test_each_bound_is_kept_and_told(
    client: Client, monkeypatch: pytest.MonkeyPatch, bound: str, told: str
) -> None:
    monkeypatch.setattr(log_upload, bound, 1)
    folder = next(path for path in (LOGS / "b_idem").iterdir() if path.is_dir())
    response = send(client, uploads(folder))
    assert response.status_code == 422
    assert told in response.content.decode()
    assert not Replay.objects.exists()


def test_more_files_than_any_form_may_have(client: Client) -> None:
    files = []
    for number in range(150):
        files.append(io.BytesIO(b"x"))
        files[-1].name = f"{number}.log"
    response = send(client, files)
    assert (response.status_code, "More than 100 files" in response.content.decode()) == (422, True)


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
    with pytest.raises(ReplayRefused):
        open_log({}, owner="")
