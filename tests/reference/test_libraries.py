"""Client libraries: what each supports follows from the requests that it sends."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from engine.scenario.shelf import library
from eosviz.scenarios.libraries import Behaviour, behaviours, client_libraries, of_scenario
from eosviz.tracks.lessons import lesson_of_scenario

ROWS = {one.name: one for one in behaviours()}


def having(name: str) -> set[str]:
    return {cell.library for cell in ROWS[name].cells if cell.has}


def test_only_java_4_1_takes_an_epoch_for_each_transaction() -> None:
    assert having("epoch-per-transaction") == {"Java 4.1.0"}


def test_librdkafka_and_aiokafka_end_transactions_with_requests_that_know_no_producer_fenced() -> None:
    assert having("fenced-by-name") == {one.name for one in client_libraries()} - {
        "librdkafka 2.16.0",
        "aiokafka 0.14.0",
    }


def test_aiokafka_names_no_group_member_and_asks_for_no_stable_offsets() -> None:
    rest = {one.name for one in client_libraries()} - {"aiokafka 0.14.0"}
    assert having("fences-consumers") == having("stable-offsets") == rest


@pytest.mark.parametrize("row", behaviours(), ids=lambda row: row.name)
def test_a_row_has_both_sides_and_scenarios_that_exist(row: Behaviour) -> None:
    assert [len(names) for names, _ in row.sides] == [
        len(having(row.name)),
        len(row.cells) - len(having(row.name)),
    ]
    assert set(row.scenarios) <= {one.id for one in library()}
    assert row.scenarios


@pytest.mark.django_db
def test_the_page_leads_to_the_scenarios_and_a_scenario_back(client: Client) -> None:
    call_command("load_library")
    page = client.get(reverse("reference:libraries")).content.decode()
    assert f"{reverse('walkthroughs:new')}?scenario=SC-126" in page
    start = client.get(reverse("walkthroughs:new"), {"scenario": "SC-126"}).content.decode()
    assert f"{reverse('reference:libraries')}#fenced-by-name" in start


@pytest.mark.django_db
def test_the_frame_of_a_run_has_them() -> None:
    (row, *_) = lesson_of_scenario("SC-126", links=False)["libraries"]
    assert row["sides"][1]["libraries"] == ("librdkafka 2.16.0", "aiokafka 0.14.0")
    assert "libraries" not in lesson_of_scenario("SC-01", links=False)
    assert of_scenario("SC-01") == ()
