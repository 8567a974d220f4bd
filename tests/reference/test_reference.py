"""Reference pages are generated from the engine's tables; they are complete, in both languages."""

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from engine.coordinator.transaction_states import TRANSACTION_STATES
from engine.errors import Error
from engine.explain.machines import machine_json, machines
from engine.explain.sentences import LANGUAGES, catalogue
from engine.machine import Machine
from engine.profiles import PROFILES
from engine.pseudocode.documents import components, place_of_sentence
from engine.scenario.shelf import library
from engine.simulation import Simulation
from engine.telling.comparison import COMPARISON
from engine.telling.rows import row_key
from eosviz.catalogue import say, words
from eosviz.pipeline.kafka_logs.log_lines import KINDS
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind
from eosviz.reference import drawing, search_index, tables
from eosviz.reference.search_terms import understand
from eosviz.reference.signatures import PARTS, fitting, signatures
from eosviz.reference.views import REQUIREMENT_GROUPS

PAGES = (
    "index",
    "machines",
    "code",
    "errors",
    "signatures",
    "libraries",
    "versions",
    "requirements",
    "contradictions",
    "middleware",
    "terms",
    "limits",
    "player",
    "search",
)
pytestmark = pytest.mark.django_db


def text(client: Client, name: str, *args: Any, language: str = "en") -> str:
    response = client.get(reverse(f"reference:{name}", args=args), HTTP_ACCEPT_LANGUAGE=language)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("name", PAGES)
def test_every_word_of_a_page_is_in_the_catalogue(client: Client, name: str, language: str) -> None:
    page = text(client, name, language=language)
    assert not re.search(r"\[(reference|requirement|page|term|limit|code)\.", page)


@pytest.mark.requirement("MW-15")
def test_the_middleware_scheme_stands_beside_kafka_aspect_by_aspect(client: Client) -> None:
    for language in LANGUAGES:
        page = html.unescape(text(client, "middleware", language=language.lower()))
        for aspect in COMPARISON:
            for key in (aspect.title, aspect.here, aspect.kafka):
                assert say(key, language) in page
    assert reverse("reference:middleware") in text(client, "requirement", "MW-15")
    assert reverse("reference:middleware") not in text(client, "requirement", "SEQ-11")


def test_the_versions_stand_side_by_side_oldest_first(client: Client) -> None:
    page = text(client, "versions")
    assert re.findall(r"\(Kafka ([\d.]+)\)", page) == [profile.version for profile in PROFILES.values()]
    (levels,) = re.findall(r"transaction_version</code></th>(.*?)</tr>", page)
    assert re.findall(r"<td>(.*?)</td>", levels) == ["0", "0", "0", "0", "2"]


def test_every_machine_is_found_and_served_as_the_engine_has_it(client: Client) -> None:
    from engine.client.batch_states import MACHINE as batches

    assert machines()[batches.name] is batches
    for name, machine in machines().items():
        assert isinstance(machine, Machine)
        assert client.get(reverse("reference:machine", args=[name])).json() == machine_json(machine)
    page = text(client, "machines")
    assert all(f'id="{name}"' in page for name in machines())
    assert say(row_key(batches.rows[0]), "en") in html.unescape(page)


def test_the_code_of_every_component_is_shown_and_its_machine_leads_to_it(client: Client) -> None:
    page = text(client, "code")
    for component in components().values():
        assert f'id="{component.name}"' in page
        assert all(escape(line.text) in page for line in component.lines)
    machines = text(client, "machines", language="zh-hans")
    for component in components().values():
        links = machines.count(f"/reference/code/#{component.name}")
        assert links == len(component.machines)
    assert "对应代码：事务协调者" in machines


def test_the_page_gets_the_code_as_the_engine_has_it(client: Client) -> None:
    served = client.get(reverse("reference:code_json")).json()
    assert set(served["components"]) == set(components())
    assert served["rows"]["transaction_states"][0] == list(
        place_of_sentence(row_key(TRANSACTION_STATES.rows[0])) or ()
    )


