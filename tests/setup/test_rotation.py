"""Of many similar cases, the quick tests take some, and the slow tests the others."""

from tests.rotation import in_turn, is_drawn, part

CASES = [f"case {number}" for number in range(10)]


def test_each_case_is_quick_or_slow_once_and_in_order() -> None:
    found = in_turn(CASES, 3, "eosviz/launch")
    quick = [case for case in found if isinstance(case, str)]
    assert quick == part(CASES, 3, "eosviz/launch")
    assert len(quick) == 3
    slow = [case for case in found if not isinstance(case, str)]
    assert [[mark.name for mark in case.marks] for case in slow] == [["slow"]] * 7
    assert [case if isinstance(case, str) else case.values[0] for case in found] == CASES


def test_another_code_takes_other_cases() -> None:
    drawn = {tuple(part(CASES, 3, folder)) for folder in ("eosviz/launch", "eosviz/pipeline", "engine/codec")}
    assert len(drawn) > 1


def test_a_case_is_drawn_by_its_name() -> None:
    numbers = list(range(10))
    named = part(numbers, 3, "eosviz/launch", name=lambda number: CASES[number])
    assert [CASES[number] for number in named] == part(CASES, 3, "eosviz/launch", name=str)


def test_one_case_in_some_is_drawn_and_another_one_by_another_code() -> None:
    many = [f"case {number}" for number in range(900)]
    drawn = [
        {case for case in many if is_drawn(case, 3, folder)} for folder in ("eosviz/launch", "engine/codec")
    ]
    assert all(200 < len(cases) < 400 for cases in drawn)
    assert drawn[0] != drawn[1]
