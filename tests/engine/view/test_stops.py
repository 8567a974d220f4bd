"""Where a reader of a run stops, besides the landings of beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from engine.shapes.plans import Beat
from engine.view.stops import stops_of, with_stops


def beat(first: int, last: int, lands: int, inside: Sequence[Beat] = (), **more: Any) -> Beat:
    own: dict[str, Any] = {"number": 1, "first": first, "last": last, "lands": lands, "kind": "sends"}
    own |= {"key": "beat.sends", "params": {}, "lines": [], **more}
    return cast("Beat", own | {"beats": list(inside)} if inside else own)


def steps(beats: Sequence[Beat]) -> list[int]:
    return [one["lands"] for one in stops_of(with_stops(beats))]


LAST = beat(41, 50, 45)


def test_what_came_of_an_intervention_is_a_stop_before_or_behind_the_landing_of_the_outer_beat() -> None:
    came = [beat(5, 8, 6, added=True), beat(9, 12, 10), beat(13, 20, 15, added=True)]
    assert steps([beat(1, 20, 10, came), LAST]) == [6, 10, 15, 45]


def test_at_one_step_a_reader_stops_once_in_the_outermost_beat() -> None:
    inner = beat(5, 20, 10, [beat(5, 20, 10, added=True)], added=True)
    (only,) = with_stops([beat(1, 20, 10, [inner])])
    assert stops_of([only]) == [only]


def test_the_last_beat_of_a_run_is_gone_through_to_its_end() -> None:
    within = [beat(21, 25, 24), beat(26, 40, 28, [beat(26, 34, 28), beat(35, 40, 36)])]
    assert steps([beat(21, 40, 24, within)]) == [24, 28, 36]
    assert steps([beat(21, 40, 24, within), LAST]) == [24, 45]


def test_equal_parts_of_a_long_beat_are_no_stops() -> None:
    assert steps([beat(1, 40, 3, [beat(1, 20, 5, kind="part"), beat(21, 40, 22, kind="part")])]) == [3]


def test_marks_of_an_earlier_plan_do_not_stay() -> None:
    (last,) = with_stops([beat(1, 40, 3, [beat(1, 20, 3), beat(21, 40, 22)])])
    assert steps([last, LAST]) == [3, 45]


def test_what_lies_between_two_stops_inside_a_beat_is_passed_on_the_way_to_the_second() -> None:
    came = [beat(1, 9, 3), beat(10, 14, 12), beat(15, 20, 16, added=True)]
    (shown, _) = with_stops([beat(1, 20, 3, came), LAST])
    (stop,) = (one for one in shown["beats"] if one.get("stop"))
    assert [one["step"] for one in stop["passed"]] == [12]
    assert (
        "passed"
        not in with_stops([{**beat(1, 40, 3), "beats": [{**stop, "added": False}]}, LAST])[0]["beats"][0]
    )
