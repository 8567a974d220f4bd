"""What follows the last step of a run: its result compared with the original run, and another run to try."""

from __future__ import annotations

import pytest
from django.test import Client

from engine.scenario.document import acts
from engine.scenario.shelf import entry, library
from engine.scenario.twins import are_twins, runs_as_written
from eosviz.scenarios.cards import shelf
from eosviz.tracks.lessons import lesson_of_scenario

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("scenario", "variant", "kind", "verdict"),
    [
        ("SC-40", None, "cure", "acks = all"),
        ("SC-40", "acks-all", "opposite", "the original run (acks = 1)"),
        ("SC-61", "k28", "opposite", "Lab switch: leaders compare neither epochs nor sequence numbers"),
        ("SC-75", "timeout", "other", "The LSO does not advance"),
    ],
)
def test_a_run_that_comes_out_the_other_way_is_offered_first(
    scenario: str, variant: str | None, kind: str, verdict: str
) -> None:
    offered = lesson_of_scenario(scenario, variant)["variant"]
    assert (offered["kind"], offered["title"]["en"]) == (kind, verdict)
    assert bool(offered["broken"]) == (kind == "opposite")


def test_some_run_shows_the_lesson_of_its_scenario(client: Client) -> None:
    """This also holds if each run has a lesson of its own (SC-166, SC-169)."""
    for found in library():
        runs = (*((None,) if acts(found.document) else ()), *found.variants)
        shown = [lesson_of_scenario(found.id, run, links=False) for run in runs]
        texts = [text for lesson in shown for text in (lesson.get("lesson"), lesson.get("shared_lesson"))]
        assert found.document.get("lesson") in texts, found.id
    page = client.get("/sessions/new?scenario=SC-169").content.decode()
    assert "What the runs of this scenario mean together" in page and "AbortBufferedRecords" in page


def test_no_run_offers_itself_under_another_name() -> None:
    for shelved in shelf():
        for run in shelved.runs:
            name = None if run.variant is None else run.variant.name
            offered = lesson_of_scenario(shelved.card.identifier, name).get("variant")
            other = None if offered is None else offered["address"].partition("variant=")[2] or None
            if offered is not None and run.steps:
                document = entry(shelved.card.identifier)
                assert not are_twins(document.scenario(name), document.scenario(other)), run.name


def test_the_outcome_as_written_is_shown() -> None:
    assert lesson_of_scenario("SC-01")["written"] == {"broken": {"lost": 1}}
    assert lesson_of_scenario("SC-03", links=False)["written"] == {"broken": {}}


def test_a_variant_is_named_by_its_title() -> None:
    assert lesson_of_scenario("SC-101", "ended-by-hand")["named"]["en"].startswith("Kafka 2.8: an operator")
    assert "named" not in lesson_of_scenario("SC-101")


def test_the_start_page_has_one_card_a_run(client: Client) -> None:
    page = client.get("/sessions/new?scenario=SC-44").content.decode()
    assert page.count('<li class="scenario"') == 2, "Kafka 2.8 is the run as it is"
    twin = client.get("/sessions/new?scenario=SC-44&variant=k28").content.decode()
    assert twin.count('<li class="scenario" aria-current="true"') == 1


def test_other_settings_make_another_run_and_another_beat_title_does_not() -> None:
    document = entry("SC-01").document
    beat = {**document["beats"][0], "title": {"en": "Another", "zh-Hans": "另一个"}}
    assert runs_as_written({**document, "beats": [beat], "sources": []}, None)
    assert not runs_as_written({**document, "profile": "k41"}, None)
    assert not runs_as_written({**document, "id": "SC-9999"}, None)


def test_a_variant_is_followed_by_the_next_one_and_the_last_by_the_next_scenario() -> None:
    follows = {
        variant: lesson_of_scenario("SC-153", variant)["next"]
        for variant in (None, "another-instance", "timeout", "racing-starts")
    }
    addresses = {variant: one["address"].partition("?")[2] for variant, one in follows.items()}
    assert addresses[None] == addresses["another-instance"] == "scenario=SC-153&variant=timeout"
    assert addresses["timeout"] == "scenario=SC-153&variant=administrator"
    assert addresses["racing-starts"].startswith("scenario=SC-132")
    assert follows["timeout"]["title"]["en"] == "An administrator fences the id"
