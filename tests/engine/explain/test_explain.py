"""The engine's descriptions of itself: error dictionary, explanations, the coverage report."""

from __future__ import annotations

import io
from typing import Any

import pytest

from engine.__main__ import main
from engine.errors import Error
from engine.explain.coverage import Coverage
from engine.explain.errors import ERRORS, FIELDS
from engine.explain.machines import machines
from engine.explain.requirements import DISPLAY, REGISTER, REQUIREMENTS
from engine.explain.sentences import LANGUAGES, catalogue, fill, words_of
from engine.middleware.strategies import STRATEGIES
from engine.pseudocode.documents import components
from engine.telling.comparison import COMPARISON
from engine.telling.middleware import strategy_key, trade_off_key


def said(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["explain", *arguments], out, err), out.getvalue(), err.getvalue()


@pytest.mark.requirement("MSG-4")
def test_every_error_has_its_whole_entry_in_both_languages() -> None:
    assert set(ERRORS) == set(Error) - {Error.NONE}
    known = catalogue()
    for entry in ERRORS.values():
        for key in (*(entry.key(field) for field in FIELDS), entry.outcome_key):
            assert all(known[key].text(language) for language in LANGUAGES), key


def test_an_error_is_retriable_if_kafka_classes_it_so() -> None:
    for error in (Error.NETWORK_EXCEPTION, Error.NOT_COORDINATOR, Error.CONCURRENT_TRANSACTIONS):
        assert ERRORS[error].retriable
    for error in (Error.INVALID_TXN_STATE, Error.OUT_OF_ORDER_SEQUENCE_NUMBER):
        assert not ERRORS[error].retriable


@pytest.mark.parametrize(
    ("text", "params", "said"),
    [
        (
            "until {at} ms ({left} ms left)",
            {"at": 605_400_000, "left": 59_999},
            "until 7 d 0:10:00.000 (60.00 s left)",
        ),
        ("since {at} UTC", {"at": 1_795_166_225_999}, "since 2026-11-20 09:17:05 UTC"),
        ("{at} UTC, {gone} UTC", {"at": "noon", "gone": None}, "noon UTC, –"),
        ("{at} UTC", {"at": 951_782_399_000}, "2000-02-28 23:59:59 UTC"),
        ("{at} ms", {"at": 61_005}, "1:01.005"),
        ("{at} 毫秒", {"at": 60_000}, "1:00.000"),
        (
            "第 {at} ms，到第 {until} ms 为止",
            {"at": 60_005, "until": 60_000},
            "t = 1:00.005，到 t = 1:00.000 为止",
        ),
        ("due at t = {due} ms", {"due": 1710}, "due at t = 1710 ms"),
        ("到第 {until} ms，第 {turn} 轮", {"until": 9_999, "turn": 70_000}, "到第 9999 ms，第 70000 轮"),
        (
            "at {at} ms, after {age} ms of {limit} ms",
            {"at": 20_010, "age": 19_694, "limit": 30_000},
            "at 20.010 s, after 19.69 s of 30 s",
        ),
        (
            "at {at} ms, after {age} ms of {limit} ms",
            {"at": 9000, "age": 1500, "limit": 5000},
            "at 9000 ms, after 1500 ms of 5 s",
        ),
        ("{left} ms", {"left": 70_700}, "1 min 10.70 s"),
        ("{left} ms 后，{name} 响应", {"left": 5, "name": "p1"}, "5 ms 后，p1 响应"),
        ("leaders: {of}", {"of": ["t-0: broker-1"]}, "leaders: t-0: broker-1"),
        (
            "各分区的 leader（{of}）",
            {"of": ["t-0: broker-1", "t-1: –"]},
            "各分区的 leader（t-0：broker-1、t-1：–）",
        ),
        ("{name} 后 {of} 中", {"name": "没有", "of": "t-0"}, "没有后 t-0 中"),
        ("{at} msgs, {gone} ms", {"at": 70_000}, "70000 msgs, [gone] ms"),
        ("before: {old@nothing.leader}", {"old": None}, "before: none"),
        ("before: {old@nothing.leader}", {"old": "broker-1"}, "before: broker-1"),
    ],
)
def test_long_times_and_absent_values_are_written_as_people_write_them(
    text: str, params: dict[str, Any], said: str
) -> None:
    assert fill(text, params, words_of(catalogue(), "en")) == said


