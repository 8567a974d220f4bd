"""Advances a run: virtual time, the event queue, one step after the other (GEN-1, GEN-2, GEN-4).

Owns the steps, and no rule of the protocol. ``timetable`` keeps the order of events. Other modules own the end of the
run, the events of paused actors, the running Sender pass, the timers of roles and the fetches of followers. This
class calls the roles and carries out the effects that they return. An event in which no role emits a happening makes
no step. A run is a pure function of the scenario and the interventions.

Between the phases of a Sender pass no event is handled except an intervention. Each phase that did something is a
step.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from heapq import heappop, heappush
from random import Random
from typing import Any

from engine import calls, loops
from engine.apis import partitions_of
from engine.building import build
from engine.errors import EngineError
from engine.happenings.kernel import (
    AnswerGoesNowhere,
    MessageDelivered,
    MessageLost,
    RequestWaitsInConnection,
)
from engine.interference import Interference
from engine.judge.bench import Bench, Verdict
from engine.looking import digest_of, whole_view
from engine.messages import (
    Connect,
    Effects,
    Envelope,
    FollowLog,
    ProduceRequest,
    Send,
    ShutDown,
    UsePartition,
)
from engine.pauses import Pauses
from engine.pending import DELIVERY, TimePart
from engine.recording import Judged, Recorded
from engine.replication_steps import ReplicationSteps
from engine.role_timers import RoleTimers
from engine.run_end import RunEnd
from engine.scenario.document import Scenario
from engine.scenario.header import ENGINE_VERSION, header_of
from engine.sender_passes import SenderPasses
from engine.shapes.headers import Header
from engine.shapes.steps import StepKind
from engine.step import Step
from engine.timetable import NEVER, TIME_BITS, Event, Timetable
from engine.watching import Part, Watch
from engine.world import World


class Simulation(Timetable):
    """One run.

    ``watching``: ``bare`` (only the run), ``judged`` (also verdicts), ``recorded`` (also steps and changes).
    ``interventions``: each has ``after``, the number of the step before it. Raises
    :class:`engine.errors.Refused` when the configuration is refused (CFG-6).
    """

    __slots__ = (
        "_actor",
        "_attempts",
        "_end",
        "_handlers",
        "_kind",
        "_passing",
        "_pauses",
        "_replication",
        "_time",
        "_timing",
        "finished",
        "follower",
        "generator",
        "interference",
        "judges",
        "kinds",
        "number",
        "scenario",
        "watching",
        "world",
    )

    def __init__(
        self, scenario: Scenario, interventions: Iterable[dict[str, Any]] = (), watching: str = "recorded"
    ) -> None:
        super().__init__()
        self.scenario = scenario
        self.watching = watching
        self.number = 0
        self.finished: str | None = None
        self.kinds: defaultdict[str, int] = defaultdict(int)
        """Dict of kind of step → the number of such steps so far."""
        self.generator = Random(scenario["seed"])
        self.judges = Bench()
        self.watch = self.make_watch()
        self._actor = ""
        self._kind: StepKind = "api_call"
        self._time = TimePart()
        self._attempts: dict[tuple[str, str, str], int] = {}
        """Dict of (client, peer, purpose) of a connection that is being made → the virtual ms at which it opens."""
        self.follower: object = None
        """An object of view/following.py that receives this run's steps. The simulation never reads it."""
        self.world: World = build(scenario, self.watch)
        self._end = RunEnd(self, self.world, scenario["limits"])
        self._pauses = Pauses(self, self.world)
        self._passing = SenderPasses(self)
        self._timing = RoleTimers(self, self, self._passing)
        self._replication = ReplicationSteps(self, self._timing)
        self.interference = Interference(self, interventions)
        self._handlers: dict[str, Callable[[Any, Event], None]] = {
            "deliver": self._deliver,
            "timer": self._timer,
            "background": self._background,
            "pass": self._passing.begin,
            "call": partial(calls.act, self),
            "loop": partial(loops.act, self),
            "connected": self._connected,
            "replicate": self._replication.fetch,
            "metadata": self._replication.read_metadata,
            "fault": self._fault,
        }
        self._start()

    def make_watch(self) -> Watch:
        """The watch for the level at which this run is watched."""
        if self.watching == "bare":
            return Watch()
        return (Recorded if self.watching == "recorded" else Judged)(self.judges)

    def _start(self) -> None:
        """Build the state before step 1, without steps or changes."""
        transactions = any("transactional_id" in row["settings"] for row in self.scenario["producers"])
        self.judges.seat(self.world.controller.leaders(), transactions)
        self.judges.seat_nodes(self.world.working_nodes())
        if self.world.services:
            self.judges.seat_database()
        for application in self.world.applications.values():
            calls.schedule(self, application)
        for name, effects in self.world.start(self.now):
            self.carry_out(name, effects)
        for name in self.world.roles:
            self._timing.ask(name)
        self._replication.follow()
        self.interference.start()
        watch = self.watch
        watch.said = None
        if isinstance(watch, Recorded):
            watch.forget()
            for part in self.parts():
                watch.know(part)

    # -- running ---------------------------------------------------------------------------------------

    def step(self) -> Step | None:
        """Make the next step and return it; None if the run has ended (``finished`` holds the reason).
        Without recording, the step has only number, time, actor and kind."""
        if not self._advance():
            return None
        watch = self.watch
        if isinstance(watch, Recorded):
            if self._time.now != self.now:
                self._time.now = self.now
                watch.touch(self._time)
            return watch.finish(self.number, self.now, self._actor, self._kind)
        if watch.judging:
            self.judges.broken(self.number)
        return Step(self.number, self.now, self._actor, self._kind)

    def run(self, until: int | None = None, steps: int | None = None) -> int:
        """Make steps until the run ends, until the virtual time ``until``, or until ``steps`` of them are made.
        Returns the number of steps made."""
        begin = self.number
        last = None if steps is None else begin + steps
        advance: Callable[[], object] = self._advance
        if self.watch.judging:
            advance = self.step if self.watch.recording else self._advance_judged
        self._end.stop_at(until)
        while (last is None or self.number < last) and advance():
            pass
        self._end.stop_at(None)
        return self.number - begin

    def _advance_judged(self) -> bool:
        """Make the next step, and ask the judges for broken guarantees. Returns False at the end of the run."""
        if not self._advance():
            return False
        self.judges.broken(self.number)
        return True

    @property
    def in_pass(self) -> str | None:
        """The client whose Sender is in the middle of a pass; None between passes."""
        return self._passing.client

    def _advance(self) -> bool:
        """Carry out events until one makes a step. Returns False at the end of the run or at the caller's limit."""
        watch = self.watch
        watch.said = None
        if self.number >= self._end.step_limit:
            self.finished = "step_limit"
            return False
        interference, passing = self.interference, self._passing
        try:
            while True:
                if interference.due:
                    self.finished = None
                    self._end.allow_intervention()
                    interference.intervene()
                elif passing.client is not None:
                    passing.run_phase(passing.client)
                elif not self._next_event():
                    return False
                if watch.said is not None:
                    break
                if self._end.is_too_quiet(self.number):
                    self.finished = "time_limit"
                    return False
        except (EngineError, ArithmeticError, LookupError, TypeError, AttributeError) as broken:
            raise EngineError(
                f"{self.scenario.id}/{self.scenario.variant} seed {self.scenario['seed']} "
                f"after step {self.number} at {self.now} ms: {type(broken).__name__}: {broken}"
            ) from broken
        self.number += 1
        self.kinds[self._kind] += 1
        if interference.interventions:
            interference.step_made(self.number)
        return True

    def _next_event(self) -> bool:
        """Carry out the next event, or skip it if it is void. Returns False if there is no event before the run's
        or the caller's limit."""
        queue = self._queue
        if len(queue) <= self._void + len(self._backgrounds) or (
            self.world.dark and self._end.nothing_comes()
        ):
            self.finished = "complete"
            return False
        event = heappop(queue)
        key, handler, argument = event
        at = key >> TIME_BITS
        if not self.now <= at <= self._end.horizon:
            self._put_back(event, at)
            return False
        timers = self.scheduled.get(handler)
        if timers is not None:
            if timers.get(argument, NEVER)[1] != key:
                self._void -= 1
                return True
            del timers[argument]
        if self._pending:
            self._no_longer_pending(key)
        self.now = at
        self._handlers[handler](argument, event)
        return True

    def _put_back(self, event: Event, at: int) -> None:
        """Return an event after the horizon to the queue. Raises EngineError for an event before the present
        time."""
        if at < self.now:
            raise EngineError(
                f"{self.scenario.id}: event {event} lies before {self.now} at step {self.number}"
            )
        heappush(self._queue, event)
        if self._end.horizon == self._end.time_limit:
            self.finished = "time_limit"

    # -- for the run's parts and helpers (kernel.py) ---------------------------------------------------

    def ask_for_timers(self, name: str) -> None:
        """Update the timers of a role, and of the applications and loops that use it."""
        self._timing.ask(name)

    def hold_if_paused(self, actor: str, event: Event) -> bool:
        """Keep the event of a paused actor until it resumes (GEN-6). Returns True when the event was kept."""
        return self._pauses.hold(actor, event)

    def release(self, actor: str) -> None:
        """Queue the messages and calls that an actor missed while it was paused, and update its timers."""
        self._pauses.release(actor)
        self.ask_for_timers(actor)

    # -- handlers --------------------------------------------------------------------------------------

    def _deliver(self, argument: tuple[int, int], event: Event) -> None:
        message, arrives_at = argument
        world = self.world
        envelope = world.network.arriving(message, arrives_at)
        if envelope is None:
            return
        name = envelope.destination
        if self.world.paused and self.hold_if_paused(name, event):
            return
        role = world.roles[name]
        self._actor, self._kind = name, "delivery"
        if not role.alive:
            world.network.remove(message)
            self.lost(envelope)
            return
        watch = self.watch
        if name in world.brokers and not envelope.is_response:
            before = world.network.take(envelope)
            if before is not None:
                watch.emit(RequestWaitsInConnection, name, envelope.source, _api(envelope), _api(before))
                return
        world.network.remove(message)
        if isinstance(watch, Recorded):
            watch.fate(message, "delivered")
        interference = self.interference
        if interference.injecting and interference.answers(envelope):
            effects = interference.injected(envelope)
        else:
            effects = role.handle(envelope, self.now)
        if watch.said is None:
            watch.emit(MessageDelivered, _api(envelope), envelope.kind, envelope.source, name)
        if effects:
            self.carry_out(name, effects)
        if type(envelope.body) is ProduceRequest and envelope.body.acks == 0:
            self._take_next(envelope)
        if watch.judging:
            self.settled(envelope)
        if name in world.consumers:
            for partition in partitions_of(envelope.body):
                leader = world.leader_of(partition) if partition in world.readers else None
                if leader is not None:
                    world.wake_readers(partition, leader, self.now)
        self._timing.ask(name)
        if world.services:
            for client in world.in_process(name):
                self._timing.ask(client)
        self._replication.follow()

    def _timer(self, name: str, event: Event) -> None:
        if self.world.paused and self.hold_if_paused(name, event):
            return
        role = self.world.roles[name]
        if role.alive:
            self._actor, self._kind = name, "timer"
            self.carry_out(name, role.on_timer(self.now))
        self._timing.ask(name)
        self._replication.follow()

    def _background(self, name: str, event: Event) -> None:
        broker = self.world.brokers[name]
        if broker.alive:
            self._actor, self._kind = name, "timer"
            self.carry_out(name, broker.on_background_timer(self.now))
        self._timing.ask(name)
        self._replication.follow()

    def _connected(self, argument: tuple[str, str, str, int], event: Event) -> None:
        name, peer, purpose, opens_at = argument
        if self._attempts.get((name, peer, purpose)) != opens_at:
            return  # The client has given it up, or one end has stopped.
        del self._attempts[name, peer, purpose]
        client = self.world.connecting[name]
        self._actor, self._kind = name, "delivery"
        if self.world.listens(peer):
            self.world.pass_on_features(name, peer)
            effects = client.on_connected(peer, self.now, purpose)
        else:
            effects = client.on_disconnected(peer, self.now, purpose)
        self.carry_out(name, effects)
        self._timing.ask(name)

    def _fault(self, argument: Any, event: Event) -> None:
        self._kind = "fault"
        if self.interference.spared == self.number + 1:
            self.interference.spared = None
        else:
            self.interference.strike(argument)
        self._replication.follow()

    # -- effects ---------------------------------------------------------------------------------------

    def at_work(self, actor: str, kind: StepKind) -> None:
        """Set the actor and the kind of the current step."""
        self._actor, self._kind = actor, kind

    def carry_out(self, name: str, effects: Effects) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self.send(name, effect)
            elif isinstance(effect, Connect):
                self._open(name, effect.peer, effect.purpose)
            elif isinstance(effect, UsePartition):
                self.world.controller.use_partition(effect.partition)
            elif isinstance(effect, ShutDown):
                self.interference.shut_down(name)
            elif isinstance(effect, FollowLog):
                self._replication.queue_metadata()
            elif name in self.world.beside:
                self._end_all(name, effect.peer)
            elif name in self.world.brokers and effect.peer not in self.world.brokers:
                self.disconnect(effect.peer, name, effect.purpose)
            else:
                self.disconnect(name, effect.peer, effect.purpose)

    def ask(self, name: str) -> None:
        """Update a role's timers. Then deliver the controller's announcements, queue the fetches of the partitions
        that the role changed, and wake their consumers."""
        self._timing.ask(name)
        self._replication.follow()

    def send(self, source: str, effect: Send) -> Envelope | None:
        """Send a message and show it to the fault rules. Returns None for a response whose connection has
        ended: it is not sent."""
        interference = self.interference
        if effect.is_response and self._answers_in_vain(source, effect):
            return None
        if interference.altering and effect.is_response:
            effect = interference.altered(source, effect)
        envelope = self.world.network.send(source, effect, self.now)
        watch = self.watch
        if watch.judging and type(effect.body) is ProduceRequest:
            self.world.copies(effect.body, sent=True)
        if isinstance(watch, Recorded):
            watch.fate(envelope.id, "sent")
        self.schedule_delivery(envelope)
        if effect.is_response:
            self._take_next(envelope)
        if interference.apis and effect.body.api in interference.apis:  # type: ignore[attr-defined]
            interference.sent(envelope)
        return envelope

    def _answers_in_vain(self, broker: str, effect: Send) -> bool:
        """Whether the connection of the request has ended, so that the response is dropped (GEN-11). If so, the drop
        is reported, and the broker takes the next request."""
        connections = self.world.network.connections
        if not connections.ended:
            return False
        ended = connections.of_ended(effect.destination, broker, effect.correlation_id)
        if ended is None:
            return False
        api: str = effect.body.api  # type: ignore[attr-defined]
        self.watch.emit(AnswerGoesNowhere, broker, effect.destination, api)
        self._deliver_now(connections.answered_in_vain(ended))
        return True

    def _take_next(self, message: Envelope) -> None:
        """The broker handles the next request of the connection (GEN-11). ``message``: the response, or the
        request if it has none."""
        connections = self.world.network.connections
        ended = None
        if connections.ended:
            client, broker, _ = message.connection
            ended = connections.of_ended(client, broker, message.correlation_id)
        if ended is not None:
            self._deliver_now(connections.answered_in_vain(ended))
            return
        self._deliver_now(connections.answered(message))

    def _deliver_now(self, following: Envelope | None) -> None:
        if following is not None:
            self.world.network.take_now(following, self.now)
            self.schedule_delivery(following)

    def schedule_delivery(self, envelope: Envelope) -> None:
        """Queue the arrival of a message. If its time passed while its receiver was paused, it arrives now."""
        at = envelope.arrives_at
        if at < self.now:
            at = envelope.arrives_at = self.now
        what = f"message {envelope.id}" if self.watch.recording else ""
        self.put(at, DELIVERY, "deliver", (envelope.id, at), envelope.destination, what)

    def _open(self, name: str, peer: str, purpose: str) -> None:
        network = self.world.network
        opens_at = (
            self.now + 2 * network.latency(name, peer) + self.interference.slow_connections.get(peer, 0)
        )
        self._attempts[name, peer, purpose] = opens_at
        self.put(
            opens_at, DELIVERY, "connected", (name, peer, purpose, opens_at), name, f"connection to {peer}"
        )

    def disconnect(self, client: str, broker: str, purpose: str, taken: int = 0) -> int:
        """End one connection: messages in flight on it are lost (GEN-5). The first ``taken`` of the requests that
        wait at the broker are handled nevertheless (GEN-11). Returns the number of these requests."""
        lost, kept = self.world.network.lose((client, broker, purpose).__eq__, taken)
        self._lost_with_connection(lost)
        self._disconnected(client, broker, purpose)
        if broker in self.world.beside:
            self._disconnected(broker, client, purpose)
        return kept

    def cut_off(self, name: str) -> None:
        """End all connections of an actor that stopped. If it is a broker, it answers no request that it had
        received."""
        for peer in self.world.peers_of(name):
            self._end_all(name, peer)
        self._lost_with_connection(self.world.network.forget(name))

    def _end_all(self, one: str, other: str) -> None:
        """End every connection between these two actors."""
        between = ((one, other), (other, one))
        lost, _ = self.world.network.lose(lambda name: name[:2] in between)
        self._lost_with_connection(lost)
        self._disconnected(one, other)
        self._disconnected(other, one)

    def _lost_with_connection(self, lost: list[Envelope]) -> None:
        for envelope in lost:
            if isinstance(self.watch, Recorded):
                self.watch.fate(envelope.id, "lost")
            self.settled(envelope)

    def _disconnected(self, name: str, peer: str, purpose: str | None = None) -> None:
        for attempt in list(self._attempts):
            if attempt[:2] == (name, peer) and purpose in (None, attempt[2]):
                del self._attempts[attempt]
        role = self.world.connecting.get(name)
        if role is not None and role.alive:
            self.carry_out(name, role.on_disconnected(peer, self.now, purpose))
            self._timing.ask(name)

    def lost(self, envelope: Envelope) -> None:
        """Report that a message is lost, because its receiver is down."""
        if isinstance(self.watch, Recorded):
            self.watch.fate(envelope.id, "lost")
        self.settled(envelope)
        self.watch.emit(MessageLost, _api(envelope), envelope.kind, envelope.source, envelope.destination)

    def settled(self, envelope: Envelope) -> None:
        """Report to the judges that this copy of a message is no longer in flight."""
        if self.watch.judging and type(envelope.body) is ProduceRequest:
            self.world.copies(envelope.body, sent=False)

    # -- the view and its digest ------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        """Every part of the view, in a fixed order."""
        return [
            self._time,
            *self.world.parts(),
            *self._pending.values(),
            *self.interference.rules,
            *self.judges.parts(),
            *self.watch.parts(),
        ]

    def view(self) -> dict[str, Any]:
        """The whole state as in docs/frame.md, computed anew. Complete at the recorded level."""
        view = whole_view(self.world.empty_view(), self.parts())
        # Quiet events may have passed since the newest step, so the time may be later.
        view["time"] = self.now
        return view

    def header(self) -> Header:
        """The header: the part of a run that does not change."""
        return header_of(self.scenario, self.world.actors())

    def fork(self) -> Simulation:
        """An independent copy that can be continued separately."""
        copy: Simulation = pickle.loads(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))
        return copy

    def digest(self) -> str:
        """SHA-256 of the state; equal states have equal digests, whatever their history."""
        return digest_of(self.view())

    def intervene(self, intervention: dict[str, Any]) -> dict[str, Any]:
        """Accept an intervention after the newest step: the next step carries it out. Returns a copy of the
        intervention with ``after``, the number of the newest step. Raises Refused when it is impossible now."""
        done = {**intervention, "after": self.number}
        self.interference.accept(done)
        self.finished = None
        return done

    def expect(self, interventions: Iterable[dict[str, Any]]) -> None:
        """Add interventions that come later in this run. Each has ``after``, the number of the step before it, which
        is not less than the number of the newest step."""
        self.interference.expect(interventions, self.number)

    def verdicts(self) -> list[Verdict]:
        """The counts of each partition's records. Only a judged or recorded run has them."""
        return self.judges.verdicts()


def _api(envelope: Envelope) -> str:
    api: str = envelope.body.api  # type: ignore[attr-defined]
    return api


__all__ = ["ENGINE_VERSION", "Simulation"]
