"""Every (state, event) of every state machine of the engine, with its real guards in generated situations.

These tests check that a table is consistent; scenarios and recorded cases check that its rows are the right ones. So
nothing here counts as coverage of a row.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.explain.machines import machine_lines, machines
from engine.explain.requirements import REGISTER, REQUIREMENTS
from engine.explain.sentences import LANGUAGES, catalogue
from engine.machine import Machine, Row, deciding_rows
from engine.telling.rows import row_key
from tests.engine.situations import MACHINES_WITH_SITUATIONS, situations

MACHINES = list(machines().values())
PAIRS = [
    pytest.param(machine, state, on, id=f"{machine.name}-{state}-{on}")
    for machine in MACHINES
    for state in machine.states
    for on in machine.events
    if any(row.when for row in machine.candidates(state, on))
]
"""The pairs of state and event whose rows have guards."""


def rows_that_hold(machine: Machine[Any], state: str, on: str, situation: Any) -> list[Row]:
    """Return the rows whose own guard holds; if there is none, those without a guard. It does not use ``take``, which
    it serves to test.
    """
    rows = machine.candidates(state, on)
    holding = [row for row in rows if row.when and machine.guards[row.when](situation)]
    return holding or [row for row in rows if not row.when]


def test_every_machine_has_its_situations() -> None:
    assert {machine.name for machine in MACHINES} == MACHINES_WITH_SITUATIONS


@pytest.mark.parametrize(("machine", "state", "on"), PAIRS)
@settings(max_examples=25)
@given(data=st.data())
def test_guards_exclude_each_other_and_leave_nothing_out(
    machine: Machine[Any], state: str, on: str, data: st.DataObject
) -> None:
    situation = data.draw(situations(machine.name, state, on))
    assert rows_that_hold(machine, state, on, situation) == [machine.take(state, on, situation)]


def takes(machine: Machine[Any], state: str, on: str, row: Row, situation: Any) -> bool:
    return machine.take(state, on, situation) is row


@pytest.mark.parametrize(("machine", "state", "on"), PAIRS)
def test_every_row_decides_in_some_situation(machine: Machine[Any], state: str, on: str) -> None:
    for row in machine.candidates(state, on):
        found = find(
            situations(machine.name, state, on),
            partial(takes, machine, state, on, row),
            settings=settings(database=None, max_examples=2000, phases=[Phase.generate]),
        )
        assert machine.take(state, on, found) is row


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_what_a_table_does_not_know_is_a_broken_rule(machine: Machine[Any]) -> None:
    for state in machine.states:
        for on in machine.events:
            if not machine.candidates(state, on):
                with pytest.raises(EngineError, match="no row"):
                    machine.take(state, on, None)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_rows_are_named_by_their_place(machine: Machine[Any]) -> None:
    """Recordings name a row by its number."""
    assert [row.number for row in machine.rows] == list(range(len(machine.rows)))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_every_row_says_why_in_both_languages_and_names_a_rule(machine: Machine[Any]) -> None:
    known = catalogue()
    for row in machine.rows:
        assert all(known[row_key(row)].text(language) for language in LANGUAGES)
        assert row.spec in REQUIREMENTS + REGISTER, row.name(machine.name)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_a_terminal_state_is_never_left(machine: Machine[Any]) -> None:
    """If the final state is also the first one, everything may begin again."""
    left = [
        row.name(machine.name)
        for row in machine.rows
        if row.source in machine.terminal - {machine.initial} and row.target not in (None, row.source)
    ]
    assert not left


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
@settings(max_examples=30)
@given(data=st.data())
def test_any_walk_stays_inside_the_table(machine: Machine[Any], data: st.DataObject) -> None:
    """Whatever happens in whatever situation: exactly one row decides, a refusal changes nothing, and no walk ends in
    a state that has no events and is not terminal.
    """
    state = machine.initial
    for _ in range(data.draw(st.integers(1, 15))):
        possible = [on for on in machine.events if machine.candidates(state, on)]
        if not possible:
            assert state in machine.terminal, f"{machine.name}: nothing leads out of {state}"
            break
        on = data.draw(st.sampled_from(possible))
        situation = data.draw(situations(machine.name, state, on))
        (expected,) = rows_that_hold(machine, state, on, situation)
        assert machine.take(state, on, situation) is expected
        state = expected.target or state


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_text_of_a_machine_holds_every_row(machine: Machine[Any]) -> None:
    text = "\n".join(machine_lines(machine))
    for row in machine.rows:
        assert f"  {row.on}{f' when {row.when}' if row.when else ''}  " in text
    assert text.count("refused") >= sum(row.refused for row in machine.rows)


KNOWN: dict[str, Any] = {"source": "A", "on": "go", "target": "B", "why": "w", "spec": "GEN-1"}


def row(source: str = "A", on: str = "go", target: str | None = "B", **given: Any) -> Row:
    return Row(source=source, on=on, target=target, **{"why": "w", "spec": "GEN-1", **given})


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([row(), row()], "can never decide"),
        ([row(when="g"), row(when="g")], "stands twice"),
        ([row(when="x")], "unknown guard"),
        ([row(), row(when="g")], "can never decide"),
        ([Row(source="A", on="go", target="B", why="w", spec="GEN-1", effects=("e",))], "unknown effects"),
        ([row(why="")], "needs its why"),
        ([row(spec="")], "needs its why"),
        ([row(), row(source="C", target="B")], "cannot be reached"),
    ],
)
def test_a_broken_table_does_not_load(rows: list[Row], complaint: str) -> None:
    with pytest.raises(EngineError, match=complaint):
        Machine("m", "A", rows, guards={"g": bool})


def test_rows_are_noted_only_inside_the_block() -> None:
    machine: Machine[bool] = Machine(
        "m", "A", [row(when="g"), row(target=None, reply="NO")], guards={"g": bool}
    )
    with deciding_rows() as found:
        machine.take("A", "go", False)
        assert list(found) == [id(machine.rows[1])]
    machine.take("A", "go", True)
    assert len(found) == 1


def test_every_effect_of_a_table_has_its_function_and_no_other_does() -> None:
    machine: Machine[None] = Machine("m", "A", [Row(**KNOWN, effects=("e", "f"))], effects=("e", "f"))
    assert machine.bind({"e": 1, "f": 2}) == ((1, 2),)
    for functions in ({"e": 1}, {"e": 1, "f": 2, "g": 3}):
        with pytest.raises(EngineError, match="not in both"):
            machine.bind(functions)


def test_kinds_of_states_are_read_off_the_rows() -> None:
    machine: Machine[None] = Machine("m", "A", [row(), row(source="B", target=None, reply="NO")])
    assert (set(machine.sources("go")), set(machine.targets_of("go"))) == ({"A"}, {"B"})
    assert machine.target_of("A", "go") == "B"
    with pytest.raises(EngineError, match="does not lead to one state"):
        machine.target_of("B", "go")