@pytest.mark.parametrize(
    ("kind", "ends", "said"),
    [
        ("request", ("broker-1", "broker-2"), "from broker-1 to broker-2"),
        ("request", ("broker-2", "broker-2"), "from the coordinator on broker-2 to the leader on broker-2"),
        ("response", ("broker-2", "broker-2"), "from the leader on broker-2 to the coordinator on broker-2"),
    ],
)
def test_a_message_between_two_roles_of_a_broker_names_the_roles(
    kind: str, ends: tuple[str, str], said: str
) -> None:
    params = {"api": "WriteTxnMarkers", "kind": kind, "source": ends[0], "destination": ends[1]}
    words = words_of(catalogue(), "en")
    assert fill("from {source@end} to {destination@end}", params, words) == said
    connection = fill("between {source} and {destination@end.connection}", params, words)
    assert connection == f"between {ends[0]} and {ends[1] if ends[0] != ends[1] else 'itself'}"


@pytest.mark.parametrize(
    ("who", "said"), [("p1", "p1 的事务"), ("生产者", "生产者的事务"), ("p1（PID 0）", "p1（PID 0）的事务")]
)
def test_chinese_goes_on_without_a_space_behind_its_own_words_and_marks(who: str, said: str) -> None:
    assert fill("{who} 的事务", {"who": who}) == said


def test_no_entry_is_about_an_error_that_does_not_exist() -> None:
    names = {key.split(".")[1] for key in catalogue() if key.startswith("error.")} - {"outcome"}
    assert names == {error.name for error in ERRORS}


def test_every_aspect_and_strategy_has_its_words() -> None:
    known = catalogue()
    for aspect in COMPARISON:
        assert {aspect.title, aspect.here, aspect.kafka} <= set(known)
        assert set(aspect.spec) <= {*REQUIREMENTS, *REGISTER}
    for strategy in STRATEGIES.values():
        assert {strategy_key(strategy.name), trade_off_key(strategy.name)} <= set(known)


def test_the_specification_has_234_requirements() -> None:
    assert len(REQUIREMENTS) == len(set(REQUIREMENTS)) == 234
    assert len(REGISTER) == 49
    assert set(REQUIREMENTS) > DISPLAY


@pytest.mark.parametrize("name", sorted(machines()))
def test_a_machine_is_explained(name: str) -> None:
    code, text, _ = said(name)
    assert code == 0
    assert all(state in text for state in machines()[name].states)


@pytest.mark.parametrize("word", ["MW-13", "mw-13", "PRODUCER_FENCED", "broker.duplicate_found"])
def test_a_word_is_explained_in_both_languages(word: str) -> None:
    code, text, _ = said(word)
    assert code == 0
    assert any("\u4e00" <= character <= "\u9fff" for character in text)


def test_without_a_word_all_machines_and_components_are_listed() -> None:
    _, text, _ = said()
    assert [line.split()[0] for line in text.splitlines()] == [*sorted(machines()), *sorted(components())]


def test_an_unknown_word_is_refused_with_what_is_like_it() -> None:
    code, text, complaint = said("transaction_state")
    assert (code, text) == (2, "")
    assert "transaction_states" in complaint


def test_nothing_counts_as_covered_before_a_run() -> None:
    nothing = Coverage()
    assert nothing.missing_requirements() == list(REQUIREMENTS)
    missing = nothing.missing_rows()
    assert missing.keys() == machines().keys()
    assert not nothing.complete


def test_a_marked_test_counts_for_display_rules_alone() -> None:
    marked = Coverage(marked={"UIV-3", "SEQ-11"})
    assert "UIV-3" not in marked.missing_requirements()
    assert "SEQ-11" in marked.missing_requirements()
    assert any("SEQ-11" in line and "not counted" in line for line in marked.lines())


def test_a_refusal_row_may_be_met_by_a_recorded_case_but_a_transition_row_not() -> None:
    machine = machines()["participant"]
    refusal = next(row for row in machine.rows if row.refused)
    move = next(row for row in machine.rows if not row.refused)
    coverage = Coverage(in_cases={id(refusal), id(move)})
    missing = coverage.missing_rows()["participant"]
    assert refusal.name(machine.name) not in missing
    assert move.name(machine.name) in missing
