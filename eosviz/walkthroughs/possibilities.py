"""Finds what a learner can do to the selected object at a step, and why other actions are not possible.

The selection determines which actions are considered. For some of them, this file reads from the view that
they are not possible, and gives its own reason. The engine decides about the others (`check_intervention`,
the same check that it makes when it carries out an intervention).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine import timers
from engine.client.configuration import SETTINGS
from engine.errors import Refused
from engine.interference import drop_ends_connection
from engine.interventions import check_intervention
from engine.simulation import Simulation
from engine.tool.command import COMMANDS, command_of, lacking
from engine.why.links import kind_of
from eosviz.walkthroughs.message_base import Selection
from eosviz.walkthroughs.messages import Offer

DELAY_MS = 100
"""The delay in ms that *delay* proposes. The page may choose another."""

NONE = "–"
"""Shown in place of a leader or a broker if there is none."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An intervention that may be offered. `why_not`: if the object itself makes the intervention impossible,
    the key of the reason in the catalogue. `refused`: the key of the reason to show if the engine refuses the
    intervention."""

    intervention: Json
    params: Json
    why_not: str | None = None
    refused: str = "action.why.refused"

    @property
    def action(self) -> str:
        return str(self.intervention["action"])


def possibilities(simulation: Simulation, selection: Selection) -> list[Offer]:
    """Returns the actions that are offered for the selected object, in the order in which they are shown."""
    view = simulation.view()
    candidates = _CANDIDATES[selection.kind](view, selection)
    return [_weighed(simulation, candidate) for candidate in candidates]


def _weighed(simulation: Simulation, candidate: Candidate) -> Offer:
    why_key, params = candidate.why_not, dict(candidate.params)
    if candidate.action in COMMANDS:
        params["version"] = simulation.world.profile.version
    if why_key is None:
        try:
            check_intervention(simulation, candidate.intervention)
        except Refused as refused:
            why_key = candidate.refused
            params |= {"rule": refused.rule, **refused.sentences}
    return Offer(
        action=candidate.action,
        enabled=why_key is None,
        key=_key(simulation, candidate),
        params=params,
        why_key=why_key,
        intervention=candidate.intervention,
    )


def _key(simulation: Simulation, candidate: Candidate) -> str:
    if candidate.params.get("broker") == NONE:
        return f"action.{candidate.action}.any"
    if candidate.action == "change_leader" and candidate.params["leader"] == NONE:
        return "action.give_leader"
    if candidate.action in COMMANDS and (field := _lacking(simulation, candidate)) is not None:
        return f"action.{candidate.action}.without_{field}"
    message = simulation.world.network.under_way.get(candidate.intervention.get("message", -1))
    if candidate.action == "drop_message" and message is not None:
        return (
            "action.drop_with_connection"
            if drop_ends_connection(simulation.world, message)
            else "action.drop_message"
        )
    return f"action.{candidate.action}"


def _lacking(simulation: Simulation, candidate: Candidate) -> str | None:
    """Returns what the version of the brokers lacks for the candidate's command; None if it lacks nothing. A
    command for which something is lacking is offered as well, and fails."""
    return lacking(command_of(candidate.intervention), simulation.world.profile)


def _of_message(view: Json, selection: Selection) -> Iterator[Candidate]:
    yield from _message(view, selection.id)


def _message(view: Json, message_id: str) -> Iterator[Candidate]:
    message = view.get("network", {}).get("messages", {}).get(message_id)
    number = int(message_id) if message else -1
    api, kind = (message["api"], kind_of(message)) if message else ("", "")
    ends = {"from": message["from"], "to": message["to"]} if message else {"from": "", "to": ""}
    params = {"message": message_id, "api": api, "kind": kind, "by": DELAY_MS, **ends}
    gone = None if message else "action.why.not_under_way"
    if message and message.get("connection_ended"):
        gone = "action.why.connection_has_ended"
    settled = "action.why.waits_in_connection" if gone is None and message and _has_arrived(message) else gone
    yield Candidate({"action": "drop_message", "message": number}, params, settled)
    yield Candidate({"action": "disconnect_message", "message": number}, params, gone)
    yield Candidate(
        {"action": "delay_message", "message": number, "by": DELAY_MS},
        {**params, **_past_timeout(view, message)},
        settled,
    )
    yield Candidate({"action": "duplicate_message", "message": number}, params, settled)
    yield Candidate({"action": "reorder_message", "message": number}, params, settled)


def _past_timeout(view: Json, message: Json | None) -> Json:
    """The delay in ms (`past`) with which the message arrives after the next timeout that runs at one of its ends,
    and the kind of this `timer`; empty if there is none."""
    due = None if message is None else message.get("arrives_at")
    if message is None or due is None:
        return {}
    timer = timers.first_to_end_wait(view, (message["from"], message["to"]), due)
    return {} if timer is None else {"past": timer["until"] - due + 1, "timer": timer["kind"]}


def _has_arrived(message: Json) -> bool:
    """Returns True for a request that has reached its broker but is still waiting there."""
    unread = message["held"] and not message["is_response"] and str(message["to"]).startswith("broker-")
    return unread or "waits_behind" in message


def _of_actor(view: Json, selection: Selection) -> Iterator[Candidate]:
    yield from _actor(view, selection.id)


def _actor(view: Json, name: str) -> Iterator[Candidate]:
    shown = _part_of_actor(view, name)
    params = {"actor": name}
    alive = shown is None or shown.get("alive", True)
    paused = shown is not None and shown.get("paused", False)
    down = None if alive else "action.why.already_down"
    yield Candidate({"action": "crash", "actor": name}, params, down)
    yield Candidate({"action": "restart", "actor": name}, params, "action.why.already_up" if alive else None)
    yield Candidate(
        {"action": "pause", "actor": name}, params, "action.why.already_paused" if paused else down
    )
    yield Candidate({"action": "resume", "actor": name}, params, None if paused else "action.why.not_paused")
    if name.startswith("broker-"):
        yield Candidate({"action": "make_unavailable", "actor": name}, params, down, "action.why.hidden")
        yield Candidate({"action": "make_available", "actor": name}, params, refused="action.why.not_hidden")
        number = name.removeprefix("broker-")
        if shown is not None:
            find = {"action": "find_hanging", "broker": int(number), "timeout_minutes": 0}
            yield Candidate(find, {"about": name})
    yield from _settings(view, name)


def _settings(view: Json, name: str) -> Iterator[Candidate]:
    """Yields the settings of a client that can be changed during a run, each with its current value. Leaves out
    settings without a value."""
    for setting, effective in view.get("clients", {}).get(name, {}).get("configuration", {}).items():
        value = effective["value"]
        if value is not None and setting in SETTINGS:
            params = {"actor": name, "setting": setting, "value": value}
            yield Candidate({"action": "set", "path": f"clients.{name}.{setting}", "value": value}, params)


def _part_of_actor(view: Json, name: str) -> Json | None:
    if name.startswith("broker-"):
        broker: Json | None = view.get("brokers", {}).get(name.removeprefix("broker-"))
        return broker
    nodes = view.get("middleware", {})
    places = (
        view.get("clients", {}),
        view.get("consumers", {}),
        nodes.get("participants", {}),
        nodes,
        view.get("services", {}),
        {"database": view.get("database")},
    )
    return next((place[name] for place in places if place.get(name)), None)


def _of_batch(view: Json, selection: Selection) -> Iterator[Candidate]:
    """Yields actions on a batch: on the messages that carry it, or on the client; for a batch of a partition,
    on the partition and its leader."""
    place, _, name = selection.id.partition("/")
    if place in view.get("clients", {}):
        yield from _carriers(view, place, [name])
    else:
        yield from _partition(view, place)


def _carriers(view: Json, client_name: str, batches: list[str]) -> Iterator[Candidate]:
    """Yields actions on the messages that carry one of these batches of a client. If there are none, yields
    actions on the client."""
    requests = view.get("clients", {}).get(client_name, {}).get("requests", {})
    carried_by = {
        int(correlation)
        for correlation, request in requests.items()
        if not set(batches).isdisjoint(request["batches"])
    }
    messages = [
        message_id
        for message_id, message in view.get("network", {}).get("messages", {}).items()
        if message["correlation_id"] in carried_by and client_name in (message["from"], message["to"])
    ]
    for message_id in messages:
        yield from _message(view, message_id)
    if not messages:
        yield from _actor(view, client_name)


def _of_partition(view: Json, selection: Selection) -> Iterator[Candidate]:
    yield from _partition(view, selection.id)


def _partition(view: Json, name: str) -> Iterator[Candidate]:
    shown = view.get("partitions", {}).get(name)
    if shown is None:
        return
    leader, in_sync = shown["leader"], shown["isr"]
    params = {"partition": name, "leader": NONE if leader is None else f"broker-{leader}"}
    followers = [member for member in shown["replica_order"] if member != leader]
    yield from _to_each("change_leader", [one for one in followers if one in in_sync], params)
    yield from _to_each("shrink_isr", [one for one in followers if one in in_sync], params)
    yield from _to_each("restore_isr", [one for one in followers if one not in in_sync], params)
    high_watermark = shown.get("replicas", {}).get(str(leader), {}).get("high_watermark", 0)
    head = {"action": "delete_head", "partition": name, "to": high_watermark}
    yield Candidate(head, {**params, "to": high_watermark}, refused="action.why.no_head")
    for action in ("compact", "expire_producers"):
        yield Candidate({"action": action, "partition": name}, params, refused="action.why.no_replica")
    yield Candidate({"action": "describe_producers", "partition": name}, params)
    yield Candidate(
        {"action": "find_hanging", "partition": name, "timeout_minutes": 0}, {**params, "about": name}
    )
    yield from _aborts(name, shown.get("replicas", {}).get(str(leader), {}).get("producers", {}), params)
    if leader is not None:
        yield from _actor(view, f"broker-{leader}")


def _aborts(partition: str, producers: Json, params: Json) -> Iterator[Candidate]:
    """Yields the two ways to end each open transaction of a log: by its first offset, and by its producer."""
    for producer_id, producer in producers.items():
        start = producer["transaction_first_offset"]
        if start is None:
            continue
        identity = {
            "producer_id": int(producer_id),
            "producer_epoch": producer["producer_epoch"],
            "coordinator_epoch": producer["coordinator_epoch"],
        }
        for chosen in ({"start_offset": start}, identity):
            options = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in chosen.items())
            abort = {"action": "abort_hanging", "partition": partition, **chosen}
            yield Candidate(abort, {**params, "options": options})


def _to_each(action: str, brokers: list[int], params: Json) -> Iterator[Candidate]:
    """Yields one candidate for each broker that can be chosen. If there is none, yields one candidate that is
    not possible, with the reason."""
    for broker in brokers:
        intervention = {"action": action, "partition": params["partition"], "broker": broker}
        yield Candidate(intervention, {**params, "broker": f"broker-{broker}"})
    if not brokers:
        intervention = {"action": action, "partition": params["partition"]}
        yield Candidate(intervention, {**params, "broker": NONE}, f"action.why.nobody_to.{action}")


def _of_record(view: Json, selection: Selection) -> Iterator[Candidate]:
    """Yields actions on a record: on the messages that carry its batch, or on its producer."""
    record = view.get("records", {}).get(selection.id)
    if record is None:
        return
    name = record["producer"]
    batches = view.get("clients", {}).get(name, {}).get("batches", {})
    holding = [batch for batch, shown in batches.items() if int(selection.id) in shown["serials"]]
    yield from _carriers(view, name, holding)


def _of_timer(view: Json, selection: Selection) -> Iterator[Candidate]:
    """Yields actions about a timer: delay messages until it ends, change its setting, or act on its actor."""
    actor, timer = timers.named(view, selection.id)
    if timer is not None:
        named = {"actor": actor, "kind": timer["kind"], "subject": timer["subject"]}
        held = {"action": "hold_messages", "actor": actor, "until": timer["until"]}
        nothing = None if _arrives_before(view, actor, timer["until"]) else "action.why.nothing_to_hold"
        yield Candidate(held, {**named, "until": timer["until"]}, nothing)
        wanted = timers.KINDS[timer["kind"]].settings
        owners = [owner for owner in _clients_behind(view, actor, timer) if wanted]
        for owner in owners:
            yield from (one for one in _settings(view, owner) if one.params["setting"] in wanted)
        if not owners:
            # No setting of this timer can be changed during a run. The offer says so.
            path = {"action": "set", "path": actor, "value": timer["until"]}
            yield Candidate(path, named, "action.why.fixed_time")
    yield from (candidate for candidate in _actor(view, actor) if candidate.action != "set")


def _clients_behind(view: Json, actor: str, timer: Json) -> list[str]:
    """Returns the clients whose setting determines the timer."""
    clients = view.get("clients", {})
    if actor in clients:
        return [actor]
    if timer["kind"] == "transaction_timeout":
        return [
            name
            for name, client in clients.items()
            if (client["configuration"].get("transactional_id") or {}).get("value") == timer["subject"]
        ]
    if timer["kind"] == "replication_wait":
        partition, _, until = timer["subject"].rpartition("@")
        replica = view["partitions"][partition]["replicas"][actor.removeprefix("broker-")]
        asked = {one["client"] for one in replica["waiting"] if one["until_offset"] == int(until)}
        return [name for name in clients if name in asked]
    return []


def _arrives_before(view: Json, actor: str, until: int) -> bool:
    messages = view.get("network", {}).get("messages", {}).values()
    return any(actor in (one["from"], one["to"]) and (one["arrives_at"] or 0) <= until for one in messages)


def _of_transaction(view: Json, selection: Selection) -> Iterator[Candidate]:
    """Yields actions on a transactional id: commands of `kafka-transactions.sh`, and actions on its
    producers."""
    params = {"transactional_id": selection.id}
    yield Candidate({"action": "describe_transaction", **params}, params)
    yield Candidate({"action": "list_transactions"}, {})
    for name, client in view.get("clients", {}).items():
        setting = client.get("configuration", {}).get("transactional_id")
        if setting is not None and setting["value"] == selection.id:
            yield from _actor(view, name)


_CANDIDATES = {
    "message": _of_message,
    "batch": _of_batch,
    "partition": _of_partition,
    "actor": _of_actor,
    "record": _of_record,
    "timer": _of_timer,
    "transaction": _of_transaction,
}
