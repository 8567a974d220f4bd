"""Why a scenario answers a question: the symptom or sentence that the search shows with it."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from engine.explain.sentences import LANGUAGES
from engine.scenario.shelf import library
from eosviz.reference import search_ranks, search_reasons, search_terms
from eosviz.reference.views import QUESTION_LENGTH, SCENARIOS_SHOWN


def why(scenario: str, question: str) -> search_reasons.Reason:
    return search_reasons.reason(scenario, question, search_terms.understand(question))


def test_a_sign_that_says_what_was_asked_is_the_reason_and_says_what_it_means() -> None:
    found = why("SC-153", "kafka-transactions.sh describe shows Empty and a higher epoch, no new records")
    assert "Empty" in found.text["en"]
    assert found.means["en"].startswith("An administrator")
    assert all(found.text[language] and found.means[language] for language in LANGUAGES)


def test_of_two_signs_with_the_same_words_the_one_with_the_text_of_the_error_is_the_reason() -> None:
    found = why(
        "SC-41", "Invalid transition attempted from state ABORTING_TRANSACTION to state IN_TRANSACTION"
    )
    assert "from state ABORTING_TRANSACTION to state IN_TRANSACTION" in found.text["en"]


def test_a_passage_of_the_lesson_with_the_words_of_the_question_is_the_reason() -> None:
    found = why("SC-159", "the process crashes between the two commits, and a row has no record")
    assert "a crash between the commits leaves a row without its record" in found.text["en"]
    assert not found.means


def test_a_remedy_in_the_middle_of_a_lesson_is_found() -> None:
    found = why("SC-133", "after a timeout, is it enough to raise max.block.ms?")
    assert found.text["en"] == "Raise max.block.ms if necessary."
    assert "max.block.ms" in found.text["zh-Hans"]


def test_a_reason_counts_the_words_of_the_threads_that_it_cites() -> None:
    found = why(
        "SC-147",
        "It looks like the transaction control message at the last offset is ignored by the consumer "
        "and never committed back",
    )
    assert "issue 2539" in found.text["en"]
    found = why(
        "SC-152", "KafkaJS: concurrent sends of one producer, out of order sequence number under load"
    )
    assert "issue 598" in found.means["en"]


def test_the_number_of_a_thread_is_no_other_number() -> None:
    known = {"598": {"spike"}, "30": {"slow"}}
    text = {"en": "Retried for 30 s (its issues 598 and 17; SC-30).", "zh-Hans": "（其 issue 598）"}
    assert search_reasons._reason(text, {}, known).cited == {"spike"}


@pytest.mark.slow
@pytest.mark.parametrize("words", ["title", "symptom"])
def test_a_thread_shows_the_reason_that_cites_it(words: str) -> None:
    asked, shown = 0, 0
    for thread in search_ranks.threads():
        number = thread.of.split()[-1]
        for lesson in thread.lessons:
            citing = [
                one
                for one in search_reasons._reasons()[lesson].every
                if number in search_reasons.cited_by(f"{one.text['en']} {one.means.get('en', '')}")
            ]
            if citing and (question := getattr(thread, words)[:QUESTION_LENGTH]):
                asked += 1
                shown += why(lesson, question) in citing
    assert shown / asked >= 0.88


def test_without_a_common_word_the_reason_is_the_first_passage_of_the_lesson() -> None:
    lesson = next(one for one in library() if one.id == "SC-68").document["lesson"]["en"]
    assert lesson.startswith(why("SC-68", "xylophone").text["en"])


@pytest.mark.parametrize("scenario", [one.id for one in library()])
def test_the_passages_are_the_lesson_in_both_languages(scenario: str) -> None:
    lesson = next(one for one in library() if one.id == scenario).document["lesson"]
    passages = search_reasons._passages(lesson)
    assert " ".join(one["en"] for one in passages) == lesson["en"].strip()
    texts = "".join(one["zh-Hans"] for one in passages), lesson["zh-Hans"]
    ours, theirs = (re.sub(r"[\s。；]", "", text) for text in texts)
    assert ours == theirs


def test_a_sentence_that_is_two_in_english_stands_beside_both() -> None:
    found = why("SC-144", "may I send the record again by hand after the error?")
    assert found.text["zh-Hans"].startswith("出错之后不要手工重发，")


@pytest.mark.parametrize("scenario", [one.id for one in library()])
def test_every_scenario_has_reasons_in_both_languages(scenario: str) -> None:
    for one in search_reasons._reasons()[scenario].every:
        assert all(one.text[language] for language in LANGUAGES)
        assert not one.means or all(one.means[language] for language in LANGUAGES)


@pytest.mark.django_db
def test_the_page_shows_eight_scenarios_with_their_reasons(client: Client) -> None:
    question = "my only producer is fenced: CompleteAbort in kafka-transactions.sh describe"
    page = client.get("/search/", {"q": question}).content.decode()
    assert page.count(f'href="{reverse("walkthroughs:new")}?scenario=') == SCENARIOS_SHOWN == 8
    assert 'class="means"' in page
