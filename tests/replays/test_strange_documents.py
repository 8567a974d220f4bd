"""Everything that a scenario may contain is verified after an import, and what a replay may not contain, no scenario
contains.
"""

from __future__ import annotations

import io

import pytest

from engine.scenario.document import BadScenario, load, parse
from engine.simulation import Simulation
from eosviz.replays import format, writing
from eosviz.replays.checking import check

DOCUMENT = """
id = "T-01"
title = { en = "TITLE", zh-Hans = "标题" }
[[topics]]
name = "TOPIC"
[[producers]]
name = "CLIENT"
settings = { transactional_id = "TID", linger_ms = 5 }
[[applications]]
name = "app-1"
client = "CLIENT"
calls = [
    { at = 0, do = "init_transactions" },
    { at = 60, do = "begin_transaction" },
    { at = 70, do = "send", partition = "TOPIC-0", key = "KEY" },
    { at = 200, do = "commit_transaction" },
]
[[faults]]
match = { api = "Produce", rate = RATE }
action = "drop"
MORE
"""
USUAL = {
    "TITLE": "A title",
    "TOPIC": "t",
    "CLIENT": "p1",
    "TID": "txn-1",
    "KEY": "k",
    "RATE": "0.5",
    "MORE": "",
}
LARGE = "[cluster]\nbrokers = 9\n" + "".join(
    f'[[topics]]\nname = "big{number}"\npartitions = 64\nreplication = 9\n' for number in range(8)
)


def text(**changed: str) -> str:
    document = DOCUMENT
    for word, value in {**USUAL, **changed}.items():
        document = document.replace(word, value)
    return document


def replay_of(document: str) -> bytes:
    simulation = Simulation(load(parse(document)))
    header, view = simulation.header(), simulation.view()
    steps = [("1", step.to_json()) for step in iter(simulation.step, None)]
    branch = {"id": "1", "name": "main", "parent": None, "leaves_at": 0, "newest": len(steps)}
    first_line = {
        "type": "header",
        "schema": format.SCHEMA,
        "engine": header["engine"],
        "title": header["title"],
    }
    first_line |= {
        "scenario": parse(document),
        "variant": None,
        "profile": header["profile"],
        "header": header,
    }
    first_line |= {
        "view": view,
        "branches": [{**branch, "finished": simulation.finished, "interventions": []}],
    }
    return b"".join(writing.write(format.convert(first_line, format.Header), steps))


@pytest.mark.parametrize(
    "changed",
    [
        {"TITLE": "Is 1 < 2 > 0 & so on?"},
        {"TID": "交易-1"},
        {"TID": "x" * 200},
        {"KEY": "<b>key</b>"},
        {"RATE": "1e-9"},
        {"RATE": "0.1234567890123456789"},
        {"RATE": "1"},
        {"MORE": '[[faults]]\nat = 30\naction = "set"\npath = "clients.p1.linger_ms"\nvalue = 1e300\n'},
        # Its first view is larger than 1 MiB.
        pytest.param({"MORE": LARGE}, marks=pytest.mark.slow),
    ],
    ids=lambda changed: "-".join(changed),
)
def test_it_comes_back_verified(changed: dict[str, str]) -> None:
    assert check(io.BytesIO(replay_of(text(**changed)))).finding.state == "verified"


@pytest.mark.parametrize(
    ("changed", "place", "reason"),
    [
        ({"TITLE": "Is <b> bold?"}, "title.en", "looks like markup"),
        ({"TITLE": "constructor"}, "title.en", "JavaScript itself already uses a property named"),
        (
            {"CLIENT": "constructor"},
            "producers.constructor.name",
            "JavaScript itself already uses a property named",
        ),
        (
            {"TID": "__proto__"},
            "producers.p1.settings.transactional_id",
            "JavaScript itself already uses a property named",
        ),
        (
            {"KEY": "prototype"},
            "applications.app-1.calls.2.key",
            "JavaScript itself already uses a property named",
        ),
        ({"TOPIC": "__t"}, "topics.__t.name", "names that begin with __ are Kafka"),
    ],
)
def test_it_is_refused_with_its_place(changed: dict[str, str], place: str, reason: str) -> None:
    with pytest.raises(BadScenario) as caught:
        load(parse(text(**changed)))
    assert caught.value.place == place
    assert reason in str(caught.value)
