"""The beats of runs, from which a reader can retell what happened."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from operator import itemgetter
from typing import Any

import pytest

from engine.__main__ import main
from engine.errors import Refused
from engine.explain.sentences import LANGUAGES, catalogue, sentence
from engine.generations.generation import GENERATIONS, in_generation
from engine.scenario.document import BadScenario, Scenario, acts, load
from engine.scenario.mistakes import mistakes
from engine.scenario.shelf import entry, library
from engine.shapes.headers import Header
from engine.shapes.plans import Beat, BeatLine
from engine.simulation import Simulation
from engine.view.beat_step import BeatStep
from engine.view.chosen_openings import MOST, with_what_was_collected
from engine.view.listing import beat_title
from engine.view.openers import (
    BEHIND,
    BEHIND_HANGING,
    BROKEN,
    COMMIT_LATE,
    DAMAGE,
    DOUBT_ENDS,
    FENCING_MARKER,
    HANGS,
    IDENTITIES,
    IGNORED,
    LEFT,
    LET_GO,
    MANY_ROUNDS,
    MEANWHILE,
    NOT_NOW,
    OPENERS,
    PART,
    READ_AFTER_MARKER,
    REFUSED,
    REPEATS,
    REQUEST_AGAIN,
    RETRIES,
    ROUNDS,
    START,
    TAKEN_FOR_DUPLICATE,
    TRANSACTION,
)
from engine.view.openings import NESTED_FROM, Opened
from engine.view.plan import RunPlan
from engine.view.plumbing import PURPOSE_OF, PURPOSES
from engine.view.run_ahead import plan_ahead
from engine.view.stops import stops_of
from engine.view.titles import NAMES, SAID, TELLS, title_of
from tests.engine.narrowing import present

BY_RULE = (
    COMMIT_LATE,
    IGNORED,
    BEHIND,
    BEHIND_HANGING,
    DAMAGE,
    DOUBT_ENDS,
    FENCING_MARKER,
    HANGS,
    IDENTITIES,
    LEFT,
    LET_GO,
    MANY_ROUNDS,
    MEANWHILE,
    NOT_NOW,
    PART,
    READ_AFTER_MARKER,
    REFUSED,
    REPEATS,
    REQUEST_AGAIN,
    RETRIES,
    START,
    TAKEN_FOR_DUPLICATE,
    TRANSACTION,
    *BROKEN.values(),
    *ROUNDS.values(),
)

BEATS_OF = {
    "SC-03": """\
1. 1–7 → 4  p1 gets PID 0, epoch 0
2. 8–24 → 10  1 record from p1 stored
3. 25–54 → 25  The response is lost: p1 does not know the outcome of 2 requests
4. 55–76 → 60  While the resend waits: 3 records stored in t-1
5. 77–79 → 77  p1 resends the same batch
6. 80–80 → 80  Duplicate: not stored again
7. 81–81 → 81  p1 learns that batch r1 is stored
8. 82–116 → 87  p1 resends: 2 records stored
9. 117–140 → 120  3 records from p1 stored in t-0, t-1
""",
    "SC-32": """\
1. 1–6 → 4  p1 gets PID 0, epoch 0
2. 7–38 → 38  2 records from p1 stored
3. 39–44 → 39  The response is lost: p1 does not know the outcome of 6 requests
4. 45–65 → 58  From p1's lost connection: 4 records stored
5. 66–68 → 66  p1 resends the same batch (r1)
6. 69–69 → 69  An old batch is treated as a duplicate
7. 70–73 → 70  p1 learns that batch r1 is stored
8. 74–85 → 74  Duplicate: not stored again
9. 86–95 → 86  p1 resends the same batch (r5)
""",
    "SC-44/k28": """\
1. 1–18 → 12  p1 gets PID 1000, epoch 0
2. 19–33 → 31  AddPartitionsToTxn adds t-0, t-1
3. 34–41 → 37  2 records from p1 stored in t-0, t-1
4. 42–49 → 42  commitTransaction() is called on p1
5. 50–59 → 58  txn-1: commit is decided
6. 60–60 → 60  commitTransaction() of p1 returns
7. 61–72 → 69  LSO passes 2 committed records of p1
8. 73–79 → 73  txn-1 needs no more markers; CompleteCommit follows
9. 80–87 → 81  c-committed gets 2 records from t-0, t-1
""",
    "SC-48": """\
1. 1–13 → 12  p1 gets PID 1000, epoch 0
2. 14–33 → 27  p1's transaction stores 1 record
3. 34–39 → 38  txn-1: commit is decided (transaction 1)
4. 40–42 → 40  The marker is late: the commit is not complete yet
5. 43–46 → 43  p1 begins a transaction before the last one is CompleteCommit
6. 47–61 → 47  broker-2 refuses for now: CONCURRENT_TRANSACTIONS
7. 62–71 → 62  LSO passes 1 committed record of p1 (r1)
8. 72–87 → 76  Accepted now: AddPartitionsToTxn adds t-0
   1. 72–78 → 76  Accepted now: AddPartitionsToTxn adds t-0
   2. 79–87 → 81  1 record from p1 stored
9. 88–105 → 99  LSO passes 1 committed record of p1 (r2)
   1. 88–98 → 92  txn-1: commit is decided (transaction 2)
   2. 99–105 → 99  LSO passes 1 committed record of p1 (r2)
""",
    "SC-61/k28": """\
1. 1–35 → 27  p1's transaction stores 1 record
2. 36–43 → 36  p1 is paused
3. 44–54 → 44  txn-1: fencing of p1 (epoch 0) begins
   1. 44–47 → 44  txn-1: fencing of p1 (epoch 0) begins
   2. 48–54 → 48  txn-1: the marker that fences is sent (epoch 1)
4. 55–68 → 55  LSO passes 1 aborted record of p1
5. 69–97 → 73  p2 gets PID 1000, epoch raised to 2
   1. 69–74 → 73  p2 gets PID 1000, epoch raised to 2
   2. 75–97 → 88  p2's transaction stores 1 record
6. 98–121 → 109  LSO passes 1 committed record of p2
   1. 98–108 → 102  txn-1: commit is decided
   2. 109–121 → 109  LSO passes 1 committed record of p2
7. 122–127 → 122  p1 resumes
8. 128–132 → 128  Leader refuses: epoch 0 < 2
9. 133–134 → 133  Coordinator refuses: epoch 0 < 2
""",
    "SC-75/timeout": """\
1. 1–12 → 8  Producers request producer ids
2. 13–33 → 15  1 record from p2 stored
3. 34–50 → 48  p1's transaction stores 2 records
4. 51–64 → 51  Records of t-0 are hidden from read_committed consumers
5. 65–82 → 76  The open transaction also holds back 2 records from p2
6. 83–87 → 83  txn-1's transaction times out: fencing begins
   1. 83–86 → 83  txn-1's transaction times out: fencing begins
   2. 87–87 → 87  txn-1: the marker that fences is sent (epoch 1)
7. 88–91 → 88  ABORT marker stored in t-0
8. 92–100 → 92  2 records of p2 readable, behind 2 aborted records of p1
9. 101–104 → 101  c-committed gets 2 records and skips 2 aborted ones
""",
    "SC-101/ended-by-hand": """\
1. 1–32 → 27  p1's transaction stores 1 record
2. 33–41 → 39  Delays let a batch arrive after the abort
3. 42–64 → 56  LSO passes 1 aborted record of p1
4. 65–65 → 65  Stored outside the transaction: p1's batch in t-0
5. 66–83 → 66  p1's transaction hangs in t-0
6. 84–95 → 87  The open transaction also holds back 1 record from p2
7. 96–105 → 96  kafka-transactions.sh ends with an error
8. 106–111 → 109  The operator's ABORT marker is appended to t-0
9. 112–117 → 112  Hanging transaction aborted: LSO of t-0 advances
""",
    "SC-80/two-nodes": """\
