"""The interventions of a learner, and when each of them is possible (GEN-6).

One table maps an action to its check. A check reads the present state and changes nothing. The pages that
offer actions and `interference.py`, which carries them out, both call the check first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.broker.leadership import PartitionState
from engine.errors import Refused
from engine.kernel import Kernel
from engine.messages import INT_MAX, LONG_MAX, SHORT_MAX
from engine.tool.command import COMMANDS, command_of, missing_option

Intervention = dict[str, Any]

HOLD_MS_MAX = 86_400_000
TAKEN_MAX = 1000
"""The highest ``taken`` of an intervention: the number of waiting requests that a broker still handles after
their connection has ended. A connection holds far fewer."""

ACTOR_ACTIONS_IN: dict[str, tuple[str, ...]] = {
    "running": ("crash", "pause"),
    "paused": ("crash", "resume"),
    "down": ("restart",),
}
"""Dict of state of an actor → the interventions that are possible in it."""


def check_intervention(kernel: Kernel, intervention: Intervention) -> None:
    """Raises Refused, with place and remedy, when the action does not exist or is impossible now."""
    action = intervention.get("action")
    check = INTERVENTIONS.get(str(action))
    if check is None:
        raise Refused("GEN-6", "action", "unknown_action", action=action, known=list(INTERVENTIONS))
    check(kernel, intervention)


def check_life(kernel: Kernel, action: str, actor: str) -> None:
    """Raises Refused unless the actor's state (running, paused or down) allows the action."""
    role = kernel.world.roles[actor]
    state = "down" if not role.alive else "paused" if actor in kernel.world.paused else "running"
    if action not in ACTOR_ACTIONS_IN[state]:
        raise Refused("GEN-6", "actor", f"actor_{state}", actor=actor)


def _message(kernel: Kernel, intervention: Intervention) -> None:
    message = intervention.get("message")
    network = kernel.world.network
    if type(message) is not int or message not in network.under_way:
        raise Refused("GEN-6", "message", "not_under_way", message=message)
    envelope = network.under_way[message]
    if network.connections.is_of_ended(envelope):
        raise Refused("GEN-11", "message", "connection_has_ended", message=message)
    if intervention["action"] != "disconnect_message" and network.has_arrived(envelope):
        raise Refused("GEN-11", "message", "waits_in_connection", message=message)
    if intervention.get("taken") is not None:
        _whole(intervention, "taken", 0, TAKEN_MAX)
    if intervention["action"] == "delay_message":
        _whole(intervention, "by", 1, HOLD_MS_MAX)
    if intervention["action"] == "reorder_message" and not network.is_followed(message):
        raise Refused("GEN-6", "message", "none_behind", message=message)


def _actor(kernel: Kernel, intervention: Intervention) -> None:
    actor = _known_actor(kernel, intervention)
    check_life(kernel, str(intervention["action"]), actor)


def _known_actor(kernel: Kernel, intervention: Intervention) -> str:
    actor, world = intervention.get("actor"), kernel.world
    known_actors = [*world.clients, *world.consumers, *world.brokers, *world.nodes, *world.beside]
    if actor not in known_actors:
        raise Refused("GEN-6", "actor", "no_actor", actor=actor, known=known_actors)
    return str(actor)


def _set(kernel: Kernel, intervention: Intervention) -> None:
    path, clients = str(intervention.get("path", "")), kernel.world.clients
    words = path.split(".", 2)
    if len(words) != 3 or words[0] != "clients" or words[1] not in clients:
        raise Refused("GEN-6", "path", "no_such_path", path=path)
    clients[words[1]].check_setting(words[2], intervention.get("value"))


def _hold(kernel: Kernel, intervention: Intervention) -> None:
    actor = _known_actor(kernel, intervention)
    _whole(intervention, "until", kernel.now, kernel.now + HOLD_MS_MAX)
    until = intervention["until"]
    under_way = kernel.world.network.under_way.values()
    if not any(
        actor in (message.source, message.destination) and message.arrives_at <= until
        for message in under_way
    ):
        raise Refused("GEN-6", "until", "nothing_arrives", actor=actor, until=until)


# -- brokers and partitions ----------------------------------------------------------------------------------


def _endpoint(kernel: Kernel, intervention: Intervention) -> None:
    """Raises Refused if the broker cannot be made unreachable, or reachable, now."""
    actor, world = intervention.get("actor"), kernel.world
    broker = world.brokers.get(str(actor))
    if broker is None:
        raise Refused("GEN-6", "actor", "no_broker", actor=actor, known=list(world.brokers))
    hidden = broker.broker_id in world.controller.without_endpoint
    if intervention["action"] == "make_available":
        if not hidden:
            raise Refused("GEN-6", "actor", "can_be_reached", actor=actor)
    elif hidden or not broker.alive:
        raise Refused("GEN-6", "actor", "out_of_reach" if hidden else "broker_down", actor=actor)


