"""Facts that the engine derives from views and steps, for all who draw them; they are the same forward and backward."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.derived import Derived
from engine.view.following import following
from tests.engine.narrowing import present

Json = dict[str, Any]

RUNS = (
    "SC-03",
    "SC-16",
    "SC-31",
    "SC-39",
    "SC-44/k28",
    "SC-75/timeout",
    "SC-78",
    "SC-83/transaction-manager-a",
)


def simulation(name: str) -> Simulation:
    scenario, _, variant = name.partition("/")
    return Simulation(entry(scenario).scenario(variant or None))


def applied(room: Json, changes: list[Json], side: str = "after") -> Json:
    """Return the derived facts after these changes or, with `before`, before them; objects may be left empty."""
    view: Json = {"derived": room}
    for change in changes if side == "after" else reversed(changes):
        *parents, name = change["path"]
        place = view
        for parent in parents:
            place[parent] = dict(place.get(parent, {}))
            place = place[parent]
        if side in change:
            place[name] = change[side]
        else:
            place.pop(name, None)
    found: Json = view["derived"]
    return found


def without_empty(room: Json) -> Json:
    kept = {name: without_empty(fact) if isinstance(fact, dict) else fact for name, fact in room.items()}
    return {name: fact for name, fact in kept.items() if fact != {}}


@pytest.mark.parametrize("name", RUNS)
def test_a_step_s_changes_lead_from_one_view_s_facts_to_the_next(name: str) -> None:
    run = simulation(name)
    derived = Derived(run.view())
    known = derived.view()
    while (step := run.step()) is not None:
        changes = derived.take(step.to_json()).get("changes", [])
        now = Derived(run.view(), run.number, run.judges.named()).view()
        assert without_empty(derived.view()) == without_empty(now)
        assert without_empty(applied(known, changes)) == without_empty(now)
        assert without_empty(applied(now, changes, "before")) == without_empty(known)
        known = now


def test_facts_are_no_state_and_are_in_no_step() -> None:
    followed, alone = simulation("SC-03"), simulation("SC-03")
    for _ in range(40):
        derived = following(followed)
        made, same = followed.step(), alone.step()
        assert made is not None and same is not None
        derived.take(made.to_json())
        assert made.to_json() == same.to_json()
    assert followed.digest() == alone.digest()
    assert "derived" not in followed.view()


def test_a_follower_of_a_run_continues_with_it_and_with_its_fork() -> None:
    run = simulation("SC-44/k28")
    begun = following(run)
    for _ in range(10):
        step = run.step()
        assert step is not None
        begun.take(step.to_json())
    fork = run.fork()
    assert following(run) is begun
    assert following(fork) is not begun
    assert following(fork).view() == begun.view()
    run.run(steps=5)
    assert following(run) is not begun


# -- what is due next --------------------------------------------------------------------------------------


def test_what_is_due_comes_by_time_then_class_then_order_of_arrival() -> None:
    pending = {
        "9": {"at": 10, "class": "timer"},
        "10": {"at": 10, "class": "delivery"},
        "2": {"at": 11, "class": "fault"},
        "12": {"at": 10, "class": "timer"},
        "11": {"at": 10, "class": "fault"},
    }
    assert Derived({"pending": pending}).view()["pending"] == ["11", "10", "9", "12", "2"]


@pytest.mark.parametrize("name", ["SC-03", "SC-44/k28", "SC-75/timeout"])
def test_what_is_due_first_is_what_happens_next_unless_it_tells_nothing(name: str) -> None:
    """GEN-2: a delivery at its time is the step that was due, whatever else is waiting."""
    run = simulation(name)
    derived = following(run)
    seen = 0
    view = run.view()
    while (step := run.step()) is not None:
        made = step.to_json()
        arrived = [message["id"] for message in made["messages"] if message["event"] == "delivered"]
        if made["kind"] == "delivery" and arrived:
            order = derived.view()["pending"]
            what = [view["pending"][one]["what"] for one in order]
            assert f"message {arrived[0]}" in what
            seen += 1
        derived.take(made)
        view = run.view()
    assert seen > 10


# -- disagreements -----------------------------------------------------------------------------------------


def disagreement(
    acked: int | None,
    epoch: int = 0,
    in_flight: tuple[str, ...] = (),
    unresolved: int | None = None,
    alive: bool = True,
    knows: bool = True,
) -> Json | None:
    """Return the disagreement between a client in this state and a leader that knows sequence 12 of the client's
    epoch 0; None if there is none.
    """
    numbering = {"last_acked_sequence": acked, "in_flight": list(in_flight), "unresolved": unresolved}
    manager = {"producer_id": 7, "producer_epoch": epoch, "partitions": {"t-0": numbering}}
    known = {"7": {"producer_epoch": 0, "batches": [[8, 9, 48, 49, 1], [10, 12, 50, 52, 2]]}} if knows else {}
    view = {
        "clients": {"p1": {"alive": alive, "transaction_manager": manager}},
        "partitions": {"t-0": {"leader": 1, "replicas": {"1": {"producers": known}}}},
    }
    found: Json | None = Derived(view).view()["disagreements"].get("p1", {}).get("t-0")
    return found


def test_equal_numbers_are_no_disagreement_nor_is_what_a_batch_in_flight_or_an_open_question_explains() -> (
    None
):
    assert disagreement(acked=12) is None
    assert disagreement(acked=9, in_flight=("b1",)) is None
    assert disagreement(acked=9, unresolved=13) is None
    assert disagreement(acked=9, alive=False) is None
    assert disagreement(acked=None, knows=False) is None


def test_another_sequence_another_epoch_and_a_forgotten_producer_are_shown_with_both_numbers() -> None:
    both = {"producer_id": 7, "leader": 1}
    assert disagreement(acked=9) == {**both, "what": "sequence", "own": 9, "known": 12}
    assert disagreement(acked=None, epoch=1) == {**both, "what": "epoch", "own": 1, "known": 0}
    assert disagreement(acked=12, knows=False) == {**both, "what": "unknown", "own": 12, "known": None}


@pytest.mark.parametrize(
    ("scenario", "decided", "marked"),
    [("SC-75/timeout", 83, 88), ("SC-61", 44, 50)],
)
def test_a_fenced_producer_disagrees_with_its_coordinator_and_then_with_the_marked_leader(
    scenario: str, decided: int, marked: int
) -> None:
    run = simulation(scenario)
    facts = Derived(run.view())
    seen: dict[str, int] = {}
    while (step := run.step()) is not None and run.number <= marked:
        facts.take(step.to_json())
        for partition, found in facts.view()["disagreements"].get("p1", {}).items():
            assert (found["what"], found["own"], found["known"]) == ("epoch", 0, 1)
            seen.setdefault(partition, run.number)
    assert seen == {"__transaction_state-10": decided, "t-0": marked}


def test_a_request_of_a_fenced_producer_under_way_does_not_hide_the_disagreement() -> None:
    """SC-61: p1's EndTxn is under way in steps 110 to 113; the coordinator has epoch 2, p1 epoch 0."""
    run = simulation("SC-61/epoch-and-sequence-checks-off")
    facts = Derived(run.view())
    known: list[int | None] = []
    while run.number < 114:
        facts.take(present(run.step()).to_json())
        known.append(
            facts.view()["disagreements"].get("p1", {}).get("__transaction_state-10", {}).get("known")
        )
    assert known[104:114] == [2] * 10


