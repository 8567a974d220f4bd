"""A document names nothing that its cluster does not have: neither parts of ZooKeeper nor those of a controller
quorum.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from engine.errors import Refused
from engine.explain.requirements import REQUIREMENTS, text_key_in, text_keys_by_keeper
from engine.explain.sentences import LANGUAGES, catalogue
from engine.scenario.document import BadScenario, load
from engine.scenario.form import names_in
from engine.scenario.shelf import entry, library
from engine.simulation import Simulation
from engine.step import Step
from tests.rotation import part

ACTOR = {"actor": "broker-1"}
WORLD: dict[str, Any] = {
    "id": "KEPT",
    "title": {"en": "Kept by", "zh-Hans": "由谁保存"},
    "producers": [{"name": "p1", "settings": {"enable_idempotence": True}}],
}


@pytest.mark.parametrize(
    ("profile", "given", "place"),
    [
        ("k28", {"faults": [{"at": 1, "action": "lose_heartbeats", **ACTOR}]}, "faults.0.action"),
        ("k28", {"faults": [{"at": 1, "action": "fail_controller"}]}, "faults.0.action"),
        ("k28", {"faults": [{"match": {"api": "BrokerHeartbeat"}, "action": "drop"}]}, "faults.0.match.api"),
        ("k39", {"faults": [{"at": 1, "action": "competing_write"}]}, "faults.0.action"),
        ("k39", {"faults": [{"match": {"api": "ZooKeeperReply"}, "action": "drop"}]}, "faults.0.match.api"),
        ("k39", {"switches": {"zookeeper_version_check": False}}, "switches.zookeeper_version_check"),
    ],
)
def test_what_another_cluster_has_is_refused(profile: str, given: dict[str, Any], place: str) -> None:
    with pytest.raises(BadScenario, match="ZooKeeper") as refused:
        load({**WORLD, "profile": profile, **given})
    assert refused.value.place == place


def test_only_a_cluster_with_zookeeper_stores_records_in_an_old_format() -> None:
    old = {"topics": [{"name": "t", "record_version": 1}]}
    for profile in ("k39", "k41"):
        with pytest.raises(BadScenario) as refused:
            load({**WORLD, "profile": profile, **old})
        assert refused.value.place == "topics.t.record_version"
    assert load({**WORLD, "profile": "k28", **old})["topics"][0]["record_version"] == 1


@pytest.mark.parametrize(
    ("profile", "absent", "has"),
    [("k28", "lose_heartbeats", "competing_write"), ("k39", "competing_write", "lose_heartbeats")],
)
def test_a_form_knows_what_the_cluster_does_not_have(profile: str, absent: str, has: str) -> None:
    names = names_in({**WORLD, "profile": profile})["absent"]
    assert absent in names and has not in names
    assert ("TRANSACTION_ABORTABLE" in names) == (profile == "k28")
    assert ("broker_registration" in names, "producer_id_block" in names) == (
        profile == "k28",
        profile == "k39",
    )
    assert ("zookeeper_version_check" in names, "registration_ms" in names) == (profile == "k39",) * 2


@pytest.mark.parametrize("profile", ["k99", ["k39"], 3, None])
def test_a_version_that_is_none_counts_as_the_usual_one(profile: Any) -> None:
    assert names_in({**WORLD, "profile": profile})["absent"] == names_in(WORLD)["absent"]


END_OF_VERSION_2 = {"api": "EndTxn", "transactional_id": "txn-1", "transaction_version": 2}
INIT_WITH_AN_EPOCH = {"api": "InitProducerId", "transactional_id": "txn-1", "producer_epoch": 3}
ABORTABLE = {"match": {"api": "Produce"}, "action": "inject_error", "error": "TRANSACTION_ABORTABLE"}


@pytest.mark.parametrize(
    ("profile", "fault", "place"),
    [
        (
            "k39",
            {"at": 1, "action": "craft_request", "message": END_OF_VERSION_2},
            "message.transaction_version",
        ),
        ("k28", ABORTABLE, "error"),
        (
            "k20",
            {"at": 1, "action": "craft_request", "message": INIT_WITH_AN_EPOCH},
            "message.producer_epoch",
        ),
    ],
)
def test_what_came_later_is_refused(profile: str, fault: dict[str, Any], place: str) -> None:
    with pytest.raises(BadScenario, match="does not exist in Kafka") as refused:
        load({**WORLD, "profile": profile, "faults": [fault]})
    assert refused.value.place == f"faults.0.{place}"
    assert load({**WORLD, "profile": "k41", "faults": [fault]})


SAID_OF = {
    "zookeeper": re.compile("zookeeper|znode", re.IGNORECASE),
    "quorum": re.compile("kraft|heartbeat|metadata log|broker epoch|心跳|元数据日志", re.IGNORECASE),
}
OF_ONE_VERSION = re.compile(r"In (\d\.\d) (?!and later)")
"""The beginning of the text of a requirement that only one version has."""
RUNS = [(found.id, variant) for found in library() for variant in found.variants or (None,)]


def rules_of(step: Step) -> set[str]:
    return {*step.rules, *(rule for note in step.notes for rule in note["rules"])}


def words_of(step: Step, keeper: str) -> str:
    """Return all sentences of a step in both languages, and the texts of the rules that it names."""
    decided = () if step.decision is None else step.decision["rows"]
    keys = [step.key, *(note["key"] for note in step.notes), *(row["key"] for row in decided)]
    keys += [text_key_in(rule, keeper) for rule in rules_of(step)]
    known = [catalogue()[key] for key in keys if key in catalogue()]
    return " ".join(
        [json.dumps(step.params), *(one.text(language) for one in known for language in LANGUAGES)]
    )


@pytest.mark.parametrize("run", part(RUNS, 40, "engine"), ids=lambda run: f"{run[0]}/{run[1] or ''}")
def test_no_step_speaks_of_what_keeps_another_cluster(run: tuple[str, str | None]) -> None:
    for profile in (None, "k28", "k41"):
        try:
            simulation = Simulation(
                entry(run[0]).scenario(run[1], None if profile is None else {"profile": profile})
            )
        except (Refused, BadScenario):
            continue
        world = simulation.world
        keeper = world.profile.keeper
        other = SAID_OF["zookeeper" if keeper == "quorum" else "quorum"]
        versions = {
            world.profile.version,
            *(client.profile.version for client in world.clients.values()),
            *(consumer.profile.version for consumer in world.consumers.values()),
        }
        for _ in range(400):
            step = simulation.step()
            if step is None:
                break
            assert not other.search(words_of(step, keeper)), step.key
            alone = [
                OF_ONE_VERSION.match(catalogue()[text_key_in(rule, keeper)].en) for rule in rules_of(step)
            ]
            assert {found.group(1) for found in alone if found is not None} <= versions, step.key


def test_steps_speak_of_what_keeps_their_own_cluster() -> None:
    for profile, own in (("k28", "zookeeper"), ("k41", "quorum")):
        simulation = Simulation(entry("SC-08").scenario(None, {"profile": profile}))
        steps = [step for _ in range(2_000) if (step := simulation.step()) is not None]
        assert any(SAID_OF[own].search(words_of(step, own)) for step in steps)


def test_a_requirement_has_a_text_for_each_keeper_or_one_for_all() -> None:
    texts = {rule: text_keys_by_keeper(rule) for rule in REQUIREMENTS}
    assert {tuple(found) for found in texts.values()} == {(), ("zookeeper", "quorum")}
    assert [rule for rule, found in texts.items() if found] == ["PID-3", "PID-4", "PID-5", "PID-6", "FEN-6"]


@pytest.mark.parametrize(("given", "ends"), [({}, 9000), ({"session_timeout_ms": 900}, 900)])
def test_a_shorter_session_has_its_heartbeats_closer(given: dict[str, int], ends: int) -> None:
    faults = [{"at": 199, "action": "crash", **ACTOR}]
    document = {**WORLD, "profile": "k39", "cluster": {"broker": given}, "faults": faults}
    simulation = Simulation(load(document))
    while (step := simulation.step()) is not None and step.key != "quorum.broker_fenced":
        pass
    assert simulation.now == ends, "the last heartbeat came at 0, as the next one is due at two ninths"