1. 1–4 → 4  A transaction begins: business sends Prepare
2. 5–10 → 5  Every participant is asked to vote
3. 11–11 → 11  Every participant has prepared
4. 12–14 → 13  business commits its local transaction
5. 15–17 → 15  Commit is sent to all
6. 18–20 → 18  First CommitOk: the middleware's window opens
7. 21–21 → 21  All have committed: the middleware's window was open for 70 ms
8. 22–22 → 22  business learns the outcome: committed
""",
    "SC-81/silent": """\
1. 1–1 → 1  initiator opens a transaction
2. 2–5 → 2  participant-2 crashes
3. 6–7 → 6  Every participant is asked to vote
4. 8–11 → 8  Prepare does not reach participant-2
5. 12–17 → 12  The vote of participant-2 is missing after 3 s
6. 18–18 → 18  Rolled back at participant-1, participant-3
7. 19–19 → 19  participant-2 restarts
""",
}


def scenario_of(name: str) -> Scenario:
    identifier, _, variant = name.partition("/")
    return entry(identifier).scenario(variant or None)


def said_of(name: str) -> str:
    out = io.StringIO()
    assert main(["run", name, "--beats"], out) == 0
    kind = re.compile(r"  \([a-z_]+\)$")
    return "".join(f"{kind.sub('', line)}\n" for line in out.getvalue().splitlines() if "→" in line)


def levels(beats: list[Beat]) -> Iterator[list[Beat]]:
    yield beats
    for beat in beats:
        if "beats" in beat:
            yield from levels(beat["beats"])


def runs() -> Iterator[Scenario]:
    """Yield each document of the library once, as it is played first."""
    for document in library():
        yield document.scenario(None if acts(document.document) else document.variants[0])


@pytest.mark.parametrize("name", BEATS_OF)
def test_a_run_has_these_beats(name: str) -> None:
    assert said_of(name) == BEATS_OF[name]


def test_every_step_of_the_library_has_its_beat_and_its_line() -> None:
    for scenario in runs():
        try:
            plan = plan_ahead(scenario)
        except Refused:
            continue
        assert plan["complete"], scenario.id
        for beats in levels(plan["beats"]):
            check_level(beats)
        check_titles(plan["beats"])
        assert (plan["beats"][0]["first"], plan["beats"][-1]["last"]) == (1, plan["steps"])


def check_titles(beats: list[Beat]) -> None:
    """No two steps at which a reader stops may have the same title."""
    for language in ("en", "zh-Hans"):
        titles = {(beat_title(beat, language), beat["lands"]) for level in levels(beats) for beat in level}
        assert len(titles) == len({title for title, _ in titles})


def check_level(beats: list[Beat]) -> None:
    assert sum(not beat.get("kept") for beat in beats) <= MOST
    assert [beat["number"] for beat in beats] == list(range(1, len(beats) + 1))
    for before, beat in zip([None, *beats], beats, strict=False):
        assert before is None or beat["first"] == before["last"] + 1
        assert beat["first"] <= beat["lands"] <= beat["last"]
        check_words(beat)
        parts = beat["beats"] if "beats" in beat else beat["lines"]
        assert bool(beat["lines"]) != ("beats" in beat)
        assert (parts[0]["first"], parts[-1]["last"]) == (beat["first"], beat["last"])
        for line, follower in pairwise(parts):
            assert line["last"] + 1 == follower["first"]
        for line in beat["lines"]:
            assert (line["key"] is None) == (not line["params"])
            if line["key"] is not None:
                check_words(line)
                assert line["params"]["count"] == line["last"] - line["first"] + 1


def check_words(beat: Beat | BeatLine) -> None:
    for language in LANGUAGES:
        words = catalogue()[present(beat["key"])].slots(language)
        assert words <= {name for name, value in beat["params"].items() if value is not None}, beat["key"]


def test_the_table_names_sentences_and_titles_that_exist() -> None:
    known = catalogue()
    assert {key for opener in OPENERS for key in (*opener.keys, *opener.lands)} <= known.keys()
    assert PURPOSE_OF.keys() <= known.keys()
    names = {
        f"beat.{name}" for opener in (*OPENERS, *BY_RULE) for name in (opener.name, opener.unless) if name
    }
    names |= {f"beat.{name}" for name in NAMES}
    names |= {f"beat.{name}.said" for name in SAID}
    names |= {f"beat.line.{name}" for name in ("one", "two", "three", *PURPOSES)} | {"beat.completed"}
    assert {key for key in known if key.startswith("beat.")} == names
    for opener in (*OPENERS, *BY_RULE):
        for name in filter(None, (opener.name, opener.unless)):
            for language in LANGUAGES:
                slots = known[f"beat.{name}"].slots(language)
                assert slots <= {*opener.params, "first", "last", "count"} or opener.name in TELLS


def test_no_sentence_opens_two_beats() -> None:
    keys = [key for opener in OPENERS for key in opener.keys]
    assert len(keys) == len(set(keys))


def test_a_beat_of_one_producer_lands_where_its_own_records_are_stored() -> None:
    plan = plan_ahead(scenario_of("SC-143"))
    beat = next(beat for beat in plan["beats"] if beat["key"] == "beat.sends")
    assert (beat["params"], beat["last"]) == ({"client": "source", "count": 1, "which": ""}, 46)
    assert beat["lands"] == 27, "p1's are stored at step 45"


def test_a_title_about_what_a_step_is_lands_at_that_step() -> None:
    beats = plan_ahead(scenario_of("SC-143/no-seek"))["beats"]
    beat = next(beat for beat in beats if beat["key"] == "beat.complete")
    assert beat["lands"] == beat["first"], "at its end the next transaction commits"


def test_a_beat_of_two_delays_is_about_the_longer_one_and_names_the_other() -> None:
    beats = plan_ahead(scenario_of("SC-101/k28"))["beats"]
    beat = next(beat for beat in beats if beat.get("kind") == "message_delayed")
    assert beat["lands"] == 39, "the late write is delayed by 140 ms; the response before it by 90"
    assert 33 in [one["step"] for one in beat["passed"]]


def test_one_request_at_a_time_is_said_of_the_client_that_mutes_its_partition() -> None:
    plain = {"enable_idempotence": False, "acks": -1}
    document = {
        "id": "MUTED",
        "title": {"en": "Muted", "zh-Hans": "Muted"},
        "profile": "k28",
        "producers": [
            {"name": "p1", "settings": plain | {"max_in_flight": 1}},
            {"name": "p2", "settings": plain},
        ],
        "applications": [
            {
                "name": f"app-{n}",
                "client": f"p{n}",
                "calls": [{"at": at, "do": "send", "partition": f"t-{n - 1}"}],
            }
            for n, at in ((1, 3), (2, 2))
        ],
    }
    beat = next(b for b in plan_ahead(load(document))["beats"] if b["key"] == "beat.muted_stores")
    assert (beat["params"]["client"], beat["params"]["count"]) == ("p1", 1), "p2 stores one, too"


def test_a_decision_lands_where_it_takes_effect_itself() -> None:
    plan = plan_ahead(scenario_of("SC-140/k28"))
    beat = next(beat for beat in plan["beats"] if beat["key"] == "beat.commit_decided")
    assert (beat["params"], beat["last"]) == ({"transactional_id": "txn-1"}, 98)
    assert beat["lands"] == 95, "that about txn-2 takes effect in step 96"


@pytest.mark.parametrize(
    "name", ["SC-21/no-version-check", "SC-78/given-up-but-stored", "SC-91/write-joins-level-0"]
)
def test_a_new_batch_that_its_leader_takes_for_a_duplicate_is_called_so(name: str) -> None:
    kinds = [beat["kind"] for beat in plan_ahead(scenario_of(name))["beats"]]
    at = kinds.index("broken_lost")
    assert kinds[at - 1] == "taken_for_duplicate" and "duplicate" not in kinds


def test_what_a_commit_and_an_abort_release_at_once_is_called_released() -> None:
    document = deepcopy(entry("SC-140").document)
    document["topics"][0]["replication"] = 3
    document["applications"][1]["calls"][-1]["do"] = "abort_transaction"
    (title,) = (
        beat["key"] for beat in plan_ahead(load(document))["beats"] if beat["kind"] == "outcome_shows"
    )
    assert title == "beat.released", "p1's commit held t-0, p2's abort t-1"


def test_a_resend_begins_where_the_same_partition_is_drained_again() -> None:
    beats = plan_ahead(scenario_of("SC-02"))["beats"]
    again = next(beat for beat in beats if beat["kind"] == "sends_again")
    assert again["first"] == 73, "at step 51 p1 drains a new batch of t-1, while one of t-0 waits"
    assert again["params"]["count"] == 2, "new batches are drained, too"


def test_plumbing_is_folded_counted_and_named() -> None:
    beats = plan_ahead(scenario_of("SC-44/k28"))["beats"]
    noted = next(beat for beat in beats if beat["key"] == "beat.joined")
    assert noted["lines"][1] == {
        "first": 20,
        "last": 22,
        "key": "beat.line.one",
        "params": {"count": 3, "first": {"key": "beat.line.replication", "params": {}}},
    }


def test_a_long_run_goes_round_by_round() -> None:
    """Thousands of steps must be reachable through at most nine beats on each level."""
    calls = [{"at": 0, "do": "init_transactions"}]
    for number in range(60):
        at = 500 + 300 * number
        calls += [
            {"at": at, "do": "begin_transaction"},
            {"at": at, "do": "send", "partition": "t-0"},
            {"at": at + 100, "do": "commit_transaction"},
        ]
    document = {
        **entry("SC-45").document,
        "applications": [{"name": "app-1", "client": "p1", "calls": calls}],
    }
    plan = plan_ahead(load(document), most=5_000)
    titles = [beat["key"] for beat in plan["beats"]]
    assert titles[0] == "beat.identity"
    assert set(titles[1:]) == {"beat.transactions"}
    assert plan["beats"][1]["params"]["first"] == 1
    assert plan["beats"][-1]["params"]["last"] == 60
    for beats in levels(plan["beats"]):
        check_level(beats)


def test_a_stretch_that_nothing_divides_is_cut_evenly() -> None:
    calls = [{"at": 10 * number, "do": "send", "partition": "t-0"} for number in range(400)]
    document = {
        **entry("SC-09").document,
        "applications": [{"name": "app-1", "client": "p1", "calls": calls}],
    }
    plan = plan_ahead(load(document, "linger-0"))
    for beats in levels(plan["beats"]):
        check_level(beats)
    assert any(beat["key"] == "beat.part" for beats in levels(plan["beats"]) for beat in beats)


# -- names of an author's own ----------------------------------------------------------------------------------


def test_an_author_names_a_beat_and_rules_name_the_others() -> None:
    beats = plan_ahead(scenario_of("SC-01"))["beats"]
    own = {beat["number"]: beat["title"]["en"] for beat in beats if "title" in beat}
    assert own == {4: "Record 3: success is reported in the same way"}
    assert beats[1]["kind"] == beats[3]["kind"] == "success_at_once"
    assert "4. 19–21 → 19  Record 3: success is reported in the same way" in said_of("SC-01")
    header = scenario_header("SC-01")
    assert header["beats"][0]["title"]["zh-Hans"] == "记录 3：同样在写入前就报告成功"
    assert "beats" not in scenario_header("SC-02")


@pytest.mark.parametrize(("after", "is_named"), [(39, False), (60, False), (65, True)])
def test_an_authors_name_for_a_delay_lasts_only_if_the_message_arrived_as_planned(
    after: int, is_named: bool
) -> None:
    """It says that the batch arrives after the abort, which it does at step 65."""
    done = [{"action": "drop_message", "message": 9, "after": 39}] if after == 39 else []
    done = done or [{"action": "pause", "actor": "p2", "after": after}]
    scenario = scenario_of("SC-101/k28")
    before = plan_ahead(scenario)
    for beats in (
        plan_ahead(scenario, done)["beats"],
        plan_ahead(scenario, done, before, same_until=after)["beats"],
    ):
        assert ["title" in beat for beat in beats if beat["kind"] == "message_delayed"] == [is_named]
    assert ["title" in beat for beat in before["beats"] if beat["kind"] == "message_delayed"] == [True]


def test_after_a_break_a_beat_is_called_by_what_it_does() -> None:
    """No beat may name record 3 if another record was lost."""
    drop = {"action": "drop_message", "message": 1, "after": 4}
    beats = plan_ahead(scenario_of("SC-01"), [drop])["beats"]
    assert [beat["kind"] for beat in beats].count("success_at_once") > 1
    assert not any("title" in beat for beat in beats)
    late = plan_ahead(scenario_of("SC-01"), [{**drop, "message": 3, "after": 27}])["beats"]
    assert [beat["number"] for beat in late if "title" in beat] == [4], "what came before stays named"


def test_a_commit_that_returns_after_the_release_says_so() -> None:
    scenario = scenario_of("SC-44/k28")
    crash = {"action": "crash", "actor": "broker-2", "after": 58}
    beats = plan_ahead(scenario, [crash], plan_ahead(scenario))["beats"]
    assert (220, "commit_late", {"client": "p1"}) in titles(beats)
    assert not any(beat["kind"] == "commit_late" for beat in plan_ahead(scenario)["beats"])
    assert (81, "commit_late", {"client": "p1"}) in titles(plan_ahead(scenario_of("SC-124/crash"))["beats"])


def changed(name: str, action: str, message: int, after: int) -> list[Beat]:
    """Return the beats of the run in which the learner drops or duplicates a message after step ``after``."""
    scenario = scenario_of(name)
    done = {"action": f"{action}_message", "message": message, "after": after}
    return plan_ahead(scenario, [done], plan_ahead(scenario))["beats"]


CAME = {
    # (scenario, what the learner did, message, step): kinds of the beats from the fault on, and of the nested beats
    # that it caused.
    ("SC-03", "drop", 3, 9): "message_lost unknown_accepted message_lost sends_again epoch_raised broken_reordered "
    "broken_duplicated broken_duplicated",
    ("SC-03", "drop", 7, 24): "message_lost message_lost unknown_accepted duplicate sends_again stale_refused "
    "epoch_raised",
    ("SC-44/k28", "drop", 18, 59): "message_lost outcome_shows complete read_after_marker request_again "
    "ended_already commit_late",
    ("SC-44/k28", "drop", 15, 50): "message_lost gives_up_waiting request_again commit_decided commit_known "
    "outcome_shows read_after_marker",
    ("SC-61/k28", "drop", 37, 126): "message_lost gives_up_waiting sends_again old_epoch_refused reports_failure "
    "coordinator_refuses_epoch fatal",
    ("SC-80", "drop", 14, 15): "message_lost window_opens answers_missing compensation window_closes ends",
}  # fmt: skip


@pytest.mark.parametrize("change", CAME)
def test_the_fault_and_what_comes_of_it_first_are_beats_of_the_run_themselves(
    change: tuple[str, str, int, int],
) -> None:
    """A reader who has changed a run must find the fault, the refusal, the retry and the duplicate in the list."""
    beats = changed(*change)
    at = next(place for place, beat in enumerate(beats) if beat["lands"] == change[3] + 1)
    assert [beat["kind"] for beat in beats[at:]] == CAME[change].split()
    assert beats[at]["added"]
    check_level(beats)


def test_in_a_run_of_one_transaction_the_call_that_ends_it_and_its_completion_are_beats() -> None:
    kinds = [beat["kind"] for beat in plan_ahead(scenario_of("SC-44/k28"))["beats"]]
    assert kinds[3:] == [
        "commits", "commit_decided", "commit_known", "outcome_shows", "complete", "read_after_marker",
    ]  # fmt: skip


def test_a_refusal_that_a_client_learns_of_alone_is_a_beat_and_its_retry_is_named() -> None:
    """SC-126: the coordinator refuses p2's request in the same step in which it decides to abort p1's transaction."""
    beats = plan_ahead(scenario_of("SC-126/k28"))["beats"]
    refused = next(beat for beat in beats if beat["kind"] == "must_retry")
    assert (refused["lands"], refused["params"]["error"]) == (41, "CONCURRENT_TRANSACTIONS")
    got = next(beat for beat in beats if beat["kind"] == "epoch_up")
    assert (50, "beat.retries") in [(one["step"], one["key"]) for one in got["passed"]]


def test_what_comes_before_the_intervention_is_not_called_added() -> None:
    """SC-61 with the EndTxn response dropped: the decision comes before the drop."""
    decided = next(beat for beat in changed("SC-61/k28", "drop", 30, 103) if beat["kind"] == "commit_decided")
    assert "added" not in decided


def test_a_request_that_ends_with_its_connection_is_not_said_to_time_out() -> None:
    paused = {"action": "pause", "actor": "broker-2", "after": 70}
    scenario = in_generation(scenario_of("SC-66/while-writing"), GENERATIONS["k41"])
    beats = plan_ahead(scenario, [paused], plan_ahead(scenario))["beats"]
    shown = {
        beat["key"] for beat in leaves(beats)
    }  # Metadata times out, and EndTxn ends with its connection.
    assert "beat.gives_up_waiting" in shown and "beat.request_unanswered" not in shown


def test_what_advances_internal_partitions_only_is_named_by_the_offsets_that_take_effect() -> None:
    """SC-146: the transaction with orders-0 still holds back out-0 when that with orders-1 is complete."""
    beats = plan_ahead(scenario_of("SC-146/generation"))["beats"]
    [offsets, records] = [beat for beat in beats if beat["kind"] == "outcome_shows"]
    assert (offsets["key"], offsets["params"]) == ("beat.positions_visible", {"group": "g"})
    assert (records["key"], records["params"]) == ("beat.released", {"partitions": ["out-0"]})


def test_a_round_of_which_nothing_is_stored_yet_begins() -> None:
    rounds = [beat for beat in plan_ahead(scenario_of("SC-170/static"))["beats"] if beat["kind"] == "round"]
    assert [(beat["key"], beat["params"]) for beat in rounds] == [("beat.round_begins", {"round": 1})]


def test_a_request_of_a_transaction_manager_that_times_out_is_named() -> None:
    lost = {"action": "drop_message", "message": 15, "after": 50}
    scenario = scenario_of("SC-44/k28")
    beats = plan_ahead(scenario, [lost], plan_ahead(scenario))["beats"]
    shown = leaves(beats)
    named = {beat["key"]: beat["params"] for beat in shown}
    assert named["beat.request_unanswered"] == {"client": "p1", "timeout": 30_000, "api": "EndTxn"}
    assert named["beat.request_again"] == {"client": "p1", "api": "EndTxn"}


def test_a_fault_of_the_learner_is_not_taken_for_the_one_of_the_lesson() -> None:
    """SC-03 with the response to the duplicate dropped, too: p1 learns of r1 later."""
    beats = changed("SC-03", "drop", 25, 80)
    assert [(beat["lands"], beat["kind"]) for beat in beats[6:]] == [
        (81, "message_lost"), (96, "meanwhile"), (100, "sends_again"), (107, "duplicate"), (110, "doubt_ends"),
        (118, "sends_again"), (141, "reads"),
    ]  # fmt: skip


def test_a_leader_that_refuses_for_another_reason_than_the_epoch_has_a_beat() -> None:
    """In SC-61 without the epoch check, the leader's refusal is the point of the run."""
    beats = plan_ahead(scenario_of("SC-61/epoch-check-off"))["beats"]
    (refused,) = (beat for beat in beats if beat["kind"] == "new_epoch_refused")
    assert refused["params"] == {"first": 1, "expected": 0}


