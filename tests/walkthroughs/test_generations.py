"""The page that shows a scenario in five versions: what it says, and the runs that it starts."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.html import strip_tags

from engine.generations.generation import GENERATIONS
from eosviz.tracks.lessons import lesson_of_session
from eosviz.walkthroughs.models import Session
from tests.walkthroughs.conftest import root

pytestmark = pytest.mark.django_db


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", strip_tags(page))


def shown(client: Client, scenario: str, language: str = "en") -> str:
    client.cookies["django_language"] = {"en": "en", "zh": "zh-hans"}[language]
    response = client.get("/generations/", {"scenario": scenario})
    assert response.status_code == 200
    return response.content.decode()


def cells(page: str) -> list[str]:
    return [text_of(one) for one in page.split('<li class="generation')[1:]]


def test_each_turn_is_said_with_the_row_that_decides_and_whose_it_is(client: Client) -> None:
    page = text_of(shown(client, "SC-91/end-level-0"))
    assert "The outcome changes with Kafka 3.9: Brokers: A leader asks the transaction coordinator" in page
    assert "The outcome changes with Kafka 4.1: Clients:" in page
    assert "The clients decide: the brokers are the same." in page
    found = cells(shown(client, "SC-91/end-level-0"))
    assert len(found) == len(GENERATIONS)
    assert ["broken: hanging" in cell for cell in found] == [True, True, False, False, False]
    assert "every step is as in Kafka 3.9" in found[3] and "librdkafka" in found[3]


def test_a_client_that_was_upgraded_first_is_a_column_and_a_run(client: Client) -> None:
    page = shown(client, "SC-155/client-upgraded")
    found = cells(page)
    assert "With Kafka 2.0, newer clients, the outcome is different: Clients:" in text_of(page)
    assert "The clients decide: the brokers are the same." in text_of(page)
    assert "As written, for Kafka 2.0: At first a producer's only permission" in text_of(page).replace(
        "&#x27;", "'"
    )
    assert "as written" in found[1] and "Clients: 3.9" in found[1] and len(found) == len(GENERATIONS) + 1
    client.post("/generations/new", {"scenario": "SC-155/client-upgraded", "generation": "k20-k39"})
    header = Session.objects.get().decoded_header
    assert (header["version"], header["client_versions"]) == ("2.0", {"p1": "3.9"})


def test_an_older_default_is_said_where_it_was_that_of_kafka(client: Client) -> None:
    """SC-01 writes ``acks=0`` and ``retries=0``; Kafka has retried without a limit since 2.1 (KIP-91)."""
    page = text_of(shown(client, "SC-01"))
    assert "In Kafka 2.8 the default of enable.idempotence is still false" in page
    assert "the default of retries" not in page


def test_a_scenario_that_ends_alike_says_so_and_shows_the_same_wait(client: Client) -> None:
    page = shown(client, "SC-47")
    assert "It ends the same way in all 5 generations. Some steps before the end differ." in text_of(page)
    assert "Every guarantee holds in each of them." in text_of(page) and "the default of" not in page
    assert all("decided at t = 235 ms, last step at t = 765 ms" in cell for cell in cells(page))
    assert "as written" in cells(page)[1]


def test_a_run_that_is_the_same_everywhere_needs_no_search_for_a_reason(client: Client) -> None:
    page = text_of(shown(client, "SC-02"))
    assert "It ends the same way in all 5 generations. Every step is the same, too." in page
    assert "p1: acks = all, enable.idempotence = false" in page, "what decides it is set, not a default"
    assert "Broken in each of them: duplicate." in page
    assert "In Kafka 2.8 the default of enable.idempotence is still false; in Kafka 3.9 it is true." in page
    assert "the connection breaks before its acknowledgement arrives" in page, "what happens is told first"


def test_a_step_that_differs_in_its_state_only_says_so_of_the_generation_before(client: Client) -> None:
    cell = cells(shown(client, "SC-164/k41"))[2]
    assert "ABORTABLE_ERROR" in cell and "the same sentence, but the state does not change." in cell


def test_where_there_is_no_run_the_cell_says_why(client: Client) -> None:
    found = cells(shown(client, "SC-89/heartbeats-lost"))
    assert "lose_heartbeats does not exist in a cluster with ZooKeeper" in found[0]
    assert "Play this run" not in found[0] and "Play this run" in found[2]
    assert "SC-07" in text_of(shown(client, "SC-07/acks-one"))
    assert "No generation can run it" in text_of(shown(client, "SC-07/acks-one"))


def test_a_fault_that_falls_on_nothing_is_said_in_the_cell_and_beside_the_turn(client: Client) -> None:
    page = shown(client, "SC-51/errors")
    assert "Fault 1 (AddOffsetsToTxn request) has no effect here" in cells(page)[4]
    assert "In this version, however, 2 faults of the scenario have no effect." in text_of(page)


def test_chinese_has_every_word(client: Client) -> None:
    page = text_of(shown(client, "SC-91/end-level-0", "zh"))
    assert "从 Kafka 3.9 起结局不同：broker：leader" in page and "第 27 步" in page
    assert "[generations." not in page


@pytest.mark.parametrize(
    ("generation", "cluster", "clients"),
    [("k20", "2.0", None), ("k41-k39", "4.1", "3.9"), ("k41", "4.1", None)],
)
def test_any_of_the_runs_becomes_a_session(
    client: Client, generation: str, cluster: str, clients: str | None
) -> None:
    response = client.post("/generations/new", {"scenario": "SC-47", "generation": generation})
    session = Session.objects.get()
    assert response["Location"] == f"/sessions/{session.id}/"
    header = session.decoded_header
    assert header["version"] == cluster and header["scenario"] == "SC-47"
    assert header.get("client_versions", {}).get("p1") == clients
    assert root(session).newest == 0


def test_the_run_as_written_is_the_librarys_own(client: Client) -> None:
    client.post("/generations/new", {"scenario": "SC-61/k28", "generation": "k28"})
    session = Session.objects.get()
    assert session.version.library_position is not None
    assert "watch_for" in lesson_of_session(session) and "of_original" not in lesson_of_session(session)


def test_the_texts_of_a_run_in_another_version_are_about_the_original(client: Client) -> None:
    client.post("/generations/new", {"scenario": "SC-61/k28", "generation": "k41"})
    lesson = lesson_of_session(Session.objects.get())
    assert lesson["of_original"] and "lesson" in lesson and "watch_for" not in lesson


def test_a_run_that_cannot_be_is_refused_with_the_reason(client: Client) -> None:
    response = client.post("/generations/new", {"scenario": "SC-89/heartbeats-lost", "generation": "k28"})
    assert response.status_code == 422
    assert "lose_heartbeats does not exist" in text_of(response.content.decode())
    assert not Session.objects.exists()


def test_the_start_page_of_a_scenario_leads_here(client: Client) -> None:
    page = client.get("/sessions/new", {"scenario": "SC-61/k20"}).content.decode()
    assert "/generations/?scenario=SC-61/k20" in page
    page = client.get("/sessions/new", {"scenario": "SC-81/refuses"}).content.decode()
    assert "/generations/?" not in page and "Kafka 2.8" not in page


@pytest.mark.parametrize("asked", ["SC-999", "SC-61/none", "x" * 200, "SC-81/refuses"])
def test_what_does_not_exist_or_has_no_kafka_is_not_found(client: Client, asked: str) -> None:
    assert client.get("/generations/", {"scenario": asked}).status_code == 404
    assert client.post("/generations/new", {"scenario": asked, "generation": "k28"}).status_code == 404
    assert client.post("/generations/new", {"scenario": "SC-47", "generation": "k99"}).status_code == 404


def test_the_comparison_beside_the_original_takes_the_same_clients(client: Client) -> None:
    client.post("/compare/new", {"choice": "SC-47", "difference": "version_k41-k39"})
    headers = [session.decoded_header for session in Session.objects.order_by("created")]
    assert sorted(header["version"] for header in headers) == ["2.8", "4.1"]
    assert {"p1": "3.9", "c-committed": "3.9", "c-uncommitted": "3.9"} in [
        header.get("client_versions") for header in headers
    ]