def test_the_reason_of_every_row_is_a_sentence_in_both_languages() -> None:
    missing = {row_key(row) for machine in machines().values() for row in machine.rows} - words().keys()
    assert not missing


def test_every_error_stands_on_its_page(client: Client) -> None:
    page = text(client, "errors")
    assert all(f'id="{error.name}"' in page for error in Error if error is not Error.NONE)


def test_every_signature_is_in_both_languages_and_names_only_what_exists() -> None:
    names = [one.name for one in signatures()]
    assert len(set(names)) == len(names)
    runs = {found.id: {variant.split("/")[-1] for variant in found.variants} for found in library()}
    for one in signatures():
        parts = [one.title, *(getattr(one, part) for part in PARTS)]
        assert all(set(part) == set(LANGUAGES) and all(part.values()) for part in parts), one.name
        assert one.signs and one.issues, one.name
        assert set(one.errors) <= {error.name for error in Error}, one.name
        assert set(one.verdicts) <= set(VerdictKind), one.name
        assert set(one.lines) <= KINDS.keys(), one.name
        for name, scenario, variant in one.runs:
            assert scenario in runs and (not variant or variant in runs[scenario]), name
    # Every verdict that is neither healthy nor undecided is explained by a signature.
    explained = {verdict for one in signatures() for verdict in one.verdicts}
    assert explained == set(VerdictKind) - {VerdictKind.UNDECIDED, VerdictKind.EVIDENCE_DELETED}


def test_the_runs_of_a_signature_can_be_begun_from_its_entry_and_its_errors_looked_up(client: Client) -> None:
    page = html.unescape(text(client, "signatures"))
    assert all(f'id="{one.name}"' in page for one in signatures())
    errors = text(client, "errors")
    for one in signatures():
        assert all(f'id="{error}"' in errors for error in one.errors)
    links = set(re.findall(r'href="([^"]*scenario=[^"]*)"', page))
    assert len(links) == len({name for one in signatures() for name in one.scenarios})
    assert [client.get(link).status_code for link in sorted(links)[:3]] == [200] * 3


def test_a_signature_and_its_errors_lead_to_the_tracks_that_play_its_runs(client: Client) -> None:
    known = {one.name: one for one in signatures()}
    assert [track.name for track in known["fenced-by-timeout"].tracks] == [
        "a-transaction-is-stuck",
        "why-am-i-fenced",
        "retry-abort-or-new-producer",
        "before-it-goes-live",
    ]
    assert known["head-deleted"].tracks == ()
    for page in ("signatures", "errors"):
        assert f'href="{reverse("tracks:detail", args=["why-am-i-fenced"])}"' in text(client, page)
    fenced = text(client, "errors").partition('id="PRODUCER_FENCED"')[2].partition("<dt id=")[0]
    assert f"{reverse('reference:signatures')}#fenced-by-timeout" in fenced
    assert reverse("tracks:detail", args=["why-am-i-fenced"]) in fenced


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("KAFKA-12671", "late-write"),
        ("UnknownProducerIdException", "head-deleted"),
        ("标记全部得到确认", "completion-missing"),
    ],
)
def test_a_signature_is_found_by_its_issue_by_what_is_logged_and_by_its_title(
    question: str, name: str
) -> None:
    assert name in [row.identifier for row in search_index.answer(question, "zh-Hans").found["signature"]]


def test_a_verdict_and_a_line_of_a_log_lead_to_what_explains_them() -> None:
    orphans = ["not-added", "state-expired", "fencing-expired", "late-failure"]
    assert [one.name for one in fitting("orphan")] == orphans
    assert [one.name for one in fitting(None, ["sequence_refused"])] == ["sequence-refused"]
    assert fitting(None) == fitting("undecided", ["loaded"]) == ()


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


