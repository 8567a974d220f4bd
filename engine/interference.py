"""Faults from outside the protocol: the fault script and learners' interventions (GEN-6).

Owns the rules, the timed faults and the list of interventions, and carries them out. A rule's fault on a
message takes effect when half of the message's time on the link has passed, plus ``after_ms``, so that a page
first shows the message leave. Any other fault of a rule with ``match`` takes effect ``after_ms`` after the
message's arrival; a learner's fault takes effect at once. A fault inside a role is a method of that role; this
module only chooses the method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from engine.crafted_requests import crafted, written_fields
from engine.errors import Error, Refused
from engine.happenings.kernel import (
    AnswerReplaced,
    ErrorInjected,
    Fault,
    FaultStruck,
    OthersLost,
    RegistersAnew,
    RequestsLeftAtBroker,
    WakesAsZombie,
)
from engine.interventions import check_intervention, check_life
from engine.kernel import Kernel
from engine.messages import (
    NO_OFFSET,
    Effects,
    Envelope,
    ProduceRequest,
    RecordBatch,
    Send,
)
from engine.network.connections import Name
from engine.network.error_answers import error_answer, with_error
from engine.network.faults import FaultRule
from engine.pending import FAULT as FAULT_CLASS
from engine.scenario.schema import APIS, DATABASE_APIS, MIDDLEWARE_APIS
from engine.tool.command import COMMANDS, OPTIONS, TOOL, command_of
from engine.world import World


def drop_ends_connection(world: World, envelope: Envelope) -> bool:
    """Whether a message can be lost only together with its connection: a broker's response, except to a hand-made
    request (:class:`Crafter`), or a message between a service and its database (GEN-11)."""
    with_connection = envelope.source in world.brokers and envelope.destination in world.connecting
    return (envelope.is_response and with_connection) or envelope.source in world.beside


class Interference:
    """The fault script of one run, and the interventions of learners."""

    def __init__(self, kernel: Kernel, interventions: Iterable[dict[str, Any]]) -> None:
        self.kernel = kernel
        self.rules = [FaultRule(index, entry) for index, entry in enumerate(kernel.scenario["faults"])]
        self.slow_connections: dict[str, int] = {}
        self.apis = frozenset(rule.api for rule in self.rules if rule.api is not None)
        self._matched = [rule for rule in self.rules if rule.api is not None]
        self.injecting: dict[int, tuple[Error, int]] = {}
        """Dict of number of a message → (error, log start offset). The receiver responds with these two and does
        not handle the message."""
        self.altering: dict[tuple[str, str, int], Error] = {}
        """Dict of a response's (source, destination, correlation id) → the error that replaces its own."""
        self.spared: int | None = None
        """If set: the number of the step that a fault makes in the original run. In this run, that fault does
        nothing."""
        self._stopping: dict[str, dict[str, Any]] = {}
        """The brokers in a controlled shutdown, each with the fault or intervention that caused the shutdown."""
        self.interventions = [dict(item) for item in interventions]
        self._position = 0
        self.due = bool(self.interventions) and self.interventions[0]["after"] == 0

    def start(self) -> None:
        """Queue the timed entries of the fault script."""
        for rule in self.rules:
            if rule.api is None:
                entry = rule.entry
                actor = entry["actor"] or entry["partition"] or "controller"
                if entry["action"] in COMMANDS:
                    actor = TOOL
                self.kernel.put(
                    entry["at"], FAULT_CLASS, "fault", ("timed", rule.index), actor, entry["action"]
                )

    def listen(self, listener: Any) -> None:
        """Add a listener after all rules. It gets the messages that are in flight now, and then each new message to
        which no rule applies. It changes no message."""
        self.apis = frozenset((*APIS, *MIDDLEWARE_APIS, *DATABASE_APIS))
        self._matched.append(listener)
        for envelope in self.kernel.world.network.under_way.values():
            listener.falls_on(envelope, self.kernel.generator)

    # -- messages --------------------------------------------------------------------------------------

    def sent(self, envelope: Envelope) -> None:
        """A message was put on its link: prepare the injected errors, and queue the effect of the first other
        rule that applies to it."""
        kernel = self.kernel
        for rule in self._matched:
            if not rule.falls_on(envelope, kernel.generator):
                if rule.seen:
                    kernel.watch.touch(rule)
                continue
            kernel.watch.touch(rule)
            entry = rule.entry
            if entry["action"] == "inject_error":
                self._inject(envelope, entry)
                continue
            strikes = (envelope.sent_at + envelope.arrives_at) // 2
            if entry["action"] not in _ON_MESSAGE:
                strikes = envelope.arrives_at
            kernel.put(
                strikes + entry["after_ms"],
                FAULT_CLASS,
                "fault",
                ("message", rule.index, envelope.id),
                envelope.destination,
                f"{entry['action']} message {envelope.id}",
            )
            return

    def _inject(self, envelope: Envelope, entry: dict[str, Any]) -> None:
        error = Error[entry["error"]]
        if entry["stored"]:
            self.altering[(envelope.destination, envelope.source, envelope.correlation_id)] = error
        else:
            log_start = (entry.get("message") or {}).get("log_start_offset", NO_OFFSET)
            self.injecting[envelope.id] = (error, int(log_start))

    def answers(self, envelope: Envelope) -> bool:
        """Whether the receiver answers this request with an injected error."""
        return envelope.id in self.injecting

    def injected(self, envelope: Envelope) -> Effects:
        """The response with the injected error, which the receiver returns in place of its own."""
        error, log_start = self.injecting.pop(envelope.id)
        api: str = envelope.body.api  # type: ignore[attr-defined]
        self.kernel.watch.emit(ErrorInjected, envelope.destination, api, error)
        return [
            Send(
                envelope.source, error_answer(envelope.body, error, log_start), envelope.correlation_id, True
            )
        ]

    def altered(self, source: str, effect: Send) -> Send:
        """The response to send. If a rule says so, its error is replaced; stored data does not change."""
        error = self.altering.pop((source, effect.destination, effect.correlation_id), None)
        if error is None:
            return effect
        self.kernel.watch.emit(AnswerReplaced, source, error)
        return Send(effect.destination, with_error(effect.body, error), effect.correlation_id, True)

    # -- faults that take effect -----------------------------------------------------------------------

    def strike(self, argument: tuple[Any, ...]) -> None:
        """Carry out a fault whose time has come. ``argument``: ``("timed", index of the rule)``,
        ``("message", index of the rule, number of the message)`` or ``("action", entry)``."""
        if argument[0] == "timed":
            rule = self.rules[argument[1]]
            rule.seen += 1
            rule.remaining -= 1
            self.kernel.watch.touch(rule)
            self._do(rule.entry)
            return
        if argument[0] == "action":
            self._do(argument[1])
            return
        entry = self.rules[argument[1]].entry
        message = argument[2]
        on_message = _ON_MESSAGE.get(entry["action"])
        if on_message is None:
            self._do(entry)
        elif self._can_strike(entry["action"], message):
            on_message(self, message, entry)

    def _can_strike(self, action: str, message: int) -> bool:
        network = self.kernel.world.network
        envelope = network.under_way.get(message)
        if envelope is None or network.connections.is_of_ended(envelope):
            return False
        return action == "disconnect" or not network.has_arrived(envelope)

    def _do(self, entry: dict[str, Any]) -> None:
        """Carry out an entry. If that is impossible now, the step says so, and the run continues."""
        try:
            _ON_WORLD[entry["action"]](self, entry)
        except Refused as refused:
            self._struck(
                Fault.IMPOSSIBLE,
                str(entry["actor"] or "controller"),
                action=entry["action"],
                place=refused.place,
                reason=refused.sentences["reason"],
                remedy=refused.sentences["allowed"],
            )

    def _struck(self, what: Fault, by: str, /, **facts: Any) -> None:
        self.kernel.at_work(by, "fault")
        self.kernel.watch.emit(FaultStruck, what, facts)

    def _about(self, what: Fault, message: int, /, **facts: Any) -> Envelope:
        envelope = self.kernel.world.network.under_way[message]
        self._struck(
            what,
            envelope.destination,
            api=envelope.body.api,  # type: ignore[attr-defined]
            kind=envelope.kind,
            source=envelope.source,
            destination=envelope.destination,
            message=message,
            **facts,
        )
        return envelope

    def _fate(self, message: int, event: str) -> None:
        watch = self.kernel.watch
        if watch.recording:
            watch.fate(message, event)  # type: ignore[attr-defined]

    def _drop(self, message: int, entry: dict[str, Any]) -> None:
        """Drop a message, and its connection if :func:`drop_ends_connection` says so."""
        envelope = self.kernel.world.network.under_way[message]
        ends = drop_ends_connection(self.kernel.world, envelope)
        self._lose(self._about(Fault.ANSWER_DROPPED if ends else Fault.MESSAGE_DROPPED, message))
        if ends:
            others = self.kernel.world.network.on(envelope.connection)
            self._end_connection(envelope.connection, entry)
            self._report_others_lost(others)

    def _report_others_lost(self, others: Iterable[Envelope]) -> None:
        left = self.kernel.world.network.under_way
        lost = Counter((one.destination, one.is_response) for one in others if one.id not in left)
        for (receiver, is_response), count in sorted(lost.items()):
            self.kernel.watch.emit(OthersLost, receiver, is_response, count)

    def _drop_alone(self, message: int, entry: dict[str, Any]) -> None:
        """Drop a response, but let later ones of its connection arrive, which no real connection does (GEN-11)."""
        self._lose(self._about(Fault.ANSWER_DROPPED_ALONE, message))

    def _lose(self, envelope: Envelope) -> None:
        self.kernel.world.network.drop(envelope.id)
        self._fate(envelope.id, "dropped")
        self.kernel.settled(envelope)

    def _delay(self, message: int, entry: dict[str, Any]) -> None:
        self._about(Fault.MESSAGE_DELAYED, message, by=entry["by_ms"])
        self._fate(message, "delayed")
        for envelope in self.kernel.world.network.delay(message, entry["by_ms"]):
            self.kernel.schedule_delivery(envelope)

    def _reorder(self, message: int, entry: dict[str, Any]) -> None:
        network = self.kernel.world.network
        if not network.is_followed(message):
            self._about(Fault.MESSAGE_NOT_OVERTAKEN, message)
            return
        envelope = self._about(Fault.MESSAGE_REORDERED, message)
        self._fate(message, "delayed")
        if network.reorder(message) is not None:
            self.kernel.schedule_delivery(envelope)

    def _duplicate(self, message: int, entry: dict[str, Any]) -> None:
        envelope = self._about(Fault.MESSAGE_DUPLICATED, message)
        copy = self.kernel.world.network.duplicate(message)
        self._fate(message, "duplicated")
        self._fate(copy.id, "sent")
        if isinstance(envelope.body, ProduceRequest) and self.kernel.watch.judging:
            self.kernel.world.copies(envelope.body, sent=True)
        self.kernel.schedule_delivery(copy)

    def _disconnect(self, message: int, entry: dict[str, Any]) -> None:
        self._end_connection(self._about(Fault.DISCONNECTED, message).connection, entry)

    def _end_connection(self, connection: Name, entry: dict[str, Any]) -> None:
        kernel = self.kernel
        client, broker, _ = connection
        kept = kernel.disconnect(*connection, entry.get("taken") or 0)
        if kept:
            kernel.watch.emit(RequestsLeftAtBroker, client, broker, kept)

    # -- actors ----------------------------------------------------------------------------------------

    def _crash(self, entry: dict[str, Any]) -> None:
        kernel, name = self.kernel, entry["actor"]
        name = kernel.world.process_of(name)
        role = kernel.world.stoppable[name]
        if not role.alive:
            self._struck(Fault.ALREADY_DOWN, name, actor=name)
            return
        clean = bool(entry.get("clean"))
        broker = kernel.world.brokers.get(name)
        if clean and broker is not None and broker.may_ask_to_stop and name not in kernel.world.paused:
            self._stopping[name] = entry
            self._struck(Fault.ASKED_TO_STOP, name, actor=name)
            kernel.carry_out(name, broker.ask_to_stop(kernel.now))
            kernel.ask(name)
            return
        world = kernel.world
        memory_only = name in world.clients or name in world.consumers or name in world.services
        crashed = Fault.CLIENT_CRASHED if memory_only else Fault.CRASHED
        snapshots = broker is not None and broker.writes_snapshots
        stopped = Fault.STOPPED_CLEANLY if snapshots else Fault.STOPPED
        self._struck(stopped if clean else crashed, name, actor=name)
        self._stop(name, clean, entry)

    def shut_down(self, name: str) -> None:
        """A broker's controlled shutdown has ended: stop it."""
        self._stop(name, True, self._stopping.pop(name))

    def _stop(self, name: str, clean: bool, entry: dict[str, Any]) -> None:
        kernel, world = self.kernel, self.kernel.world
        broker = world.brokers.get(name)
        self._stopping.pop(name, None)
        if broker is not None:
            broker.crash(kernel.now, clean=clean)
        else:
            world.stoppable[name].crash(kernel.now)
        kernel.cut_off(name)
        kernel.world.paused.discard(name)
        if broker is not None:
            world.dark = not any(one.alive for one in world.brokers.values())
            world.controller.on_broker_stopped(broker.broker_id, kernel.now, clean=clean)
            kernel.ask("controller")
        kernel.ask(name)
        for client in world.in_process(name):
            self._stop(client, clean, {**entry, "for_ms": None})
        if entry.get("for_ms") is not None:
            self._later(entry["for_ms"], {**entry, "action": "restart", "for_ms": None})

    def _restart(self, entry: dict[str, Any]) -> None:
        kernel, name = self.kernel, self.kernel.world.process_of(entry["actor"])
        role = kernel.world.stoppable[name]
        if role.alive:
            self._struck(Fault.ALREADY_UP, name, actor=name)
            return
        self._struck(Fault.RESTARTED, name, actor=name)
        for client in kernel.world.in_process(name):
            kernel.carry_out(client, kernel.world.stoppable[client].restart(kernel.now))
            kernel.ask(client)
        kernel.carry_out(name, role.restart(kernel.now))
        if name in kernel.world.brokers:
            kernel.world.dark = False
            self._carry_out_for(kernel.world.broker_is_back(name, kernel.now))
        kernel.ask(name)
        kernel.ask("controller")

    def _pause(self, entry: dict[str, Any]) -> None:
        kernel, name = self.kernel, self.kernel.world.process_of(entry["actor"])
        check_life(kernel, "pause", name)
        self._struck(Fault.PAUSED, name, actor=name)
        for actor in (name, *kernel.world.in_process(name)):
            kernel.world.pause(actor, kernel.now)
        kernel.ask("controller")
        if entry.get("for_ms") is not None:
            self._later(entry["for_ms"], {**entry, "action": "resume", "for_ms": None})

    def _resume(self, entry: dict[str, Any]) -> None:
        kernel, name = self.kernel, self.kernel.world.process_of(entry["actor"])
        # Do not resume an actor that has crashed since it was paused.
        check_life(kernel, "resume", name)
        self._struck(Fault.RESUMED, name, actor=name)
        self._carry_out_for(kernel.world.resume(name, kernel.now))
        if kernel.world.is_zombie(name):
            delay = kernel.world.controller.configuration.registration_ms
            kernel.watch.emit(WakesAsZombie, name, kernel.now + delay)
            self._later(delay, {**entry, "action": "register", "for_ms": None})
        for client in kernel.world.in_process(name):
            self._carry_out_for(kernel.world.resume(client, kernel.now))
            kernel.release(client)
        kernel.release(name)
        kernel.ask("controller")

    def _register(self, entry: dict[str, Any]) -> None:
        """A broker that resumed after its session ended (a zombie) registers again (FEN-6)."""
        kernel, name = self.kernel, entry["actor"]
        if not kernel.world.is_zombie(name) or name in kernel.world.paused:
            return
        kernel.at_work(name, "timer")
        kernel.watch.emit(RegistersAnew, name)
        self._carry_out_for(kernel.world.register(name, kernel.now))
        kernel.ask(name)
        kernel.ask("controller")

    def _carry_out_for(self, decided: Iterable[tuple[str, Effects]]) -> None:
        """Carry out the effects of announcements, and update the timers of the brokers."""
        called: dict[str, None] = {}
        for name, effects in decided:
            self.kernel.carry_out(name, effects)
            called[name] = None
        for name in called:
            self.kernel.ask(name)

    def _later(self, delay: int, entry: dict[str, Any]) -> None:
        kernel = self.kernel
        kernel.put(
            kernel.now + delay, FAULT_CLASS, "fault", ("action", entry), entry["actor"], entry["action"]
        )

    def _lose_heartbeats(self, entry: dict[str, Any]) -> None:
        """A broker's heartbeats are lost, for a limited time or until they are restored."""
        self._on_cluster(entry)
        if entry.get("for_ms") is not None:
            self._later(entry["for_ms"], {**entry, "action": "find_heartbeats", "for_ms": None})

    def _find_heartbeats(self, entry: dict[str, Any]) -> None:
        self._on_cluster(entry)
        kernel, name = self.kernel, entry["actor"]
        broker = kernel.world.brokers[name]
        if broker.alive and name not in kernel.world.paused:
            kernel.carry_out(name, broker.wake(kernel.now))
            kernel.ask(name)

    def _fail_controller(self, entry: dict[str, Any]) -> None:
        """The active controller fails; another one is elected after ``controller_failover_ms``."""
        kernel = self.kernel
        kernel.at_work("controller", "fault")
        kernel.world.controller.crash(kernel.now)
        delay = kernel.world.controller.configuration.controller_failover_ms
        self._later(delay, {**entry, "actor": "controller", "action": "elect_controller"})
        kernel.ask("controller")

    def _elect_controller(self, entry: dict[str, Any]) -> None:
        kernel = self.kernel
        kernel.at_work("controller", "timer")
        kernel.carry_out("controller", kernel.world.controller.restart(kernel.now))
        kernel.ask("controller")

    def _hold_messages(self, entry: dict[str, Any]) -> None:
        """Delay an actor's messages until 1 ms after ``until`` (virtual ms), so that a timer that is due at
        ``until`` runs first."""
        kernel, name, until = self.kernel, entry["actor"], entry["until"]
        network = kernel.world.network
        held = [
            envelope.id
            for envelope in network.under_way.values()
            if name in (envelope.source, envelope.destination)
            and envelope.arrives_at <= until
            and not network.has_arrived(envelope)
        ]
        self._struck(Fault.MESSAGES_HELD, name, actor=name, count=len(held), until=until)
        for message in held:
            self._fate(message, "delayed")
            # An earlier delay may have delayed later messages on the same link, too.
            missing = until + 1 - network.under_way[message].arrives_at
            for envelope in network.delay(message, missing) if missing > 0 else ():
                kernel.schedule_delivery(envelope)

    # -- cluster ---------------------------------------------------------------------------------------

    def _on_cluster(self, entry: dict[str, Any]) -> None:
        kernel = self.kernel
        kernel.at_work(entry["actor"] or "controller", "fault")
        for name, effects in kernel.world.cluster_fault(entry, kernel.now):
            kernel.carry_out(name, effects)
        for name in kernel.world.roles:
            kernel.ask(name)

    def _seek(self, entry: dict[str, Any]) -> None:
        """An application moves its consumer's position (CON-8)."""
        kernel, name = self.kernel, entry["actor"]
        consumer = kernel.world.consumers.get(name)
        reads = consumer is not None and consumer.alive and not consumer.closed
        if consumer is None or not reads or entry["partition"] not in consumer.readings:
            raise Refused("CON-8", "actor", "not_reading", actor=name, partition=entry["partition"])
        kernel.at_work(name, "api_call")
        consumer.seek(entry["partition"], entry["to"] or 0, kernel.now)
        kernel.ask(name)

    def _close_consumer(self, entry: dict[str, Any]) -> None:
        """An application closes its consumer, which leaves its group unless it is a static member (OFS-2)."""
        kernel, name = self.kernel, entry["actor"]
        consumer = kernel.world.consumers.get(name)
        group = None if consumer is None else consumer.group
        if consumer is None or group is None or not consumer.alive or consumer.rewinding or group.closed:
            raise Refused("OFS-2", "actor", "not_closable", actor=name)
        kernel.at_work(name, "api_call")
        kernel.carry_out(name, consumer.close(kernel.now))
        kernel.ask(name)

    def _connect_slowly(self, entry: dict[str, Any]) -> None:
        by = self.slow_connections[entry["actor"]] = entry["by_ms"] or 0
        self._struck(Fault.CONNECTS_SLOWLY, entry["actor"], actor=entry["actor"], by=by)

    def _advance_clock(self, entry: dict[str, Any]) -> None:
        """Make a step at this time, so that the run does not end before it."""
        self._struck(Fault.CLOCK_ADVANCED, "controller", at=self.kernel.now)
        for name in self.kernel.world.roles:
            self.kernel.ask(name)

    def _craft_produce(self, entry: dict[str, Any]) -> None:
        kernel, message = self.kernel, entry["message"]
        records = int(message.get("records", 1))
        first = int(message.get("first_sequence", -1))
        batch = RecordBatch(
            record_count=records,
            last_offset_delta=records - 1,
            producer_id=int(message.get("producer_id", -1)),
            producer_epoch=int(message.get("producer_epoch", -1)),
            base_sequence=first,
            last_sequence=-1 if first < 0 else (first + records - 1) % 2**31,
            is_transactional=bool(message.get("transactional", False)),
            size=61 + 100 * records,
            max_timestamp=kernel.now,
        )
        state = kernel.world.controller.partitions.get(entry["partition"])
        leader = None if state is None else state.leader
        if leader is None:
            self._struck(Fault.NO_LEADER, "controller", partition=entry["partition"])
            return
        self._struck(
            Fault.REQUEST_CRAFTED,
            "controller",
            partition=entry["partition"],
            producer_id=batch.producer_id,
            producer_epoch=batch.producer_epoch,
            first_sequence=first,
            broker=f"broker-{leader}",
        )
        request = ProduceRequest(
            transactional_id=message.get("transactional_id"),
            acks=-1,
            timeout_ms=30_000,
            batches={entry["partition"]: batch},
            transaction_version=int(message.get("transaction_version", 0)),
        )
        kernel.send("crafter", Send(f"broker-{leader}", request, kernel.world.next_crafted()))

    def _craft_request(self, entry: dict[str, Any]) -> None:
        """Send a hand-made request to a broker, or to the coordinator of the id or group in it."""
        kernel = self.kernel
        fields = entry["message"] or {}
        request = crafted(fields)
        to = entry["actor"] or kernel.world.coordinator_for(request)
        self._struck(
            Fault.CRAFTED_REQUEST,
            "crafter",
            api=request.api,  # type: ignore[attr-defined]
            broker=to,
            fields=written_fields(fields),
        )
        kernel.send("crafter", Send(to, request, kernel.world.next_crafted()))

    def _run_tool(self, entry: dict[str, Any]) -> None:
        """An operator runs a command of ``kafka-transactions.sh`` (KIP-664)."""
        kernel = self.kernel
        tool = kernel.world.tool
        if tool is None:
            raise Refused("GEN-6", "action", "no_broker", actor=TOOL, known=list(kernel.world.brokers))
        kernel.at_work(TOOL, "api_call")
        kernel.carry_out(TOOL, tool.run(command_of(entry), kernel.now))
        kernel.ask(TOOL)

    def _make_unavailable(self, entry: dict[str, Any]) -> None:
        """Make a live broker unreachable, for a limited time or until it is made available again (MRK-2)."""
        self._on_cluster(entry)
        if entry.get("for_ms") is not None:
            self._later(entry["for_ms"], {**entry, "action": "make_available", "for_ms": None})

    def _set(self, entry: dict[str, Any]) -> None:
        _, name, setting = entry["path"].split(".", 2)
        kernel = self.kernel
        before = kernel.world.clients[name].reconfigure(setting, entry["value"], kernel.now)
        self._struck(
            Fault.SETTING_CHANGED, name, actor=name, setting=setting, before=before, after=entry["value"]
        )
        kernel.ask(name)

    # -- interventions ---------------------------------------------------------------------------------

    def step_made(self, number: int) -> None:
        position = self._position
        self.due = position < len(self.interventions) and self.interventions[position]["after"] <= number

    def expect(self, interventions: Iterable[dict[str, Any]], number: int) -> None:
        """Add interventions. Each becomes due after the step that its ``after`` names. ``number``: the newest
        step."""
        self.interventions += [dict(item) for item in interventions]
        self.step_made(number)

    def accept(self, intervention: dict[str, Any]) -> None:
        """Check an intervention against the present state. If it is possible, it will be the next step."""
        check_intervention(self.kernel, intervention)
        self.interventions.append(intervention)
        self.due = True

    def intervene(self) -> None:
        """Carry out the next intervention. Raises Refused if it is impossible in the present state."""
        intervention = self.interventions[self._position]
        self._position += 1
        self.due = False
        check_intervention(self.kernel, intervention)
        entry = {**_EMPTY, **intervention}
        action = intervention["action"]
        kernel = self.kernel
        kernel.at_work(str(intervention.get("actor", "controller")), "fault")
        if action.endswith("_message"):
            _ON_MESSAGE[action.removesuffix("_message")](
                self, intervention["message"], {**entry, "by_ms": intervention.get("by")}
            )
        else:
            self._do(entry)


