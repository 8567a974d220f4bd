"""All mistakes of a document are reported at once; which fields belong to which call or action; and the tables from
which a form is made.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.scenario.belonging import BELONGING
from engine.scenario.document import BadScenario, load
from engine.scenario.faults_and_overrides import ACTORS
from engine.scenario.form import ANY_REQUEST, NAMES, TABLES, form, names_in
from engine.scenario.mistakes import MISTAKES_MAX, mistakes
from engine.scenario.schema import SECTIONS
from engine.scenario.shelf import library

RIGHT: dict[str, Any] = {
    "id": "x",
    "title": {"en": "a", "zh-Hans": "b"},
    "producers": [{"name": "p1"}],
    "applications": [
        {
            "name": "app",
            "client": "p1",
            "calls": [{"at": 1, "do": "send", "partition": "t-0"}, {"at": 2, "do": "flush"}],
        }
    ],
    "faults": [{"action": "drop", "match": {"api": "Produce"}}, {"at": 5, "action": "crash", "actor": "p1"}],
}


def changed(*paths: tuple[str, Any]) -> dict[str, Any]:
    document = copy.deepcopy(RIGHT)
    for path, value in paths:
        node: Any = document
        *way, last = path.split(".")
        for word in way:
            node = node[int(word)] if isinstance(node, list) else node[word]
        node[last] = value
    return document


def places(document: dict[str, Any]) -> list[str]:
    return [bad.place for bad in mistakes(document)]


def test_a_right_document_has_none() -> None:
    assert mistakes(RIGHT) == []
    for entry in library():
        assert mistakes(entry.document, text=entry.text) == [], entry.id


def test_each_mistake_is_found_at_its_place() -> None:
    document = changed(
        ("profile", "k3"),
        ("seed", -1),
        ("applications.0.calls.0.partition", "x-7"),
        ("applications.0.calls.1.do", "flash"),
        ("faults.0.by_ms", 3),
        ("faults.1.actor", "broker-9"),
    )
    assert sorted(places(document)) == [
        "applications.app.calls.0.partition",
        "applications.app.calls.1.do",
        "faults.0.by_ms",
        "faults.1.actor",
        "profile",
        "seed",
    ]


def test_what_only_follows_from_a_mistake_is_not_reported() -> None:
    assert places(changed(("producers.0.name", "P one"))) == ["producers.P one.name"]
    assert (
        places(changed(("producers", 3))) == ["producers"]
        or places(changed(("producers", 3)))[0] == "producers"
    )


def test_no_more_than_the_bound() -> None:
    many = [{"at": 1, "action": "crash", "actor": f"nobody-{number}"} for number in range(MISTAKES_MAX + 9)]
    assert len(mistakes(changed(("faults", many)))) == MISTAKES_MAX


def test_a_client_starts_with_one_identity() -> None:
    identity = {"set": "client", "client": "p1", "producer_id": 7}
    assert places(changed(("overrides", [identity, {**identity, "producer_id": 8}]))) == [
        "overrides.1.producer_id"
    ]


def test_a_mistake_tells_its_line() -> None:
    entry = next(entry for entry in library() if entry.id == "SC-03")
    text = entry.text.replace('profile = "k28"', 'profile = "k99"') + '\n[limits]\nsteps = "many"\n'
    import tomllib

    found = {bad.place: bad.line for bad in mistakes(tomllib.loads(text), text=text)}
    assert found["limits.steps"] == len(text.splitlines())


@pytest.mark.parametrize(
    ("rows", "row", "field"),
    [
        ("faults", {"at": 1, "action": "crash", "actor": "p1", "by_ms": 3}, "by_ms"),
        ("overrides", {"set": "log_start", "partition": "t-0", "offset": 3, "client": "p1"}, "client"),
    ],
)
def test_a_field_that_means_nothing_is_refused_with_those_that_do(rows: str, row: Any, field: str) -> None:
    with pytest.raises(BadScenario) as refused:
        load({**RIGHT, rows: [row]})
    assert refused.value.place == f"{rows}.0.{field}"
    assert "has no meaning for" in refused.value.wrong


def test_the_form_has_every_field_of_the_schema_and_names_what_exists() -> None:
    made = form()
    assert {name: list(table) for name, table in made["sections"].items()} == {
        name: list(table) for name, table in SECTIONS.items()
    }
    for section, name in (*NAMES, *TABLES):
        assert name in SECTIONS[section]
    assert set(made["belonging"]) == {*BELONGING, "service"}
    for one in library():
        for service in one.document.get("services", ()):
            belonging = made["belonging"]["service"]
            may = {belonging["word"], *belonging["always"], *belonging["fields"][service["approach"]]}
            assert set(service) <= may, one.id
    assert "consumer" not in made["belonging"]["service"]["fields"]["row_then_record"]
    known = {*names_in(RIGHT), *made["names"]}
    assert set(NAMES.values()) <= known


def test_the_form_has_every_field_that_the_library_gives_to_a_message() -> None:
    messages = form()["messages"]
    for entry in library():
        for variant in entry.variants or (None,):
            for fault in entry.scenario(variant)["faults"]:
                message = fault["message"] or {}
                requests = messages.get(fault["action"], {})
                known = requests.get(message.get("api"), requests.get(ANY_REQUEST, {}))
                assert set(message) <= set(known), (entry.id, fault)


def test_names_are_those_that_the_loader_knows() -> None:
    for entry in library():
        for variant in entry.variants or (None,):
            scenario = entry.scenario(variant)
            names = names_in(scenario.source)
            topics = scenario["topics"]
            assert names["partitions"] == [
                f"{topic['name']}-{number}" for topic in topics for number in range(topic["partitions"])
            ], entry.id
            for application in scenario["applications"]:
                assert application["client"] in names["callable"]


def test_nodes_that_the_middleware_leaves_out_are_no_names() -> None:
    section = {"participants": [{"name": "participant-1"}]}
    every = names_in({"middleware": section})["callable"]
    fewer = names_in({"middleware": {**section, "one_node": True, "manager": False}})["callable"]
    assert set(every) - set(fewer) == {"initiator", "manager"}


EVERY_KIND: dict[str, Any] = {
    **RIGHT,
    "profile": "k41",
    "consumers": [{"name": "c1"}],
    "middleware": {"participants": [{"name": "participant-1"}]},
}
FURTHER: dict[str, dict[str, Any]] = {
    "seek": {"partition": "t-0"},
    "craft_request": {"message": {"api": "EndTxn"}},
}


@pytest.mark.parametrize("action", ACTORS)
def test_an_action_has_the_actors_that_the_form_offers(action: str) -> None:
    def refused(actor: str, **further: Any) -> list[str]:
        fault = {"at": 1, "action": action, "actor": actor, **FURTHER.get(action, {}), **further}
        return places({**EVERY_KIND, "faults": [fault]})

    names = names_in(EVERY_KIND)
    offered = names[form()["sections"]["fault"]["actor"]["names_by"][action]]
    for actor in (*names["actors"], "controller", "zookeeper"):
        found = refused(actor)
        if action == "craft_request":
            of_middleware = refused(actor, message={"api": "Prepare"})
            found = [place for place in found if place in of_middleware]
        assert found == ([] if actor in offered else ["faults.0.actor"]), actor


def test_the_form_leaves_out_calls_and_commands_of_missing_components() -> None:
    nothing = {"cluster": {"brokers": 0}, "middleware": EVERY_KIND["middleware"]}
    assert {"find_hanging", "send"} <= set(names_in(nothing)["absent"])
    assert "transact" in names_in(RIGHT)["absent"]
    assert not {"find_hanging", "send", "transact"} & set(names_in(EVERY_KIND)["absent"])
    assert {"initiator", "middleware", "manager"}.isdisjoint(names_in(EVERY_KIND)["undoable"])


def test_a_variant_that_changes_the_word_of_a_row_makes_a_document() -> None:
    crash = {"at": 5, "action": "crash", "actor": "p1", "for_ms": 3}
    variant = {"name": "v", "title": RIGHT["title"], "set": {"faults.0.action": "restart"}}
    source = load({**RIGHT, "faults": [crash], "variants": [variant]}, "v").source
    assert source["faults"] == [{"at": 5, "action": "restart", "actor": "p1"}]
    assert load(source).source == source


@pytest.mark.parametrize("broken", [{}, {"topics": 3}, {"cluster": []}, {"topics": [{"partitions": "x"}, 4]}])
def test_names_of_a_broken_document_are_some(broken: dict[str, Any]) -> None:
    assert set(names_in(broken)) >= {"producers", "partitions", "actors"}
