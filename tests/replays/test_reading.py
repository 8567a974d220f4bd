"""What a good file contains after reading; and that writing and reading agree."""

import io
import zlib

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from eosviz.replays import format, writing
from eosviz.replays import lines as format_lines
from eosviz.replays.bounds import LONG_MAX, LONG_MIN
from tests.replays.stories import branch, canonical, counting_step, header, lines, read


def steps_of(packed_steps: bytes) -> dict[str, list[dict[str, object]]]:
    steps: dict[str, list[dict[str, object]]] = msgspec.json.decode(zlib.decompress(packed_steps, wbits=31))
    return steps


def test_a_sound_file_gives_its_steps_back() -> None:
    recording = read(lines())
    assert recording.steps == 3
    assert steps_of(recording.packed_steps) == {"1": [counting_step(number) for number in (1, 2, 3)]}
    assert recording.header.title.zh_hans == "计数"


def test_the_canonical_form_is_the_one_the_document_gives() -> None:
    value = {"é": "\u007f\u2028\n\\", "b": [True, None, LONG_MIN], "\U0001f600": "😀", "\uffff": 1}
    assert format_lines.canonical(value) == canonical(value)


def test_a_branch_goes_on_from_where_it_leaves() -> None:
    first = header(
        branch(newest=3),
        branch("2", newest=4, parent="1", leaves_at=2, name="dropped another"),
        branch("3", newest=2, parent="2", leaves_at=2, name="nothing yet"),
    )
    lost = [{"guarantee": "lost", "partition": "t-0", "serials": [1]}]
    steps = [
        ("1", counting_step(1, broken=lost)),
        ("1", counting_step(2)),
        ("1", counting_step(3, broken=lost)),
    ]
    steps += [("2", counting_step(number)) for number in (3, 4)]
    recording = read(lines(first, steps))
    assert [step["number"] for step in steps_of(recording.packed_steps)["2"]] == [3, 4]
    assert steps_of(recording.packed_steps)["3"] == []
    assert recording.first_broken == {"1": {"lost": 1}, "2": {"lost": 1}, "3": {"lost": 1}}


def test_a_branch_that_leaves_before_a_guarantee_broke_has_it_whole() -> None:
    first = header(branch(newest=2), branch("2", newest=1, parent="1", leaves_at=1))
    lost = [{"guarantee": "lost", "partition": "t-0", "serials": [1]}]
    recording = read(lines(first, [("1", counting_step(1)), ("1", counting_step(2, broken=lost))]))
    assert recording.first_broken == {"1": {"lost": 2}, "2": {}}


def test_what_a_step_added_is_not_touched_by_later_steps() -> None:
    steps = [
        ("1", counting_step(1, changes=[{"path": ["a"], "after": {"b": 1}}])),
        ("1", counting_step(2, changes=[{"path": ["a", "b"], "before": 1, "after": 2}])),
        ("1", counting_step(3, changes=[{"path": ["a"], "before": {"b": 2}}])),
    ]
    recording = read(lines(None, steps))
    assert steps_of(recording.packed_steps)["1"][0]["changes"] == [{"path": ["a"], "after": {"b": 1}}]


def test_a_chance_in_the_scenario_may_be_a_fraction() -> None:
    assert read(lines(header(scenario={"rate": 0.25}))).header.scenario == {"rate": 0.25}


numbers = st.integers(LONG_MIN, LONG_MAX)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda name: name not in ("__proto__", "constructor", "prototype")
)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.tuples(names, values), min_size=1, max_size=5))
def test_any_values_come_back_as_they_were(added: list[tuple[str, object]]) -> None:
    view: dict[str, object] = {}
    steps = []
    for number, (name, value) in enumerate(added, 1):
        change = {"path": ["things", name], "after": value}
        if name in view:
            change["before"] = view[name]
        view[name] = value
        steps.append(("1", counting_step(number, changes=[change], params=dict(added))))
    first = header(branch(newest=len(steps)))
    file = b"".join(writing.write(format.convert(first, format.Header), steps))
    recording = read(file)
    assert steps_of(recording.packed_steps)["1"] == [step for _, step in steps]
    assert file == b"".join(writing.write(recording.header, steps))
    assert io.BytesIO(file).read(4)[:2] == b"\x1f\x8b"