def test_every_way_of_a_machine_is_drawn_once_and_no_two_rails_lie_over_each_other() -> None:
    for machine in machines().values():
        drawn = drawing.draw(machine)
        assert sorted(box.state for box in drawn.boxes) == sorted(machine.states)
        assert drawn.boxes[0].state == machine.initial
        edges = {(dot.source, dot.target): dot.events for dot in drawn.dots}
        assert edges == drawing.edges_of(machine)
        assert len(drawn.dots) == len(edges)
        rails: dict[float, list[tuple[float, float]]] = {}
        for path in drawn.lines:
            if upright := re.fullmatch(r"M([\d.]+) ([\d.]+)V([\d.]+)", path):
                x, start, end = map(float, upright.groups())
                assert all(end < low or start > high for low, high in rails.get(x, [])), machine.name
                rails.setdefault(x, []).append((start, end))
                assert 0 < x < drawn.width


def test_every_contradiction_stands_on_its_page_with_the_scenarios_that_show_it(client: Client) -> None:
    page = text(client, "contradictions")
    rows = tables.requirement_rows(tables.CONTRADICTION)
    assert [row.identifier for row in rows] == [f"CTR-{number}" for number in range(1, len(rows) + 1)]
    assert all(f'id="{row.identifier}"' in page for row in rows)
    assert any(row.scenarios for row in rows)


def test_a_requirement_of_the_list_names_its_scenarios(client: Client) -> None:
    page = text(client, "requirements")
    for identifier, scenarios in tables.shown_by().items():
        assert identifier in page
        assert all(f"scenario={scenario}" in page for scenario in scenarios)


