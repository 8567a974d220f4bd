"""One scenario in five versions: how each run ends, where it first differs from the run of the previous version, and
which rows of the tables cause the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from engine.errors import Refused
from engine.generations.deciding import BROKERS, CLIENTS, Row, least, rows_between, with_rows
from engine.generations.generation import GENERATIONS, in_generation, is_own, settings_in
from engine.generations.grid import Cell, grid_of
from engine.generations.runs import first_difference
from engine.profile import age
from engine.scenario.document import BadScenario, Scenario
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from tests.rotation import part

RUNS = [f"{found.id}/{variant or ''}" for found in library() for variant in found.variants or (None,)]


def scenario_of(run: str) -> Scenario:
    identifier, _, variant = run.partition("/")
    return entry(identifier).scenario(variant or None)


def cells_of(run: str) -> dict[str, Cell]:
    return {cell.generation.name: cell for cell in grid_of(scenario_of(run))}


def rows_of(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(row.side, row.field) for row in rows]


# -- the generations -----------------------------------------------------------------------------------------


def test_generations_stand_from_old_to_new_and_no_client_is_ahead_of_its_brokers() -> None:
    ages = [(age(one.cluster.version), age(one.client.version)) for one in GENERATIONS.values()]
    assert ages == sorted(ages) and len(set(ages)) == len(ages) == 5
    assert all(client <= cluster for cluster, client in ages)


def test_versions_and_levels_that_a_scenario_names_give_way() -> None:
    scenario = scenario_of("SC-91/client-3-9")
    assert scenario["producers"][0]["profile"] == "k39"
    there = in_generation(scenario, GENERATIONS["k41"])
    assert (there["profile"], there["producers"][0]["profile"]) == ("k41", "k41")
    level = scenario_of("SC-91/end-level-0")
    assert settings_in(level, GENERATIONS["k28"])["cluster.transaction_version"] == 0
    assert in_generation(level, GENERATIONS["k41"])["cluster"]["transaction_version"] == 2


@pytest.mark.parametrize(
    ("run", "own"),
    [
        ("SC-47", "k28"),
        ("SC-61/k20", "k20"),
        ("SC-155/idempotence-off", None),
        ("SC-91/client-3-9", "k41-k39"),
        ("SC-91/end-level-0", None),
        ("SC-08/k010", None),
    ],
)
def test_a_scenario_is_written_for_one_of_them_at_most(run: str, own: str | None) -> None:
    scenario = scenario_of(run)
    assert [name for name, one in GENERATIONS.items() if is_own(scenario, one)] == ([own] if own else [])


# -- which rows decide ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("needed", [[], [3], [0, 6], [1, 2, 5], list(range(7))])
def test_the_rows_that_remain_are_those_that_are_needed(needed: list[int]) -> None:
    rows = [Row(BROKERS, f"row_{number}", True, False) for number in range(7)]
    wanted = {f"row_{number}" for number in needed}
    assert {row.field for row in least(rows, lambda some: wanted <= {row.field for row in some})} == wanted


def test_where_either_of_two_rows_suffices_one_remains() -> None:
    rows = [Row(CLIENTS, name, True, False) for name in "abcd"]
    assert [
        row.field for row in least(rows, lambda some: {"b", "d"} & {row.field for row in some} != set())
    ] == ["d"]


@pytest.mark.parametrize("run", part(RUNS, 8, "engine"))
def test_a_generation_with_all_rows_of_the_next_is_the_next(run: str) -> None:
    """So two versions differ in nothing but the rows of their profiles."""
    scenario, names = scenario_of(run), list(GENERATIONS)
    for one, other in pairwise(names):
        before, after = GENERATIONS[one], GENERATIONS[other]
        try:
            here, there = in_generation(scenario, before), in_generation(scenario, after)
            exchanged = Simulation(with_rows(here, before, rows_between(before, after)))
            wanted = Simulation(there)
        except (BadScenario, Refused):
            continue
        steps = [[step for _ in range(300) if (step := run.step())] for run in (exchanged, wanted)]
        assert first_difference(*steps) is None, (run, one, other)


# -- what the grid shows -------------------------------------------------------------------------------------


def test_a_late_end_of_a_transaction_is_harmless_once_brokers_and_clients_are_new() -> None:
    cells = cells_of("SC-91/end-level-0")
    assert cells["k28"].is_alike and not cells["k28"].ends_otherwise
    assert {name: cell.outcome.broken for name, cell in cells.items() if cell.outcome} == {
        "k20": ("hanging",),
        "k28": ("hanging",),
        "k39": (),
        "k41-k39": (),
        "k41": (),
    }
    assert rows_of(cells["k39"].decided_by) == [("brokers", "verifies_partitions")]
    assert cells["k41-k39"].is_alike, "new brokers alone change nothing here"
    assert rows_of(cells["k41"].decided_by) == [("clients", "transaction_version")]
    outcome = cells["k41"].outcome
    assert outcome is not None and (outcome.committed, outcome.aborted) == (1, 1)


def test_committed_is_not_yet_visible_in_any_of_them() -> None:
    cells = cells_of("SC-47")
    assert not any(cell.ends_otherwise for cell in cells.values())
    waits = [cell.transactions[0].last_at - (cell.transactions[0].decided_at or 0) for cell in cells.values()]
    assert all(wait >= 500 for wait in waits)


def test_a_zombie_ends_alike_and_hears_other_errors() -> None:
    cells = cells_of("SC-61/k28")
    assert not any(cell.ends_otherwise for cell in cells.values())
    heard = {name: {answer.error for answer in cell.answers} for name, cell in cells.items()}
    assert heard["k20"] == {"INVALID_PRODUCER_EPOCH"}
    assert heard["k28"] == {"INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED"}
    parting = cells["k41-k39"].parting
    assert parting is not None and rows_of(parting.rows) == [("brokers", "transaction_version")]
    assert [line.identity for line in cells["k41"].transactions] == ["1000·0", "1000·2"]


def test_a_lost_acknowledgement_without_idempotence_is_a_duplicate_in_all_of_them() -> None:
    cells = list(cells_of("SC-02").values())
    assert all(cell.outcome is not None and cell.outcome.broken == ("duplicated",) for cell in cells)
    assert all(cell.is_alike for cell in cells[1:])


def test_a_default_of_the_client_decides() -> None:
    cells = cells_of("SC-08/k28")
    assert cells["k39"].ends_otherwise
    assert rows_of(cells["k39"].decided_by) == [("clients", "idempotent_by_default")]


def test_clients_that_were_upgraded_before_their_brokers_have_a_column_of_their_own() -> None:
    cells = cells_of("SC-155/client-upgraded")
    assert list(cells) == ["k20", "k20-k39", "k28", "k39", "k41-k39", "k41"]
    assert [name for name, cell in cells.items() if cell.own] == ["k20-k39"]
    mixed = cells["k20-k39"]
    assert mixed.ends_otherwise and mixed.outcome is not None and mixed.outcome.verdicts[0].failed == 1
    assert {row.side for row in mixed.decided_by} == {"clients"}
    assert ("clients", "idempotent_by_default") in rows_of(mixed.decided_by)
    assert cells["k28"].since == GENERATIONS["k20"] and not cells["k28"].ends_otherwise


def test_an_application_sends_again_only_what_failed() -> None:
    cells = cells_of("SC-151/k20")
    assert [cell.outcome.broken for cell in cells.values() if cell.outcome] == [
        ("duplicated",),
        (),
        (),
        (),
        (),
    ]


@pytest.mark.parametrize(
    ("run", "name", "place"),
    [
        ("SC-89/heartbeats-lost", "k28", "faults.0.action"),
        ("SC-93/at-rest", "k39", "faults.0.message.transaction_version"),
        ("SC-07/acks-one", "k41", "producers.p1.settings"),
    ],
)
def test_what_a_generation_cannot_run_has_its_reason(run: str, name: str, place: str) -> None:
    cell = cells_of(run)[name]
    assert cell.cannot is not None and cell.cannot.place.startswith(place)
    assert cell.cannot.message["reason"]
    assert cell.outcome is None and cell.since is None


def test_a_fault_that_falls_on_nothing_is_named() -> None:
    """A client of 4.1 sends no AddPartitionsToTxn, so the fault cannot hit any."""
    cells = cells_of("SC-51/errors")
    assert [cell.unmet for cell in cells.values()] == [(), (), (), (), (0, 1)]


@pytest.mark.parametrize("run", part(RUNS, 16, "engine"))
def test_each_parting_is_decided_by_rows_and_the_first_cell_by_none(run: str) -> None:
    before: Cell | None = None
    for cell in grid_of(scenario_of(run)):
        if cell.cannot is not None:
            continue
        assert (cell.since is None) == (before is None)
        if cell.parting is not None:
            assert cell.parting.rows, (run, cell.generation.name)
            outcome = (cell.parting.here, cell.parting.state, cell.parting.at)
            assert outcome != (cell.parting.before, cell.parting.state_before, cell.parting.at_before), run
        assert not cell.ends_otherwise or cell.decided_by, (run, cell.generation.name)
        before = cell


def test_rows_that_contradict_each_other_are_no_version_and_decide_nothing() -> None:
    """With only some rows of 3.9, a client of 2.8 may get an error that is not in its table."""
    assert cells_of("SC-26/k39-no-write")["k39"].outcome is not None
