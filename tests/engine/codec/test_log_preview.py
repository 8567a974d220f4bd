"""A marker is tried on a copy of a real log: the preview shows what a broker would write and what readers would see."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from engine.codec.log_case import LogCase, log_case
from engine.codec.log_preview import PREVIEWS_MAX, Ending
from engine.codec.record import Record
from engine.codec.record_batch import encode_batch
from engine.codec.segment import BatchRow, SegmentReader
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.engine.codec.test_log_case import SENTENCES, apply, folded, folder

OPEN = folder(KAFKA_LOGS / "h2_open" / "hangopen-0")
ABORT = Ending(
    partition="hangopen-0", producer_id=1022, producer_epoch=0, result="ABORT", first_offset=2, log_end=8
)


def after(case: LogCase, place: int = 0) -> list[dict[str, Any]]:
    """Return the view after each step of a preview."""
    view, views = folded(case), []
    for step in case.previews[place]:
        apply(view, step["changes"], "before", "after")
        views.append(copy.deepcopy(view))
    return views


def lanes(view: dict[str, Any]) -> dict[str, Any]:
    return {
        name: reader["lanes"]["hangopen-0"] | {"delivered": reader["delivered_count"]}
        for name, reader in view["consumers"].items()
    }


def test_the_marker_frees_the_last_stable_offset_and_the_reader_that_waited_for_it() -> None:
    before, then = after(log_case(OPEN, endings=[ABORT]))
    held, free = (lanes(view)["reader-1"] for view in (before, then))
    assert (held["position"], held["held_by"]) == (2, {"producer_id": 1022, "first_offset": 2})
    assert [fate for *_, fate in held["ahead"]] == ["undecided"]
    replica = then["partitions"]["hangopen-0"]["replicas"]["0"]
    assert (replica["last_stable_offset"], replica["batches"]["2"]["outcome"]) == (9, "aborted")
    assert (free["position"], free["ahead"], free["held_by"]) == (9, [], None)
    assert [2, 3, "aborted"] in free["stretches"]
    # A read_uncommitted consumer had received the records before.
    assert [lanes(view)["reader-2"]["delivered"] for view in (before, then)] == [5, 5]


def test_a_commit_gives_the_waiting_reader_what_an_abort_hides() -> None:
    commit = replace(ABORT, result="COMMIT")
    case = log_case(OPEN, endings=[ABORT, commit])
    hidden, given = (lanes(after(case, place)[-1])["reader-1"]["delivered"] for place in (0, 1))
    assert given == hidden + 2


def test_the_marker_of_the_later_of_two_open_transactions_leaves_the_last_stable_offset() -> None:
    data = b"".join(
        encode_batch(
            [Record(offset, 5, None, b"v")],
            base_offset=offset,
            producer_id=producer_id,
            producer_epoch=0,
            base_sequence=0,
            is_transactional=True,
        )
        for offset, producer_id in enumerate((1021, 1022))
    )
    earlier = replace(ABORT, partition="t-0", producer_id=1021, first_offset=0, log_end=2)
    later = replace(earlier, producer_id=1022, first_offset=1)
    endings = [earlier, later, replace(later, result="COMMIT")]
    case = log_case({"t-0/00000000000000000000.log": data}, endings=endings)
    said = [case.previews[place][-1] for place in range(3)]
    assert [step["key"] for step in said] == [
        "log.preview.abort",
        "log.preview.abort_stays",
        "log.preview.commit_stays",
    ]
    assert [(step["params"]["before"], step["params"].get("after")) for step in said] == [
        (0, 1),
        (0, None),
        (0, None),
    ]


def test_a_preview_stands_behind_the_log_and_changes_nothing_of_it() -> None:
    alone, tried = log_case(OPEN), log_case(OPEN, endings=[ABORT])
    assert (tried.steps, tried.header, tried.view) == (alone.steps, alone.header, alone.view)
    last = tried.steps[-1]
    assert [step["number"] for step in tried.previews[0]] == [last["number"] + 1, last["number"] + 2]
    assert all(step["key"] in SENTENCES for step in tried.previews[0])


def test_a_marker_of_an_older_epoch_is_refused_as_a_leader_refuses_it() -> None:
    (_, refused) = log_case(OPEN, endings=[replace(ABORT, producer_epoch=-1)]).previews[0]
    assert (refused["key"], refused["params"]["error"]) == ("log.preview.refused", "INVALID_PRODUCER_EPOCH")
    assert refused["changes"] == []


@pytest.mark.parametrize(
    "other",
    [{"log_end": 7}, {"first_offset": 0}, {"producer_id": 1021}, {"partition": "hangopen-1"}],
    ids=lambda values: next(iter(values)),
)
def test_what_is_meant_for_another_log_is_not_tried(other: dict[str, Any]) -> None:
    assert log_case(OPEN, endings=[replace(ABORT, **other)]).previews == {}


def test_so_many_are_tried_and_no_more() -> None:
    assert len(log_case(OPEN, endings=[ABORT] * (PREVIEWS_MAX + 5)).previews) == PREVIEWS_MAX


def test_the_marker_of_an_administrator_is_the_one_that_the_broker_wrote() -> None:
    """`kafka-transactions.sh abort` ended a transaction of this log. The log is cut before its marker: then the
    preview has the same marker at the same offset, and leads to the same last stable offset.
    """
    (name,) = (path.name for path in (KAFKA_LOGS / "h3_admin_abort").iterdir() if path.is_dir())
    files = folder(KAFKA_LOGS / "h3_admin_abort" / name)
    (path,) = (one for one in files if one.endswith(".log"))
    rows = [row for row in SegmentReader().rows(files[path]) if isinstance(row, BatchRow)]
    marker = next(row for row in rows if row.control is not None)
    first = min(row.header.base_offset for row in rows if row.header.producer_id == marker.header.producer_id)
    ending = Ending(
        partition=name,
        producer_id=marker.header.producer_id,
        producer_epoch=marker.header.producer_epoch,
        result=marker.control.type_name if marker.control is not None else "",
        first_offset=first,
        log_end=marker.header.base_offset,
    )
    case = log_case({path: files[path][: marker.position]}, endings=[ending])
    stored = after(case)[-1]["partitions"][name]["replicas"]["0"]
    real = folded(log_case({path: files[path][: marker.position + marker.header.size]}))
    written = real["partitions"][name]["replicas"]["0"]
    fields = ("producer_id", "producer_epoch", "control", "coordinator_epoch", "last_offset", "size")
    offset = str(marker.header.base_offset)
    assert {key: stored["batches"][offset][key] for key in fields} == {
        key: written["batches"][offset][key] for key in fields
    }
    pointers = ("log_end", "high_watermark", "last_stable_offset")
    assert [stored[key] for key in pointers] == [written[key] for key in pointers]
