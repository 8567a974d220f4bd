"""The rankings of scenarios for a whole question, and how they are combined."""

from __future__ import annotations

from collections import Counter

import pytest

from eosviz.reference import search_index, search_ranks, search_terms
from eosviz.reference.search_ranks import Bags, Thread, Threads


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    texts = [Counter(["record", "marker"]), Counter(["record", "fence"]), Counter(["record", "record"])]
    bags = Bags(texts, search_ranks.THREAD_SHAPE)
    scores = bags.scores({word: bags.rarity(word) for word in ("record", "fence")})
    assert scores[1] == max(scores)
    assert bags.rarity("fence") > bags.rarity("record") > 0


def test_a_question_like_a_known_one_gets_its_answers() -> None:
    threads = Threads(
        [
            Thread(of="a 1", title="heap grows with every producer", lessons=("SC-117", "SC-134")),
            Thread(of="b 2", title="offsets have gaps", lessons=("SC-147",)),
        ]
    )
    question = "the heap is growing: too many producers"
    assert threads.by_threads(question)[0] == "SC-117"
    assert threads.without(threads.threads[0]).by_threads(question) == []
    assert threads.by_threads("xylophone") == []
    assert threads.by_words("xylophone") == ([], 0.0)


def test_a_scenario_that_two_rankings_have_comes_before_one_that_leads_a_single_one() -> None:
    question = "offsets have gaps"
    known = Threads([Thread(of="b 2", title=question, lessons=("SC-147",))])
    points, fit = search_ranks.fused(["SC-01", "SC-147"], question, known)
    assert next(iter(points)) == "SC-147"
    assert fit > search_index.UNLIKELY


def test_every_answer_of_a_thread_is_a_scenario_of_the_library() -> None:
    names = set(search_ranks.lessons().names)
    assert {lesson for thread in search_ranks.threads() for lesson in thread.lessons} <= names


def test_names_count_by_their_words_and_single_letters_and_digits_do_not_count() -> None:
    assert search_terms.roots_of("sendOffsetsToTransaction 1 b") == search_terms.roots_of(
        "send offsets transaction"
    )
    assert [wish.text for wish in search_terms.understand("fails = 1 x")] == ["fails"]
    assert search_terms.roots_of("写入标记") == ["写入", "入标", "标记"]


def test_a_thread_that_is_left_out_counts_as_if_it_were_not_known() -> None:
    threads = [
        Thread(of="a 1", title="blue giraffes refuse the purple markers", lessons=("SC-27", "SC-75")),
        Thread(of="b 2", title="green giraffes", lessons=("SC-147",)),
    ]
    for question in ("blue giraffes refuse", "purple markers"):
        less = Threads(threads).without(threads[0])
        rarities = dict.fromkeys(search_terms.roots_of(question), 1.0)
        place = search_ranks.lessons().names.index("SC-27")
        taken = [(place, 1.0, threads[0].words)]
        assert less.by_threads(question) == Threads(threads[1:]).by_threads(question)
        assert less.lessons.scores(rarities, taken)[place] == pytest.approx(
            Threads(threads[1:]).lessons.scores(rarities)[place], rel=1e-3
        )


def test_a_word_with_a_hyphen_after_its_first_part_is_one_word() -> None:
    assert search_terms.roots_of("re-read, non-transactional") == search_terms.roots_of(
        "reread nontransactional"
    )


def test_a_thread_that_no_table_knows_is_found_after_it_is_known() -> None:
    question = "blue giraffes refuse the purple markers tonight"
    known = Threads([Thread(of="c 3", title=question, lessons=("SC-27",))])
    found = search_index.answer(question, "en", known=known).found
    assert "SC-27" in [row.identifier for row in found["scenario"][:3]]
