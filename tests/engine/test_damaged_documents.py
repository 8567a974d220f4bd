"""Damaged documents: whatever they contain, the run is either played or refused with one sentence."""

from __future__ import annotations

import copy
import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Refused
from engine.scenario.document import BadScenario, load
from engine.scenario.schema import SECTIONS, Field
from engine.scenario.shelf import library
from engine.simulation import Simulation

STEPS_MAX = 150
"""Enough steps to reach every fault that happens early; a broken document need not be played to its end."""

DOCUMENTS = {
    (entry.id, variant): entry.document for entry in library() for variant in (entry.variants or (None,))
}

VALUES = st.sampled_from(
    [
        *(0, 1, -1, 9, 2**31 - 1, 2**63 - 1, -(2**63), 10**30, 0.5, float("nan"), float("inf")),
        *(True, False, "", "x", "t-0", "t-99", "p1", "broker-1", "é\n", "a" * 5000),
        *([], [1], ["t-0"], [[]], {}, {"a": 1}, {"en": "x", "zh-Hans": "y"}),
        *(datetime.date(2020, 1, 1), datetime.time(1, 2)),
    ]
)
PARTITIONS = ("t-0", "t-1", "t-9", "__consumer_offsets-0", "__transaction_state-3", "x-0")
WORDS = (
    *("zookeeper", "controller", "nobody", "broker-1", "broker-3", "p1", "c1", "app-1", "", "t", "tx-1"),
    *("Produce", "Write", "DUPLICATE_SEQUENCE_NUMBER", "clients.p1.retries", "p1.retries", "Group"),
)


def played(document: dict[str, Any], variant: str | None) -> None:
    """Load and run the document as `python -m engine run` does. A refusal must have a text."""
    limits = document.setdefault("limits", {})
    if isinstance(limits, dict) and type(limits.setdefault("steps", STEPS_MAX)) is int:
        limits["steps"] = min(limits["steps"], STEPS_MAX)
    try:
        simulation = Simulation(load(document, variant, source="x.toml"), [], "judged")
        while simulation.step() is not None:
            assert simulation.number <= STEPS_MAX
    except (BadScenario, Refused) as refused:
        assert str(refused)


def spots(node: Any) -> list[tuple[Any, Any]]:
    """Return every place of a document, as a container and a key."""
    keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    return [spot for key in keys for spot in ((node, key), *spots(node[key]))]


@settings(max_examples=300)
@given(st.data())
def test_a_document_with_damaged_values_is_refused_or_plays(data: st.DataObject) -> None:
    chosen, variant = data.draw(st.sampled_from(sorted(DOCUMENTS, key=str)))
    document = copy.deepcopy(DOCUMENTS[chosen, variant])
    document.setdefault("limits", {"steps": STEPS_MAX})
    for _ in range(data.draw(st.integers(1, 3))):
        node, key = data.draw(st.sampled_from(spots(document)))
        match data.draw(st.sampled_from(["delete", "value", "value", "twice"])):
            case "delete":
                del node[key]
            case "twice" if isinstance(node, list):
                node.insert(key, copy.deepcopy(node[key]))
            case _:
                node[key] = copy.deepcopy(data.draw(VALUES))
    played(document, variant)


def value_of(field: Field, data: st.DataObject) -> Any:
    """Return a value that the field's type allows, whether it makes sense or not."""
    if field.choices:
        return data.draw(st.sampled_from(field.choices))
    if field.kind == "int":
        low = -(2**63) if field.low is None else field.low
        high = 2**63 - 1 if field.high is None else field.high
        near = [number for number in (low, high, 0, 1, 2, 5, 100) if low <= number <= high]
        return data.draw(st.sampled_from(near))
    if field.kind == "table":
        return (
            row(field.rows, data)
            if field.rows
            else data.draw(st.dictionaries(st.sampled_from(WORDS), VALUES))
        )
    drawn: dict[str, st.SearchStrategy[Any]] = {
        "bool": st.booleans(),
        "number": st.floats(0, 1),
        "partition": st.sampled_from(PARTITIONS),
        "names": st.lists(st.sampled_from(PARTITIONS), max_size=2),
        "any": st.sampled_from([0, -1, True, "x", 2**63]),
    }
    return data.draw(drawn.get(field.kind, st.sampled_from(WORDS)))


