"""The index finds a word in exactly those texts in which a reader of all texts would find it."""

from __future__ import annotations

import pytest

from eosviz.reference.search_index import entries
from eosviz.reference.search_places import Places, places
from eosviz.reference.search_terms import Words, understand

WORDS = (
    "commit", "exactly once", "transactional.id", "last-stable-offset", "2pc", "id", "a", "kip-890",
    "producer_id", "c++", "_", "...", "事务", "协调器", "提交事务", "事务 id", "read_committed 消费者", "no such word",
)  # fmt: skip


@pytest.fixture(scope="module")
def known() -> Places:
    return Places([entry.whole for entry in entries()])


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_found_in_every_text_that_has_it(known: Places, word: str) -> None:
    for words in (Words((word,)), *(wish.same for wish in understand(word) if wish.same)):
        read = [at for at, text in enumerate(known.texts) if words.search(text) is not None]
        assert list(places(known.having(words))) == read