def test_behind_the_last_beat_what_came_of_a_change_has_beats_of_its_own() -> None:
    """SC-03 with the last Produce response dropped: each stop of a reader is a beat, and none is part of another."""
    written = plan_ahead(scenario_of("SC-03"))
    lost = {"action": "drop_message", "message": 40, "after": 126}
    beats = plan_ahead(scenario_of("SC-03"), [lost], written)["beats"]
    kept, own = beats[: len(written["beats"])], beats[len(written["beats"]) :]
    assert [beat["key"] for beat in kept] == [beat["key"] for beat in written["beats"]]
    assert all(beat["kept"] for beat in kept) and not any("beats" in beat for beat in beats)
    assert [beat["number"] for beat in own] == [10, 11, 12, 13, 14, 15]
    assert [beat["kind"] for beat in own if beat.get("added")] == [
        "message_lost", "sends_again", "duplicate", "doubt_ends",
    ]  # fmt: skip


def test_the_duplicate_of_the_lesson_stays_beside_the_one_that_the_learner_made() -> None:
    beats = changed("SC-03", "duplicate", 3, 9)
    found = [(beat["lands"], "added" in beat) for beat in beats if beat["kind"] == "duplicate"]
    assert found == [(22, True), (83, False)]


def test_the_second_duplicate_of_a_run_is_a_beat_where_the_learner_caused_it() -> None:
    """SC-03 with the response for r4–r5 dropped, too: the lesson's own duplicate is that of r1."""
    lost = {"action": "drop_message", "message": 13, "after": 42}
    scenario = scenario_of("SC-03")
    beats = plan_ahead(scenario, [lost], plan_ahead(scenario))["beats"]
    found = [(beat["lands"], "added" in beat) for beat in leaves(beats) if beat["kind"] == "duplicate"]
    assert found == [(68, False), (84, True)]


