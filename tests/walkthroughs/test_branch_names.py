"""What branches are called: one rule for pages, messages and files."""

from eosviz.walkthroughs.branch_names import Run, letters_at, names_of, next_letters

BEGUN = Run("1", "a", None, 0, [])


def called(*runs: Run) -> dict[str, str]:
    return {
        identity: f"{said['key'].removeprefix('branch.')} {said['params']['name']}"
        for identity, said in names_of(runs).items()
    }


def test_a_run_is_changed_if_there_is_an_intervention_on_the_way_to_its_end() -> None:
    changed = Run("2", "a", "1", 10, [10, 15])
    assert called(BEGUN, changed, Run("3", "b", "2", 12, []), Run("4", "c", "2", 10, [])) == {
        "1": "original a",
        "2": "changed a",
        "3": "changed b",
        "4": "unchanged c",
    }


def test_a_run_that_was_changed_in_place_left_the_original() -> None:
    runs = (Run("1", "lost ack", None, 0, [80]), Run("2", "b", "1", 80, []), Run("3", "b", "1", 60, []))
    assert called(*runs) == {"1": "changed “lost ack”", "2": "original b", "3": "unchanged b"}
    assert called(BEGUN._replace(name="mine"))["1"] == "original_named “mine”"


def test_letters_go_on_after_those_of_the_other_changed_and_new_runs() -> None:
    assert next_letters([BEGUN]) == "a", "the original run shows no letters"
    changed = BEGUN._replace(afters=[80])
    undone = Run("2", "b", "1", 80, [])
    assert next_letters([changed]) == next_letters([changed, undone]) == "b"
    assert next_letters([changed, undone, Run("3", "z", "1", 5, []), Run("4", "mine", "1", 5, [])]) == "aa"


def test_letters_go_on_after_z() -> None:
    assert [letters_at(position) for position in (0, 1, 25, 26, 27, 52)] == ["a", "b", "z", "aa", "ab", "ba"]