@pytest.mark.parametrize("scenario", ["SC-44/k28", "SC-147"])
def test_a_commit_under_way_is_no_disagreement(scenario: str) -> None:
    """SC-147: the coordinator raises the epoch with the decision, before the client learns of it."""
    run = simulation(scenario)
    facts = Derived(run.view())
    while (step := run.step()) is not None:
        facts.take(step.to_json())
        assert facts.view()["disagreements"] == {}


# -- arrivals ----------------------------------------------------------------------------------------------


def fates(name: str) -> dict[str, list[Json]]:
    run = simulation(name)
    derived = following(run)
    found: dict[str, list[Json]] = {}
    while (step := run.step()) is not None:
        for arrival in derived.take(step.to_json()).get("arrivals", ()):
            found.setdefault(arrival["fate"], []).append({"step": step.number, **arrival})
    return found


def test_a_duplicate_is_shown_with_the_place_of_the_stored_batch() -> None:
    found = fates("SC-03")
    assert 40 in [arrival["at"] for arrival in found["appended"] if arrival["partition"] == "t-0"]
    (again,) = found["duplicate"]
    assert again == {"step": 80, "partition": "t-0", "broker": "1", "fate": "duplicate", "at": 40}


def test_a_refused_batch_has_no_place() -> None:
    found = fates("SC-19")
    assert [arrival["step"] for arrival in found["refused"]] == [33, 35]
    assert all(arrival["at"] is None for arrival in found["refused"])


def test_a_batch_refused_before_the_checks_of_its_log_has_its_numbers() -> None:
    """SC-105: the verifications of two batches end in reverse order."""
    refused = [arrival["batch"] for arrival in fates("SC-105")["refused"] if "batch" in arrival]
    assert refused
    for batch in refused:
        assert batch["producer_id"] is not None
        assert batch["first_sequence"] <= batch["last_sequence"]