@pytest.mark.parametrize(("name", "kind", "key", "partition"), [
    ("SC-02", "sends_again", "broker.appended_plain_and_waits", "t-0"),
    ("SC-19/k28-node", "waits_for_earlier", "broker.appended_and_waits", "t-1"),
    ("SC-75/timeout", "behind", "broker.high_watermark_advanced", "t-0"),
    ("SC-41/impatient-2-0", "aborts", "client.abort_transaction", None),
    ("SC-42/topic-absent", "topic_created", "controller.topic_created", None),
])  # fmt: skip
def test_a_beat_lands_where_its_title_is_true(name: str, kind: str, key: str, partition: str | None) -> None:
    """A beat lands where the resent or waiting records are stored or replicated, or where a call is made, and not at
    its last step.
    """
    scenario = scenario_of(name)
    steps = {step["number"]: step for step in steps_of(scenario)}
    lands = [beat["lands"] for beat in leaves(plan_ahead(scenario)["beats"]) if beat["kind"] == kind]
    assert steps[lands[-1]]["key"] == key
    assert steps[lands[-1]]["params"].get("partition") == partition


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "SC-75/timeout",
            ["behind_stores.said", "released_abort_before.said", "gets_and_skips", "fencing_marker.said"],
        ),
        (
            "SC-44/k28",
            ["joined", "sends_into.said", "commit_returns", "released_commit_of.said", "reads_one_from"],
        ),
    ],
)  # fmt: skip
def test_a_title_that_the_sentences_of_its_step_do_not_say_leads(name: str, says: list[str]) -> None:
    """If the sentences of the step do not say what the title says, the title is shown first: the step raises the high
    watermark or is about the decision, while the title says that records wait or end, or that a call returns. The
    step is about one of the partitions that the title names.
    """
    beats = leaves(plan_ahead(scenario_of(name))["beats"])
    assert [beat["says"] for beat in beats if "says" in beat] == [f"beat.{one}" for one in says]
    for beat in beats:
        if "says" in beat:
            check_words({**beat, "key": beat["says"]})


