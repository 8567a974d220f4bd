"""How the benchmarks compare two sides in turns (`benchmarks/turns.py`)."""

import pytest

from benchmarks.turns import in_turns, ratios, report_rounds


def test_each_side_is_measured_once_a_round_and_neither_is_always_first() -> None:
    order: list[str] = []

    def side(name: str) -> int:
        order.append(name)
        return len(order)

    found = in_turns({"product": lambda: side("product"), "floor": lambda: side("floor")}, rounds=3)

    assert order == ["product", "floor", "floor", "product", "product", "floor"]
    assert found == {"product": [1, 4, 5], "floor": [2, 3, 6]}


def test_a_machine_that_gets_slower_changes_no_ratio() -> None:
    floor = [1.0, 2.0, 4.0]
    product = [1.5 * seconds for seconds in floor]

    assert ratios(product, floor) == [1.5, 1.5, 1.5]


def test_a_side_that_missed_a_round_has_no_ratios() -> None:
    with pytest.raises(ValueError):
        ratios([1.0, 1.0], [1.0])


def test_the_median_is_printed_with_its_goal_and_then_least_and_most(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report_rounds("click_by_floor", [9.0, 1.25, 1.5], "times", 1.5)

    assert capsys.readouterr().out.splitlines() == [
        "click_by_floor 1.5 times",
        "click_by_floor_goal 1.5 times",
        "click_by_floor_least 1.25 times",
        "click_by_floor_most 9 times",
    ]


def test_one_value_has_no_least_and_no_most(capsys: pytest.CaptureFixture[str]) -> None:
    report_rounds("sweep_growth", [1.5], "times")

    assert capsys.readouterr().out == "sweep_growth 1.5 times\n"
