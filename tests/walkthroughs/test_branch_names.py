"""The names of branches: pages, messages and files use one rule."""

from eosviz.walkthroughs.branch_names import Run, letters_at, names_of, next_letters

BEGUN = Run("1", "a", is_changed=False)
CHANGED = Run("1", "a", is_changed=True)


def called(*runs: Run) -> dict[str, str]:
    return {
        identity: f"{said['key'].removeprefix('branch.')} {said['params']['name']}"
        for identity, said in names_of(runs).items()
    }


def test_the_first_run_without_a_change_is_the_original() -> None:
    runs = (Run("1", "lost ack", True), Run("2", "b", False), Run("3", "c", False), Run("4", "d", True))
    assert called(*runs) == {
        "1": "changed “lost ack”",
        "2": "original b",
        "3": "unchanged c",
        "4": "changed d",
    }
    assert called(Run("1", "mine", False)) == {"1": "original_named “mine”"}


def test_letters_go_on_after_those_of_the_other_changed_and_new_runs() -> None:
    undone = Run("2", "b", is_changed=False)
    assert next_letters([BEGUN]) == "a", "the original run shows no letters"
    assert next_letters([CHANGED]) == next_letters([CHANGED, undone]) == "b"
    assert next_letters([CHANGED, undone, Run("3", "z", False), Run("4", "mine", True)]) == "aa"


def test_letters_go_on_after_z() -> None:
    assert [letters_at(position) for position in (0, 1, 25, 26, 27, 52)] == ["a", "b", "z", "aa", "ab", "ba"]
