"""The library page, the words, and how documents become the library."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from engine.scenario import LibraryEntry, entry, library
from engine.simulation import Simulation
from eosviz.catalogue import LANGUAGES, catalogue_file, interface_words, words
from eosviz.scenarios.actions import load_library, with_settings
from eosviz.scenarios.cards import cards, matching
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.simulations import scenario_of


@pytest.mark.django_db
class TestLoading:
    def test_a_fresh_database_holds_the_library_of_the_engine(self) -> None:
        held = list(ScenarioVersion.objects.library())
        assert [version.identifier for version in held] == [found.id for found in library()]
        assert [version.document for version in held] == [found.document for found in library()]

    def test_repeating_changes_nothing(self, capsys: pytest.CaptureFixture[str]) -> None:
        before = list(ScenarioVersion.objects.values_list("id", "library_position"))
        call_command("load_library")
        assert capsys.readouterr().out == f"{len(library())} scenarios in the library, 0 of them new\n"
        assert list(ScenarioVersion.objects.values_list("id", "library_position")) == before

    def test_a_changed_document_replaces_the_old_one_which_stays(self) -> None:
        old = ScenarioVersion.objects.library().get(identifier="SC-03")
        found = entry("SC-03")
        document = copy.deepcopy(found.document) | {"profile": "k20"}
        changed = LibraryEntry(found.id, found.file, found.text, document, found.variants)
        entries = tuple(changed if other.id == "SC-03" else other for other in library())
        assert load_library(entries) == (len(entries), 1)
        new = ScenarioVersion.objects.library().get(identifier="SC-03")
        old.refresh_from_db()
        assert new.document["profile"] == "k20"
        assert (old.document["profile"], old.library_position) == ("k28", None)
        assert ScenarioVersion.objects.library().count() == len(entries)

    def test_the_order_of_keys_is_kept(self) -> None:
        held = ScenarioVersion.objects.library().get(identifier="SC-07")
        assert list(held.document) == list(entry("SC-07").document)


@pytest.mark.django_db
class TestSettings:
    def test_one_value_changes_and_nothing_else(self) -> None:
        version = ScenarioVersion.objects.library().get(identifier="SC-03")
        changed = with_settings(version, None, {"switches.duplicate_lookup": False})
        assert changed.document == version.document | {"switches": {"duplicate_lookup": False}}
        assert changed.library_position is None
        assert with_settings(version, None, {"switches.duplicate_lookup": False}) == changed

    def test_a_variant_cannot_undo_it(self) -> None:
        version = ScenarioVersion.objects.library().get(identifier="SC-07")
        path = "producers.p1.settings.enable_idempotence"
        changed = with_settings(version, "plain", {path: True})
        assert scenario_of(version, "plain")["producers"][0]["settings"]["enable_idempotence"] is False
        assert scenario_of(changed, "plain")["producers"][0]["settings"]["enable_idempotence"] is True


class TestSearch:
    @pytest.mark.django_db
    def test_every_word_must_be_found_in_any_language(self) -> None:
        every = cards()
        assert matching(every, "") == every
        assert [card.identifier for card in matching(every, "sc-03")] == ["SC-03"]
        assert "SC-03" in [card.identifier for card in matching(every, "acknowledgement DUPLICATE")]
        assert "SC-03" in [card.identifier for card in matching(every, "确认丢失")]
        assert matching(every, "acknowledgement zebra") == []


@pytest.mark.django_db
class TestPage:
    def test_each_scenario_is_a_card_with_what_one_will_see(self, client: Client) -> None:
        page = client.get("/").content.decode()
        for found in library():
            assert f'id="{found.id}"' in page
        assert "The second copy is answered with the first offset again" in page

    def test_in_chinese(self, client: Client) -> None:
        page = client.get("/", headers={"accept-language": "zh-CN"}).content.decode()
        assert '<html lang="zh-Hans"' in page
        assert "确认丢失，重复被拒绝" in page
        assert "你将看到" in page
        assert "What you will see" not in page

    def test_the_language_is_chosen_by_a_button(self, client: Client) -> None:
        response = client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/"}, follow=True)
        assert '<html lang="zh-Hans"' in response.content.decode()

    def test_the_theme_is_chosen_by_a_button(self, client: Client) -> None:
        assert 'class="dark"' in client.post("/theme", {"theme": "dark"}, follow=True).content.decode()
        assert 'class=""' in client.post("/theme", {"theme": "system"}, follow=True).content.decode()

    @pytest.mark.parametrize("target", ["//evil.example/", "https://evil.example/", "javascript:alert(1)"])
    def test_the_theme_button_leads_to_this_site_only(self, client: Client, target: str) -> None:
        assert client.post("/theme", {"theme": "dark", "next": target})["Location"] == "/"

    def test_what_is_searched_for_is_escaped(self, client: Client) -> None:
        page = client.get("/", {"q": '"><script>alert(1)</script>'}).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page

    def test_no_key_is_missing(self, client: Client) -> None:
        for language in ("en", "zh-hans"):
            page = client.get("/", headers={"accept-language": language}).content.decode()
            assert "[library." not in page
            assert "[page." not in page

    def test_an_unknown_address_has_a_page_with_a_way_back(self, client: Client) -> None:
        response = client.get("/nothing/here")
        assert response.status_code == 404
        assert 'href="/"' in response.content.decode()


@pytest.mark.django_db
class TestWords:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_the_file_holds_every_word(self, client: Client, language: str) -> None:
        response = client.get(f"/catalogue/{language}.json")
        content = response.json()
        assert content["texts"] == {key: found.text(language) for key, found in words().items()}
        assert set(content["sources"]) <= set(content["texts"])

    def test_under_its_digest_it_may_be_kept(self, client: Client) -> None:
        _, digest = catalogue_file("en")
        assert "immutable" in client.get(f"/catalogue/en.json?v={digest}")["Cache-Control"]
        assert "no-cache" in client.get("/catalogue/en.json?v=other")["Cache-Control"]
        tag = client.get("/catalogue/en.json")["ETag"]
        assert client.get("/catalogue/en.json", headers={"if-none-match": tag}).status_code == 304

    def test_there_are_two_languages(self, client: Client) -> None:
        assert client.get("/catalogue/fr.json").status_code == 404


def test_both_texts_of_a_word_use_the_same_parameters() -> None:
    for key, found in interface_words().items():
        assert found.slots("en") == found.slots("zh-Hans"), key


def _keys_of_templates() -> set[str]:
    import re

    from eosviz.launch.places import ROOT

    found: set[str] = set()
    for file in (ROOT / "templates").rglob("*.html"):
        found |= set(re.findall(r'{%-? say "([^"]+)"', file.read_text(encoding="utf-8")))
    return found


def test_every_key_that_a_template_says_exists() -> None:
    keys = _keys_of_templates()
    assert len(keys) > 30
    assert keys <= set(words())


def test_every_difference_has_its_words_and_changes_something() -> None:
    from eosviz.scenarios.differences import DIFFERENCES

    scenario: Any = entry("SC-03").scenario()
    assert scenario["profile"] == "k28"
    for difference in DIFFERENCES.values():
        assert difference.key in words()
        settings = difference.settings(scenario)
        assert bool(settings) == (difference.name != "version_k28")
        if settings:
            assert entry("SC-03").scenario(settings=settings).document != scenario.document
    older: Any = entry("SC-03").scenario(settings={"profile": "k20"})
    assert DIFFERENCES["version_k28"].settings(older) == {"profile": "k28"}


@pytest.mark.django_db
class TestPlainStart:
    def test_a_scenario_whose_variants_alone_tell_its_story_starts_with_the_first(self) -> None:
        chosen = {card.identifier: card.usual_variant for card in cards() if card.usual_variant is not None}
        assert chosen == {
            "SC-41": "tour", "SC-42": "topic-absent", "SC-51": "abort", "SC-52": "separate", "SC-57": "decision",
            "SC-58": "leader-moves", "SC-72": "find-coordinator", "SC-78": "k28", "SC-81": "refuses",
            "SC-83": "manual-a", "SC-86": "before-local-commit",
        }  # fmt: skip

    def test_every_plain_start_makes_more_than_a_step(self) -> None:
        for card in cards():
            simulation = Simulation(entry(card.identifier).scenario(card.usual_variant))
            assert simulation.run(steps=2) == 2, card.identifier

    def test_the_page_offers_no_run_in_which_nobody_acts(self, client: Client) -> None:
        page = client.get("/").content.decode()
        form = page[page.index('id="SC-72"') : page.index('id="SC-73"')]
        assert '<option value="">' not in form and '<option value="find-coordinator">' in form
        assert '<option value="">' in page[page.index('id="SC-73"') : page.index('id="SC-74"')]
