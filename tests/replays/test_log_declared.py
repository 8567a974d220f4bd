"""What a person declares about copied logs on the page, and the report for a ticket."""

import io
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from eosviz.pipeline.kafka_logs.declared import add_declarations
from eosviz.replays.log_files import GivenFile, laid_out
from eosviz.replays.models import Replay, Upload
from tests.pipeline.kafka_logs.orphans import orphan_batch
from tests.replays.opened import analysis_of, followed
from tests.replays.test_log_pages import LOGS, multipart, uploads

pytestmark = pytest.mark.django_db
LIVE = LOGS / "incidents" / "live_copy_open"
BEGAN_MS = 1_795_384_289_000


def orphaned() -> list[io.BytesIO]:
    """The live copy, with an open transaction in orders-0 of a producer id that the coordinator does not know."""
    files = uploads(LIVE)
    (log,) = [file for file in files if file.name == f"{LIVE.name}/orders-0/{0:020}.log"]
    log.seek(0, io.SEEK_END)
    log.write(orphan_batch(BEGAN_MS))
    log.seek(0)
    return files


def sent(client: Client, files: list[io.BytesIO], **fields: str) -> Any:
    form = multipart(files)
    boundary = form["content_type"].partition("boundary=")[2]
    shown = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    form["data"] = shown.encode() + form["data"]
    return followed(client, client.post(reverse("replays:open_log"), **form))


def verdict(replay: Replay, producer_id: int) -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = [one for one in analysis_of(replay)["verdicts"] if one["producer_id"] == producer_id
                and one["partition"] == "orders-0"]  # fmt: skip
    return found


STATED = {"transaction_partitions": "4", "one_cluster": "on", "copied_after": "2026-11-22T22:30:00Z"}


def test_what_the_form_declares_decides(client: Client) -> None:
    sent(client, orphaned(), **STATED)
    found = verdict(Replay.objects.get(), 99)
    assert (found["kind"], found["remedy"]["action"]) == ("orphan", "abort")
    assert found["remedy"]["command"].endswith("abort --topic orders --partition 0 --start-offset 15")


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({"transaction_partitions": "many"}, "give a number from 1 to 10000"),
        ({"copied_after": "yesterday"}, "is not a time"),
        ({"now": "9" * 30}, "is not a time"),
    ],
)
def test_a_field_that_says_nothing_readable_is_refused_and_kept(
    client: Client, fields: dict[str, str], seen: str
) -> None:
    page = sent(client, uploads(LIVE / "orders-1"), **fields)
    assert page.status_code == 422
    assert seen in page.content.decode()
    assert next(iter(fields.values())) in page.content.decode()
    assert not Replay.objects.exists()


def of_cluster(name: str, at: str, *partitions: str) -> list[io.BytesIO]:
    """Return the files of a log directory that names its cluster, in the folder `at`."""
    properties = io.BytesIO(f"version=1\ncluster.id={name * 22}\n".encode())
    properties.name = "meta.properties"
    files = [properties, *(file for one in partitions for file in uploads(LIVE / one))]
    for file in files:
        file.name = f"{at}/{file.name}"
    return files


def test_two_folders_of_one_name_are_two_folders(client: Client) -> None:
    """Brokers use the same names. The files of one folder say nothing about the other one."""
    data = multipart(of_cluster("A", "kafka-logs", "orders-0"))
    state = multipart(of_cluster("B", "kafka-logs", "__transaction_state-0"))
    boundary = b"--" + data["content_type"].partition("boundary=")[2].encode()
    data["data"] = data["data"].removesuffix(boundary + b"--\r\n") + state["data"].replace(
        b'name="files"', b'name="coordinator"'
    )
    page = followed(client, client.post(reverse("replays:open_log"), **data))
    assert (page.status_code, "A" * 22 in page.content.decode()) == (422, True)
    below = of_cluster("A", "case/prod/kafka-logs", "orders-0")
    page = sent(client, below + of_cluster("B", "case/staging/kafka-logs", "__transaction_state-0"))
    assert (page.status_code, "A" * 22 in page.content.decode()) == (422, True)
    sent(client, below + of_cluster("A", "case/broker-2/kafka-logs", "__transaction_state-0"))
    assert Replay.objects.count() == 1


def test_a_refusal_by_the_worker_leads_back_to_the_fields(client: Client) -> None:
    fields = {**STATED, "transaction_partitions": "2", "now": "2026-11-23T00:00:00.250Z"}
    refused = sent(client, uploads(LIVE), **fields)
    assert refused.status_code == 422
    again = f"{reverse('replays:open_log')}?again={Upload.objects.get().id}"
    assert again in refused.content.decode()
    form = client.get(again).content.decode()
    for name, value in {**fields, "copied_after": "2026-11-22T22:30:00Z"}.items():
        kept = f'name="{name}" checked' if value == "on" else f'value="{value}"'
        assert kept in form
    assert 'name="rest_empty" checked' not in form
    for address in (again, f"{reverse('replays:open_log')}?again=x"):
        assert 'value="2"' not in Client().get(address).content.decode()


def test_a_number_that_the_files_contradict_is_refused_with_the_partition(client: Client) -> None:
    page = sent(client, uploads(LIVE), transaction_partitions="2")
    assert "__transaction_state-2 was given, so there are more" in page.content.decode()
    assert not Replay.objects.exists()


def test_the_case_and_its_report_say_the_moment_and_every_command(client: Client) -> None:
    sent(client, uploads(LIVE), now="2026-11-23T00:00:00Z")
    replay = Replay.objects.get()
    assert verdict(replay, 1)["kind"] == "coordinator_owes_marker"
    page = client.get(reverse("replays:log_case", args=[replay.id])).content.decode()
    assert "timeouts are judged as of 2026-11-23 00:00:00 UTC, the time that was given" in page
    assert '<span class="nb">--transactionalId</span> <span class="nb">checkout-7</span>' in page
    address = reverse("replays:log_report", args=[replay.id])
    answer = client.get(address)
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    english = answer.content.decode()
    assert english.splitlines()[4] == "| `orders-0` | the coordinator owes a marker | 0 | 4 | 15 | 1 | 0 |"
    assert "describe --transactional-id checkout-7" in english
    assert "or, with Kafka 4.1 and later:" in english
    assert "group invoicer is held up at orders-0" in english
    chinese = client.get(address, HTTP_ACCEPT_LANGUAGE="zh-hans").content.decode()
    assert "消费组 invoicer 在 orders-0 被挡住" in chinese
    assert Client().get(address).status_code == 404


def test_a_file_of_the_log_directory_stands_beside_each_of_its_partitions(tmp_path: Path) -> None:
    """It is not placed beside the partitions of another directory."""
    names = ("a/t-0/00000000000000000000.log", "b/t-1/00000000000000000000.log", "a/meta.properties")
    given = [GivenFile(name, str(number)) for number, name in enumerate(names)]
    for one in given:
        (tmp_path / one.place).write_text(one.path)
    places = laid_out(given, tmp_path, tmp_path / "out")
    assert {place.name: (place.parent / "meta.properties").exists() for place in places} == {
        "t-0": True,
        "t-1": False,
    }


def test_the_help_of_the_command_names_the_default_of_now() -> None:
    parser = ArgumentParser()
    add_declarations(parser)
    assert "default: the newest broker's time in the files" in " ".join(parser.format_help().split())