def test_what_happens_without_the_change_too_is_not_called_added() -> None:
    """A marker is duplicated: the next transaction and the fenced producer are the same as without it."""
    beats = changed("SC-61/k20", "duplicate", 15, 49)
    assert [beat["kind"] for beat in beats if beat.get("added")] == ["message_twice", "marker_sent_again"]


def test_a_marker_of_a_transaction_whose_records_were_lost_is_not_called_a_second_one() -> None:
    lost = {"action": "drop_message", "message": 15, "after": 47}
    scenario = scenario_of("SC-75/timeout")
    beats = plan_ahead(scenario, [lost], plan_ahead(scenario))["beats"]
    assert "beat.marker_idle" in {beat["key"] for beat in beats}
    assert "beat.marker_again" not in {beat["key"] for beat in beats}


def test_what_breaks_behind_a_change_is_no_part_of_another_beat() -> None:
    broken = [one["kind"] for one in changed("SC-03", "drop", 3, 9) if one["kind"].startswith("broken_")]
    assert broken == ["broken_reordered", "broken_duplicated", "broken_duplicated"]


def test_a_request_that_times_out_is_the_cause_of_a_jump_of_time() -> None:
    """The request of a client, of a coordinator, and of a consumer."""
    scenario = scenario_of("SC-44/k28")
    for message, after, kind in (
        (15, 52, "gives_up_waiting"),
        (19, 60, "markers_unanswered"),
        (23, 73, "reader_unanswered"),
    ):
        lost = {"action": "drop_message", "message": message, "after": after}
        beats = plan_ahead(scenario, [lost], plan_ahead(scenario))["beats"]
        steps = {step["number"]: step["at"] for step in steps_of(scenario, lost)}
        [late] = [number for number in steps if number > after and steps[number] - steps[number - 1] >= 5_000]
        assert kind in {one["kind"] for level in levels(beats) for one in level if one["lands"] == late}


def steps_of(scenario: Scenario, *done: dict[str, Any]) -> list[dict[str, Any]]:
    simulation = Simulation(scenario, done)
    return [step.to_json() for step in iter(simulation.step, None)]


def test_what_an_earlier_transaction_released_makes_no_commit_late() -> None:
    """The next commitTransaction() is called before the markers of the previous transaction are written."""
    shown = leaves(plan_ahead(scenario_of("SC-150/k28"))["beats"])
    assert not any(beat["kind"] == "commit_late" for beat in shown)


@pytest.mark.parametrize("after", (20, 58, 70, 86))
def test_what_is_past_keeps_its_number_and_its_title(after: int) -> None:
    scenario = scenario_of("SC-44/k28")
    written = plan_ahead(scenario)
    crash = {"action": "crash", "actor": "broker-2", "after": after}
    beats = plan_ahead(scenario, [crash], written)["beats"]
    past = [beat for beat in written["beats"] if beat["lands"] <= after]
    assert [(beat["number"], beat["lands"], beat["key"]) for beat in beats[: len(past)]] == [
        (beat["number"], beat["lands"], beat["key"]) for beat in past
    ]
    for level in levels(beats):
        check_level(level)
    shown = [beat for level in levels(beats) for beat in level]
    assert any(beat["key"] == "beat.crashes" and beat["lands"] == after + 1 for beat in shown)


def nested(beats: list[Beat]) -> Iterator[Beat]:
    for beat in beats:
        yield beat
        yield from nested(beat.get("beats", []))


def titles(beats: list[Beat]) -> list[tuple[int, str, dict[str, Any]]]:
    """Return (landing, title, parameters) of each beat, without the parameter `which` if it is empty."""
    return [
        (
            beat["lands"],
            beat["key"].removeprefix("beat."),
            {name: value for name, value in beat["params"].items() if (name, value) != ("which", "")},
        )
        for beat in beats
    ]


def named(*records: str) -> dict[str, Any]:
    """Return the parameter of a title that names these records."""
    return {"which": {"key": "clause.which_records", "params": {"records": list(records)}}}


def test_beats_about_different_records_have_different_titles() -> None:
    """Two transactions have one record each; this also holds if a dropped marker delays the end of the first one."""
    drop = {"action": "drop_message", "message": 19, "after": 59}
    for plan in (plan_ahead(scenario_of("SC-92/raised")), plan_ahead(scenario_of("SC-44/k28"), [drop])):
        for level in levels(plan["beats"]):
            texts = [
                sentence(beat["key"], beat["params"]) for beat in level if beat["kind"] == "outcome_shows"
            ]
            assert len(set(texts)) == len(texts)


def test_a_producer_begins_its_next_transaction() -> None:
    begins = [beat["key"] for beat in plan_ahead(scenario_of("SC-45"))["beats"] if beat["kind"] == "begins"]
    assert begins == ["beat.begins", "beat.begins_next"]


def test_beats_follow_a_crash_of_the_coordinator_to_its_end() -> None:
    """No beat may contain both the search for the coordinator and its election."""
    crash = {"action": "crash", "actor": "broker-2", "after": 59}
    beats = plan_ahead(scenario_of("SC-44/k28"), [crash])["beats"]
    assert titles(beats)[2:] == [
        (60, "crashes", {"actor": "broker-2"}),
        (73, "coordinator_not_reached", {"client": "p1"}),
        (189, "takes_over", {"coordinator": "broker-3"}),
        (195, "resumes", {"coordinator": "broker-3", "state": "PrepareCommit"}),
        (202, "released_commit_of", {"partitions": ["t-0", "t-1"], "clients": ["p1"], "count": 2}),
        (220, "ended_already", {"transactional_id": "txn-1", "state": "CompleteCommit"}),
        (221, "commit_late", {"client": "p1"}),
    ]


def test_beats_follow_a_lost_marker_until_it_has_arrived() -> None:
    drop = {"action": "drop_message", "message": 19, "after": 59}
    beats = plan_ahead(scenario_of("SC-44/k28"), [drop])["beats"]
    assert titles(beats)[4:] == [
        (60, "message_lost", {"api": "WriteTxnMarkers", "kind": "request"}),
        (66, "released_part", {"partitions": ["t-1"], "waiting": ["t-0"]}),
        (75, "markers_unanswered_by", {"broker": "broker-1"}),
        (77, "marker_stored_late", {"partitions": ["t-0"]}),
        (80, "released_commit_of", {"partitions": ["t-0"], "clients": ["p1"], "count": 1}),
    ]


def test_records_without_a_marker_are_named_when_others_of_their_transaction_are_readable() -> None:
    """This does not apply to a topic that was deleted, as in SC-60: it gets no marker."""
    assert titles(plan_ahead(scenario_of("SC-76"))["beats"])[7][1:] == (
        "released_part",
        {"partitions": ["t-0"], "waiting": ["t-1"]},
    )
    assert titles(plan_ahead(scenario_of("SC-60"))["beats"])[-1][1] == "released_commit_of"


