"""The page offers exactly the interventions that the engine accepts: an intervention is greyed out if and only if it
would be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine import timers
from engine.client.configuration import SETTINGS
from engine.errors import Refused
from engine.interventions import INTERVENTIONS
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import Step
from eosviz.catalogue import say, words
from eosviz.walkthroughs.message_base import Selection
from eosviz.walkthroughs.messages import Offer
from eosviz.walkthroughs.possibilities import possibilities

LIFE = ("crash", "restart", "pause", "resume")
ACTORS = ("p1", "c1", "broker-1", "broker-2")


def after(number: int, *interventions: dict[str, Any], scenario: str = "SC-03") -> Simulation:
    simulation = Simulation(entry(scenario).scenario())
    simulation.run(steps=number)
    for intervention in interventions:
        simulation.intervene(intervention)
        simulation.step()
    return simulation


def made(simulation: Simulation) -> Step:
    step = simulation.step()
    assert step is not None
    return step


def offers(simulation: Simulation, kind: str, name: str) -> list[Offer]:
    return possibilities(simulation, Selection(kind=kind, id=name))  # type: ignore[arg-type]


def enabled(simulation: Simulation, actor: str) -> list[str]:
    return [
        offer.action for offer in offers(simulation, "actor", actor) if offer.enabled and offer.action in LIFE
    ]


def selections(simulation: Simulation) -> Iterator[tuple[str, str]]:
    yield from (("actor", name) for name in ACTORS)
    yield from (("message", name) for name in simulation.view()["network"]["messages"])
    yield "message", "1"


@pytest.mark.parametrize("actor", ACTORS)
def test_an_actor_that_is_paused_can_be_resumed(actor: str) -> None:
    assert enabled(after(30), actor) == ["crash", "pause"]
    assert enabled(after(30, {"action": "pause", "actor": actor}), actor) == ["crash", "resume"]
    held = ({"action": "pause", "actor": actor}, {"action": "resume", "actor": actor})
    assert enabled(after(30, *held), actor) == ["crash", "pause"]


@pytest.mark.parametrize("actor", ACTORS)
def test_an_actor_that_is_down_can_only_be_restarted(actor: str) -> None:
    for before in ((), ({"action": "pause", "actor": actor},)):
        simulation = after(30, *before, {"action": "crash", "actor": actor})
        assert enabled(simulation, actor) == ["restart"]
        simulation.intervene({"action": "restart", "actor": actor})
        simulation.step()
        assert enabled(simulation, actor) == ["crash", "pause"]


@pytest.mark.parametrize("actor", ["sink", "database"])
def test_a_service_and_its_database_that_are_down_can_only_be_restarted(actor: str) -> None:
    assert enabled(after(14, scenario="SC-171"), actor) == ["crash", "pause"]
    down = after(14, {"action": "crash", "actor": actor}, scenario="SC-171")
    assert enabled(down, actor) == ["restart"]


@pytest.mark.parametrize("every", [6, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "done",
    [(), ({"action": "pause", "actor": "broker-1"},), ({"action": "crash", "actor": "p1"},)],
    ids=["nothing done", "a broker paused", "a producer down"],
)
def test_what_is_offered_works_and_what_is_not_is_refused(
    done: tuple[dict[str, object], ...], every: int
) -> None:
    """The offers are checked at every so many steps."""
    simulation = after(18, *done)
    seen = set()
    for number in range(60):
        if simulation.step() is None:
            break
        if number % every:
            continue
        refusing = simulation.fork()  # one is enough: a refusal changes nothing
        for kind, name in selections(simulation):
            for offer in offers(simulation, kind, name):
                seen.add((offer.action, offer.enabled))
                if not offer.enabled:
                    with pytest.raises(Refused):
                        refusing.intervene(offer.intervention)
                    continue
                tried = simulation.fork()
                tried.intervene(offer.intervention)
                step = tried.step()
                assert step is not None, offer
                assert step.key not in ("fault.impossible", "fault.already_up", "fault.already_down"), offer
    messages = ("drop_message", "delay_message", "duplicate_message")
    assert seen >= {(action, possible) for action in messages for possible in (True, False)}
    assert ("reorder_message", False) in seen  # no two messages here share a connection and a direction
    assert {("restart", False), ("resume", False), ("crash", True), ("pause", True)} <= seen


PARTITION_ACTIONS = {
    *("change_leader", "shrink_isr", "restore_isr", "delete_head", "compact", "expire_producers"),
    *("crash", "restart", "pause", "resume", "make_unavailable", "make_available"),
    *("describe_producers", "find_hanging"),
}


def by_action(simulation: Simulation, kind: str, name: str) -> dict[str, list[Offer]]:
    found: dict[str, list[Offer]] = {}
    for offer in offers(simulation, kind, name):
        found.setdefault(offer.action, []).append(offer)
    return found


def test_a_partition_offers_everything_that_can_be_done_to_it() -> None:
    found = by_action(after(60), "partition", "t-0")
    assert set(found) == PARTITION_ACTIONS
    leaders = {offer.intervention["broker"] for offer in found["change_leader"]}
    assert leaders == {2, 3}
    assert all(offer.enabled for offer in found["change_leader"])
    (restore,) = found["restore_isr"]
    assert (restore.enabled, restore.why_key) == (False, "action.why.nobody_to.restore_isr")


def test_a_command_that_the_brokers_are_too_old_for_can_be_run_and_says_that_it_fails() -> None:
    def said(variant: str, action: str) -> str:
        offer = by_action(Simulation(entry("SC-101").scenario(variant)), "partition", "t-0")[action][0]
        assert offer.enabled
        return say(offer.key, "en", offer.params)

    assert "3.0 or later; these are 2.8, so it fails" in said("k28", "find_hanging")
    assert "fails" not in said("k28", "describe_producers")
    assert "fails" not in said("operator", "find_hanging")


def test_what_is_done_to_a_partition_is_seen_in_the_next_view() -> None:
    led = after(60, {"action": "change_leader", "partition": "t-0", "broker": 2})
    assert led.view()["partitions"]["t-0"]["leader"] == 2
    shrunk = after(60, {"action": "shrink_isr", "partition": "t-0", "broker": 3})
    assert shrunk.view()["partitions"]["t-0"]["isr"] == [1, 2]
    offered = by_action(shrunk, "partition", "t-0")
    assert [offer.intervention["broker"] for offer in offered["restore_isr"]] == [3]
    assert offered["restore_isr"][0].enabled
    hidden = after(60, {"action": "make_unavailable", "actor": "broker-1"})
    offered = by_action(hidden, "actor", "broker-1")
    assert (offered["make_unavailable"][0].enabled, offered["make_available"][0].enabled) == (False, True)


def test_no_offer_names_a_broker_or_leader_that_there_is_not() -> None:
    alone = ({"action": "shrink_isr", "partition": "t-0", "broker": broker} for broker in (2, 3))
    gone = after(60, *alone, {"action": "crash", "actor": "broker-1"})
    while gone.view()["partitions"]["t-0"]["leader"] is not None:
        assert gone.step() is not None
    texts = [say(offer.key, "en", offer.params) for offer in offers(gone, "partition", "t-0")]
    assert "t-0 has no leader: make broker-1 its leader, with a new leader epoch" in texts
    assert not [text for text in texts if "–" in text]


def test_every_partition_action_that_is_offered_works_and_every_other_is_refused() -> None:
    seen: set[tuple[str, bool]] = set()
    for number in (0, 3, 40, 90):
        simulation = after(number)
        if number == 90:
            simulation.intervene({"action": "shrink_isr", "partition": "t-0", "broker": 2})
            simulation.step()
        for offer in offers(simulation, "partition", "t-0"):
            seen.add((offer.action, offer.enabled))
            tried = simulation.fork()
            if not offer.enabled:
                with pytest.raises(Refused):
                    tried.intervene(offer.intervention)
                continue
            tried.intervene(offer.intervention)
            step = tried.step()
            assert step is not None
            assert step.key not in ("fault.impossible", "fault.no_head_to_delete", "fault.nobody_to_restore")
    assert {
        ("delete_head", True),
        ("delete_head", False),
        ("restore_isr", True),
        ("restore_isr", False),
    } <= seen


def test_only_settings_are_offered_as_settings() -> None:
    """A producer's configuration also contains values that follow from its settings (guaranteeMessageOrder), which
    are not offered.
    """
    found = [offer for offer in offers(after(30), "actor", "p1") if offer.action == "set"]
    assert found and {offer.params["setting"] for offer in found} <= set(SETTINGS)


def test_a_timer_offers_to_let_it_end_first_and_the_setting_that_it_runs_by() -> None:
    simulation = after(19)
    (answer,) = [
        one["id"] for one in simulation.view()["network"]["messages"].values() if one["api"] == "Produce"
    ]
    timers = simulation.view()["clients"]["p1"]["timers"]
    name = next(name for name, timer in timers.items() if timer["kind"] == "request_timeout")
    found = by_action(simulation, "timer", f"p1/{name}")
    (held,) = found["hold_messages"]
    assert held.enabled
    assert held.intervention["until"] == timers[name]["until"]
    assert [offer.params["setting"] for offer in found["set"]] == ["request_timeout_ms"]
    simulation.intervene(held.intervention)
    made = [simulation.step()]
    while (step := simulation.step()) is not None and step.at <= timers[name]["until"]:
        made.append(step)
        assert not any(fate["event"] == "delivered" and fate["id"] == answer for fate in step.messages)
    assert made[0] is not None
    assert made[0].key == "fault.messages_held"
    again = by_action(simulation, "timer", "p1/nothing like it")
    assert "hold_messages" not in again


def test_without_a_message_to_hold_the_reason_does_not_say_that_the_timer_expires() -> None:
    """The batch is sent and later acknowledged, so it never expires."""
    simulation = after(5)
    (held,) = by_action(simulation, "timer", "p1/expiry b1")["hold_messages"]
    assert (held.enabled, held.why_key) == (False, "action.why.nothing_to_hold")
    said = say("action.why.nothing_to_hold", "en", held.params)
    assert said.startswith("No message can be held back: none in transit to or from p1 arrives by t = ")
    while (step := simulation.step()) is not None:
        last = step.at
    assert last < held.intervention["until"]
    assert "expiry b1" not in simulation.view()["clients"]["p1"]["timers"]


def test_a_coordinators_timer_offers_the_setting_of_its_producer_and_anothers_says_that_none_is_there() -> (
    None
):
    simulation = Simulation(entry("SC-75").scenario("timeout"))
    while not simulation.view()["brokers"]["2"].get("transactions", {}).get("txn-1", {}).get("times_out_at"):
        simulation.step()
    found = by_action(simulation, "timer", "broker-2/transaction_timeout txn-1")
    (setting,) = found["set"]
    assert (setting.enabled, setting.params["setting"]) == (True, "transaction_timeout_ms")
    assert {"hold_messages", "crash", "pause"} <= set(found)
    middleware = Simulation(entry("SC-85").scenario("back-check"))
    waiting = None
    while waiting is None:
        assert middleware.step() is not None
        of = (
            f"{actor}/{name}" for actor, name, _ in timers.running(middleware.view()) if actor == "middleware"
        )
        waiting = next(of, None)
    found = by_action(middleware, "timer", waiting)
    (fixed,) = found["set"]
    assert (fixed.enabled, fixed.why_key) == (False, "action.why.fixed_time")
    assert say("action.why.fixed_time", "zh-Hans", fixed.params).startswith("middleware 的定时器“等待投票 1”")


def test_what_is_refused_is_said_in_the_readers_language() -> None:
    simulation = after(40, {"action": "crash", "actor": "broker-2"})
    sentences = [
        say(offer.why_key, "zh-Hans", offer.params)
        for kind, name in selections(simulation)
        for offer in offers(simulation, kind, name)
        if offer.why_key is not None
    ]
    assert sentences
    for text in sentences:
        assert "[" not in text and any("\u4e00" <= letter <= "\u9fff" for letter in text), text


def test_a_node_of_the_middleware_that_is_down_can_be_restarted() -> None:
    simulation = Simulation(entry("SC-85").scenario("back-check"))
    simulation.step()
    for actor in ("middleware", "business", "participant-1"):
        assert enabled(simulation, actor) == ["crash", "pause"]
        down = simulation.fork()
        down.intervene({"action": "crash", "actor": actor})
        down.step()
        assert enabled(down, actor) == ["restart"]


def test_every_action_has_its_words() -> None:
    for action in INTERVENTIONS:
        for key in (f"action.{action}", f"player.action.{action}", f"done.{action}"):
            assert key in words(), key


@pytest.mark.parametrize("scenario", ["SC-01", "SC-03", "SC-59"])
def test_whatever_a_view_holds_is_answered_when_it_is_picked(scenario: str) -> None:
    """This also holds before the first request and after a partition was deleted, when the view leaves out empty
    objects.
    """
    found = entry(scenario)
    simulation = Simulation(found.scenario(found.variants[-1] if found.variants else None))
    while simulation.step() is not None:
        view = simulation.view()
        picked = [("record", name) for name in list(view.get("records", {}))[:1]]
        picked += [("partition", name) for name in view["partitions"]]
        picked += [
            ("batch", f"{name}/{batch}")
            for name, client in view["clients"].items()
            for batch in client.get("batches", {})
        ]
        for kind, name in picked:
            assert offers(simulation, kind, name), (simulation.number, kind, name)


def test_what_no_view_ever_holds_is_answered() -> None:
    simulation = after(30)
    for kind in ("message", "batch", "partition", "actor", "record", "timer", "transaction"):
        for name in ("²", "9" * 100, "p1/x", "broker-x", "/"):
            assert not any(offer.enabled for offer in offers(simulation, kind, name) if kind == "message")


def test_of_a_request_that_a_paused_broker_has_not_read_only_the_connection_can_end() -> None:
    """SC-03: p1 sends its first batch at 25 ms; broker-1 is paused before it arrives."""
    simulation = Simulation(entry("SC-03").scenario())
    while made(simulation).key != "client.sent":
        pass
    simulation.intervene({"action": "pause", "actor": "broker-1"})
    simulation.run(until=33)
    messages = simulation.view()["network"]["messages"].values()
    (held,) = [one for one in messages if one["held"] and one["to"] == "broker-1" and one["from"] == "p1"]
    offered = offers(simulation, "message", str(held["id"]))
    assert {one.action for one in offered if one.enabled} == {"disconnect_message"}


@pytest.mark.parametrize(
    ("step", "key", "says"),
    [
        (2, "action.drop_message", "fault.message_dropped"),
        (3, "action.drop_with_connection", "fault.answer_dropped"),
    ],
)
def test_to_drop_a_message_says_whether_its_connection_breaks(step: int, key: str, says: str) -> None:
    """The first message is a request of the producer, the second the response to it."""
    simulation = after(step)
    (number,) = simulation.world.network.under_way
    offer = next(one for one in offers(simulation, "message", str(number)) if one.action == "drop_message")
    simulation.intervene(offer.intervention)
    assert (offer.key, made(simulation).key) == (key, says)


def test_a_delay_past_the_next_timeout_is_offered() -> None:
    simulation = after(28)
    delay = next(one for one in offers(simulation, "message", "7") if one.action == "delay_message")
    assert delay.params["timer"] == "request_timeout"
    simulation.intervene({"action": "delay_message", "message": 7, "by": delay.params["past"]})
    made(simulation)
    delayed = simulation.view()["network"]["messages"]["7"]
    running = timers.running(simulation.view())
    ends = [one["until"] for actor, _, one in running if (actor, one["kind"]) == ("p1", "request_timeout")]
    assert delayed["arrives_at"] == min(ends) + 1
