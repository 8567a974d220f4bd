"""Every state machine of the engine, every (state, event): generated from the tables themselves.

What is checked here is that a table is sound; that its rows are the right ones is checked by scenarios and by
recorded cases. So nothing here counts as coverage of a row.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.explain import LANGUAGES, catalogue
from engine.explain.machines import machine_lines, machines
from engine.explain.requirements import REGISTER, REQUIREMENTS
from engine.machine import Machine, Row, deciding_rows

MACHINES = list(machines().values())
PAIRS = [
    pytest.param(machine, state, on, id=f"{machine.name}-{state}-{on}")
    for machine in MACHINES
    for state in machine.states
    for on in machine.events
    if machine.candidates(state, on)
]


@pytest.mark.parametrize(("machine", "state", "on"), PAIRS)
def test_each_guard_alone_decides_its_row(machine: Machine, state: str, on: str) -> None:
    rows = machine.candidates(state, on)
    for row in rows:
        holds = {guard: guard == row.when for guard in machine.guards}
        assert machine.find(state, on, holds) is row
    if any(not row.when for row in rows):
        nothing_holds = dict.fromkeys(machine.guards, False)
        assert machine.find(state, on, nothing_holds) is rows[-1]
    else:
        with pytest.raises(EngineError, match="no row"):
            machine.find(state, on, dict.fromkeys(machine.guards, False))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_what_a_table_does_not_know_is_a_broken_rule(machine: Machine) -> None:
    for state in machine.states:
        for on in machine.events:
            if not machine.candidates(state, on):
                with pytest.raises(EngineError, match="no row"):
                    machine.find(state, on, dict.fromkeys(machine.guards, True))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_every_row_says_why_in_both_languages_and_names_a_rule(machine: Machine) -> None:
    known = catalogue()
    for row in machine.rows:
        assert all(known[row.why].text(language) for language in LANGUAGES)
        assert row.spec in REQUIREMENTS + REGISTER, row.name(machine.name)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_a_terminal_state_is_never_left(machine: Machine) -> None:
    """Where the end is the beginning, all starts anew."""
    left = [
        row.name(machine.name)
        for row in machine.rows
        if row.source in machine.terminal - {machine.initial} and row.target not in (None, row.source)
    ]
    assert not left


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
@given(data=st.data())
def test_any_walk_stays_inside_the_table(machine: Machine, data: st.DataObject) -> None:
    """Refused means unchanged; every other row leads to a state that the table knows."""
    state = machine.initial
    for _ in range(data.draw(st.integers(1, 30))):
        possible = [on for on in machine.events if machine.candidates(state, on)]
        if not possible:
            break
        row = data.draw(st.sampled_from(machine.candidates(state, data.draw(st.sampled_from(possible)))))
        decided = machine.find(state, row.on, {guard: guard == row.when for guard in machine.guards})
        assert decided is row
        assert row.target is None or row.target in machine.states
        state = row.target or state


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_the_text_of_a_machine_holds_every_row(machine: Machine) -> None:
    text = "\n".join(machine_lines(machine))
    for row in machine.rows:
        assert f"  {row.on}{f' when {row.when}' if row.when else ''}  " in text
    assert text.count("refused") >= sum(row.refused for row in machine.rows)


def row(source: str = "A", on: str = "go", target: str | None = "B", **given: str) -> Row:
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
        Machine("m", "A", rows, guards=("g",))


def test_rows_are_noted_only_while_somebody_asks() -> None:
    machine = Machine("m", "A", [row(when="g"), row(target=None, reply="NO")], guards=("g",))
    with deciding_rows([machine]) as found:
        machine.find("A", "go", {"g": False})
        assert list(found) == [id(machine.rows[1])]
        assert machine.targets[("A", "go")] is None
        assert len(found) == 2
    machine.find("A", "go", {"g": True})
    assert len(found) == 2
    assert type(machine.targets) is dict