def test_every_batch_that_comes_to_a_leader_by_a_request_arrived() -> None:
    run = simulation("SC-44/k28")
    derived = following(run)
    while (step := run.step()) is not None:
        shown = step.to_json()
        arrived = {
            (one["partition"], one["broker"], one["at"]) for one in derived.take(shown).get("arrivals", ())
        }
        made = {change["path"][1] for change in shown["changes"] if len(change["path"]) == 2}
        for change in shown["changes"]:
            path = change["path"]
            if len(path) == 6 and path[4] == "batches" and "before" not in change and path[1] not in made:
                assert shown["kind"] == "replication" or (path[1], path[3], int(path[5])) in arrived


def test_a_refused_batch_is_shown_with_the_newest_records_of_the_epoch_that_fenced_it() -> None:
    """SC-61: the successor's record of epoch 2 is at offset 2, and its marker at offset 3."""
    refused = [arrival for arrival in fates("SC-61")["refused"] if arrival["step"] == 128]
    assert [(arrival["at"], arrival["compared"]) for arrival in refused] == [(None, 2)]


# -- what readers of committed data do not get ------------------------------------------------------------


@pytest.mark.parametrize("name", ["SC-44/k28", "SC-61", "SC-75/timeout"])
def test_of_whatever_holds_a_reader_of_committed_data_each_stretch_has_one_reason(name: str) -> None:
    run = simulation(name)
    derived = following(run)
    while (step := run.step()) is not None:
        derived.take(step.to_json())
        view, held = run.view(), derived.view()["held"]
        for consumer in view.get("consumers", {}).values():
            for partition, lane in consumer["lanes"].items():
                log = view["partitions"][partition]
                batches = log["replicas"][str(log["leader"])].get("batches", {}).values()
                waiting = {
                    offset
                    for first, last, fate in lane["ahead"]
                    if fate == "undecided"
                    for batch in batches
                    if batch["control"] is None
                    for offset in range(max(first, batch["base_offset"]), min(last, batch["last_offset"]) + 1)
                }
                named = [
                    offset
                    for first, last, _ in held.get(partition, ())
                    for offset in range(first, last + 1)
                    if offset >= lane["position"]
                ]
                if consumer["isolation"] == "read_committed":
                    assert named == sorted(waiting), (name, step.number)


def test_a_hanging_transaction_holds_its_own_records_and_innocent_ones_behind_them() -> None:
    run = simulation("SC-75/timeout")
    reasons: list[list[str]] = []
    derived = following(run)
    while (step := run.step()) is not None:
        derived.take(step.to_json())
        found = [reason for *_, reason in derived.view()["held"].get("t-0", ())]
        if found and found != reasons[-1:]:
            reasons.append(found)
    assert ["undecided", "behind"] in reasons


def test_a_transaction_that_is_decided_waits_for_its_marker_s_copies_and_holds_others_no_more() -> None:
    def batch(last: int, producer: int, outcome: str | None, control: str | None = None) -> Json:
        shown = {"last_offset": last, "producer_id": producer, "producer_epoch": 0, "control": control}
        return {**shown, "transactional": outcome is not None or control is not None, "outcome": outcome}

    batches = {
        "10": batch(10, 3, "committed"),
        "9": batch(9, 7, None, "COMMIT"),
        "7": batch(8, 7, "committed"),
        "11": batch(11, 0, None),
        "6": batch(6, 9, "committed"),
    }
    replica = {"high_watermark": 12, "last_stable_offset": 7, "batches": batches}
    view = {"partitions": {"t-0": {"leader": 1, "replicas": {"1": replica, "2": {}}}}}
    assert Derived(view).view()["held"] == {"t-0": [(7, 8, "marker"), (10, 11, "behind")]}
    open_one = {**batches, "7": batch(8, 7, "open")}
    replica["batches"] = {name: one for name, one in open_one.items() if name != "9"}
    assert Derived(view).view()["held"] == {"t-0": [(7, 8, "undecided"), (10, 11, "behind")]}


# -- timers ------------------------------------------------------------------------------------------------


def test_timers_of_all_roles_but_clients_are_shown_with_their_actors() -> None:
    run = simulation("SC-75/timeout")
    kinds = set()
    while run.step() is not None:
        for name, timer in following(run).view()["timers"].items():
            assert name == f"{timer['actor']}/{timer['kind']} {timer['subject']}"
            kinds.add(timer["kind"])
    assert kinds == {"transaction_timeout", "replication_wait"}


# -- records that broke a guarantee ------------------------------------------------------------------------


def test_every_record_that_the_judges_count_is_named() -> None:
    """The view itself names only the records of the first break."""
    for name, guarantee, count in (
        ("SC-08", "duplicated", 7),
        ("SC-01", "lost", 1),
        ("SC-29", "reordered", 1),
    ):
        run = simulation(name)
        derived = following(run)
        while (step := run.step()) is not None:
            derived.take(step.to_json())
        judged = run.view()["guarantees"][guarantee]
        named = derived.view()["broken"][guarantee]
        assert len(named) == judged["count"] == count, name
        assert {str(serial) for serial in judged["serials"]} <= named.keys()
