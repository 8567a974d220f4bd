"""At every step, a near view must list or count everything that is in the view, whatever happened long before."""

from __future__ import annotations

import uuid
from typing import Any

import msgspec
import pytest

from engine.view import near_views
from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import actions, questions
from eosviz.walkthroughs.messages import Done, Intervene, MakeBranch, RunUntil, encode
from eosviz.walkthroughs.models import Branch, Keyframe, Session
from tests.walkthroughs.conftest import root

Json = dict[str, Any]

SMALL = {
    "REACH": 60,
    "GAP": 2,
    "NEWEST_RECORDS": 6,
    "NEWEST_FINISHED": 12,
    "NEWEST_BATCHES": 3,
    "NEWEST_BROKEN": 2,
    "NEXT_BATCHES": 3,
}
"""Bounds with which a run of a few hundred steps already has much that is left out."""
STEPS = 560
DOCUMENT: Json = {
    "id": "SIGHT",
    "title": {"en": "A log whose head is deleted", "zh-Hans": "日志开头被删除"},
    "limits": {"steps": STEPS},
    "cluster": {"latency_ms": 150},
    "topics": [{"name": "t", "partitions": 2, "segment_records": 5}],
    "producers": [
        {
            "name": "p1",
            "settings": {"enable_idempotence": False, "linger_ms": 0, "retries": 3, "batch_size": 500},
        }
    ],
    "consumers": [{"name": "c1"}],
    "applications": [
        {
            "name": "app-1",
            "client": "p1",
            "calls": [{"at": 5, "do": "send", "partition": "t-0", "records": 400, "every": 3}],
        }
    ],
    "faults": [{"action": "drop", "match": {"api": "Produce", "response": True, "rate": 0.2, "times": 1000}}],
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(near_views, name, value)


def ran(session: Session, branch: Branch, until: int) -> Branch:
    command = RunUntil(
        v=1,
        id=uuid.uuid4(),
        branch=str(branch.id),
        after=branch.newest,
        until="end",
        limit=until - branch.newest,
    )
    assert isinstance(actions.carry_out(session.id, command), Done)
    branch.refresh_from_db()
    return branch


def view_sent(branch: Branch, number: int, whole: bool = False) -> Json:
    answer: Json = msgspec.json.decode(encode(questions.near_view_answer(branch, number, "", whole)))
    return answer


def hidden_of(entries: Json, listed: Json) -> Json:
    assert listed.items() <= entries.items()
    return {name: entry for name, entry in entries.items() if name not in listed}


def check(view: Json, near: Json) -> int:
    """Return how many elements the near view leaves out. Everything that it lists and counts must agree with the
    view.
    """
    folded = near["folded"]
    records = folded.get("records", {"stretches": [], "counts": {}})
    hidden = hidden_of(view.get("records", {}), near.get("records", {}))
    assert sum(count for _, _, count in records["stretches"]) == len(hidden)
    assert all(
        any(first <= int(serial) <= last for first, last, _ in records["stretches"]) for serial in hidden
    )
    assert not any(
        first <= int(serial) <= last for first, last, _ in records["stretches"] for serial in near["records"]
    )
    by_status: Json = {}
    for record in hidden.values():
        counts = by_status.setdefault(record["producer"], {})
        counts[record["status"]] = counts.get(record["status"], 0) + 1
    assert records["counts"] == by_status
    unlisted = 0
    for name, partition in view.get("partitions", {}).items():
        for broker, replica in partition["replicas"].items():
            shown = near["partitions"][name]["replicas"][broker]
            gone = hidden_of(replica.get("batches", {}), shown.get("batches", {}))
            log = folded.get("logs", {}).get(name, {}).get(broker, [])
            assert sum(count for _, _, count, _ in log) == len(gone)
            assert sum(count for *_, count in log) == sum(batch["record_count"] for batch in gone.values())
            assert all(
                first <= batch["base_offset"] <= batch["last_offset"] <= last
                for first, last, *_ in log[:1]
                for batch in list(gone.values())[:1]
            )
            rest = {name: value for name, value in replica.items() if name != "batches"}
            assert rest == {name: value for name, value in shown.items() if name != "batches"}
            unlisted += len(gone)
    for name, serials in view["derived"]["broken"].items():
        assert near["derived"]["broken"][name] == {one: True for one in serials if one in near["records"]}
    cut = ("records", "partitions", "clients", "derived")
    others = {name: part for name, part in view.items() if name not in cut}
    assert others == {name: part for name, part in near.items() if name not in (*cut, "folded")}
    return unlisted + len(hidden) + check_clients(view, near)


def check_clients(view: Json, near: Json) -> int:
    """Return how many waiting batches are left out."""
    unlisted = 0
    for name, client in view["clients"].items():
        shown = near["clients"][name]
        gone = hidden_of(client.get("batches", {}), shown.get("batches", {}))
        waiting = near["folded"].get("batches", {}).get(name, {})
        for partition, (first, last, count, records) in waiting.items():
            here = [batch for batch in client["queues"][partition]["batches"] if batch in gone]
            assert (here[0], here[-1], len(here)) == (first, last, count)
            assert sum(gone[batch]["record_count"] for batch in here) == records
        assert sum(count for _, _, count, _ in waiting.values()) == len(gone)
        drawn = [batch for queue in client.get("queues", {}).values() for batch in queue["batches"][:2]]
        assert not gone.keys() & set(drawn)
        rest = {key: value for key, value in client.items() if key != "batches"}
        assert rest == {key: value for key, value in shown.items() if key != "batches"}
        unlisted += len(gone)
    return unlisted


@pytest.fixture
def session(db: None, small: None) -> Session:
    return actions.create_session("somebody", ScenarioVersion.objects.of_document("SIGHT", DOCUMENT))


def test_every_near_view_says_what_its_view_says(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[bool] = []
    count = near_views._count

    def noted(*arguments: Any) -> bool:
        counted.append(count(*arguments))
        return counted[-1]

    monkeypatch.setattr(near_views, "_count", noted)
    branch = ran(session, root(session), STEPS)
    kept = Keyframe.objects.get(branch=branch, number=500)
    assert kept.near_json is not None and len(kept.near_json) < len(kept.view_json)
    folds = waiting = 0
    for number in (0, 1, 59, 120, 499, *range(500, branch.newest + 1, 3)):
        whole = view_sent(branch, number, whole=True)
        assert whole["view"].pop("folded") == {"at": number, "reaches": near_views.REACH}
        near = view_sent(branch, number)
        folds = check(whole["view"], near["view"])
        waiting += check_clients(whole["view"], near["view"])
        assert (None if near["step"] is None else near["step"]["number"]) == (number or None)
        assert near["view"]["folded"]["at"] <= number
    assert folds > 100, "nothing lies far back: the run is too short to say anything"
    assert waiting > 100, "too few batches wait"
    assert any(counted), "nothing became of a record that is not listed"


def test_what_is_changed_far_back_is_counted_again(session: Session) -> None:
    """After the beginning of a log was deleted, the deleted batches no longer count as left out, neither at this step
    nor on a branch from an earlier one.
    """
    branch = ran(session, root(session), 520)
    made = actions.carry_out(session.id, MakeBranch(v=1, id=uuid.uuid4(), branch=str(branch.id), at=510))
    assert isinstance(made, Done) and made.created is not None
    side = questions.branch_of(session.id, made.created)
    offset = view_sent(side, 510)["view"]["partitions"]["t-0"]["replicas"]
    broker = next(iter(offset))
    end = offset[broker]["high_watermark"]
    fields = {
        "v": 1,
        "id": str(uuid.uuid4()),
        "type": "intervene",
        "branch": str(side.id),
        "after": 510,
        "intervention": {"action": "delete_head", "partition": "t-0", "to": end - 4},
    }
    done = actions.carry_out(session.id, msgspec.convert(fields, Intervene))
    assert isinstance(done, Done), done
    side.refresh_from_db()
    before, after = view_sent(side, 510), view_sent(side, side.newest)
    check(whole_view(side, 510), before["view"])
    check(whole_view(side, side.newest), after["view"])
    assert len(after["view"]["folded"].get("logs", {}).get("t-0", {})) < len(
        before["view"]["folded"]["logs"]["t-0"]
    )


def whole_view(branch: Branch, number: int) -> Json:
    view: Json = view_sent(branch, number, whole=True)["view"]
    del view["folded"]
    return view


def test_near_views_beyond_the_newest_step_are_refused(session: Session) -> None:
    with pytest.raises(Problem) as refused:
        questions.near_view_answer(root(session), 1, "")
    assert refused.value.code == "conflict"


@pytest.mark.parametrize(
    ("path", "folded"),
    [
        ("records/7", True),
        ("records/7/status", True),
        ("records/11", False),
        ("records", True),
        ("partitions", True),
        ("partitions/t-0", True),
        ("partitions/t-0/leader", True),
        ("partitions/t-0/isr", False),
        ("partitions/t-1/leader", False),
        ("partitions/t-0/replicas", True),
        ("partitions/t-0/replicas/1", True),
        ("partitions/t-0/replicas/2", False),
        ("partitions/t-0/replicas/1/log_end", False),
        ("partitions/t-0/replicas/1/batches", True),
        ("partitions/t-0/replicas/1/batches/9/outcome", True),
        ("partitions/t-0/replicas/1/batches/40", False),
        ("partitions/t-1/replicas/1/batches/9", False),
        ("time", False),
    ],
)
def test_only_what_is_not_listed_is_folded_away(path: str, folded: bool) -> None:
    log = {"t-0": {"1": [[0, 12, 4, 13]]}}
    records = {"stretches": [[1, 10, 10]], "counts": {}}
    assert (
        near_views.is_folded({"at": 500, "reaches": 500, "records": records, "logs": log}, path.split("/"))
        is folded
    )
