"""Two runs side by side: equal events count as one moment, and a mere difference in time is no difference."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from engine.generations.generation import GENERATIONS, in_generation
from engine.scenario.document import load
from engine.scenario.shelf import entry
from engine.shapes.alongside import Alongside
from engine.simulation import Simulation
from engine.view.alongside import Followed, alongside, decides, verdict
from tests.engine.narrowing import present


def run(scenario: str, variant: str | None, *done: dict[str, Any]) -> Followed:
    return followed(Simulation(entry(scenario).scenario(variant), list(done)))


def followed(simulation: Simulation) -> Followed:
    side = Followed(simulation.view())
    while (step := simulation.step()) is not None:
        side.take(step.to_json())
    return side


def dropped(after: int, message: int) -> dict[str, Any]:
    return {"after": after, "action": "drop_message", "message": message}


def sent(side: Followed) -> list[tuple[str, int]]:
    """(client, serial) of each record, in the order of sending."""
    return [(said["client"], said["serial"]) for step in side.steps if "serial" in (said := step["params"])]


def both(scenario: str, variant: str | None, *done: dict[str, Any]) -> tuple[Followed, Followed, Alongside]:
    left, right = run(scenario, variant), run(scenario, variant, *done)
    return left, right, alongside(left, right)


def test_participants_that_commit_a_step_later_do_not_differ() -> None:
    left, right, found = both("SC-80", "two-nodes", dropped(15, 15))
    assert found["same"] == 15
    # The fault delays only the changed run; then both participants commit at the same moments.
    assert found["moments"][:3] == [[15, 16], [16, 17], [17, 18]]
    assert [side.steps[number - 1]["key"] for side, number in ((left, 16), (right, 17))] == [
        "participant.commits"
    ] * 2
    assert found["moments"][-1] == found["ends"] == [22, 25]
    # Only the middleware has a state that the original run does not have: it compensates.
    assert list(found["parts"]) == ["middleware"]
    (compensates,) = (step["number"] for step in right.steps if step["key"] == "middleware.compensation_acts")
    assert found["parts"]["middleware"][1] == compensates - 1


def test_of_a_state_that_both_runs_go_through_each_run_names_the_steps_that_change_it() -> None:
    left, right, found = both("SC-80", "two-nodes", dropped(15, 15))
    ours, theirs = found["changes"]["business"]
    for side, steps in ((left, ours), (right, theirs)):
        assert steps and steps == sorted(steps) and steps[0] > found["same"]
        for number in steps:
            assert any("business" in change["path"] for change in side.steps[number - 1]["changes"]), number


def test_what_only_happens_later_is_named_from_the_first_on() -> None:
    # The marker for t-0 is lost; t-1 gets its own at the same time in both runs.
    _, _, found = both("SC-44", None, dropped(59, 19))
    assert not found["parts"] and not found["numbers"]
    assert found["later"] == ["t-0", "__transaction_state-10", "c-committed", "txn-1"]
    assert found["lasting"] == []


def test_a_partition_differs_from_the_batch_that_is_cut_otherwise() -> None:
    left, right, found = both("SC-03", None, dropped(80, 25))
    assert found["same"] == 80
    # In the two runs, r19 is stored in t-1 in a different order relative to the records of t-0, which is no
    # difference.
    assert list(found["parts"]) == ["t-0"]
    cut = [
        side.steps[number - 1]
        for side, number in zip((left, right), map(present, found["parts"]["t-0"]), strict=True)
    ]
    assert [(step["key"], step["params"]["record_count"]) for step in cut] == [
        ("broker.appended_and_waits", 8),
        ("broker.appended_and_waits", 10),
    ]


def test_a_count_that_falls_again_in_both_runs_does_not_differ() -> None:
    _, right, found = both(
        "SC-101", "ended-by-hand", {"after": 103, "action": "duplicate_message", "message": 34}
    )
    failed = [value for _, value in right.facts()["t-0", "failed"]]
    assert failed == [0, 1, 0]
    assert "t-0" not in found["parts"]
    _, right, found = both("SC-165", "k41", {"after": 133, "action": "crash", "actor": "p2"})
    duplicates = [value for _, value in right.facts()["out-0", "duplicates"]]
    assert duplicates == [0, 1, 2, 0]
    assert min(step for step in found["parts"]["out-0"] if step is not None) > found["same"]


def test_every_moment_moves_at_least_one_run_and_none_back() -> None:
    _, _, found = both("SC-61", None, dropped(26, 7))
    moments = [[found["same"], found["same"]], *found["moments"]]
    for before, now in pairwise(moments):
        assert before != now and before[0] <= now[0] <= before[0] + 1 and before[1] <= now[1] <= before[1] + 1
    assert moments[-1] == found["ends"]


def test_a_run_beside_itself_has_no_difference() -> None:
    found = both("SC-44", None)[2]
    assert (found["moments"], found["parts"]) == ([], {})
    assert found["ends"] == [found["same"]] * 2


def test_what_both_do_at_one_time_in_another_order_is_crossed() -> None:
    # Without the checks, p2 commits later: after p1 has resumed, which happens at 840 ms in both runs.
    original = run("SC-61", None)
    assert alongside(run("SC-61", "epoch-and-sequence-checks-off"), original)["crossed"]
    assert not alongside(run("SC-61", "k20"), original)["crossed"]


def test_a_leader_that_refuses_for_another_reason_is_the_verdict_and_where_both_decide() -> None:
    original, changed = run("SC-61", None), run("SC-61", "epoch-check-off")
    assert decides(original, changed) == [128, 103]
    assert [said["key"] for said in verdict(original, changed)] == [
        "beside.records_same",
        "beside.other_reason",
    ]
    stored = run("SC-61", "epoch-and-sequence-checks-off")
    assert [said["key"] for said in verdict(stored, original)] == [
        "beside.records_differ",
        "beside.stored_left",
    ]
    assert decides(original, original) is None


def test_a_batch_that_arrives_again_is_decided_by_its_records_with_idempotence_or_without() -> None:
    recognised, stored = run("SC-03", None), without_idempotence("SC-03")
    assert decides(recognised, stored) == [80, 86]
    assert [said["key"] for said in verdict(recognised, stored)][1:] == ["beside.known_left"]
    assert [said["key"] for said in verdict(stored, recognised)][1:] == ["beside.known_right"]


def without_idempotence(scenario: str) -> Followed:
    changed = load(
        entry(scenario).document,
        settings={"producers.p1.settings.enable_idempotence": False},
        source=scenario,
    )
    return followed(Simulation(changed))


def test_the_same_send_has_one_serial_whatever_is_sent_first() -> None:
    # Without its marker, the transaction stays open, so p1 sends its second record before p2 sends any.
    left, right, found = both("SC-61", None, dropped(48, 15))
    assert [sent(side) for side in (left, right)] == [
        [("p1", 1), ("p2", 2), ("p1", 3)],
        [("p1", 1), ("p1", 3), ("p2", 2)],
    ]
    # The record of the fenced p1 is stored only here; the state of every component is the same at the ends.
    assert found["lasting"] == ["c-uncommitted", "t-0"]


def test_what_loops_make_of_the_same_records_has_the_same_serials() -> None:
    # Without the first message of the group, both loops begin later and send in turn.
    left, right, _ = both("SC-146", "per-partition", dropped(4, 1))
    made = [("p1", 3), ("p1", 4), ("p2", 5), ("p2", 6)]
    assert sent(left)[2:] == made
    assert sent(right)[2:] == [made[0], made[2], made[1], made[3]]


def test_the_picture_is_of_logs_if_what_they_hold_or_show_differs_at_the_end() -> None:
    def picture(*pair: str) -> str:
        return alongside(*(run("SC-61", one or None) for one in pair))["picture"]

    assert picture("", "epoch-and-sequence-checks-off") == "logs"
    # The marker is sent again after 30 s, so only what consumers get is late.
    assert both("SC-44", None, dropped(59, 19))[2]["picture"] == "logs"
    # Only nodes of the middleware differ, and only for a time.
    assert both("SC-88", None, dropped(62, 25))[2]["picture"] == "messages"
    assert both("SC-80", None, dropped(15, 13))[2]["picture"] == "stage"
    # Every record is deleted, so a consumer may get none, but the logs exist.
    assert alongside(run("SC-109", "k20"), run("SC-109", "k20"))["picture"] == "messages"


def test_the_fault_that_only_one_run_has_is_named_with_its_step() -> None:
    _, right, found = both("SC-61", None, dropped(48, 15))
    assert found["fault"] == [None, 49]
    assert right.steps[48]["key"] == "fault.message_dropped"
    # The faults that the scenario itself has are in both runs.
    assert "fault" not in alongside(run("SC-61", None), run("SC-61", None))


def test_the_picture_is_of_logs_if_only_the_batches_differ() -> None:
    assert both("SC-03", None, dropped(80, 25))[2]["picture"] == "logs"


def test_where_only_one_run_changes_a_state_at_a_time_the_other_stands_beside_it() -> None:
    left, _, found = both("SC-44", None, dropped(59, 19))
    assert found["timed"] == [61, 61]
    assert left.steps[60]["key"] == "broker.marker_appended_and_waits"


def test_a_write_that_a_leader_refuses_before_its_log_is_a_decision_too() -> None:
    """The late write of SC-101: 4.1 refuses it because of its epoch, 3.9 after asking the coordinator."""
    asks, knows = run("SC-101", "k39"), run("SC-101", "k41")
    decided = [
        next(step["number"] for step in side.steps if step["refusal"] and step["actor"] == "broker-1")
        for side in (asks, knows)
    ]
    assert decides(asks, knows) == decided
    assert decided in alongside(asks, knows)["moments"], "both decide at one moment"
    assert verdict(asks, knows)[1]["params"] == {
        "broker": "broker-1",
        "left": "TRANSACTION_ABORTABLE",
        "right": "INVALID_PRODUCER_EPOCH",
    }


def test_logs_with_the_same_records_differ_in_order_or_in_outcomes() -> None:
    def said(scenario: str, *variants: str) -> str:
        return verdict(*(run(scenario, variant) for variant in variants))[0]["key"]

    assert said("SC-112", "idempotent", "several-in-flight") == "beside.order_differs"
    assert said("SC-101", "ended-by-hand", "k28") == "beside.outcomes_differ"
    # A record of a transaction that is aborted in both runs is stored in only one of them.
    assert said("SC-101", "operator", "k39") == "beside.records_differ"


def test_by_virtual_time_the_earlier_commit_differs_first() -> None:
    original, changed = run("SC-61", None), run("SC-61", "epoch-check-off")
    timed = alongside(original, changed)["timed"]
    assert [side.steps[step - 1]["at"] for side, step in zip((original, changed), timed, strict=True)] == [
        750,
        700,
    ]


def test_the_same_records_under_other_epochs_differ_in_their_numbers() -> None:
    scenario = entry("SC-48").scenario(None)
    sides = [followed(Simulation(in_generation(scenario, GENERATIONS[name]))) for name in ("k28", "k41")]
    found = alongside(*sides)
    # In Kafka 4.1, every transaction has an epoch of its own; states and records are the same.
    assert found["parts"] == {}
    assert set(found["numbers"]) == {"p1", "txn-1", "t-0"}
    assert [said["key"] for said in verdict(*sides)] == ["beside.numbers_differ"]
