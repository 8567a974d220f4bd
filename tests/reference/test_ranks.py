"""The rankings of scenarios for a whole question, and how they are joined."""

from __future__ import annotations

from collections import Counter

from eosviz.reference import search_index, search_ranks, search_terms
from eosviz.reference.search_ranks import Bags, Thread, Threads


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    bags = Bags([Counter(["record", "marker"]), Counter(["record", "fence"]), Counter(["record", "record"])])
    scores = bags.scores(["record", "fence"])
    assert scores[1] == max(scores)
    assert bags.rarity("fence") > bags.rarity("record") > 0


def test_a_question_like_a_known_one_gets_its_answers() -> None:
    threads = Threads(
        [
            Thread(of="a 1", title="heap grows with every producer", lessons=("SC-117", "SC-134")),
            Thread(of="b 2", title="offsets have gaps", lessons=("SC-147",)),
        ]
    )
    assert threads.ranked("the heap is growing: too many producers")[0] == "SC-117"
    assert threads.likeness("xylophone") == 0
    assert threads.ranked("xylophone") == []


def test_a_scenario_that_two_rankings_have_comes_before_one_that_leads_a_single_one() -> None:
    question = "offsets have gaps"
    known = Threads([Thread(of="b 2", title=question, lessons=("SC-147",))])
    points = search_ranks.fused(["SC-01", "SC-147"], question, known)
    assert next(iter(points)) == "SC-147"


def test_every_answer_of_a_thread_is_a_scenario_of_the_library() -> None:
    names = set(search_ranks.lessons().names)
    assert {lesson for thread in search_ranks.threads() for lesson in thread.lessons} <= names


def test_names_count_by_their_words_and_single_letters_and_digits_do_not_count() -> None:
    assert search_terms.roots_of("sendOffsetsToTransaction 1 b") == search_terms.roots_of(
        "send offsets transaction"
    )
    assert [wish.text for wish in search_terms.understand("fails = 1 x")] == ["fails"]
    assert search_terms.roots_of("写入标记") == ["写入", "入标", "标记"]


def test_a_thread_that_no_table_knows_is_found_after_it_is_known() -> None:
    question = "blue giraffes refuse the purple markers tonight"
    known = Threads([Thread(of="c 3", title=question, lessons=("SC-27",))])
    found = search_index.find(question, "en", known=known) or search_index.closest(
        question, "en", known=known
    )
    assert "SC-27" in [row.identifier for row in found["scenario"][:3]]