def test_no_reader_passes_over_the_records_of_a_transaction_and_its_decision_at_once() -> None:
    shown = leaves(plan_ahead(scenario_of("SC-61/k28"))["beats"])
    parts = sorted(shown, key=itemgetter("lands"))[5:9]
    assert [(beat["lands"], beat["key"], beat.get("added", False)) for beat in parts] == [
        (73, "beat.identity_raised", False),
        (88, "beat.begins_stores", True),
        (102, "beat.commit_decided", True),
        (109, "beat.released_commit_of", False),
    ]


def test_many_retries_are_a_beat_of_the_run_with_their_number_and_cause() -> None:
    """SC-61 without the marker that fences: p2 retries until the coordinator resends it."""
    beat = next(one for one in changed("SC-61/k28", "drop", 15, 48) if one["kind"] == "repeats")
    said = "p2 retries InitProducerId 267 more times in 29.27 s: CONCURRENT_TRANSACTIONS"
    assert (beat_title(beat, "en"), beat["says"]) == (said, "beat.repeats")


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("SC-01", "c1 gets 2 records (broken: 1 record lost)"),
        ("SC-04", "Stored more than once in t-0: r1"),
        ("SC-104/operator", "Hanging transaction aborted: LSO of t-1 advances"),
        ("SC-44/k28", "c-committed gets 2 records from t-0, t-1"),
    ],
)
def test_the_last_headline_says_which_guarantee_is_broken(name: str, last: str) -> None:
    assert beat_title(stops_of(plan_ahead(scenario_of(name))["beats"])[-1], "en") == last


def test_a_marker_that_is_sent_again_is_a_beat_where_the_run_as_written_has_one_for_the_marker() -> None:
    scenario = scenario_of("SC-75/timeout")
    drop = {"action": "drop_message", "message": 27, "after": 87}
    shown = leaves(plan_ahead(scenario, [drop], plan_ahead(scenario))["beats"])
    again = next(beat for beat in shown if beat["kind"] == "markers_resent")
    assert (again["first"], again["lands"], again["params"]) == (91, 92, {"partitions": ["t-0"]})


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("SC-145/stable", [(109, "released_abort_of"), (204, "released_commit_of")]),
        ("SC-145/random", [(149, "released_abort_of"), (227, "released_commit_of")]),
        ("SC-145/shared", [(79, "released_abort_of"), (173, "released_commit_of")]),
        ("SC-55", [(66, "released_part"), (90, "released_commit_of")]),
        ("SC-51/abort", [(78, "released_abort_of"), (156, "released_commit_of")]),
    ],
)
def test_what_becomes_of_each_transaction_is_a_beat(name: str, shown: list[tuple[int, str]]) -> None:
    """No beat may contain a commit or an abort without landing on it."""
    found = titles(plan_ahead(scenario_of(name))["beats"])
    assert [(lands, key) for lands, key, _ in found if key.startswith("released")] == shown
    assert not any(key == "leader_wanted" for _, key, _ in found), "a lookup gives way"


def test_several_that_crash_at_once_are_shown_when_all_have_crashed() -> None:
    found = titles(plan_ahead(scenario_of("SC-145/stable"))["beats"])
    assert (82, "crashes_many", {"actors": ["p1", "c1"]}) in found
    assert (84, "restarts_many", {"actors": ["p1", "c1"]}) in found


def test_what_a_title_says_of_several_is_found_in_each_of_their_steps() -> None:
    beats = plan_ahead(scenario_of("SC-44/k28"))["beats"]
    also = {beat["lands"]: beat["also"] for beat in beats if "also" in beat}
    assert also[69] == [{"step": 68, "names": ["t-0"]}], "the LSO of step 69 is that of t-1"
    assert also[81] == [{"step": 80, "names": ["t-0"]}]
    crashed = plan_ahead(scenario_of("SC-145/stable"))["beats"][3]
    assert crashed["also"] == [{"step": 81, "names": ["p1"]}]


def test_what_happens_between_the_steps_of_two_beats_is_named() -> None:
    beats = plan_ahead(scenario_of("SC-61/k28"))["beats"]
    passed = {beat["lands"]: [(one["step"], one["key"]) for one in beat.get("passed", ())] for beat in beats}
    assert passed[73] == [
        (58, "beat.complete"),
        (62, "beat.skips"),
        (69, "beat.epoch_raised_for_id"),
    ]
    assert passed[133] == [(129, "beat.reports_failure"), (131, "beat.aborts")]
    assert passed[44] == [], "beat 3 opens where it is shown"
    before = 0
    for beat in beats:
        assert all(before < one["step"] < beat["lands"] for one in beat.get("passed", ()))
        before = beat["lands"]


def test_a_beat_that_the_author_named_is_kept_before_a_heavier_one() -> None:
    document = {name: rows for name, rows in entry("SC-55").document.items() if name != "beats"}
    unnamed = [beat["kind"] for beat in plan_ahead(load(document))["beats"]]
    named = [beat["kind"] for beat in plan_ahead(scenario_of("SC-55"))["beats"]]
    assert ("message_delayed" in unnamed, "marker_sent_again" in unnamed) == (True, False)
    assert ("message_delayed" in named, "marker_sent_again" in named) == (False, True)


def test_a_marker_that_is_sent_again_and_ends_nothing_is_one_beat() -> None:
    """The response to the marker is lost, so the second marker finds the transaction ended."""
    drop = {"action": "drop_message", "message": 21, "after": 69}
    beats = plan_ahead(scenario_of("SC-44/k28"), [drop])["beats"]
    kinds = [beat["kind"] for beat in beats]
    assert "markers_resent" in kinds and "marker_sent_again" not in kinds
    assert beats[kinds.index("markers_resent")]["key"] == "beat.marker_again"


def leaves(beats: list[Beat]) -> list[Beat]:
    return [beat for level in levels(beats) for beat in level if "beats" not in beat]


LOST_MARKER: dict[str, Any] = {"action": "drop_message", "message": 15, "after": 48}
"""In SC-61/k28: a drop of the ABORT marker by which the leader of t-0 would learn of the new epoch."""


def test_a_request_that_is_refused_until_the_marker_has_arrived_is_one_beat() -> None:
    scenario = scenario_of("SC-61/k28")
    shown = leaves(plan_ahead(scenario, [LOST_MARKER], plan_ahead(scenario))["beats"])
    assert not any(beat["kind"] == "part" for beat in shown)
    refused = {"actor": "broker-2", "error": "CONCURRENT_TRANSACTIONS"}
    repeats = [beat for beat in shown if beat["kind"] == "repeats"]
    assert titles(repeats) == [
        (1157, "repeats", {**refused, "client": "p2", "api": "InitProducerId", "count": 267, "ms": 29_270})
    ]
    lines = repeats[0]["lines"]
    assert lines[0]["params"]["first"]["key"] == "beat.line.repeated" and len(lines) == 3
    assert sum(beat["lands"] > LOST_MARKER["after"] for beat in shown) == 11


def test_a_zombie_whose_epoch_the_leader_does_not_know_to_be_old_is_a_beat() -> None:
    beats = plan_ahead(scenario_of("SC-61/k28"), [LOST_MARKER])["beats"]
    assert (75, "outdated_stored", {"broker": "broker-1", "producer_epoch": 0, "newest": 1}) in titles(beats)
    written = leaves(plan_ahead(scenario_of("SC-61/k28"))["beats"])
    assert not any(beat["kind"] == "outdated_stored" for beat in written)


