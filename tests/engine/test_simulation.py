"""What the kernel guarantees, checked with every scenario of the library."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from engine.errors import EngineError, Refused
from engine.explain.sentences import catalogue
from engine.scenario.document import load, parse
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from engine.step import Step, canonical, place, pruned
from engine.watching import ABSENT
from tests.engine.every_run import BEGUN, Played, scenario_of
from tests.engine.narrowing import present
from tests.engine.search.folding import copied, fits
from tests.rotation import in_turn, part

FOLDED = part(BEGUN, len(BEGUN) // 8, "engine")
"""The runs whose changes the quick tests apply to the view."""


@pytest.mark.requirement("GEN-10", "UIV-2")
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", [name if name in FOLDED else pytest.param(name, marks=pytest.mark.slow) for name in BEGUN]
)
def test_folding_the_changes_gives_the_engines_own_view(name: str, every: int) -> None:
    """Apply the changes forward and compare every ``every`` steps, then apply them backward to the first view. A part
    of the view that a change forgot stays wrong until it is changed again, so this finds it.
    """
    simulation = Simulation(scenario_of(name))
    first = json.loads(canonical(simulation.view()))
    folded = json.loads(canonical(first))
    steps: list[Step] = []
    while len(steps) < 400 and (step := simulation.step()) is not None:
        steps.append(step)
        for change in step.changes:
            path, _, after = change
            assert fits(folded, change), f"step {step.number} ({step.key}) changes {path}"
            place(folded, path, copied(after))
        if step.number % every == 0:
            assert pruned(folded) == pruned(simulation.view()), f"after step {step.number} ({step.key})"
    for step in reversed(steps):
        for path, before, _ in reversed(step.changes):
            place(folded, path, copied(before))
    assert pruned(folded) == pruned(first)
    assert ABSENT is not None


def test_a_replica_is_removed_after_what_it_holds_whichever_was_touched_first() -> None:
    """A write that waits for its followers is answered when its topic is deleted, which touches the replica before
    the topic is removed.
    """
    simulation = Simulation(entry("SC-59").scenario("deleted-meanwhile"))
    folded = json.loads(canonical(simulation.view()))
    while (step := simulation.step()) is not None and step.number < 200:
        if step.number == 30:
            simulation.intervene({"action": "pause", "actor": "broker-3"})
        for change in step.changes:
            path, _, after = change
            assert fits(folded, change), f"step {step.number} ({step.key}) changes {path}"
            place(folded, path, copied(after))
        if step.key == "fault.topic_deleted":
            return
    raise AssertionError("the topic was never deleted")


@pytest.mark.parametrize("run", in_turn(BEGUN, len(BEGUN) // 4, "engine"), indirect=True)
def test_watching_changes_nothing(run: Played) -> None:
    """Bare, judged and recorded runs make the same steps and end at the same time."""
    bare, judged = (Simulation(run.scenario, watching=level) for level in ("bare", "judged"))
    bare.run()
    judged.run()
    made = [(one.number, one.now, one.finished, one.kinds) for one in (bare, judged, run.simulation)]
    assert run.simulation.watching == "recorded"
    assert made[0] == made[1] == made[2]


def test_every_sentence_is_in_the_catalogue_with_its_parameters(run: Played) -> None:
    known = catalogue()
    for shown in run.steps:
        said = [(shown["key"], shown["params"])] + [(note["key"], note["params"]) for note in shown["notes"]]
        if shown["refusal"]:
            said.append((shown["refusal"]["next"], shown["refusal"]["next_params"]))
        if shown["decision"]:
            said += [(row["key"], row["params"]) for row in shown["decision"]["rows"]]
        for key, params in said:
            assert key in known, key
            for language in ("en", "zh-Hans"):
                assert known[key].slots(language) <= set(params), (key, language)
        assert shown["rules"], f"{shown['key']} names no requirement"


def test_a_fork_goes_on_alone() -> None:
    scenario = library()[2].scenario()
    simulation = Simulation(scenario)
    simulation.run(steps=20)
    fork = simulation.fork()
    assert fork.digest() == simulation.digest()
    fork.run()
    assert fork.number > simulation.number == 20
    simulation.run()
    assert fork.digest() == simulation.digest()


def test_interventions_replay_to_the_same_steps() -> None:
    scenario = library()[2].scenario()
    first = Simulation(scenario)
    while not first.world.network.under_way:
        first.step()
    done = first.intervene({"action": "drop_message", "message": min(first.world.network.under_way)})
    first.run()
    second = Simulation(scenario, [done])
    second.run()
    assert second.digest() == first.digest()
    assert second.number == first.number


def test_expected_interventions_make_the_same_steps_as_those_known_from_the_beginning() -> None:
    scenario = library()[2].scenario()
    done = [
        {"action": "crash", "actor": "broker-2", "after": 12},
        {"action": "restart", "actor": "broker-2", "after": 20},
    ]
    whole = Simulation(scenario, done)
    whole.run(steps=50)
    for begin in (0, 5, 12):
        behind = Simulation(scenario)
        behind.run(steps=begin)
        behind.expect(done)
        behind.run(steps=50 - begin)
        assert (behind.number, behind.digest()) == (50, whole.digest())


def test_an_impossible_intervention_is_refused_and_changes_nothing() -> None:
    simulation = Simulation(library()[2].scenario())
    before = simulation.digest()
    with pytest.raises(Refused):
        simulation.intervene({"action": "drop_message", "message": 4711})
    with pytest.raises(Refused):
        simulation.intervene({"action": "crash", "actor": "broker-77"})
    assert simulation.digest() == before
    assert present(simulation.step()).number == 1


@pytest.mark.requirement("GEN-1")
@pytest.mark.parametrize("every", [16, pytest.param(1, marks=pytest.mark.slow)])
def test_two_hash_seeds_give_the_same_bytes(every: int) -> None:
    """GEN-1: scenarios of the library are played under two values of PYTHONHASHSEED. The goldens check all of them,
    too, because each process of the tests has another value.
    """
    program = (
        "import sys, hashlib\n"
        "from engine.__main__ import main\n"
        "from engine.scenario.shelf import library\n"
        "import io\n"
        "digest = hashlib.sha256()\n"
        "for entry in library()[:: int(sys.argv[1])]:\n"
        "    out = io.StringIO(); main(['run', entry.id, '--jsonl'], out, out)\n"
        "    digest.update(out.getvalue().encode())\n"
        "print(digest.hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program, str(every)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(found) == 1
    assert len(found.pop().strip()) == len(hashlib.sha256().hexdigest())


SEVEN_DAYS = 7 * 86_400_000


def small(**sections: Any) -> Simulation:
    document = {
        "id": "T-1",
        "title": {"en": "a test", "zh-Hans": "测试"},
        "producers": [{"name": "p1", "settings": {"enable_idempotence": True}}],
        "applications": [
            {"name": "app-1", "client": "p1", "calls": [{"at": 20, "do": "send", "partition": "t-0"}]}
        ],
        **sections,
    }
    return Simulation(load(document))


def said(simulation: Simulation) -> list[str]:
    keys = []
    while (step := simulation.step()) is not None:
        keys.append(step.key)
    return keys


def test_quiet_time_makes_no_step_and_no_event() -> None:
    """There are seven days between two sends: the first fetches end, then no event happens, and the second send
    comes.
    """
    calls = [{"at": at, "do": "send", "partition": "t-0"} for at in (20, SEVEN_DAYS)]
    simulation = small(applications=[{"name": "app-1", "client": "p1", "calls": calls}])
    simulation.run(until=SEVEN_DAYS - 1)
    events = simulation._order
    assert simulation.now < 1000
    simulation.run()
    assert simulation.now >= SEVEN_DAYS
    assert simulation._order - events < 60


def test_a_step_limit_ends_the_run_and_says_so() -> None:
    simulation = small(limits={"steps": 5})
    assert simulation.run() == 5
    assert simulation.finished == "step_limit"


def test_a_fault_that_cannot_be_done_is_said_and_the_run_goes_on() -> None:
    fault = {"at": 5, "action": "delete_head", "partition": "t-0", "to": 99}
    simulation = small(faults=[fault])
    assert "fault.impossible" in said(simulation)
    assert simulation.verdicts()[0].stored == 1


def test_a_broken_rule_names_scenario_seed_and_step() -> None:
    simulation = small()
    simulation.run(steps=3)
    simulation.world.brokers["broker-1"].replicas = None  # type: ignore[assignment]  # the broken rule
    with pytest.raises(EngineError, match=r"T-1/None seed 0 after step"):
        simulation.run()


def test_a_delayed_message_holds_up_what_follows_on_its_connection() -> None:
    calls = [{"at": at, "do": "send", "partition": "t-0"} for at in (20, 22)]
    faults = [{"match": {"api": "Produce"}, "action": "delay", "by_ms": 30}]
    simulation = small(faults=faults, applications=[{"name": "app-1", "client": "p1", "calls": calls}])
    arrivals = []
    while (step := simulation.step()) is not None:
        if step.key.startswith("broker.append"):
            arrivals.append((step.at, step.params["first_sequence"]))
    # The second request arrives at 55 ms, too, and waits until the first is answered (GEN-11).
    assert arrivals == [(55, 0), (65, 1)]


def test_a_duplicated_request_is_handled_twice_and_stored_once() -> None:
    simulation = small(faults=[{"match": {"api": "Produce"}, "action": "duplicate"}])
    assert "broker.duplicate_found" in said(simulation)
    assert simulation.verdicts()[0].line().endswith("stored=1 duplicates=0 lost=0 failed=0 reordered=0")


@pytest.mark.parametrize("actor", ["broker-1", "p1"])
def test_the_end_of_a_pause_wakes_no_component_that_crashed_meanwhile(actor: str) -> None:
    faults = [
        {"at": 21, "action": "pause", "actor": actor, "for_ms": 400},
        {"at": 30, "action": "crash", "actor": actor, "for_ms": 900},
    ]
    simulation = small(faults=faults)
    keys = said(simulation)
    assert "fault.impossible" in keys
    assert "fault.resumed" not in keys
    assert simulation.finished == "complete"


def test_messages_for_a_paused_actor_wait_for_it() -> None:
    faults = [{"at": 21, "action": "pause", "actor": "broker-1", "for_ms": 200}]
    simulation = small(faults=faults)
    appended = None
    while (step := simulation.step()) is not None:
        if step.key.startswith("broker.append"):
            appended = step.at
    assert appended == 221


@pytest.mark.requirement("TXC-22", "GEN-2")
def test_a_component_that_asked_for_a_time_is_queued_for_it() -> None:
    """Broker 2 returns before its session has ended. Broker 3 is elected in the same step, and loads the log of the
    transactions at the time that it asked for, not when another request happens to reach it.
    """
    calls = [
        {"at": 0, "do": "init_transactions"},
        {"at": 400, "do": "begin_transaction"},
        {"at": 400, "do": "send", "partition": "t-0"},
        {"at": 405, "do": "commit_transaction"},
    ]
    document = {
        "id": "T-RESTART",
        "title": {"en": "A short stop", "zh-Hans": "短暂停机"},
        "topics": [{"name": "t", "partitions": 1}],
        "producers": [{"name": "p1", "settings": {"transactional_id": "txn-1"}}],
        "applications": [{"name": "app-1", "client": "p1", "calls": calls}],
        "faults": [
            {"action": "crash", "at": 500, "actor": "broker-2"},
            {"action": "restart", "at": 560, "actor": "broker-2"},
        ],
    }
    simulation = Simulation(load(document))
    loaded = []
    while (step := simulation.step()) is not None:
        if step.key == "coordinator.loaded":
            loaded.append((step.at, step.actor))
        waiting = simulation.view()["pending"].values()
        queued = {(entry["actor"], entry["at"]) for entry in waiting if entry["what"] == "timer"}
        for name, broker in simulation.world.brokers.items():
            due = broker.next_timer()
            assert due is None or (name, due) in queued, f"after step {step.number} ({step.key})"
    assert [actor for at, actor in loaded if at > 560] == ["broker-3"]


DARK = """
id = "X-1"
profile = "{profile}"
[title]
en = "All brokers stay down"
zh-Hans = "所有 broker 都停机"
[[producers]]
name = "p1"
settings = {{ {settings} }}
[[consumers]]
name = "c1"
group = "g"
[[applications]]
name = "app-1"
client = "p1"
calls = [{calls}]
"""
SENDS = '{ at = 10, do = "send", partition = "t-0" }, { at = 200, do = "send", partition = "t-0" }'
COMMITS = (
    '{ at = 0, do = "init_transactions" }, { at = 150, do = "begin_transaction" }, '
    '{ at = 150, do = "send", partition = "t-0" }, { at = 300, do = "commit_transaction" }'
)
DARK_RUNS = {
    "records-expire": ("enable_idempotence = true", SENDS, 100),
    "init": ('transactional_id = "x"', '{ at = 110, do = "init_transactions" }', 100),
    "commit": ('transactional_id = "x"', COMMITS, 250),
}


def dark(case: str, profile: str, back_at: int | None = None) -> Simulation:
    settings, asked, at = DARK_RUNS[case]
    text = DARK.format(profile=profile, settings=settings, calls=asked)
    for broker in (1, 2, 3):
        text += f'[[faults]]\nat = {at}\naction = "crash"\nactor = "broker-{broker}"\n'
        if back_at is not None:
            text += f'[[faults]]\nat = {back_at}\naction = "restart"\nactor = "broker-{broker}"\n'
    return Simulation(load(parse(text)))


@pytest.mark.requirement("GEN-2")
@pytest.mark.parametrize("profile", ["k20", "k28"])
@pytest.mark.parametrize("case", DARK_RUNS)
def test_brokers_that_stay_down_do_not_keep_a_run_going_for_ever(case: str, profile: str) -> None:
    """Clients try to connect again and again; when no component waits for this any more, it makes no steps."""
    simulation = dark(case, profile)
    simulation.run()
    assert simulation.finished == "complete"
    assert simulation.number < 150
    assert all(application.blocked_by is None for application in simulation.world.applications.values())
    assert not simulation.world.clients["p1"].memory.accumulator.incomplete


@pytest.mark.requirement("GEN-2", "GEN-6")
@pytest.mark.parametrize("case", DARK_RUNS)
def test_clients_go_on_when_a_broker_is_back(case: str) -> None:
    """After the end of the run, a learner restarts the brokers, and the run continues."""
    simulation = dark(case, "k28")
    simulation.run()
    ended = simulation.number
    for broker in (1, 2, 3):
        simulation.intervene({"action": "restart", "actor": f"broker-{broker}"})
    simulation.run(until=simulation.now + 5_000)
    assert simulation.number > ended + 10
    assert not simulation.world.dark
    assert not simulation.world.clients["p1"].busy


@pytest.mark.requirement("GEN-2")
def test_brokers_that_come_back_later_are_waited_for() -> None:
    simulation = dark("commit", "k28", back_at=20_000)
    simulation.run()
    assert simulation.finished == "complete"
    assert simulation.now > 20_000
    assert present(simulation.world.clients["p1"].memory.transactions).state == "READY"


def test_what_tells_nothing_is_bounded_in_the_whole_run_and_not_only_between_two_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An application tries again every minute for a month, while no broker runs."""
    monkeypatch.setattr("engine.run_end._QUIET", 20_000)
    simulation = Simulation(entry("SC-50").scenario())
    for broker in (1, 2, 3):
        simulation.intervene({"action": "crash", "actor": f"broker-{broker}"})
    simulation.run()
    assert simulation.finished == "time_limit"
    assert simulation.number < 40
    assert simulation.now < 10 * 60_000


def test_a_client_that_knocks_in_vain_ends_the_run_and_goes_on_when_a_broker_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.run_end._QUIET", 2_000)
    simulation = Simulation(entry("SC-24").scenario("last-block"))
    simulation.intervene({"action": "crash", "actor": "broker-1"})
    simulation.run()
    assert (simulation.number, simulation.finished) == (8, "time_limit")
    simulation.intervene({"action": "restart", "actor": "broker-1"})
    simulation.run()
    assert simulation.finished == "complete"