def row(section: str, data: st.DataObject) -> dict[str, Any]:
    return {
        name: value_of(field, data)
        for name, field in SECTIONS[section].items()
        if field.required or data.draw(st.booleans())
    }


@settings(max_examples=300)
@given(st.data())
def test_entries_of_the_right_types_that_mean_nothing_are_refused_or_play(data: st.DataObject) -> None:
    chosen, variant = data.draw(st.sampled_from(sorted(DOCUMENTS, key=str)))
    document = copy.deepcopy(DOCUMENTS[chosen, variant])
    section, listed = data.draw(
        st.sampled_from([("override", "overrides"), ("fault", "faults"), ("consumer", "consumers")])
    )
    entry = row(section, data)
    if section == "fault" and data.draw(st.booleans()):
        entry.pop("match", None)
        entry["at"] = data.draw(st.sampled_from([0, 1, 20, 50]))
    document[listed] = [*document.get(listed, []), entry]
    played(document, variant)


DOCUMENT: dict[str, Any] = {
    "id": "X-1",
    "title": {"en": "x", "zh-Hans": "x"},
    "producers": [{"name": "p1"}],
    "consumers": [{"name": "c1"}],
    "topics": [{"name": "t"}],
}


@pytest.mark.parametrize(
    ("section", "entry", "place", "allowed"),
    [
        ("overrides", {"set": "zookeeper", "next_id": 5}, "overrides.0.broker", "1, 2, 3"),
        ("overrides", {"set": "zookeeper", "next_id": 5, "broker": 9}, "overrides.0.broker", "1, 2, 3"),
        ("overrides", {"set": "zookeeper"}, "overrides.0.next_id", "block_end"),
        (
            "overrides",
            {"set": "zookeeper", "block_start": 5, "block_end": 4},
            "overrides.0.block_end",
            "block_start (5)",
        ),
        ("overrides", {"set": "leader", "partition": "t-0", "broker": 0}, "overrides.0.broker", "1, 2, 3"),
        ("overrides", {"set": "leader", "partition": "t-7"}, "overrides.0.partition", "t-0, t-1"),
        ("overrides", {"set": "client", "client": "c1"}, "overrides.0.client", "p1"),
        ("overrides", {"set": "group"}, "overrides.0.group", "a name"),
        (
            "overrides",
            {"set": "group", "group": "g", "members": [{"generation": 1}]},
            "overrides.0.members.0.id",
            "no other",
        ),
        (
            "overrides",
            {"set": "group", "group": "g", "members": [{"id": "m1"}, {"id": "m1"}]},
            "overrides.0.members.1.id",
            "no other",
        ),
        ("overrides", {"set": "transaction"}, "overrides.0.transactional_id", "an id"),
        ("faults", {"at": 1, "action": "delete_head"}, "faults.0.partition", "topic-partition"),
        ("faults", {"at": 1, "action": "deny"}, "faults.0.operation", "Write"),
        ("faults", {"at": 1, "action": "set", "value": 1}, "faults.0.path", "clients.NAME.SETTING"),
        (
            "faults",
            {"at": 1, "action": "set", "value": 1, "path": "p1.retries"},
            "faults.0.path",
            "clients.p1.SETTING",
        ),
        (
            "faults",
            {"at": 1, "action": "craft_produce", "partition": "t-0", "message": {"records": "x"}},
            "faults.0.message.records",
            "from 1 to 10000",
        ),
        (
            "faults",
            {"match": {"api": "Produce"}, "action": "inject_error", "error": "OOPS"},
            "faults.0.error",
            "NOT_LEADER_OR_FOLLOWER",
        ),
        ("consumers", {"name": "p1"}, "consumers.p1.name", "no other component"),
        ("producers", {"name": "broker-2"}, "producers.broker-2.name", "no other component"),
        ("producers", {"name": "zookeeper"}, "producers.zookeeper.name", "no other component"),
    ],
)
def test_what_would_break_a_run_is_named_before_it_begins(
    section: str, entry: dict[str, Any], place: str, allowed: str
) -> None:
    kept = [] if section in ("overrides", "faults") else DOCUMENT[section]
    with pytest.raises(BadScenario) as caught:
        load({**DOCUMENT, section: [*kept, entry]})
    assert caught.value.place == place
    assert allowed in caught.value.allowed
