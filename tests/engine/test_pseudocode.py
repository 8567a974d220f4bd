"""The pseudocode documents: they are complete, refer to what exists, and are printed with their words."""

from __future__ import annotations

import io
import re

import pytest

from engine.__main__ import main
from engine.errors import EngineError
from engine.explain.machines import machines
from engine.explain.sentences import catalogue
from engine.pseudocode.documents import (
    check,
    components,
    is_prose,
    place_of_sentence,
    read_component,
    recorded_tests,
    to_json,
)
from tests.engine.narrowing import present

SPEAKERS = (
    "application_loop",
    "broker",
    "business",
    "client",
    "client_transactions",
    "consumer",
    "controller",
    "coordinator",
    "group",
    "group_session",
    "initiator",
    "loop",
    "manager",
    "markers",
    "middleware",
    "participant",
    "producer_batch",
    "zookeeper",
)
"""Components whose sentences are about their code; what a fault or the network does belongs to no component's code."""
ABOUT_THE_SCHEME = ("middleware.strategy_", "middleware.trade_off_", "middleware.kafka_")


def test_every_sentence_of_a_component_has_its_line() -> None:
    said = [
        key for key in catalogue() if key.split(".")[0] in SPEAKERS and not key.startswith(ABOUT_THE_SCHEME)
    ]
    assert [key for key in said if place_of_sentence(key) is None] == []


def test_every_row_of_every_machine_has_its_line() -> None:
    rows = to_json()["rows"]
    assert {name: len(places) for name, places in rows.items()} == {
        name: len(machine.rows) for name, machine in machines().items()
    }
    assert all(place is not None for places in rows.values() for place in places)
    tables = to_json()["tables"]
    assert tables["transaction_states"][6] == ["Empty", "init_producer_id", "settled_and_the_claim_holds"]


def test_every_recorded_test_has_its_line() -> None:
    tied = {tie for component in components().values() for line in component.lines for tie in line.decides}
    assert tied == {(table, key) for table, keys in recorded_tests().items() for key in keys}
    assert len(tied) > 20


def test_a_line_knows_its_place_in_kafka() -> None:
    component, number = place_of_sentence("broker.stale_epoch_refused") or ("", 0)
    line = components()[component].lines[number]
    assert (component, line.kafka) == ("producer_state", "ProducerAppendInfo.checkProducerEpoch")
    assert line.rules == ("SEQ-12",)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("append():  @ SEQ-999", "no requirement.SEQ-999"),
        ("append():  @ broker.appendeth", "no broker.appendeth"),
        ("append():  @ producer_append?decision.nothing", "has no test decision.nothing"),
        ("# code.mine.absent", "no code.mine.absent"),
        ("append():  @ broker.appended\nagain():  @ broker.appended", "has its place in mine already"),
        ("append():", "the catalogue has no code.mine"),
        ("if nothing waits: go on", "no Chinese for 'if nothing waits: go on'"),
    ],
)
def test_a_tie_to_nothing_is_found(body: str, problem: str) -> None:
    problems = check({"mine": read_component("mine", f"kafka Log\nmachines\n---\n{body}\n")})
    assert any(problem in found for found in problems), problems


def test_what_stands_nowhere_is_found() -> None:
    kept = {name: component for name, component in components().items() if name != "producer_state"}
    problems = check(kept)
    assert "no line is tied to producer_append?decision.epoch" in problems
    without = {name: component for name, component in components().items() if name != "marker_sender"}
    assert "no component carries out the machine marker_states" in check(without)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kafka Log\n", "no line '---'"),
        ("kafka Log\n---\n   three()\n", "mine:3: indented by 3"),
        ("kafka Log\nmachines\n---\none()\n" + "x" * 61 + "\n", "mine:5: 61 columns"),
        ("kafka Log\n---\n~ 追加\n", "mine:3: no line of code above"),
        ("kafka Log\n---\nappend it\n~ 追加\n~ 写入\n", "mine:5: no line of code above"),
        ("kafka Log\n---\n  append it\n~ 追加\n", "mine:4: indented by 0, the line above by 2"),
        ("kafka Log\n---\nappend it\n~ " + "追" * 31 + "\n", "mine:4: 62 columns"),
    ],
)
def test_a_broken_document_names_its_line(text: str, problem: str) -> None:
    with pytest.raises(EngineError, match=problem):
        read_component("mine", text)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("if replica caught up: ask for it", True),
        ("on a crash: memory is lost", True),
        ("if batch.epoch < entry.epoch and not closed:", False),
        ("for partition, batch in request:", False),
        ("InitProducerId NONE:", False),
        ("closed = true; return", False),
    ],
)
def test_words_that_follow_each_other_are_prose(text: str, prose: bool) -> None:
    assert is_prose(text) == prose


NAME = re.compile(r"[A-Z]{2}[A-Z_]+|\w+_\w+|\w+\(\)|[a-z]+\.[a-z]\w*")


def test_the_code_in_chinese_keeps_every_name() -> None:
    """Functions, fields, settings and errors are the same in both languages; what is written in words is translated."""
    lines = [line for component in components().values() for line in component.lines if line.chinese]
    assert len(lines) > 300
    for line in lines:
        assert set(NAME.findall(line.text)) <= set(NAME.findall(present(line.chinese))), line
        assert not is_prose(present(line.chinese)), line
        assert re.search(r"[\u4e00-\u9fff]", present(line.chinese)), line


@pytest.mark.parametrize(("language", "title"), [("en", "The Sender"), ("zh-Hans", "Sender 线程")])
@pytest.mark.parametrize("name", ["sender"])
def test_a_component_is_printed(name: str, language: str, title: str) -> None:
    out = io.StringIO()
    assert main(["explain", name, "--language", language], out) == 0
    text = out.getvalue()
    assert title in text
    assert catalogue()["code.sender.one_at_a_time"].text(language) in text
    assert all(line.code(language) in text for line in components()[name].lines)


@pytest.mark.parametrize("word", ["SEQ-12", "decision.epoch", "broker.stale_epoch_refused"])
def test_a_word_leads_to_its_line(word: str) -> None:
    out = io.StringIO()
    assert main(["explain", word], out) == 0
    assert "line: producer_state:6" in out.getvalue()
