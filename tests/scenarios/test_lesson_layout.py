"""Lessons are laid out in short paragraphs, with the words of their documents unchanged."""

from __future__ import annotations

from engine.scenario.shelf import library
from eosviz.scenarios.lesson_layout import paragraphs, parts
from eosviz.scenarios.templatetags.words import in_paragraphs

LESSON = (
    "The call fails. The error is fatal. It comes early. There are two remedies: raise max.a.ms=5, or call close(). "
    "To check, run kafka-topics.sh --bootstrap-server … --describe --topic __state (3.0). It shows no lag."
)


def test_what_to_do_stands_apart_from_what_it_means() -> None:
    kinds = [kind for kind, _ in paragraphs(LESSON)]
    assert kinds == ["lead", "more", "do", "more"]
    assert paragraphs(LESSON)[1].text == "The error is fatal. It comes early."


def test_a_chinese_lesson_stands_likewise() -> None:
    assert [kind for kind, _ in paragraphs("调用失败。应调大上限。它很早出现。")] == ["lead", "do", "more"]


def test_commands_settings_and_functions_are_code() -> None:
    command = "kafka-topics.sh --bootstrap-server … --describe --topic __state"
    assert parts(LESSON)[1::2] == ["max.a.ms=5", "close()", command]
    assert "<code>max.a.ms=5</code>, or call <code>close()</code>" in in_paragraphs(LESSON)
    assert parts("It takes kafka-x.sh describe shows 2.8 of a.b/c")[1::2] == ["kafka-x.sh describe"]


def test_a_command_is_code_to_its_last_option() -> None:
    command = "kafka-transactions.sh --bootstrap-server … describe --transactional-id txn-1"
    assert parts(f"{command} (3.0) shows it, as {command} does")[1::2] == [command, command]
    assert parts("kafka-a.sh --describe --group g shows it")[1::2] == ["kafka-a.sh --describe --group g"]


def test_no_word_of_a_lesson_is_lost() -> None:
    for entry in library():
        for text in entry.document.get("lesson", {}).values():
            laid = paragraphs(text)
            assert "".join("".join(one.text.split()) for one in laid) == "".join(text.split())
            assert [one.kind for one in laid].count("lead") == 1