@pytest.mark.parametrize(
    ("question", "kind", "identifier"),
    [
        ("sc-08", "scenario", "SC-08"),
        ("INVALID_PRODUCER_EPOCH", "error", "INVALID_PRODUCER_EPOCH"),
        ("fencing", "term", "fencing"),
        ("高水位", "term", "high_watermark"),
        ("ＬＳＯ", "term", "last_stable_offset"),
        ("ctr-13", "requirement", "CTR-13"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_for_by_name_is_found_first(
    question: str, kind: str, identifier: str, language: str
) -> None:
    assert search_index.answer(question, language).found[kind][0].identifier == identifier


def test_every_word_of_the_question_must_stand_in_what_is_found() -> None:
    both = search_index.answer("marker epoch", "en").found
    assert any(both.values())
    for kind in set(search_index.KINDS) - {search_index.LESSON}:
        one = {row.identifier for row in search_index.answer("marker", "en").found.get(kind, [])}
        assert {row.identifier for row in both.get(kind, [])} <= one
    assert not any(search_index.answer("  ", "en").found.values())
    assert search_index.answer("marker nosuchword", "en").is_partial


def test_scenarios_that_have_both_of_two_words_come_first() -> None:
    marker, epoch = (
        {row.identifier for row in search_index.answer(word, "en").found["scenario"]}
        for word in ("marker", "epoch")
    )
    found = [row.identifier for row in search_index.answer("marker epoch", "en").found["scenario"]]
    have_both = [name in marker & epoch for name in found]
    assert have_both == sorted(have_both, reverse=True)
    assert have_both[0]


def test_an_excerpt_holds_the_word_that_was_found() -> None:
    for rows in search_index.answer("sequence", "en").found.values():
        for row in rows:
            assert len(row.excerpt) <= search_index.EXCERPT["en"] + 4
    long = "a" * 300 + " marker " + "b" * 300
    assert "marker" in search_index.excerpt(long, understand("marker"))
    text = f"{'It ends. ' * 40}The marker is written. {'It ends. ' * 40}"
    assert search_index.excerpt(text, understand("marker")).startswith("… The marker is written.")


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("partition lanes", "en"),
        ("swim lanes", "en"),
        ("notable step", "en"),
        ("inspect", "en"),
        ("keyboard shortcuts", "en"),
        ("dark mode", "en"),
        ("分区日志", "zh-Hans"),
        ("快捷键", "zh-Hans"),
    ],
)
def test_panels_and_keys_of_the_player_are_found(typed: str, language: str) -> None:
    assert "reference:player" in [
        row.identifier for row in search_index.answer(typed, language).found["page"]
    ]


def test_a_word_is_found_where_it_begins_one_and_an_abbreviation_by_its_long_form() -> None:
    texts = {(entry.kind, entry.identifier): entry.whole for entry in search_index.entries()}
    for rows in search_index.answer("LSO", "en").found.values():
        for row in rows:
            # LastStableOffsetLag, a metric, is among the names in a signature.
            assert re.search(r"\blso\b|\blast[ _]?stable[ _]?offset", texts[(row.kind, row.identifier)]), row
    rules = {row.identifier for row in search_index.answer("LSO", "zh-Hans").found["requirement"]}
    assert rules == {row.identifier for row in search_index.answer("LSO", "en").found["requirement"]}
    assert "MRK-6" in rules


def test_what_is_suggested_while_typing_is_what_the_search_page_shows_first(client: Client) -> None:
    def scenarios(address: str, question: str) -> list[str]:
        content = client.get(address, {"q": question, "results": "all"}).content.decode()
        return list(dict.fromkeys(re.findall(r"scenario=(SC-\d+)", content)))

    for question in ("zombie", "SC-44", "transaction is stuck"):
        shown = scenarios("/search/suggested", question)
        assert shown == scenarios("/search/", question)[: len(shown)] != []
    assert scenarios("/search/suggested", "helm chart colours") == []
    # The search page also shows scenarios whose texts refer to SC-145, and says so; the suggestions do not.
    assert scenarios("/search/suggested", "145") == ["SC-145"]
    assert scenarios("/search/suggested", "") == []
    assert "<script" not in client.get("/search/suggested", {"q": "zombie <script>"}).content.decode()


def test_a_page_to_which_the_question_leads_is_suggested_behind_the_scenarios(client: Client) -> None:
    content = client.get("/search/suggested", {"q": "stuck transaction"}).content.decode()
    assert 0 < content.index("scenario=SC-101") < content.index(reverse("replays:open_log"))
    assert (
        reverse("replays:open_log") not in client.get("/search/suggested", {"q": "zombie"}).content.decode()
    )


def test_the_search_page_shows_what_was_asked_and_escapes_it(client: Client) -> None:
    address = reverse("reference:search")
    page = client.get(address, {"q": "<b>marker"}).content.decode()
    assert "&lt;b&gt;marker" in page and "<b>marker" not in page
    assert "SC-" in client.get(address, {"q": "marker"}).content.decode()
    assert client.get(address, {"q": "x" * 5000}).status_code == 200


@pytest.mark.django_db
def test_a_reader_finds_their_own_sessions_only() -> None:
    mine, other = Client(), Client()
    mine.post("/sessions/new", {"scenario": "SC-03"})
    for question in ("scenario SC-03", "acknowledgement is lost", "重复"):
        assert "Your sessions" in mine.get("/search/", {"q": question}, follow=True).content.decode()
        assert "Your sessions" not in other.get("/search/", {"q": question}, follow=True).content.decode()
    assert "Your sessions" not in mine.get("/search/", {"q": "outbox"}, follow=True).content.decode()


@pytest.mark.parametrize("typed", ["SC-03", "sc3", " Sc 003 "])
def test_the_id_of_a_scenario_leads_to_the_scenario(client: Client, typed: str) -> None:
    answer = client.get(reverse("reference:search"), {"q": typed})
    assert answer.status_code == 302 and answer["Location"].startswith("/sessions/new?scenario=SC-03&")


@pytest.mark.parametrize("typed", ["SC-9999", "SC-03 fencing"])
def test_more_than_a_known_id_is_searched(client: Client, typed: str) -> None:
    assert client.get(reverse("reference:search"), {"q": typed}, follow=True).redirect_chain == []


def test_each_match_of_an_identifier_says_why_it_is_one(client: Client) -> None:
    page = client.get(
        reverse("reference:search"), {"q": "SC-61", "results": "all"}, follow=True
    ).content.decode()
    lessons = page.split('id="found-scenario"')[1].split("</section>")[0].split("<li>")[1:]
    assert len(lessons) > 1 and all("<mark>SC-61</mark>" in lesson for lesson in lessons)
    assert "Includes SC-61." in page
    assert (
        "Covers TXC-7."
        in client.get(reverse("reference:search"), {"q": "TXC-7"}, follow=True).content.decode()
    )