def test_a_batch_stored_after_its_transaction_ended_is_a_beat_and_so_is_the_end_of_what_hangs() -> None:
    """With 3.9, the leader asks the coordinator first and refuses the batch."""
    by_hand = titles(plan_ahead(scenario_of("SC-101/operator"))["beats"])
    assert (65, "stored_outside", {"client": "p1", "partition": "t-0"}) in by_hand
    assert by_hand[-1][:2] == (136, "let_go_abort")
    verified = leaves(plan_ahead(scenario_of("SC-101/k39"))["beats"])
    assert not any(beat["kind"] == "stored_outside" for beat in verified)


def test_a_marker_that_is_sent_again_is_shown_where_it_is_written_and_what_comes_later_has_its_own_beats() -> (
    None
):
    beats = plan_ahead(scenario_of("SC-61/k28"), [LOST_MARKER])["beats"]
    assert titles(beats)[-3:] == [
        (1164, "marker_stored_late", {"partitions": ["t-0"]}),
        (1187, "identity_raised", {"client": "p2", "producer_id": 1000, "producer_epoch": 2}),
        (1223, "released_commit_of", {"partitions": ["t-0"], "clients": ["p2"], "count": 1}),
    ]


def test_a_new_producer_id_after_an_error_has_a_beat() -> None:
    found = [
        beat for beat in plan_ahead(scenario_of("SC-149/k28"))["beats"] if beat["kind"] == "identity_renewed"
    ]
    assert titles(found) == [
        (63, "identity_renewed", {"client": "p1", "producer_id": 1001, "producer_epoch": 0})
    ]


def test_what_a_new_coordinator_finds_is_in_its_title() -> None:
    found = [beat for beat in plan_ahead(scenario_of("SC-54"))["beats"] if beat["kind"] == "takes_over"]
    assert titles(found) == [(75, "takes_over_finds", {"coordinator": "broker-3", "state": "PrepareCommit"})]


def test_a_beat_of_many_informative_steps_is_divided() -> None:
    beats = plan_ahead(scenario_of("SC-72/add-partitions"))["beats"]
    long = next(beat for beat in beats if "beats" in beat)
    assert long["last"] - long["first"] < NESTED_FROM
    assert len(long["beats"]) > 1


def test_records_in_other_partitions_are_not_counted_among_those_that_wait() -> None:
    def stored(number: int, partition: str) -> BeatStep:
        params = {"client": "p2", "partition": partition, "record_count": 1}
        key = "broker.appended"
        said = ((key, params),)
        return BeatStep(number, 0, "broker-1", key, frozenset({key}), params, False, sentences=said)

    steps = [stored(1, "t-0"), stored(2, "t-1")]
    title = title_of("behind", {"client": "p2"}, steps, ())
    assert title == ("behind_stores", {"client": "p2", "count": 1})


def test_records_that_wait_for_replicas_are_not_counted_among_those_that_are_held_back() -> None:
    params = {"client": "p2", "partition": "t-0", "record_count": 1}
    key = "broker.appended_and_waits"
    first, second = (
        BeatStep(
            number,
            0,
            "broker-1",
            key,
            frozenset({key}),
            params,
            False,
            sentences=((key, params),),
        )
        for number in (1, 2)
    )
    first.held = (("p2", "t-0", 1),)
    title = title_of("behind", {"client": "p2"}, [first, second], ())
    assert title == ("behind_stores", {"client": "p2", "count": 1})


def test_a_round_does_not_count_the_records_of_other_producers() -> None:
    key = "broker.appended"
    steps = [
        BeatStep(
            number,
            0,
            "broker-1",
            key,
            frozenset({key}),
            params,
            False,
            sentences=((key, params),),
        )
        for number, params in enumerate(
            ({"client": name, "partition": "t-0", "record_count": 1} for name in ("p1", "p2")), 1
        )
    ]
    assert title_of("round", {"round": 1}, steps, ()) == ("round", {"round": 1})
    assert title_of("round", {"round": 1}, steps[:1], ())[0] == "round_stores"


def test_a_title_of_several_transactions_names_those_that_begin_in_its_beat() -> None:
    scenario = in_generation(scenario_of("SC-72/k20"), GENERATIONS["k41"])
    simulation = Simulation(scenario)
    plan = RunPlan(simulation.header(), simulation.view())
    begins = []
    while (step := simulation.step()) is not None:
        plan.take(step.to_json())
        if step.key == "client.begin_transaction":
            begins.append(step.number)
    beats = [one for one in nested(plan.to_json()["beats"]) if one["kind"] in ("transaction", "transactions")]
    assert beats
    for beat in beats:
        params = beat["params"]
        first = params["first"]
        last = present(params.get("last", first))
        inside = [number for number, at in enumerate(begins, 1) if beat["first"] <= at <= beat["last"]]
        assert inside == list(range(first, last + 1))


@pytest.mark.parametrize(
    ("name", "title", "at"),
    [
        ("SC-81/nobody-votes", "votes_dropped", "fault.message_dropped"),
        ("SC-81/nobody-votes", "answers_ignored", "middleware.answer_not_expected"),
        ("SC-83/framework-retry-b", "compensation_tries", "middleware.compensation_acts"),
    ],
)
def test_a_count_is_complete_where_its_beat_lands(name: str, title: str, at: str) -> None:
    beat = next(one for one in plan_ahead(scenario_of(name))["beats"] if one["key"] == f"beat.{title}")
    simulation = Simulation(scenario_of(name))
    said = 0
    while (step := simulation.step()) is not None and step.number <= beat["lands"]:
        if step.number >= beat["first"]:
            said += sum(one["key"] == at for one in (step.to_json(), *step.to_json()["notes"]))
    assert said == beat["params"]["count"]


def test_what_differs_between_two_transactions_is_not_said_of_both() -> None:
    keys = [beat["key"] for beat in plan_ahead(scenario_of("SC-66/stuck-2-0"))["beats"]]
    assert "beat.takes_over" in keys, "the coordinator finds PrepareCommit and PrepareAbort"
    assert "beat.released" in keys, "a COMMIT and an ABORT marker are replicated at once"


def test_an_entry_of_the_outbox_that_is_not_stored_is_not_said_to_be_sent() -> None:
    keys = [beat["key"] for beat in plan_ahead(scenario_of("SC-162/before-sending"))["beats"]]
    assert "beat.entries_unsent" in keys


@pytest.mark.parametrize(
    ("name", "at", "title", "params"),
    [
        ("SC-101/k28", 66, "hangs", {"partitions": ["t-0"], "owner": "p1"}),
        ("SC-104/k28", 34, "hangs", {"partitions": ["t-1"], "owner": "PID 1000"}),
        ("SC-58/every-answer", 80, "hangs", {"partitions": ["t-0", "t-1"], "owner": "p1"}),
    ],
)
def test_a_beat_says_whose_transaction_hangs_where_the_guarantee_breaks(
    name: str, at: int, title: str, params: dict[str, Any]
) -> None:
    """The beat lands on the step that breaks the guarantee. A transaction that was begun by a crafted request has no
    transactional id, only a producer id.
    """
    assert (at, title, params) in titles(plan_ahead(scenario_of(name))["beats"])


def test_partitions_that_open_at_different_times_are_beats_of_their_own() -> None:
    beats = plan_ahead(scenario_of("SC-76"))["beats"]
    released = [beat["params"]["partitions"] for beat in beats if beat["kind"] == "outcome_shows"]
    assert released == [["t-0"], ["t-1"]]


