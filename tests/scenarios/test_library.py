"""The library page, its words, and how documents become the library."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.test import Client
from django.utils import translation

from engine.ending import ending_of
from engine.judge.bench import DATABASE_GUARANTEES
from engine.scenario.document import LESSON_TEXTS, lesson_texts
from engine.scenario.schema import LIBRARY_QUESTIONS
from engine.scenario.shelf import LibraryEntry, entry, in_order, library
from engine.simulation import Simulation
from engine.view.run_ahead import plan_ahead
from eosviz.catalogue import LANGUAGES, catalogue_file, interface_words, words
from eosviz.scenarios import choices, endings, trailer, trailer_picture
from eosviz.scenarios.actions import load_library, with_settings
from eosviz.scenarios.cards import Shelved, card_of, cards, shelf
from eosviz.scenarios.differences import possible
from eosviz.scenarios.models import Endings, ScenarioVersion
from eosviz.scenarios.templatetags import pictures
from eosviz.scenarios.verdict_picture import SIGNS, picture
from eosviz.tracks.lessons import lesson_of_version
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.simulations import scenario_of
from tests.walkthroughs.conftest import carry_out, root


def shelved(identifier: str) -> Shelved:
    return next(one for one in shelf() if one.card.identifier == identifier)


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
        version = ScenarioVersion.objects.library().get(identifier="SC-04")
        changed = with_settings(version, None, {"switches.duplicate_lookup": False})
        assert changed.document == version.document | {"switches": {"duplicate_lookup": False}}
        assert changed.library_position is None
        assert with_settings(version, None, {"switches.duplicate_lookup": False}) == changed

    def test_the_authors_names_of_beats_describe_only_the_run_as_written(self) -> None:
        """The beat of SC-115 names the delay that lets a batch expire first. With a client of Kafka 2.0, no batch
        expires.
        """
        version = ScenarioVersion.objects.library().get(identifier="SC-115")
        changed = with_settings(version, "stored-after-all", {"profile": "k20"})
        assert [row["kind"] for row in version.document["beats"]] == ["message_delayed"]
        written, there = (scenario_of(one, "stored-after-all") for one in (version, changed))
        titled = [any("title" in beat for beat in plan_ahead(one)["beats"]) for one in (written, there)]
        assert titled == [True, False]

    def test_a_copy_with_other_settings_divides_the_run_like_the_original(self) -> None:
        """SC-109 has one of its beats only because its author gave it a title."""
        version = ScenarioVersion.objects.library().get(identifier="SC-109")
        copied = with_settings(version, None, {})
        lands = [
            [beat["lands"] for beat in plan_ahead(scenario_of(one, None))["beats"]]
            for one in (version, copied)
        ]
        assert lands[0] == lands[1]

    def test_a_variants_title_describes_only_the_run_as_written(self) -> None:
        """In Kafka 4.1, the write is refused that opens a transaction in the variant k28 of SC-101."""
        version = ScenarioVersion.objects.library().get(identifier="SC-101")
        changed = with_settings(version, "k28", {"profile": "k41"})
        written, there = (Simulation(scenario_of(one, "k28")).header() for one in (version, changed))
        title = written["variant_title"]
        assert title is not None
        assert title["en"] == "Kafka 2.8: the late write opens a transaction that hangs"
        assert (there["variant"], there["variant_title"]) == ("k28", None)
        assert "named" not in lesson_of_version(changed, "k28")

    def test_a_variant_cannot_undo_it(self) -> None:
        version = ScenarioVersion.objects.library().get(identifier="SC-07")
        path = "producers.p1.settings.enable_idempotence"
        changed = with_settings(version, "plain", {path: True})
        assert scenario_of(version, "plain")["producers"][0]["settings"]["enable_idempotence"] is False
        assert scenario_of(changed, "plain")["producers"][0]["settings"]["enable_idempotence"] is True


@pytest.mark.django_db
class TestEndings:
    def test_every_run_of_the_library_is_kept_as_the_engine_ends_it(self) -> None:
        for version in ScenarioVersion.objects.library().select_related("endings"):
            found = entry(version.identifier)
            assert list(version.endings.runs) == ["", *found.variants]
        duplicate = ScenarioVersion.objects.library().get(identifier="SC-02").endings.runs[""]
        assert duplicate == json.loads(json.dumps(ending_of(entry("SC-02").scenario())))
        assert duplicate["broken"] == {"duplicated": 1}
        assert [cell[0] for cell in duplicate["lanes"][0]["cells"]].count("duplicate") == 1

    def test_a_variant_that_ends_otherwise_has_a_lesson_of_its_own(self) -> None:
        """The lesson of the document would promise what does not happen in the variant."""
        for version in ScenarioVersion.objects.library().select_related("endings"):
            document, runs = version.document, version.endings.runs
            played = {variant["name"] for variant in document.get("variants", ())}
            played |= set() if card_of(version).usual_variant else {""}
            broken = {name: set(runs[name]["broken"]) for name in played if "broken" in runs[name]}
            for text in LESSON_TEXTS:
                shown = [name for name in broken if lesson_texts(document, name)[text] == document.get(text)]
                assert all(broken[name] == broken[shown[0]] for name in shown), (
                    f"{version.identifier}: {shown}"
                )

    def test_without_prepared_endings_or_with_those_of_another_engine_the_scenario_is_run(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        prepared = endings.endings_of(entry("SC-02"))
        monkeypatch.setattr(endings, "_computed", {})
        monkeypatch.setattr(endings, "ENDINGS", tmp_path)
        monkeypatch.setattr(endings, "_prepared", endings._prepared.__wrapped__)
        assert json.loads(json.dumps(endings.endings_of(entry("SC-02")))) == json.loads(json.dumps(prepared))

    def test_endings_of_an_older_form_are_made_anew(self) -> None:
        Endings.objects.filter(version__identifier="SC-03").update(form="0", runs={})
        assert load_library() == (len(library()), 0)
        assert Endings.objects.get(version__identifier="SC-03").runs[""]["steps"] > 100

    def test_what_an_ending_says_is_what_the_run_says(self) -> None:
        open_for_ever = ending_of(entry("SC-75").scenario("wall"))["lanes"][0]
        assert [cell[0] for cell in open_for_ever["cells"]] == ["stored", "open", "stored", "stored"]
        assert open_for_ever["gate"] == 1
        assert ending_of(entry("SC-01").scenario())["lanes"][0]["lost"] == 1
        assert ending_of(entry("SC-07").scenario("six-in-flight"))["refused_by"] == "CFG-2"
        votes = ending_of(entry("SC-81").scenario("refuses"))["nodes"]
        assert [state for _, state in votes] == ["ROLLED_BACK", "REFUSED", "ROLLED_BACK"]

    @pytest.mark.parametrize(
        ("scenario", "variant", "rows", "broken", "words"),
        [
            ("SC-159", "row-first", [1, 1], {"record_missing": 1}, "2 rows, 1 record missing"),
            ("SC-159", "record-first", [1], {"row_missing": 1}, "1 row, 1 row missing"),
            ("SC-160", "offsets-after-rows", [2, 2], {"row_repeated": 2}, "4 rows, 2 rows repeated"),
            ("SC-160", "offsets-before-rows", [], {"row_missing": 2}, "2 rows missing"),
            ("SC-162", "shop-crashes", [], {}, "no rows"),
        ],
    )
    def test_an_ending_has_the_rows_of_a_database(
        self, scenario: str, variant: str, rows: list[int], broken: dict[str, int], words: str
    ) -> None:
        run = next(run for run in shelved(scenario).runs if run.variant and run.variant.name == variant)
        kept = {name: run.ending["table"][name] for name in DATABASE_GUARANTEES}
        assert run.ending["table"]["rows"] == rows
        assert {name: count for name, count in kept.items() if count} == broken
        with translation.override("en"):
            assert f"database: {words}" in pictures.ends(run)
        drawn = picture(run.ending)
        assert drawn.count("l7 8m0-8l-7 8") == broken.get("row_missing", 0) + broken.get("record_missing", 0)
        assert drawn.count("v4m3-4v4") == broken.get("row_repeated", 0)

    @pytest.mark.parametrize(
        ("scenario", "sign"), [("SC-55", "crash"), ("SC-145", "crash"), ("SC-125", "late")]
    )
    def test_a_delay_that_arranges_a_crash_is_not_what_happens(self, scenario: str, sign: str) -> None:
        assert SIGNS[sign] in picture(ending_of(entry(scenario).scenario()))

    def test_a_deleted_topic_is_not_one_that_stored_nothing(self) -> None:
        run = shelved("SC-59").run("deleted-meanwhile")
        with translation.override("en"):
            assert pictures.ends(run) == "t-0: topic deleted; t-1: topic deleted"


@pytest.mark.django_db
class TestMap:
    def test_every_scenario_answers_one_question_and_stands_under_it(self) -> None:
        every = shelf()
        under = choices.questions(every, choices.read({}))
        assert [question.name for question in under] == list(LIBRARY_QUESTIONS)
        placed = [shown.card.identifier for question in under for shown in question.shown]
        assert sorted(placed, key=in_order) == [found.id for found in library()]

    def test_a_scenario_is_shown_by_the_run_that_is_as_asked_for(self) -> None:
        chosen = choices.read({"breaks": "hanging"})
        shown = {one.card.identifier: one.run for q in choices.questions(shelf(), chosen) for one in q.shown}
        assert shown["SC-58"].name == "SC-58/retry-off"
        assert all("hanging" in run.broken for run in shown.values())

    def test_the_counts_are_those_of_what_is_then_shown(self) -> None:
        every, chosen = shelf(), choices.read({"length": "short"})
        for one in choices.filters(every, chosen, "/library/"):
            for option in one.options:
                then = choices.read(QueryDict(urlsplit(option.address).query).dict())
                if not option.chosen:
                    assert option.count == sum(len(q.shown) for q in choices.questions(every, then)) > 0

    def test_values_that_find_nothing_are_not_offered(self) -> None:
        offered = choices.filters(
            shelf(), choices.read({"topic": "middleware", "length": "short"}), "/library/"
        )
        assert all(option.count > 0 or option.chosen for one in offered for option in one.options)
        assert len(choices.filters(shelf(), choices.read({}), "/library/")) == len(choices.VALUES)

    def test_a_run_without_brokers_has_no_version(self) -> None:
        topics = {"topic": "middleware", "version": "k28"}
        found = [one.run for q in choices.questions(shelf(), choices.read(topics)) for one in q.shown]
        assert found and all(run.has_brokers for run in found)

    def test_what_no_filter_has_is_named_and_left_out(self, client: Client) -> None:
        page = client.get("/library/", {"topic": "nosuch", "breaks": "lost"}).content.decode()
        assert "nosuch" in page and 'role="alert"' in page
        assert 'id="SC-01"' in page and 'id="SC-03"' not in page


@pytest.mark.django_db
class TestPage:
    def test_each_scenario_has_its_picture_and_can_be_started(self, client: Client) -> None:
        page = client.get("/library/").content.decode()
        for found in library():
            card = page[page.index(f'id="{found.id}"') :].partition("</li>")[0]
            assert "<svg" in card and 'form="start"' in card

    def test_long_error_names_break_after_an_underscore(self, client: Client) -> None:
        page = client.get("/library/", {"topic": "commit-or-abort"}).content.decode()
        assert ">CONCURRENT_<wbr>TRANSACTIONS</span> between two" in page

    def test_a_started_card_plays_the_run_that_it_shows(self, client: Client) -> None:
        response = client.post("/sessions/new", {"scenario": "SC-58/retry-off"})
        session = Session.objects.get(id=response["Location"].split("/")[2])
        assert (session.version.identifier, session.variant) == ("SC-58", "retry-off")

    def test_the_card_of_a_refused_run_says_so(self, client: Client) -> None:
        page = client.get("/library/?version=k010&topic=before-sending").content.decode()
        assert "SC-07" in page and "refused before step 1" in page and ">0 steps<" not in page

    def test_a_run_leads_back_to_its_card_and_to_the_chosen_filters(self, client: Client) -> None:
        client.get("/library/", {"breaks": "lost", "topic": "nosuch"})
        response = client.post("/sessions/new", {"scenario": "SC-01"}, follow=True)
        assert ' library="/library/?breaks=lost#SC-01"' in response.content.decode()
        client.get("/library/")
        page = client.get("/sessions/new?scenario=SC-03").content.decode()
        assert 'href="/library/#SC-03"' in page

    def test_in_chinese(self, client: Client) -> None:
        page = client.get("/library/", headers={"accept-language": "zh-CN"}).content.decode()
        assert '<html lang="zh-Hans"' in page
        assert "确认丢失，重发被识别为重复" in page
        assert "为什么消费者看不到我的记录？" in page
        assert "Why does my reader" not in page

    def test_the_language_is_chosen_by_a_button(self, client: Client) -> None:
        response = client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/"}, follow=True)
        assert '<html lang="zh-Hans"' in response.content.decode()

    def test_the_theme_is_chosen_by_a_button(self, client: Client) -> None:
        assert 'class="dark"' in client.post("/theme", {"theme": "dark"}, follow=True).content.decode()
        assert 'class=""' in client.post("/theme", {"theme": "system"}, follow=True).content.decode()

    @pytest.mark.parametrize("target", ["//evil.example/", "https://evil.example/", "javascript:alert(1)"])
    def test_the_theme_button_leads_to_this_site_only(self, client: Client, target: str) -> None:
        assert client.post("/theme", {"theme": "dark", "next": target})["Location"] == "/"

    @pytest.mark.parametrize("address", ["/", "/library/", "/search/"])
    def test_what_is_searched_for_is_escaped(self, client: Client, address: str) -> None:
        asked = {"q": '"><script>alert(1)</script>'}
        page = client.get(address, asked, follow=True).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page

    def test_no_key_is_missing(self, client: Client) -> None:
        for language in ("en", "zh-hans"):
            for address in ("/", "/library/", "/sessions/", "/sessions/new?scenario=SC-58"):
                page = client.get(address, headers={"accept-language": language}).content.decode()
                assert not re.search(r"\[(library|page|front|player|tracks)\.", page), address

    def test_an_unknown_address_has_a_page_with_a_way_back(self, client: Client) -> None:
        response = client.get("/nothing/here")
        assert response.status_code == 404
        assert 'href="/library/"' in response.content.decode()


@pytest.mark.django_db
def test_an_ending_counts_records_as_the_result_of_the_run_does() -> None:
    """Aborted records and duplicates count as stored."""
    run = next(one for one in shelved("SC-75").runs if one.name == "SC-75/timeout")
    assert pictures.ends(run) == "t-0: 5 stored (including 2 aborted), 1 ABORT marker"


@pytest.mark.django_db
class TestFrontPage:
    def test_its_pictures_show_more_than_an_empty_log(self) -> None:
        for question in choices.questions(shelf(), choices.Chosen({})):
            pictured = [picture(one.run.ending) for one in question.pictured]
            assert len(pictured) == choices.PICTURED
            assert all(re.search('class="(?!base)', one.split(">", 1)[1]) for one in pictured), question.name

    def test_its_scenes_are_steps_of_the_run_in_its_order(self) -> None:
        scenes = trailer.scenes()
        assert [scene.name for scene in scenes] == [name for name, _, _ in trailer.CHOSEN]
        assert [scene.step for scene in scenes] == sorted(scene.step for scene in scenes)
        by_name = {scene.name: scene for scene in scenes}
        assert by_name["sent_again"].travels == {"request-7": "out"}
        assert by_name["recognised"].travels == {"request-7": "compared"}
        # The next batch is lost together with the response; it is stored when it arrives for the first time.
        assert by_name["next_sent"].travels == {"answer-2": "out", "request-4": "out"}
        assert by_name["answer_lost"].travels == {"answer-2": "lost", "request-4": "lost"}
        resent = by_name["next_resent"].travels
        assert [*resent.values()] == ["out"] and by_name["others_stored"].travels == dict.fromkeys(
            resent, "taken"
        )
        assert (
            by_name["answer_lost"].numbers["request-4"] == by_name["others_stored"].stored[-1][1:] == (1, 2)
        )
        assert all(by_name["read_once"].believed) and by_name["read_once"].read == 43
        # The duplicate does not change what is stored, and the producer learns of it only with the response.
        assert by_name["sent_again"].stored == by_name["recognised"].stored == by_name["answered"].stored
        assert [by_name[name].believed[0] for name in ("recognised", "answered")] == [False, True]

    def test_every_thing_has_a_place_in_every_scene(self) -> None:
        for form in trailer_picture.FORMS:
            drawn = trailer_picture.drawing(form, "en")
            assert form.reader > form.broker[1] + form.broker[3], "the consumer is no part of the broker"
            for at in re.findall(r'data-at="([^"]+)"', drawn):
                assert len(at.split(";")) == len(trailer.CHOSEN)

    def test_a_message_comes_out_of_its_sender_and_disappears_where_it_was(self) -> None:
        for form in trailer_picture.FORMS:
            drawn = trailer_picture.drawing(form, "en")
            for at in re.findall(r'class="thing message" [^>]*data-at="([^"]+)"', drawn):
                places = [one.split() for one in at.split(";")]
                shown = [number for number, (look, *_) in enumerate(places) if look != "off"]
                assert shown[0] == 0 or places[shown[0] - 1][1:] != places[shown[0]][1:]
                assert all(place[1:] == places[shown[-1]][1:] for place in places[shown[-1] :])

    def test_who_was_here_goes_on_where_they_were(self, client: Client) -> None:
        assert 'class="resume"' not in client.get("/").content.decode()
        response = client.post("/tracks/exactly-once/1/begin")
        page = client.get("/").content.decode()
        assert f"{response['Location']}?branch=" in page
        assert "Exactly-once from the ground up, 1 of 8" in page and "step 0" not in page
        assert 'href="/sessions/"' in page

    def test_a_run_without_a_step_is_nothing_to_go_on_with(self, client: Client) -> None:
        client.post("/api/sessions", {"scenario": "SC-03"}, content_type="application/json")
        page = client.get("/").content.decode()
        assert 'class="resume-card"' not in page and 'href="/sessions/"' in page
        session = Session.objects.get()
        carry_out(session, "advance", root(session), after=0, count=1)
        assert "step 1 of" in client.get("/").content.decode()

    def test_the_length_of_a_run_with_other_settings_is_not_that_of_the_library(self, client: Client) -> None:
        client.post("/api/sessions", {"scenario": "SC-03"}, content_type="application/json")
        session = Session.objects.get()
        carry_out(session, "advance", root(session), after=0, count=1)
        session.version = with_settings(session.version, None, {"switches.duplicate_lookup": False})
        session.save()
        assert "step 1 of" not in client.get("/").content.decode()

    def test_they_go_on_at_the_step_that_was_on_show_last(self, client: Client) -> None:
        client.post("/tracks/exactly-once/1/begin")
        session = Session.objects.get()
        carry_out(session, "advance", root(session), after=0, count=20)
        for kept, step in (
            (f"{session.id}.{root(session).id}.7", 7),
            (f"{session.id}.{root(session).id}.99", 20),
        ):
            client.cookies["place"] = kept
            assert f"&amp;step={step}" in client.get("/").content.decode()
        for kept in ("", "no place", f"{session.id}.0.7", f"{uuid4()}.{root(session).id}.7"):
            client.cookies["place"] = kept
            assert "&amp;step=20" in client.get("/").content.decode()

    def test_the_run_on_show_last_is_offered_with_its_variant_though_another_is_newer(
        self, client: Client
    ) -> None:
        for chosen in ({"scenario": "SC-61", "variant": "epoch-check-off"}, {"scenario": "SC-61"}):
            client.post("/api/sessions", chosen, content_type="application/json")
        shown, newer = Session.objects.order_by("created")
        for session in (shown, newer):
            carry_out(session, "advance", root(session), after=0, count=3)
        client.cookies["place"] = f"{shown.id}.{root(shown).id}.2"
        page = client.get("/").content.decode()
        assert f'href="/sessions/{shown.id}/?branch={root(shown).id}&amp;step=2"' in page
        assert "leaders do not compare epochs" in page.split("</section>")[0]
        client.cookies["place"] = f"{'-' * 36}.1.2"
        assert str(newer.id) in client.get("/").content.decode()

    def test_it_is_drawn_as_it_stands_and_the_track_goes_on_once_it_was_seen(self, client: Client) -> None:
        client.post("/tracks/exactly-once/1/begin")
        resumed = re.compile(r'<section class="resume".*?</section>', re.DOTALL)
        assert "<svg" not in resumed.search(client.get("/").content.decode())[0]  # type: ignore[index]
        session = Session.objects.get(version__identifier="SC-01")
        carry_out(session, "advance", root(session), after=0, count=29)
        Branch.objects.update(finished="complete")
        client.post("/tracks/exactly-once/1/finish")
        Session.objects.exclude(version__identifier="SC-01").delete()
        found = resumed.search(client.get("/").content.decode())
        assert found is not None
        # Record 2 was reported as successful but is in no log, so the picture has a cross for it.
        assert 'class="cross"' in found[0] and "finished" in found[0]
        assert (
            "Your last run: Exactly-once from the ground up, 1 of 8" in found[0]
            and "Continue" not in found[0]
        )
        assert (
            "Next: Without idempotence, a retry stores a duplicate" in found[0]
            and 'action="/tracks/exactly-once/1/finish"' in found[0]
        )

    def test_an_old_search_leads_to_the_new_one(self, client: Client) -> None:
        assert client.get("/", {"q": "标记 x"})["Location"] == "/search/?q=%E6%A0%87%E8%AE%B0+x"
        assert client.get("/library/", {"q": "lso"})["Location"] == "/search/?q=lso"
        assert client.get("/", {"sessions": "all"})["Location"] == "/sessions/"


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
        if difference.of == "middleware":
            continue
        assert bool(settings) == (difference.name != "version_k28")
        if settings:
            assert entry("SC-03").scenario(settings=settings).document != scenario.document
    older: Any = entry("SC-03").scenario(settings={"profile": "k20"})
    assert DIFFERENCES["version_k28"].settings(older) == {"profile": "k28"}


def test_idempotence_is_turned_on_where_the_version_has_it_off_by_default() -> None:
    from eosviz.scenarios.differences import DIFFERENCES

    settings = DIFFERENCES["idempotence"].settings(entry("SC-08").scenario("k28"))
    assert settings["producers.p1.settings.enable_idempotence"] is False
    assert settings["producers.p2.settings.enable_idempotence"] is True, "written without the setting"


@pytest.mark.parametrize(
    ("name", "variant", "versions"),
    [
        ("SC-44", "k28", ["k010", "k20", "k39", "k41-k39", "k41"]),
        ("SC-22", None, ["k010", "k20"]),
        ("SC-89", "pause", ["k41-k39", "k41"]),
        ("SC-92", "without-reconnection", ["k39", "k41-k39", "k41"]),
    ],
)
def test_a_version_is_offered_whose_cluster_has_what_the_scenario_names(
    name: str, variant: str | None, versions: list[str]
) -> None:
    """A version in which one side refuses the other is offered, because the refusal is a lesson (SC-44 with Kafka
    0.10: CPT-7). A version whose cluster does not have a fault of the scenario is not offered.
    """
    offered = [found.name for found in possible(entry(name).scenario(variant))]
    assert [one for one in offered if one.startswith("version_")] == [f"version_{one}" for one in versions]


def test_middleware_without_kafka_is_compared_by_its_own_mechanisms_alone() -> None:
    offered = [found.name for found in possible(entry("SC-81").scenario("refuses"))]
    assert offered == ["back_check", "durable_prepared_messages", "idempotent_handlers"]
    both = {found.name for found in possible(entry("SC-88").scenario("nobody-silent"))}
    assert {"version_k20", "back_check"} <= both


@pytest.mark.django_db
class TestPlainStart:
    def test_a_scenario_whose_variants_alone_tell_its_story_starts_with_the_first(self) -> None:
        chosen = {card.identifier: card.usual_variant for card in cards() if card.usual_variant is not None}
        assert chosen == {
            "SC-11": "waits", "SC-41": "tour", "SC-42": "topic-absent", "SC-51": "abort", "SC-52": "separate",
            "SC-56": "weak", "SC-57": "decision", "SC-58": "leader-moves", "SC-70": "check-off",
            "SC-72": "find-coordinator", "SC-78": "k28", "SC-81": "refuses", "SC-83": "manual-a",
            "SC-86": "before-local-commit", "SC-91": "write-hangs-2-8", "SC-92": "raised", "SC-93": "at-rest",
            "SC-124": "crash", "SC-132": "same-coordinator", "SC-141": "plain-later", "SC-145": "stable",
            "SC-166": "used-twice", "SC-169": "not-sent",
        }  # fmt: skip

    def test_every_plain_start_makes_more_than_a_step(self) -> None:
        for card in cards():
            simulation = Simulation(entry(card.identifier).scenario(card.usual_variant))
            assert simulation.run(steps=2) == 2, card.identifier

    def test_the_page_offers_no_run_in_which_no_component_acts(self, client: Client) -> None:
        assert shelved("SC-72").runs[0].name == "SC-72/find-coordinator"
        assert shelved("SC-73").runs[0].name == "SC-73"
        page = client.get("/library/").content.decode()
        assert 'value="SC-72/find-coordinator"' in page and 'value="SC-73"' in page


@pytest.mark.django_db
def test_a_run_with_the_picture_of_the_first_run_says_so() -> None:
    runs = shelved("SC-61").different
    said = {run.name: pictures.ends_like(run, runs) for run in runs}
    assert said["SC-61"] == said["SC-61/epoch-and-sequence-checks-off"] == ""
    assert said["SC-61/epoch-check-off"] == "Ends like the original run, but takes a different path."
