"""The committed schema agrees with the Python types, and the messages that are sent fit it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import Step, place
from engine.view.run_ahead import plan_ahead
from engine.watching import ABSENT
from eosviz.contract import schema
from eosviz.contract.__main__ import FILE
from eosviz.replays import format, player_file
from eosviz.walkthroughs import messages
from tests.contract.fitting import misfits
from tests.replays.opened import open_log
from tests.replays.test_log_pages import LOGS
from tests.walkthroughs.test_consumer import make_session, open_page

RUNS = [
    ("SC-03", None),
    ("SC-44", "k28"),
    ("SC-61", "k28"),
    ("SC-75", "timeout"),
    ("SC-80", None),
    ("SC-83", "manual-b"),
]
"""Scenarios with a duplicate, a commit, a second producer with the same transactional id, a hanging transaction, a
loop, and the middleware.
"""
VIEW_EVERY = 20


def test_the_committed_schema_is_that_of_the_types() -> None:
    assert FILE.read_text(encoding="utf-8") == schema.as_text(), "make schema"


def test_it_is_a_json_schema() -> None:
    assert jsonschema_rs.meta.is_valid(schema.schema())


def test_every_shape_is_described_once() -> None:
    """If two classes had the same name, the schema would add the names of their modules."""
    assert [name for name in schema.schema()["$defs"] if "." in name or "_" in name] == []


def test_each_shape_stands_in_one_of_its_modules() -> None:
    """A class that is defined in a module outside of `schema.MODULES` would be described without the texts of its
    fields.
    """
    made = schema.schema()["$defs"]
    defined = {
        name
        for module in schema.MODULES
        for name, kind in vars(module).items()
        if isinstance(kind, type) and kind.__module__ == module.__name__
    }
    assert {name for name, shape in made.items() if "properties" in shape} - defined == set()


@pytest.mark.parametrize("run", RUNS)
def test_what_the_engine_tells_of_a_run_fits(run: tuple[str, str | None]) -> None:
    scenario = entry(run[0]).scenario(run[1])
    simulation = Simulation(scenario)
    assert misfits("Header", as_sent(simulation.header())) == []
    assert misfits("Plan", as_sent(plan_ahead(scenario))) == []
    view = as_sent(simulation.view())
    assert misfits("View", view) == []
    while isinstance(step := simulation.step(), Step):
        sent = as_sent(step.to_json())
        assert misfits("Step", sent) == []
        for change in sent["changes"]:
            place(view, tuple(change["path"]), change.get("after", ABSENT))
        if step.number % VIEW_EVERY == 0:
            assert misfits("View", view) == []
    assert misfits("View", as_sent(simulation.view())) == []


def as_sent(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("scenario", ["SC-03", "SC-44", "SC-61", "SC-75", "SC-80"])
@pytest.mark.django_db(transaction=True)
async def test_what_a_session_says_fits(scenario: str) -> None:
    """`Page` checks each message of the server against the schema. The server reads each message of the page as
    strictly.
    """
    session, branch = await make_session(scenario)
    main = str(branch.id)
    async with open_page(session) as page:
        welcome = (await page.ask("hello", have={main: 0}))[-1]
        roles = {actor["role"]: actor["name"] for actor in welcome["header"]["actors"]}
        actor = roles.get("broker", roles.get("participant"))
        done = (await page.ask("run_until", branch=main, after=0, until="end", limit=60))[-1]
        newest = done["newest"]
        questions: list[tuple[str, dict[str, Any]]] = [
            ("near_view", {"number": newest}),
            ("near_view", {"number": newest // 2, "whole": True}),
            ("keyframe", {"number": newest}),
            ("difference", {"from": newest, "to": 1}),
            ("window", {"from": 1, "to": newest}),
            ("search", {"from": 1, "to": newest, "conditions": [{"on": "interesting"}]}),
            ("transactions", {}),
            ("plan", {}),
            ("actions", {"number": newest, "selection": {"kind": "actor", "id": actor}}),
            ("why", {"number": newest}),
            ("rename", {"name": "mine"}),
        ]
        answers = {(await page.ask(type, branch=main, **fields))[-1]["type"] for type, fields in questions}
        assert {
            "near_view",
            "keyframe",
            "difference",
            "steps",
            "found",
            "transactions",
            "actions",
            "why",
        } <= answers
        for after, named, answer in ((newest // 2, actor, "done"), (0, "a-stranger", "error")):
            crash = {"action": "crash", "actor": named}
            made = (await page.ask("intervene", branch=main, after=after, intervention=crash))[-1]
            assert made["type"] == answer, made


def test_the_page_s_messages_are_closed() -> None:
    command = {"v": 1, "id": "0" * 8 + "-0000-4000-8000-" + "0" * 12, "type": "plan", "branch": "1"}
    assert misfits("FromPage", command) == []
    assert misfits("FromPage", command | {"more": 1}) != []
    with pytest.raises(messages.Unreadable):
        messages.read_message(json.dumps(command | {"more": 1}))


@pytest.mark.django_db
def test_the_player_file_of_a_log_fits() -> None:
    folder = LOGS / "h2_open"
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    replay = open_log(files, "a" * 48)
    assert misfits("PlayerFile", player_file.read(bytes(replay.player))) == []


def test_a_recorded_step_has_the_fields_that_the_engine_tells() -> None:
    """The reader of replays has types of its own for steps, because it also bounds the size of their fields. These
    types must have the same fields as the engine's.
    """
    shapes = schema.schema()["$defs"]
    _, read = msgspec.json.schema_components([format.Step], ref_template="#/$defs/{name}")
    names = {"Note": "Said"}
    for name, shape in read.items():
        known = shapes[names.get(name, name)]
        assert shape["properties"].keys() == known["properties"].keys(), name
