"""Reference pages: made from the engine's tables, complete, in both languages."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Error
from engine.explain import LANGUAGES, catalogue
from engine.machine import Machine
from engine.scenario import library
from engine.simulation import Simulation
from eosviz.catalogue import words
from eosviz.reference import tables
from eosviz.reference.views import REQUIREMENT_GROUPS

PAGES = ("index", "machines", "errors", "versions", "requirements")
pytestmark = pytest.mark.django_db


def text(client: Client, name: str, *args: Any, language: str = "en") -> str:
    response = client.get(reverse(f"reference:{name}", args=args), HTTP_ACCEPT_LANGUAGE=language)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("name", PAGES)
def test_every_word_of_a_page_is_in_the_catalogue(client: Client, name: str, language: str) -> None:
    page = text(client, name, language=language)
    assert "[reference." not in page and "[requirement." not in page and "[page." not in page


def test_every_machine_is_found_and_served_as_the_engine_has_it(client: Client) -> None:
    from engine.client.batch import MACHINE as batches

    assert tables.machines()[batches.name] is batches
    for name, machine in tables.machines().items():
        assert isinstance(machine, Machine)
        assert client.get(reverse("reference:machine", args=[name])).json() == machine.to_json()
    page = text(client, "machines")
    assert all(f'id="{name}"' in page for name in tables.machines())


def test_the_reason_of_every_row_is_a_sentence_in_both_languages() -> None:
    missing = {row.why for machine in tables.machines().values() for row in machine.rows} - words().keys()
    assert not missing


def test_every_error_stands_on_its_page(client: Client) -> None:
    page = text(client, "errors")
    assert all(f'id="{error.name}"' in page for error in Error if error is not Error.NONE)


def test_every_requirement_has_a_page_of_its_own(client: Client) -> None:
    for identifier in tables.requirements():
        assert identifier in text(client, "requirement", identifier)
    assert {identifier.split("-")[0] for identifier in tables.requirements()} <= set(REQUIREMENT_GROUPS)


def test_every_requirement_that_a_machine_a_scenario_or_a_step_names_has_its_sentence() -> None:
    known = set(tables.requirements())
    named = set(tables.used_by_rows())
    for found in library():
        named |= set(found.document.get("covers", ()))
    for identifier in ("SC-02", "SC-03"):
        simulation = Simulation(next(found for found in library() if found.id == identifier).scenario())
        while (step := simulation.step()) is not None:
            named |= set(step.rules)
    assert not named - known


def test_the_requirements_sentences_are_there_in_both_languages() -> None:
    for key, sentence in catalogue().items():
        if key.startswith(tables.REQUIREMENT):
            assert all(sentence.text(language) for language in LANGUAGES)


@pytest.mark.parametrize("address", ["machines/nothing.json", "requirements/XYZ-1"])
def test_what_does_not_exist_is_not_found(client: Client, address: str) -> None:
    assert client.get(f"/reference/{address}").status_code == 404
