"""Invariants of random worlds, and events that must happen sometimes, without which the invariants would prove
nothing.

A failure prints the command that plays it again. ``make search`` searches for longer; README.md says how.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.__main__ import main
from engine.client.producer_client import ProducerClient
from engine.interventions import AS_FAULTS, INTERVENTIONS
from engine.profile import ZOOKEEPER
from engine.profiles import PROFILES
from engine.scenario.document import load
from engine.scenario.kept_by import ACTIONS as ACTIONS_OF
from engine.scenario.schema import ACTOR_ACTIONS, MESSAGE_ACTIONS, WORLD_ACTIONS
from engine.scenario.shelf import entry
from tests.engine.search import worlds
from tests.engine.search.__main__ import Portion, hunted
from tests.engine.search.again import Shrinking, differences, found_again
from tests.engine.search.exceptions import EXCEPTIONS
from tests.engine.search.hunt import Found, Hunt
from tests.engine.search.watched import Stuck, Watched

BOUNDED = settings(
    derandomize=True,
    deadline=None,
    database=None,
    # Even a small world consists of a few hundred random choices.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
STEPS, STEPS_LONG, STEPS_MAX = 15_000, 200_000, 400_000
"""The numbers of steps of searches whose seeds begin at 0; Hypothesis chooses further worlds."""
ACTIONS = [f"intervention {action}" for action in INTERVENTIONS if action not in AS_FAULTS] + [
    f"fault {action}"
    for action in MESSAGE_ACTIONS + ACTOR_ACTIONS + WORLD_ACTIONS
    if ACTIONS_OF.get(action) in (None, ZOOKEEPER)
]
"""Actions of a cluster with ZooKeeper; those of one without are tried in test_quorum.py."""


def test_nothing_is_broken(tmp_path: Path) -> None:
    portion, seed = Portion(), 0
    while portion.steps < STEPS:
        hunted(seed, tmp_path, portion, shrink=False)
        seed += 1
        assert portion.finds == []


@pytest.mark.slow
def test_nothing_is_broken_and_everything_is_tried(tmp_path: Path) -> None:
    """Search for STEPS_LONG steps, and for more, up to STEPS_MAX, while something has not been tried."""
    portion, seed, missing = Portion(), 0, ["not begun"]
    while portion.steps < STEPS_LONG or (missing and portion.steps < STEPS_MAX):
        hunted(seed, tmp_path, portion, shrink=False)
        seed += 1
        assert portion.finds == []
        missing = portion.never() + [action for action in ACTIONS if not portion.done[action]]
    assert missing == []


@pytest.mark.parametrize("kind", list(worlds.KINDS))
def test_nothing_is_broken_in_the_worlds_that_hypothesis_chooses(kind: str, tmp_path: Path) -> None:
    @settings(BOUNDED, max_examples=8)
    @given(generator=st.randoms(use_true_random=False))
    def search(generator: Random) -> None:
        Hunt(worlds.KINDS[kind](generator), tmp_path).run(generator)

    search()


@pytest.mark.parametrize("version", [worlds.Version("k41", 1), worlds.Version("k39"), worlds.Version("k010")])
def test_a_search_may_keep_to_one_version(version: worlds.Version) -> None:
    documents = [worlds.world(seed, version)[0] for seed in range(20)]
    assert {document["profile"] for document in documents} == {version.profile}
    assert {document["cluster"].get("transaction_version") for document in documents} == {version.level}


def test_a_search_of_all_versions_draws_each_and_every_level() -> None:
    documents = [worlds.world(seed)[0] for seed in range(200)]
    drawn = {
        (document["profile"], document["cluster"].get("transaction_version"))
        for document in documents
        if "profile" in document
    }
    levels = {(profile.name, profile.transaction_version) for profile in PROFILES.values()}
    assert drawn == {
        (name, level) for name, highest in levels for level in (range(highest + 1) if highest else (None,))
    }


def test_some_producers_are_older_than_their_cluster() -> None:
    documents = [worlds.world(seed, worlds.Version("k41"))[0] for seed in range(40)]
    clients = {producer.get("profile") for document in documents for producer in document["producers"]}
    assert clients == {None, "k20", "k28", "k39"}


def broken_world(tmp_path: Path) -> tuple[Found, Hunt]:
    """A world without the duplicate lookup and the sequence check, in which a repeated request is stored twice; and
    the find.
    """
    for seed in range(40):
        generator = Random(seed)
        document = worlds.honest(generator, worlds.Version("k28"))
        document["switches"] = {"duplicate_lookup": False, "sequence_check": False}
        document["faults"] = [{"match": {"api": "Produce", "from": "p1"}, "action": "duplicate"}]
        hunt = Hunt(document, tmp_path)
        try:
            hunt.run(generator)
        except Found as found:
            return found, hunt
    pytest.fail("a broken mechanism was not found")


def test_what_is_found_plays_again_with_one_command(tmp_path: Path) -> None:
    found, hunt = broken_world(tmp_path)
    engine, search = (line.split() for line in str(found).splitlines()[-2:])
    assert engine[:3] == ["python", "-m", "engine"]
    out = io.StringIO()
    assert main(engine[3:], out) == 0
    shown = out.getvalue()
    assert f"{hunt.simulation.number:5d} " in shown
    assert "BROKEN duplicated" in shown
    assert json.loads((tmp_path / "found.json").read_text()) == hunt.simulation.interference.interventions
    assert search[:4] == ["python", "-m", "tests.engine.search", "--again"]
    again = found_again(Path(search[4]))
    assert again is not None
    assert again.name == found.name


def test_what_is_found_is_shrunk(tmp_path: Path) -> None:
    found, hunt = broken_world(tmp_path)
    before = sum(len(row["calls"]) for row in hunt.document["applications"])
    shrinking = Shrinking(found, hunt, tmp_path)
    smaller = shrinking.shrink()
    assert smaller.name == found.name
    assert shrinking.done == []
    assert len(shrinking.document["faults"]) == 1
    assert sum(len(row["calls"]) for row in shrinking.document["applications"]) == 1 < before
    assert found_again(tmp_path) is not None


def test_a_run_that_differs_when_it_is_made_again_is_found(tmp_path: Path) -> None:
    document, generator = worlds.world(0)
    hunt = Hunt(document, tmp_path)
    hunt.run(generator)
    assert list(differences(hunt)) == []
    hunt.simulation.number += 1
    assert len(list(differences(hunt))) == 2


def test_a_run_that_gets_nowhere_is_found() -> None:
    simulation = Watched(load({"id": "STUCK", "title": worlds.WORDS}))

    def again(name: str, event: object) -> None:
        simulation.put(simulation.now, 2, "stuck", name, name, "nothing")

    simulation._handlers["stuck"] = again
    again("broker-1", None)
    with pytest.raises(Stuck, match="made no step"):
        simulation.step()


def test_a_sender_that_gets_nowhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The phases of the Sender's pass make no step and never end, and no event happens in between."""
    simulation = Watched(entry("SC-09").scenario(None))
    monkeypatch.setattr(ProducerClient, "run_phase", lambda client, now: ([], True))
    with pytest.raises(Stuck, match="made no step"):
        while simulation.step() is not None:
            pass


def test_every_exception_names_what_is_checked_and_why() -> None:
    """A row for a property that no check reports any more would excuse nothing."""
    checked = {
        path.read_text(encoding="utf-8")
        for path in Path(__file__).parent.glob("*.py")
        if path.name not in ("exceptions.py", Path(__file__).name)
    }
    for row in EXCEPTIONS:
        assert len(row.reason) > 15
        for name in row.properties:
            words = name.split(" ")
            assert any(words[0] in text for text in checked), name