def _partition(kernel: Kernel, intervention: Intervention) -> PartitionState:
    name, partitions = intervention.get("partition"), kernel.world.controller.partitions
    state = partitions.get(str(name))
    if state is None or state.deleted:
        known = [other for other, known in partitions.items() if not known.deleted]
        if not known:
            raise Refused("GEN-6", "partition", "no_partitions")
        raise Refused("GEN-6", "partition", "no_partition", partition=name, known=known)
    return state


def _change_leader(kernel: Kernel, intervention: Intervention) -> None:
    state = _partition(kernel, intervention)
    controller = kernel.world.controller
    able = [member for member in state.isr if member != state.leader and controller.is_live(member)]
    _one_of(intervention, able, "no_other_in_sync", optional=True)


def _shrink_isr(kernel: Kernel, intervention: Intervention) -> None:
    state = _partition(kernel, intervention)
    able = [] if state.leader is None else [member for member in state.isr if member != state.leader]
    _one_of(intervention, able, "no_follower_in_sync", optional=True)


def _restore_isr(kernel: Kernel, intervention: Intervention) -> None:
    state = _partition(kernel, intervention)
    _one_of(intervention, sorted(state.not_fetching), "no_follower_stopped", optional=True)


def _delete_head(kernel: Kernel, intervention: Intervention) -> None:
    state = _partition(kernel, intervention)
    name = str(intervention["partition"])
    broker = kernel.world.brokers.get(f"broker-{state.leader}")
    if broker is None or not broker.alive:
        raise Refused("LOG-11", "partition", "no_leader", partition=name)
    log = broker.replicas[name].log
    if log.log_start >= log.high_watermark:
        raise Refused("LOG-11", "partition", "no_head", partition=name)
    if intervention.get("to") is not None:
        _whole(intervention, "to", log.log_start + 1, log.high_watermark)


def _at_live_replicas(kernel: Kernel, intervention: Intervention) -> None:
    _partition(kernel, intervention)
    name = intervention["partition"]
    brokers = kernel.world.brokers.values()
    if not any(broker.alive and name in broker.replicas for broker in brokers):
        raise Refused("GEN-6", "partition", "no_live_replica", partition=name)


_OPTION_RANGES: dict[str, tuple[int, int]] = {
    "duration_ms": (0, LONG_MAX),
    "timeout_minutes": (0, INT_MAX),
    "start_offset": (0, LONG_MAX),
    "producer_id": (0, LONG_MAX),
    "producer_epoch": (0, SHORT_MAX),
    "coordinator_epoch": (-1, INT_MAX),
}
"""Dict of option of ``kafka-transactions.sh`` → its lowest and highest number."""


def _tool(kernel: Kernel, intervention: Intervention) -> None:
    """Raises Refused for a command that the tool would refuse, or that names what does not exist."""
    world = kernel.world
    if world.tool is None:
        raise Refused("GEN-6", "action", "no_brokers")
    if intervention.get("partition") is not None:
        _partition(kernel, intervention)
    broker = intervention.get("broker")
    if broker is not None and broker not in world.broker_of:
        raise Refused("GEN-6", "broker", "not_among", broker=broker, known=list(world.broker_of))
    for name, (low, high) in _OPTION_RANGES.items():
        if intervention.get(name) is not None:
            _whole(intervention, name, low, high)
    command = command_of(intervention)
    missing = missing_option(command)
    if missing is not None:
        raise Refused("GEN-6", missing, "option_missing", command=command.name, option=missing)


def _one_of(intervention: Intervention, able: list[int], none: str, *, optional: bool) -> None:
    """Raises Refused unless the named broker is one of ``able``. If ``optional``, the broker may be left out.
    ``none``: the refusal if ``able`` is empty."""
    broker = intervention.get("broker")
    if not able:
        raise Refused("GEN-6", "partition", none, partition=intervention["partition"])
    if broker not in able and not (optional and broker is None):
        raise Refused("GEN-6", "broker", "not_among", broker=broker, known=able)


def _whole(intervention: Intervention, name: str, low: int, high: int) -> None:
    value = intervention.get(name)
    if type(value) is not int or not low <= value <= high:
        raise Refused("GEN-6", name, "not_whole", value=repr(value), low=low, high=high)


AS_FAULTS: dict[str, Callable[[Kernel, Intervention], Any]] = {
    "disconnect_message": _message,
    "change_leader": _change_leader,
    "shrink_isr": _shrink_isr,
    "restore_isr": _restore_isr,
    "delete_head": _delete_head,
    "compact": _at_live_replicas,
    "expire_producers": _at_live_replicas,
    "make_unavailable": _endpoint,
    "make_available": _endpoint,
    **dict.fromkeys(COMMANDS, _tool),
}
"""Interventions on connections, partitions and the reachability of brokers, and the commands of
``kafka-transactions.sh``. The fault with the same action carries each of them out."""
INTERVENTIONS: dict[str, Callable[[Kernel, Intervention], Any]] = {
    **dict.fromkeys(("drop_message", "delay_message", "duplicate_message", "reorder_message"), _message),
    **dict.fromkeys(("crash", "restart", "pause", "resume"), _actor),
    "set": _set,
    "hold_messages": _hold,
    **AS_FAULTS,
}
"""Dict of intervention → the check that raises Refused if it is impossible now."""
