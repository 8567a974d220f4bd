"""How a run moves: virtual time, the event queue, one step after the other (GEN-1, GEN-2, GEN-4).

Owns steps, nothing of the protocol; the order of events is kept in ``timetable``. It calls roles, carries out
the effects they return and asks them when they want to be called again; an event that says nothing makes no
step. A run is a pure function of the scenario and the interventions.

A Sender pass is never interleaved with other events, yet each phase that did something is a step.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from random import Random
from typing import Any

from engine import calls, loops
from engine.apis import partitions_of
from engine.broker.broker import Broker
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
from engine.pending import CALL, DELIVERY, SENDER, TIMER, TimePart
from engine.recording import Judged, Recorded
from engine.replica_fetchers import Fetcher
from engine.scenario.document import Scenario
from engine.scenario.header import ENGINE_VERSION, header_of
from engine.shapes.headers import Header
from engine.shapes.steps import StepKind
from engine.step import Step
from engine.timetable import NEVER, TIME_BITS, Event, Timetable, class_of
from engine.watching import Part, Watch
from engine.world import World

_CONNECTING = frozenset({"timer", "pass", "connected"})
"""The events of a client that tries to reach a broker."""
_QUIET = 200_000
"""The most events of a whole run that make no step. The longest run of the library takes some hundreds; a client
that tries to connect until the time limit would take minutes and make no step."""
_QUIET_A_STEP = 20
"""As much more with each step: between two steps of a long run little is quiet."""
_QUIET_AN_INTERVENTION = 2_000
"""As much more with each intervention: a broker that was restarted is found again."""


class Simulation(Timetable):
    """One run.

    ``watching``: ``bare`` (nothing but the run), ``judged`` (verdicts), ``recorded`` (steps and changes).
    ``interventions``: what learners did, each with ``after``, the number of the step before it.
    Raises :class:`engine.errors.Refused` when the configuration is refused (CFG-6).
    """

    __slots__ = (
        "_actor",
        "_held",
        "_horizon",
        "_kind",
        "_pass",
        "_quiet",
        "_serial",
        "_step_limit",
        "_time",
        "_time_limit",
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
        """Steps made, by kind."""
        self.generator = Random(scenario["seed"])
        self.judges = Bench()
        self.watch = self.make_watch()
        self._step_limit: int = scenario["limits"]["steps"]
        self._time_limit: int = scenario["limits"]["time_ms"]
        self._horizon = self._time_limit
        """Events after this time stay queued: the time limit, or the time at which the caller stops."""
        self._quiet = 0
        """Events so far that made no step, less the allowance of interventions."""
        self._pass: str | None = None
        """The client in the middle of a Sender pass."""
        self._held: dict[str, list[Event]] = {}
        """Paused actor to the events that wait for it."""
        self._actor = ""
        self._kind: StepKind = "api_call"
        self._time = TimePart()
        self._serial = 0
        self.follower: object = None
        """An object of view/following.py that takes this run's steps. The simulation never reads it."""
        self.world: World = build(scenario, self.watch)
        self.interference = Interference(self, interventions)
        self._start()

    def make_watch(self) -> Watch:
        """How closely this run is watched."""
        if self.watching == "bare":
            return Watch()
        return (Recorded if self.watching == "recorded" else Judged)(self.judges)

    def _start(self) -> None:
        """Everything that is there before step 1: no step, no change."""
        transactions = any("transactional_id" in row["settings"] for row in self.scenario["producers"])
        self.judges.seat(self.world.controller.leaders(), transactions)
        self.judges.seat_nodes(self.world.working_nodes())
        for application in self.world.applications.values():
            calls.schedule(self, application)
        for name, effects in self.world.start(self.now):
            self.carry_out(name, effects)
        for name in self.world.roles:
            self.ask_for_timers(name)
        self._follow_changes()
        self.interference.start()
        watch = self.watch
        watch.said = None
        if isinstance(watch, Recorded):
            watch.forget()
            for part in self.parts():
                watch.know(part)

    # -- running ---------------------------------------------------------------------------------------

    def step(self) -> Step | None:
        """The next thing that happens; None when the run has ended (``finished`` says how).

        At the bare and judged levels the step has number, time, actor and kind only.
        """
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
        """Step to the end, through virtual time ``until`` or for ``steps`` steps; returns the steps made."""
        begin = self.number
        end = self._step_limit if steps is None else begin + steps
        advance: Callable[[], object] = self._advance
        if self.watch.judging:
            advance = self.step if self.watch.recording else self._advance_judged
        self._horizon = self._time_limit if until is None else min(until, self._time_limit)
        while (self.number < end or steps is None) and advance():
            pass
        self._horizon = self._time_limit
        return self.number - begin

    def _advance_judged(self) -> bool:
        """The next step, and the judges' view of it."""
        if not self._advance():
            return False
        self.judges.broken(self.number)
        return True

    def _advance(self) -> bool:
        """Let things happen until one of them is a step; False at the end of the run."""
        watch = self.watch
        watch.said = None
        if self.number >= self._step_limit:
            self.finished = "step_limit"
            return False
        interference = self.interference
        try:
            while True:
                if interference.due:
                    self.finished = None
                    self._quiet -= _QUIET_AN_INTERVENTION
                    interference.intervene()
                elif self._pass is not None:
                    self._run_phase(self._pass)
                elif not self._next_event():
                    return False
                if watch.said is not None:
                    break
                self._quiet += 1
                if self._quiet > _QUIET + _QUIET_A_STEP * self.number:
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
        """Let the next event happen; False at the end of the run or of what the caller asked for."""
        queue, scheduled = self._queue, self._scheduled
        if len(queue) <= self._void + len(self._backgrounds) or (self.world.dark and self._nothing_comes()):
            self.finished = "complete"
            return False
        event = heappop(queue)
        key, handler, argument = event
        at = key >> TIME_BITS
        if not self.now <= at <= self._horizon:
            self._put_back(event, at)
            return False
        if handler in scheduled:
            timers = scheduled[handler]
            if timers.get(argument, NEVER)[1] != key:
                self._void -= 1
                return True
            del timers[argument]
        if self._pending:
            self._no_longer_pending(key)
        self.now = at
        _HANDLERS[handler](self, argument, event)
        return True

    def _put_back(self, event: Event, at: int) -> None:
        """Return an event to the queue, because its time is past the horizon."""
        if at < self.now:
            raise EngineError(
                f"{self.scenario.id}: event {event} lies before {self.now} at step {self.number}"
            )
        heappush(self._queue, event)
        if self._horizon == self._time_limit:
            self.finished = "time_limit"

    # -- queue -----------------------------------------------------------------------------------------

    def _nothing_comes(self) -> bool:
        """No broker runs, and what is left is clients that try to connect, with nothing to do (GEN-2)."""
        world = self.world
        for event in self._queue:
            if self._is_void(event):
                continue
            _, handler, argument = event
            if handler in _CONNECTING:
                name = argument[0] if handler == "connected" else argument
                if not world.waits_in_vain(name):
                    return False
            elif handler != "background":
                return False
        return True

    def ask_for_timers(self, name: str) -> None:
        """Ask a role for its next timer. Most answers have not changed, so they are compared here first."""
        world = self.world
        broker = world.brokers.get(name)
        if broker is not None:
            self._ask_broker(broker)
            return
        role = world.roles[name]
        name = role.name
        at = role.next_timer()
        if self._timers.get(name, NEVER)[0] != at:
            self._schedule(name, "timer", at, TIMER)
        client = world.clients.get(name)
        if client is not None and self._pass != name:
            at = client.pass_due()
            if self._passes.get(name, NEVER)[0] != at:
                self._schedule(name, "pass", at, SENDER)
        for application in world.applications_of.get(name, ()):
            if application.blocked_by is not None:
                calls.follow(self, application)
        if world.loops:
            for loop in world.loops_of.get(name, ()):
                self.watch.touch(loop)
                self._schedule(loop.name, "loop", loop.due(self.now), CALL)

    def _ask_broker(self, broker: Broker) -> None:
        name = broker.name
        at = broker.next_timer()
        if self._timers.get(name, NEVER)[0] != at:
            self._schedule(name, "timer", at, TIMER)
        at = broker.next_background_timer()
        if self._backgrounds.get(name, NEVER)[0] != at:
            self._schedule(name, "background", at, TIMER)

    def _ask_in_background(self, broker: str) -> None:
        """Schedule the broker's background timer anew."""
        at = self.world.brokers[broker].next_background_timer()
        if self._backgrounds.get(broker, NEVER)[0] != at:
            self._schedule(broker, "background", at, TIMER)

    def hold_if_paused(self, actor: str, event: Event) -> bool:
        """Events for a paused actor wait until it resumes (GEN-6)."""
        if actor not in self.world.paused:
            return False
        self._held.setdefault(actor, []).append(event)
        if event[1] == "deliver":
            self.world.network.hold(event[2][0], True)
        return True

    def release(self, actor: str) -> None:
        """A resumed actor gets what waited for it, in its old order, now."""
        for event in self._held.pop(actor, ()):
            _, handler, argument = event
            rank = class_of(event)
            if handler == "deliver":
                message = argument[0]
                envelope = self.world.network.under_way.get(message)
                if envelope is None:
                    continue
                self.world.network.hold(message, False)
                envelope.arrives_at = self.now
                self.put(self.now, rank, handler, (message, self.now), actor, f"message {message}")
            elif handler == "call":
                self.put(self.now, rank, handler, argument, argument, "call")
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
            watch.emit(MessageDelivered, envelope.body.api, envelope.source, name)  # type: ignore[attr-defined]
        if effects:
            self.carry_out(name, effects)
        if type(envelope.body) is ProduceRequest and envelope.body.acks == 0:
            self._take_next(envelope.source, name, envelope.body, envelope.correlation_id)
        if watch.judging:
            self.settled(envelope)
        if name in world.consumers:
            for partition in partitions_of(envelope.body):
                world.wake_readers(partition, self.now)
        self.ask_for_timers(name)
        self._follow_changes()

    def _timer(self, name: str, event: Event) -> None:
        if self.world.paused and self.hold_if_paused(name, event):
            return
        role = self.world.roles[name]
        if role.alive:
            self._actor, self._kind = name, "timer"
            self.carry_out(name, role.on_timer(self.now))
        self.ask_for_timers(name)
        self._follow_changes()

    def _background(self, name: str, event: Event) -> None:
        broker = self.world.brokers[name]
        if broker.alive:
            self._actor, self._kind = name, "timer"
            self.carry_out(name, broker.on_background_timer(self.now))
        self.ask_for_timers(name)
        self._follow_changes()

    def _begin_pass(self, name: str, event: Event) -> None:
        if self.world.paused and self.hold_if_paused(name, event):
            return
        self._pass = name
        self._run_phase(name)

    def _run_phase(self, name: str) -> None:
        if not self.world.acts(name):
            self._pass = None  # A crash ends the pass; a paused client finishes its pass when it resumes.
            self.ask_for_timers(name)
            return
        self._actor, self._kind = name, "sender_phase"
        effects, more = self.world.clients[name].run_phase(self.now)
        if effects:
            self.carry_out(name, effects)
        if not more:
            self._pass = None
            self.ask_for_timers(name)
        elif self.watch.recording:
            for loop in self.world.loops_of.get(name, ()):
                self.watch.touch(loop)  # A phase may have let its call return.

    def next_serial(self) -> int:
        """The hidden serial of a record that no application sent before (GEN-8)."""
        self._serial += 1
        return self._serial

    def _connected(self, argument: tuple[str, str, str], event: Event) -> None:
        name, peer, purpose = argument
        client = self.world.connecting[name]
        if not client.alive:
            return
        self._actor, self._kind = name, "delivery"
        if self.world.listens(peer):
            effects = client.on_connected(peer, self.now, purpose)
        else:
            effects = client.on_disconnected(peer, self.now, purpose)
        self.carry_out(name, effects)
        self.ask_for_timers(name)

    def _replicate(self, fetcher: Fetcher, event: Event) -> None:
        fetcher.waiting = False
        self._actor, self._kind = fetcher.name, "replication"
        world = self.world
        exchanged = world.fetchers.exchange(fetcher, self.now)
        if exchanged is None:
            self._follow_changes()
            return
        leader, effects, moved, goes_on, scans = exchanged
        if scans:
            self._ask_in_background(fetcher.name)  # A copy changes no other timer of the broker.
        if effects:
            self.carry_out(leader.name, effects)
        if moved:
            self._ask_broker(leader)
        if moved or world.consumers or world.controller.announcements:
            self._follow_changes()
            return
        # The leader did not change, so of its followers only this one may have something to fetch.
        world.changed_partitions.clear()
        if goes_on:
            self._queue_fetch(fetcher)

    def _read_metadata(self, name: str, event: Event) -> None:
        """A broker's fetch of the metadata log is answered."""
        self._actor, self._kind = name, "replication"
        effects = self.world.spreading.read(name, self.now)
        self.carry_out(name, effects)
        self._fetch_metadata()
        self.ask_for_timers(name)
        self._follow_changes()

    def _fetch_metadata(self) -> None:
        """Queue the answers to the fetches of all brokers that have something to read of the metadata log."""
        for name, at in self.world.spreading.fetches(self.now):
            self.put(at, TIMER, "metadata", name, name, "fetch metadata")

    def _fault(self, argument: Any, event: Event) -> None:
        self._kind = "fault"
        self.interference.strike(argument)
        self._follow_changes()

    # -- effects ---------------------------------------------------------------------------------------

    def at_work(self, actor: str, kind: StepKind) -> None:
        """Name the actor and the kind of the current step."""
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
                self._fetch_metadata()
            elif name in self.world.brokers and effect.peer not in self.world.brokers:
                self.disconnect(effect.peer, name, effect.purpose)
            else:
                self.disconnect(name, effect.peer, effect.purpose)

    def ask(self, name: str) -> None:
        """Ask a role for its timers and follow the partitions that changed, after a fault or an intervention."""
        self.ask_for_timers(name)
        self._follow_changes()

    def send(self, source: str, effect: Send) -> Envelope | None:
        """Put a message on its way; the fault script sees it first. None: a response whose connection has ended."""
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
            self._take_next(effect.destination, source, effect.body, effect.correlation_id)
        if interference.apis and effect.body.api in interference.apis:  # type: ignore[attr-defined]
            interference.sent(envelope)
        return envelope

    def _answers_in_vain(self, broker: str, effect: Send) -> bool:
        """Drop the response to a request whose connection has ended, and take the next one of those left (GEN-11)."""
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

    def _take_next(self, client: str, broker: str, body: object, correlation_id: int) -> None:
        """A broker has done with a request; it takes the next one of the connection now (GEN-11)."""
        connections = self.world.network.connections
        ended = connections.of_ended(client, broker, correlation_id) if connections.ended else None
        if ended is not None:
            self._deliver_now(connections.answered_in_vain(ended))
        else:
            self._deliver_now(connections.answered(client, broker, body, correlation_id))

    def _deliver_now(self, following: Envelope | None) -> None:
        if following is not None:
            self.world.network.take_now(following, self.now)
            self.schedule_delivery(following)

    def schedule_delivery(self, envelope: Envelope) -> None:
        """A message arrives at its time; one that waits at a paused receiver has arrived before."""
        at = envelope.arrives_at
        if at < self.now:
            at = envelope.arrives_at = self.now
        what = f"message {envelope.id}" if self.watch.recording else ""
        self.put(at, DELIVERY, "deliver", (envelope.id, at), envelope.destination, what)

    def _open(self, name: str, peer: str, purpose: str) -> None:
        network = self.world.network
        delay = 2 * network.latency(name, peer) + self.interference.slow_connections.get(peer, 0)
        self.put(
            self.now + delay, DELIVERY, "connected", (name, peer, purpose), name, f"connection to {peer}"
        )

    def disconnect(self, client: str, broker: str, purpose: str, taken: int = 0) -> int:
        """End one connection: what is under way on it is lost, both ends learn it at once (GEN-5). Of the requests
        that wait at the broker, the first ``taken`` are processed all the same (GEN-11); returns how many these are."""
        lost, kept = self.world.network.lose((client, broker, purpose).__eq__, taken)
        self._lost_with_connection(lost)
        self._disconnected(client, broker, purpose)
        return kept

    def cut_off(self, name: str) -> None:
        """An actor stopped: every connection of it ends, and a broker answers nothing that it had."""
        for peer in self.world.peers_of(name):
            self._end_all(name, peer)
        self._lost_with_connection(self.world.network.forget(name))

    def _end_all(self, one: str, other: str) -> None:
        """Every connection between these two ends."""
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
        role = self.world.connecting.get(name)
        if role is not None and role.alive:
            self.carry_out(name, role.on_disconnected(peer, self.now, purpose))
            self.ask_for_timers(name)

    def lost(self, envelope: Envelope) -> None:
        """A message is not delivered."""
        if isinstance(self.watch, Recorded):
            self.watch.fate(envelope.id, "lost")
        self.settled(envelope)
        api: str = envelope.body.api  # type: ignore[attr-defined]
        self.watch.emit(MessageLost, api, envelope.source, envelope.destination)

    def settled(self, envelope: Envelope) -> None:
        """Report to the judges that this copy is no longer under way."""
        if self.watch.judging and type(envelope.body) is ProduceRequest:
            self.world.copies(envelope.body, sent=False)

    def _follow_changes(self) -> None:
        """Schedule the fetches that could change something now, on their grids (LOG-7, CON-1)."""
        world = self.world
        if world.controller.announcements:
            for name, effects in world.announce(self.now):
                self.carry_out(name, effects)
                self.ask_for_timers(name)
            self._fetch_metadata()
            self.ask_for_timers("controller")
        changed = world.changed_partitions
        if not changed:
            return
        if len(changed) == 1:
            partitions = [changed.pop()]
        else:
            partitions = sorted(changed)
            changed.clear()
        recording = self.watch.recording
        for partition in partitions:
            for fetcher in world.fetchers.due(partition):
                self._queue_fetch(fetcher)
            if recording:
                world.lanes_changed(partition)
            if world.consumers:
                for name in world.wake_readers(partition, self.now):
                    self.ask_for_timers(name)

    def _queue_fetch(self, fetcher: Fetcher) -> None:
        fetcher.waiting = True
        interval = self.world.replica_fetch_ms
        at = (self.now // interval + 1) * interval
        self.put(at, TIMER, "replicate", fetcher, fetcher.name, fetcher.what)

    # -- looking ---------------------------------------------------------------------------------------

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
        """The whole state as docs/frame.md has it, computed afresh. Only at the recorded level."""
        view = whole_view(self.world.empty_view(), self.parts())
        view["time"] = self.now  # Quiet events may have passed since the newest step.
        return view

    def header(self) -> Header:
        """The header: the part of a run that does not change."""
        return header_of(self.scenario, self.world.actors())

    def fork(self) -> Simulation:
        """An independent copy that goes on from here."""
        copy: Simulation = pickle.loads(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))
        return copy

    def digest(self) -> str:
        """SHA-256 of the state; equal states have equal digests whatever led to them."""
        return digest_of(self.view())

    def intervene(self, intervention: dict[str, Any]) -> dict[str, Any]:
        """Do something to the world after the newest step; returns it with ``after`` filled in.

        Raises Refused when it cannot be done here and now.
        """
        done = {**intervention, "after": self.number}
        self.interference.accept(done)
        self.finished = None
        return done

    def verdicts(self) -> list[Verdict]:
        """The counts per partition; only when judged or recorded."""
        return self.judges.verdicts()


def _api(envelope: Envelope) -> str:
    api: str = envelope.body.api  # type: ignore[attr-defined]
    return api


_HANDLERS: dict[str, Any] = {
    "deliver": Simulation._deliver,
    "timer": Simulation._timer,
    "background": Simulation._background,
    "pass": Simulation._begin_pass,
    "call": calls.act,
    "loop": loops.act,
    "connected": Simulation._connected,
    "replicate": Simulation._replicate,
    "metadata": Simulation._read_metadata,
    "fault": Simulation._fault,
}

__all__ = ["ENGINE_VERSION", "Simulation"]