_EMPTY: dict[str, Any] = {
    "actor": None,
    "by_ms": None,
    "for_ms": None,
    "partition": None,
    "clean": False,
    "broker": None,
    "to": None,
    "operation": None,
    "resource": None,
    "path": None,
    "value": None,
    "message": None,
    "topic": None,
    "until": None,
    "taken": 0,
    **dict.fromkeys(OPTIONS),
}


_OnMessage = Callable[[Interference, int, dict[str, Any]], None]
_ON_MESSAGE: dict[str, _OnMessage] = {
    "drop": Interference._drop,
    "drop_alone": Interference._drop_alone,
    "delay": Interference._delay,
    "duplicate": Interference._duplicate,
    "reorder": Interference._reorder,
    "disconnect": Interference._disconnect,
}
_ON_WORLD: dict[str, Callable[[Interference, dict[str, Any]], None]] = {
    "crash": Interference._crash,
    "restart": Interference._restart,
    "pause": Interference._pause,
    "resume": Interference._resume,
    "register": Interference._register,
    "change_leader": Interference._on_cluster,
    "shrink_isr": Interference._on_cluster,
    "restore_isr": Interference._on_cluster,
    "deny": Interference._on_cluster,
    "allow": Interference._on_cluster,
    "delete_head": Interference._on_cluster,
    "compact": Interference._on_cluster,
    "seek": Interference._seek,
    "close_consumer": Interference._close_consumer,
    "expire_producers": Interference._on_cluster,
    "competing_write": Interference._on_cluster,
    "craft_produce": Interference._craft_produce,
    "craft_request": Interference._craft_request,
    "make_unavailable": Interference._make_unavailable,
    "make_available": Interference._on_cluster,
    "delete_topic": Interference._on_cluster,
    "lose_heartbeats": Interference._lose_heartbeats,
    "find_heartbeats": Interference._find_heartbeats,
    "fail_controller": Interference._fail_controller,
    "elect_controller": Interference._elect_controller,
    "advance_clock": Interference._advance_clock,
    **dict.fromkeys(COMMANDS, Interference._run_tool),
    "connect_slowly": Interference._connect_slowly,
    "update_features": Interference._on_cluster,
    "set": Interference._set,
    "hold_messages": Interference._hold_messages,
}