@pytest.mark.parametrize(
    ("name", "title", "params"),
    [
        ("SC-80/two-nodes", "all_committed_closes", {"ms": 70, "participants": 3}),
        ("SC-88/silent-for-a-while", "finished_forward_closes", {"ms": 8000, "sender": "participant-3"}),
    ],
)
def test_a_window_that_lasts_closes_in_a_beat_with_its_time(
    name: str, title: str, params: dict[str, Any]
) -> None:
    beats = plan_ahead(scenario_of(name))["beats"]
    assert [beat["params"] for beat in beats if beat["key"] == f"beat.{title}"] == [params]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("SC-81/vote-lost", "The vote of participant-2 is dropped"),
        ("SC-81/nobody-votes", "3 votes are dropped"),
        ("SC-81/nobody-votes", "3 responses change nothing"),
        ("SC-81/vote-late", "RollbackOk from participant-2 changes nothing"),
        ("SC-82/answer-lost", "RollbackOk from participant-3 is dropped"),
        ("SC-84/idempotent", "Commit reaches participant-2 twice"),
        ("SC-85/back-check", "Confirm does not reach middleware"),
        ("SC-86/after-local-commit", "Committed at every participant"),
        ("SC-87/not-durable-late-confirm", "middleware does not know the transaction"),
    ],
)
def test_a_beat_of_the_middleware_says_whose_message_it_is_about(name: str, title: str) -> None:
    assert f"  {title}\n" in said_of(name)


def test_a_refusal_in_the_step_of_a_followers_fetch_is_its_leaders() -> None:
    assert "  broker-2 refuses: INVALID_PRODUCER_EPOCH\n" in said_of("SC-108/k20")


def test_a_prepare_that_the_learner_drops_and_the_wait_for_its_vote_are_beats() -> None:
    drop = {"action": "drop_message", "message": 6, "after": 5}
    beats = plan_ahead(scenario_of("SC-81/refuses"), [drop])["beats"]
    landing = {beat["lands"]: (beat["key"], beat["params"]) for beat in beats}
    assert landing[6] == ("beat.request_dropped", {"api": "Prepare", "destination": "participant-2"})
    assert landing[11] == ("beat.vote_missing", {"participant": "participant-2", "ms": 3000})


def test_records_that_a_title_does_not_name_are_counted() -> None:
    beats = plan_ahead(scenario_of("SC-08"))["beats"]
    assert {"partition": "t-0", "records": ["r6", "r8", "r10", "+3"]} in [beat["params"] for beat in beats]


def scenario_header(name: str) -> Header:
    return Simulation(scenario_of(name)).header()


def test_a_branch_keeps_the_names_and_one_without_such_a_beat_has_none() -> None:
    scenario = scenario_of("SC-77/compact")
    simulation = Simulation(scenario)
    plan = RunPlan(simulation.header(), simulation.view())
    for _ in range(30):
        step = simulation.step()
        assert step is not None
        plan.take(step.to_json())
    titles = [beat.get("title", {}).get("en") for beat in plan.fork().to_json()["beats"]]
    assert titles[0] == "The consumer is paused first" and set(titles[1:]) == {None}


@pytest.mark.parametrize(
    ("row", "place", "allowed"),
    [
        ({"kind": "weather", "title": {"en": "a", "zh-Hans": "b"}}, "beats.0.kind", "aborts"),
        ({"kind": "pauses", "title": {"en": "a"}}, "beats.0.title", "en and zh-Hans"),
        ({"kind": "pauses", "title": {"en": "a" * 61, "zh-Hans": "b"}}, "beats.0.title.en", "60"),
        ({"kind": "pauses", "nth": 0, "title": {"en": "a", "zh-Hans": "b"}}, "beats.0.nth", "1"),
        ({"kind": "pauses"}, "beats.0.title", ""),
    ],
)
def test_a_name_that_cannot_be_is_refused_with_what_can(
    row: dict[str, Any], place: str, allowed: str
) -> None:
    document = {**entry("SC-01").document, "beats": [row]}
    with pytest.raises(BadScenario) as caught:
        load(document)
    assert caught.value.place == place
    assert allowed in str(caught.value)
    assert [one.place for one in mistakes(document)] == [place]


def test_one_beat_has_one_name() -> None:
    row = {"kind": "pauses", "title": {"en": "a", "zh-Hans": "b"}}
    with pytest.raises(BadScenario) as caught:
        load({**entry("SC-01").document, "beats": [row, row]})
    assert caught.value.place == "beats.1.nth"


def test_a_beat_of_collected_records_is_led_by_the_drain_that_sends_them() -> None:
    """This also holds if the step that collects is not the first one of its beat."""
    collects, sends = (next(row for row in OPENERS if row.name == name) for name in ("collects", "sends"))
    further = [Opened(at, START, {}, 0) for at in (20, 30)]
    of_p1 = [Opened(0, collects, {"client": "p1"}, 2, lead=1), Opened(14, sends, {"client": "p1"}, 4)]
    first = with_what_was_collected([*of_p1, *further])[0]
    assert (first.opener, first.at, first.lead) == (sends, 0, 14)


def test_a_decision_that_begins_with_its_request_is_nested_once_in_its_beat() -> None:
    scenario = scenario_of("SC-72/k20")
    drop = {"action": "drop_message", "message": 113, "after": 314}
    plan = plan_ahead(scenario, [drop], plan_ahead(scenario))
    for level in levels(plan["beats"]):
        assert all(one["last"] + 1 == other["first"] for one, other in pairwise(level))
    assert plan["beats"][-1]["last"] == plan["steps"]


def test_a_late_fault_is_followed_by_beats_of_its_own() -> None:
    shown = [(beat["kind"], "added" in beat) for beat in changed("SC-106", "drop", 21, 80)[7:]]
    assert shown == [
        ("message_lost", True), ("gives_up_waiting", True), ("request_again", True), ("registered", False),
        ("sends", True), ("commit_decided", False), ("outcome_shows", False),
    ]  # fmt: skip


def test_a_participant_that_restarts_too_late_and_the_attempts_before_are_named() -> None:
    scenario = scenario_of("SC-80")
    done = [{"action": "crash", "actor": "participant-3", "after": 15}]
    crashed = plan_ahead(scenario, done, plan_ahead(scenario))
    tries = next(beat for beat in crashed["beats"] if beat["kind"] == "compensation")
    assert (tries["key"], tries["params"]["count"]) == ("beat.compensation_tries", 3)
    done.append({"action": "restart", "actor": "participant-3", "after": 28})
    *_, mixed, last = plan_ahead(scenario, done, crashed)["beats"]
    assert (mixed["key"], last["key"]) == ("beat.broken_mixed", "beat.restarts_reserved")


def test_records_that_no_title_counts_are_named_as_passed() -> None:
    """r4–r5 of SC-03 are stored after the step on which beat 3 lands, and before beat 4 begins."""
    beats = plan_ahead(scenario_of("SC-03"))["beats"]
    assert beats[3]["passed"] == [
        {
            "step": 32,
            "key": "beat.sends_into",
            "params": {"client": "p1", "count": 2, "partitions": ["t-1"], "which": ""},
        }
    ]
    assert "passed" not in beats[2], "the title of beat 2 counts its records"


def test_the_last_beat_names_what_the_coordinator_completes_behind_it() -> None:
    """SC-44: the consumers get the records before CompleteCommit is replicated."""
    beats = plan_ahead(scenario_of("SC-44/k28"))["beats"]
    named = {"transactional_id": "txn-1", "state": "CompleteCommit"}
    assert beats[-1]["after"] == [{"step": 86, "key": "beat.completed", "params": named}]
    assert not any("after" in beat for beat in beats[:-1])


def test_what_a_title_implies_is_not_named_as_passed() -> None:
    """SC-61: `p1's transaction stores 1 record` implies that p1 begins a transaction, but not with which epoch."""
    [first, *_] = plan_ahead(scenario_of("SC-61/k28"))["beats"]
    assert [one["key"] for one in first["passed"]] == ["beat.identity", "beat.joined"]
