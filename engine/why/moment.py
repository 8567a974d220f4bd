"""A run at one step, with the look-ups that answers need.

This module owns the way in which facts are found in the view (docs/frame.md): the owner of a producer id, the place
of a message, the virtual time that is left. A few facts need the engine's own rules, so they need the run. All other
facts need only a view, which may be that of a log case or a recording.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.lately import Lately
from engine.pending import CLASS_NAMES
from engine.profile import QUORUM, ZOOKEEPER
from engine.recording import Recorded
from engine.topic_partition import partition_name
from engine.why.links import Json, NotAsked

if TYPE_CHECKING:
    from engine.broker.configuration import BrokerConfiguration
    from engine.judge.bench import Bench
    from engine.messages import Envelope
    from engine.profile import Profile
    from engine.simulation import Simulation

TRANSACTION_TOPIC = "__transaction_state"
_OF_PROCESSES = ("timer", "sender")
"""Classes of events that have no effect while their actor is down."""


class Moment:
    """A run after one step. ``view``: the state. ``step``: the newest step; None before the first step, and for a
    view without its run. ``simulation``: the run; None for a view without its run."""

    __slots__ = ("lately", "now", "others", "simulation", "step", "view")

    def __init__(self, view: Json, simulation: Simulation | None = None) -> None:
        self.view = {
            **view,
            "clients": _with(view.get("clients"), ("batches", "queues", "requests", "connections", "timers")),
            "partitions": _with(view.get("partitions"), ("replicas",)),
            "consumers": _with(view.get("consumers"), ("lanes", "requests")),
        }
        self.now: int = view.get("time", 0)
        self.simulation = simulation
        self.others: dict[int, Moment] = {}
        """Dict of number of a fault's step → the end of the run without this fault and without all later interventions
        (``without.py``)."""
        watch = None if simulation is None else simulation.watch
        self.lately = watch.lately if isinstance(watch, Recorded) else Lately()
        newest = self.lately.newest
        self.step: Json | None = None if newest is None else newest.to_json()

    @classmethod
    def of(cls, simulation: Simulation) -> Moment:
        """The moment of a recorded run after its newest step."""
        return cls(simulation.view(), simulation)

    def profile_of(self, name: str) -> Profile | None:
        """The version of a client, or else of the cluster; None for a view without its run."""
        if self.simulation is None:
            return None
        world = self.simulation.world
        client = world.clients.get(name) or world.consumers.get(name)
        return world.profile if client is None else client.profile

    @property
    def in_pass(self) -> str | None:
        """The client whose Sender is in the middle of a pass; None between passes, and for a view without its run."""
        return None if self.simulation is None else self.simulation.in_pass

    @property
    def is_over(self) -> bool:
        """Whether the run has no further step; False for a view without its run."""
        simulation = self.simulation
        if simulation is None or simulation.finished is not None:
            return simulation is not None
        if any(event["class"] == "delivery" for event in self.waiting_events()):
            return False
        # The remaining events may make no step. Only a copy of the run can show that.
        return simulation.fork().step() is None

    @property
    def intervened_after(self) -> frozenset[int]:
        """The numbers of the steps after which interventions were made; empty for a view without its run."""
        run = self.simulation
        return (
            frozenset() if run is None else frozenset(one["after"] for one in run.interference.interventions)
        )

    @property
    def keeper(self) -> str:
        """ZOOKEEPER or QUORUM: where this cluster's controller stores its decisions (``Profile.keeper``)."""
        return QUORUM if self.part("quorum") else ZOOKEEPER

    # -- parts of the view -----------------------------------------------------------------------------

    @property
    def judges(self) -> Bench | None:
        """The judges of the run; None for a view without its run."""
        return None if self.simulation is None else self.simulation.judges

    def part(self, name: str) -> Json:
        found: Json = self.view.get(name) or {}
        return found

    def named(self, part: str, name: str) -> Json:
        """The object with this name in a part of the view. Raises NotAsked when there is none."""
        found: Json | None = self.part(part).get(name)
        if found is None:
            known = ", ".join(self.part(part)) or "none"
            raise NotAsked("subject", f"no {part} is named {name!r} here", f"known: {known}")
        return found

    def leading(self, partition: str) -> Json | None:
        """The leader's replica of a partition; None while the partition has no leader. A log case has only
        one replica."""
        shown = self.named("partitions", partition)
        replicas: Json = shown["replicas"]
        found = replicas.get("0" if "0" in replicas else str(shown["leader"]))
        return None if found is None else {"batches": {}, "producers": {}, "waiting": [], **found}

    def batches(self, partition: str) -> list[Json]:
        """The batches in the leader's log, ordered by offset."""
        replica = self.leading(partition)
        return [] if replica is None else sorted(replica["batches"].values(), key=_offset)

    def batch_at(self, partition: str, offset: int) -> Json | None:
        for batch in self.batches(partition):
            if batch["base_offset"] <= offset <= batch["last_offset"]:
                return batch
        return None

    # -- transactions ----------------------------------------------------------------------------------

    def coordinated(self) -> Iterator[tuple[str, str, Json]]:
        """(broker's name, transactional id, entry) for each entry in the cache of a coordinator."""
        for broker, shown in self.part("brokers").items():
            for transactional_id, entry in (shown.get("transactions") or {}).items():
                yield f"broker-{broker}", transactional_id, entry

    def entry_of(self, transactional_id: str) -> tuple[str, Json] | None:
        """(coordinator of an id, its entry of the id); None if no coordinator has an entry. Of two entries, the one
        with the higher coordinator epoch counts."""
        found = [(broker, entry) for broker, name, entry in self.coordinated() if name == transactional_id]
        return max(found, key=_coordinator_epoch, default=None)

    def owner_of(self, producer_id: int) -> str | None:
        """The transactional id of a producer id, as its coordinator knows it, or else as a client knows it; None if
        neither does."""
        for _, transactional_id, entry in self.coordinated():
            if producer_id in (entry["producer_id"], entry["last_producer_id"]):
                return transactional_id
        for client in self.part("clients").values():
            manager = client["transaction_manager"]
            if manager is not None and manager["producer_id"] == producer_id:
                return manager["transactional_id"] and str(manager["transactional_id"])
        return None

    def clients_of(self, transactional_id: str) -> list[tuple[str, Json]]:
        """(name, view) of each client that uses an id; a zombie and its successor are two clients."""
        return [
            (name, client)
            for name, client in self.part("clients").items()
            if configured(client, "transactional_id") == transactional_id
        ]

    def log_partition(self, transactional_id: str) -> str | None:
        """The partition of ``__transaction_state`` with the records of an id; None when no broker of the view
        shows it."""
        entry = self.entry_of(transactional_id)
        if entry is not None:
            return partition_name(TRANSACTION_TOPIC, entry[1]["log_partition"])
        for broker in self.part("brokers").values():
            found = (broker.get("lookups") or {}).get(f"TRANSACTION {transactional_id}")
            if found is not None and found["partition"] is not None:
                return partition_name(TRANSACTION_TOPIC, found["partition"])
        return None

    def committed(self, consumer: str, partition: str) -> int | None:
        """The committed offset of a consumer's group: the coordinator's value, or else the one that the
        consumer knows. None: there is no offset, or no group."""
        group = self.named("consumers", consumer).get("group")
        if group is None:
            return None
        for broker in self.part("brokers").values():
            kept = ((broker.get("groups") or {}).get(group["group_id"]) or {}).get("committed") or {}
            if partition in kept:
                return int(kept[partition]["offset"])
        committed = group["committed"].get(partition)
        return None if committed is None or committed < 0 else int(committed)

    # -- time and messages -----------------------------------------------------------------------------

    def waiting_events(self, actor: str | None = None) -> list[Json]:
        """The queued events in their order; with ``actor``, those of this actor. Arrivals of dropped messages, and
        the timers, fetches and passes of an actor that is down, are left out."""
        under_way = self.part("network").get("messages") or {}
        events = [
            (event["at"], CLASS_NAMES.index(event["class"]), int(order), event)
            for order, event in self.part("pending").items()
            if (actor is None or event["actor"] == actor)
            and not _is_void(event["what"], under_way)
            and not (event["class"] in _OF_PROCESSES and self._is_down(event["actor"]))
        ]
        return [event for *_, event in sorted(events, key=_when)]

    def _is_down(self, name: str) -> bool:
        shown = self.actor(name)
        return shown is not None and not shown["alive"]

    def next_event(self, actor: str, *classes: str) -> Json | None:
        for event in self.waiting_events(actor):
            if not classes or event["class"] in classes:
                return event
        return None

    def message_between(
        self, source: str, destination: str, api: str, *, is_response: bool = False
    ) -> Json | None:
        """The newest request of this API that is in transit from ``source`` to ``destination``, or with
        ``is_response`` the newest response; else None."""
        found = [
            message
            for message in self.messages()
            if (message["from"], message["to"], message["api"]) == (source, destination, api)
            and message["is_response"] == is_response
        ]
        return max(found, key=_id, default=None)

    def handled(self, client: str, broker: str) -> list[Envelope] | None:
        """The requests of a client that a broker is handling; None for a view without its run."""
        if self.simulation is None:
            return None
        taken = self.simulation.world.network.connections.taken.values()
        return [one for one in taken if (one.source, one.destination) == (client, broker)]

    def marker_deadline(self, coordinator: str, leader: str) -> int | None:
        """When the coordinator closes the connection on which it awaits the leader's response to its markers (virtual
        ms); None if it awaits none, and for a view without its run."""
        if self.simulation is None:
            return None
        host = self.simulation.world.brokers[coordinator].transactions
        awaited = None if host is None else host.markers.in_flight.get(int(leader.removeprefix("broker-")))
        return None if awaited is None else awaited.deadline

    def messages(self) -> list[Json]:
        return list((self.part("network").get("messages") or {}).values())

    def broker(self, actor: str) -> Json | None:
        found: Json | None = self.part("brokers").get(actor.removeprefix("broker-"))
        return found

    def transaction_scan_interval(self, coordinator: str) -> int | None:
        """The interval, in ms, at which a coordinator looks for transactions whose timeout has passed; None for a
        view without its run."""
        configuration = self.configuration_of(coordinator)
        return None if configuration is None else configuration.transaction_scan_interval_ms

    def configuration_of(self, name: str) -> BrokerConfiguration | None:
        """The settings of a broker; None if there is no such broker, and for a view without its run."""
        if self.simulation is None:
            return None
        for broker in self.simulation.world.brokers.values():
            if broker.name == name:
                return broker.setup.configuration
        return None

    def actors(self) -> list[str]:
        """The names of all actors of this run."""
        names = [*self.part("clients"), *self.part("consumers"), *self.part("applications")]
        names += [f"broker-{name}" for name in self.part("brokers")]
        roles = [] if self.simulation is None else self.simulation.world.roles
        keeps = [ZOOKEEPER] if self.keeper == ZOOKEEPER else []
        return list(dict.fromkeys([*names, *roles, *([*keeps, "controller"] if names else [])]))

    def actor(self, name: str) -> Json | None:
        """The view of a client, a consumer or a broker; None for every other actor."""
        for part in ("clients", "consumers"):
            if name in self.part(part):
                found: Json = self.part(part)[name]
                return found
        return self.broker(name)

    def participant(self, name: str) -> Json | None:
        """The view of a participant of the message middleware; None for every other actor."""
        return (self.part("middleware").get("participants") or {}).get(name)


def _with(parts: Json | None, names: tuple[str, ...]) -> Json:
    """The dict ``parts`` of name → object of the view, with the fields ``names`` and ``transaction_manager`` added to
    objects that lack them."""
    empty: Json = {"transaction_manager": None, **{name: {} for name in names}}
    return {name: {**empty, **shown} for name, shown in (parts or {}).items()}


def _is_void(what: str, under_way: Json) -> bool:
    kind, _, number = what.partition(" ")
    return kind == "message" and number not in under_way


def _offset(batch: Json) -> int:
    return int(batch["base_offset"])


def _id(message: Json) -> int:
    return int(message["id"])


def _when(event: tuple[int, int, int, Any]) -> tuple[int, int, int]:
    return event[:3]


def _coordinator_epoch(found: tuple[str, Json]) -> int:
    epoch = found[1].get("coordinator_epoch")
    return -1 if epoch is None else int(epoch)


def configured(client: Json, setting: str) -> Any:
    """The effective value of a client's setting; None if the client does not have the setting."""
    found = client["configuration"].get(setting)
    return None if found is None else found["value"]
